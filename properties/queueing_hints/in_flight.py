"""Properties of what is in flight: each pod once, as long as its cycle runs, with the events since its Pop."""

from model.machine import Action
from model.scheduler.queue.events import FORCE_ACTIVATE, ClusterEvent
from model.scheduler.queue.state import InFlightEvent, InFlightPod
from model.systems.queueing_hints.machine import QueueingHintsMachine
from properties.property import Invariant, SetupInvariant, StepInvariant
from properties.queueing_hints.view import (
    State,
    elements,
    goroutines,
    in_flight,
    of_interest,
    queues_of,
    retained,
    running,
    thread_of,
)


def _twice_or_not(state: State) -> list[str]:
    """The UIDs that are not as often in the list as they are in the map."""
    listed, known = elements(state), in_flight(state)
    return sorted({uid for uid in (*listed, *known) if listed.count(uid) != known.count(uid)})


def _explain_elements(state: State) -> str:
    uid = _twice_or_not(state)[0]
    listed, known = elements(state).count(uid), in_flight(state).count(uid)
    return f"{uid} is {listed} times in inFlightEvents and {known} times in inFlightPods: what is left over stays"


ONE_ELEMENT = Invariant(
    name="one-element-for-each-pod",
    sentence="Each pod in inFlightPods has exactly one element in inFlightEvents, and no other pod has one.",
    broken_by=("discard_nothing",),
    holds=lambda state: not elements(state) or not _twice_or_not(state),
    premise=lambda state: bool(elements(state)),
    explain=_explain_elements,
)


def _left_behind(state: State) -> list[str]:
    uids = {goroutine.uid for goroutine in running(state)}
    return [uid for uid in in_flight(state) if uid not in uids]


ENDS_WITH_CYCLE = Invariant(
    name="in-flight-while-scheduled",
    sentence="A pod is in flight only as long as a scheduling cycle or a binding of the pod runs.",
    broken_by=("skipped_without_done", "unknown_profile_without_done"),
    holds=lambda state: not _left_behind(state),
    premise=lambda state: bool(in_flight(state)),
    explain=lambda state: f"nobody schedules or binds {_left_behind(state)[0]}, and nobody will call Done of the pod",
)


def _not_in_flight(state: State) -> list[str]:
    known = in_flight(state)
    return [goroutine.uid for goroutine in running(state) if goroutine.uid not in known]


SINCE_POP = SetupInvariant(
    name="scheduled-while-in-flight",
    sentence="As long as a cycle has not called Done, its pod is in flight.",
    broken_by=("done_again_after_error",),
    actions=lambda machine: frozenset(machine.action_names) if machine.setup.gate else frozenset(),
    holds=lambda machine, before, action, after: not _not_in_flight(after),
    premise=lambda machine, before, action, after: bool(running(after)),
    explain=lambda machine, before, action, after: (
        f"a cycle of {_not_in_flight(after)[0]} runs, and the queue takes the pod for done: no event is kept"
    ),
)


def _calls_done(before: State, action: Action, after: State) -> bool:
    """Whether the action calls Done: where a Done is still to come, the step before it has not."""
    goroutine = thread_of(before, action)
    if goroutine is None:
        return False
    due, left = (_due(state, goroutine.uid) for state in (before, after))
    return left < due or (left == due and action.name in ("requeue", "done_again"))


def _due(state: State, uid: str) -> int:
    """How many failure handlers have looked for the pod, and will call Done."""
    of_pod = (each.steps for each in goroutines(state) if each.uid == uid)
    return sum(steps[0] == "done_after_requeue" or "done_after_failure" in steps for steps in of_pod)


def _takes_nothing_again(before: State, action: Action, after: State) -> bool:
    """Whether the call is the first one of its cycle, or finds nothing in flight."""
    goroutine = thread_of(before, action)
    if goroutine is None or not goroutine.done or not _calls_done(before, action, after):
        return True
    return set(in_flight(before)) <= set(in_flight(after))


ONE_DONE = StepInvariant(
    name="one-done-for-each-pop",
    # From 1.32 on a cycle calls Done before Bind, and again when its failed pod goes back. The second call finds
    # nothing, unless the pod is in flight once more (active_queue.go `done`).
    sentence="The Done of its own cycle ends each Pop: a cycle that calls Done again takes no pod out of flight.",
    broken_by=("done_again_after_error", "done_after_pre_bind"),
    # The other steps that call Done are the first that can, in every cycle.
    actions=frozenset({"requeue", "done_after_requeue", "patch_failure", "done_after_failure", "done_again"}),
    holds=_takes_nothing_again,
    premise=_calls_done,
    explain=lambda before, action, after: (
        f"Done of {action['pod']} is called a second time, and ends the Pop of another cycle"
    ),
)
NOTHING_RETAINED = Invariant(
    name="nothing-in-flight-nothing-retained",
    sentence="If no pod is in flight, inFlightEvents is empty.",
    broken_by=("discard_nothing",),
    holds=lambda state: bool(in_flight(state)) or not state.queue.in_flight_events,
    premise=lambda state: not in_flight(state),
    explain=lambda state: f"no pod is in flight, and {len(state.queue.in_flight_events)} elements are kept",
)


def _begins_with_pod(state: State) -> bool:
    first = next(iter(state.queue.in_flight_events), None)
    return not elements(state) or (isinstance(first, InFlightPod) and first.uid in in_flight(state))


BEGINS_WITH_POD = Invariant(
    name="list-begins-with-a-pod-in-flight",
    sentence="The first element of inFlightEvents is a pod, and this pod is in flight.",
    broken_by=("discard_nothing",),
    holds=_begins_with_pod,
    premise=lambda state: bool(elements(state)),
    explain=lambda state: "the first element of inFlightEvents is no pod in flight, so Done prunes nothing behind it",
)


# --- how much is retained --------------------------------------------------------------------------------------------


def _most(machine: QueueingHintsMachine, state: State) -> int:
    """How many events that somebody needs came since the Pop of the oldest cycle that runs."""
    counts = [sum(of_interest(machine.setup, event) for event in each.events) for each in running(state)]
    return max(counts, default=0)


def _within(machine: QueueingHintsMachine, before: State, action: Action, after: State) -> bool:
    return len(retained(after)) <= _most(machine, after)


RETAINED = SetupInvariant(
    name="retains-what-a-running-cycle-needs",
    sentence="The queue keeps no more events than came since the oldest running cycle began, of those that a plugin "
    "waits for and of those that say that a pod in flight was updated.",
    broken_by=("every_event_is_of_interest", "skipped_without_done", "discard_nothing"),
    actions=lambda machine: frozenset(machine.action_names) if machine.setup.gate else frozenset(),
    holds=_within,
    premise=lambda machine, before, action, after: bool(retained(after)),
    explain=lambda machine, before, action, after: (
        f"{len(retained(after))} events are kept, and {_most(machine, after)} that somebody needs came since the "
        "oldest running cycle began"
    ),
)


def _binds_with(state: State) -> list[str]:
    bound = [goroutine.uid for goroutine in state.bindings if goroutine.steps[0] in ("bind", "finish_binding")]
    return [uid for uid in bound if uid in in_flight(state)]


DONE_BEFORE_BIND = Invariant(
    name="done-before-bind",
    sentence="While a Binding is on its way, no event is kept for the pod: no rejection can follow.",
    broken_by=("done_after_bind",),
    holds=lambda state: not _binds_with(state),
    premise=lambda state: any(goroutine.steps[0] == "bind" for goroutine in state.bindings),
    explain=lambda state: f"{_binds_with(state)[0]} is being bound, and each event that comes meanwhile is kept for it",
)


# --- what the failure handler sees -----------------------------------------------------------------------------------


def _handed_back(before: State, action: Action) -> str:
    """The UID of the pod that goes back, as the informer has it under the popped pod's name; "" if none goes back."""
    listed = before.lister[int(action["pod"][1:]) - 1]
    return "" if listed is None or listed.node_name or queues_of(before, listed.name) else listed.uid


def _seen(
    machine: QueueingHintsMachine, before: State, action: Action
) -> tuple[list[ClusterEvent], list[ClusterEvent]]:
    """The events that came since the Pop, as far as the release keeps such events, and those that the queue answers."""
    goroutine, setup = thread_of(before, action), machine.setup
    hints, uid = setup.queue.hints, _handed_back(before, action)
    assert goroutine is not None
    assert hints is not None
    # An activation is for one pod alone.
    came = [
        event
        for event in goroutine.events
        if event != FORCE_ACTIVATE and setup.rules.event_of_interest(event, setup.registered)
    ]
    answered: tuple[InFlightEvent, ...] = hints.events_for_pod(before.queue, uid) or ()
    return came, [each.event for each in answered if each.only_for in ("", uid)]


def _sees(machine: QueueingHintsMachine, before: State, action: Action, after: State) -> bool:
    came, answered = _seen(machine, before, action)
    # An Update keeps its event for the pod in flight whether or not a plugin waits for such events.
    return [event for event in answered if event in came] == came


def _goes_back(machine: QueueingHintsMachine, before: State, action: Action, after: State) -> bool:
    goroutine = thread_of(before, action)
    return goroutine is not None and not goroutine.done and bool(_handed_back(before, action))


def _explain_seen(machine: QueueingHintsMachine, before: State, action: Action, after: State) -> str:
    came, answered = ([event.label for event in events] for events in _seen(machine, before, action))
    return (
        f"since the Pop of {action['pod']} came {', '.join(came) or 'nothing'}; the queue answers "
        f"{', '.join(answered) or 'nothing'}"
    )


SEES_EVENTS = SetupInvariant(
    name="failure-sees-events-since-pop",
    sentence="When a failed pod goes back, the queue looks at every event since its Pop that the queue keeps.",
    broken_by=("events_after_previous_event",),
    actions=lambda machine: frozenset({"requeue"}) if machine.setup.gate else frozenset(),
    holds=lambda machine, before, action, after: (
        not _goes_back(machine, before, action, after) or _sees(machine, before, action, after)
    ),
    premise=_goes_back,
    explain=_explain_seen,
)
