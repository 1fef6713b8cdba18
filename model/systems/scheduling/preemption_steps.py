"""Preemption, as far as nominations need it: candidates, nomination, the victims' deletion.

Go: Scheduler.preempt and genericScheduler.Preempt up to 1.18; DefaultPreemption.PostFilter, PrepareCandidate later.
"""

from collections.abc import Iterator

from model.evolve import evolve
from model.go.errors import met_error
from model.machine import Action
from model.objects import Pod
from model.places import Place
from model.scheduler.preemption.writes import DISRUPTION_TARGET, PodStatus
from model.scheduler.queue import scheduling_queue as queue_functions
from model.scheduler.queue.nominator import pods_for_node
from model.systems.scheduling import fitting
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling.rules import SchedulingSetup
from model.systems.scheduling.step import (
    CYCLE,
    NOMINATOR_LOCK,
    QUEUE_LOCK,
    OwnStep,
    Stepped,
)
from model.world.api_server import NOT_FOUND, delete_pod, live, patch_status, place, put_status, write_pod
from model.world.calls_in import lister_of, with_queue
from model.world.go_files import QUEUE_GO, at, via
from model.world.goroutines import Choice, own_step
from model.world.step import Scope


def preemptor(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Pod | None:
    """The pod as preemption looks it up: by a GET up to 1.18, in the lister later. Nobody asks whether it is bound."""
    if setup.rules.error_func().own_goroutine:
        return live(state, goroutine.pod)
    return state.lister[place(goroutine.pod.name)]


def _eligible(setup: SchedulingSetup, state: Scheduling, pod: Pod) -> bool:
    return fitting.eligible_to_preempt(setup.rules, state.snapshot, pod)


def _candidates(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Iterator[Choice]:
    """The candidates that may be chosen; no node when there is none."""
    pod = preemptor(setup, state, goroutine)
    found: tuple[fitting.Candidate, ...] = ()
    if pod is not None and _eligible(setup, state, pod):
        nominations = fitting.nominations(setup.queue, state.queue)
        found = fitting.best_candidates(state.snapshot, nominations, pod, setup.rules.preempts_with)
    for node, victims in sorted(found):
        yield (("node", node), ("victims", " ".join(victims)))
    if not found:
        yield ()


def _chosen(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, pod: Pod, action: Action) -> Goroutine:
    arguments = dict(action.args)
    node = str(arguments["node"])
    victims = tuple(str(arguments["victims"]).split())
    nominations = fitting.nominations(setup.queue, state.queue)
    clear = tuple(p for p in pods_for_node(nominations, node) if p.priority < pod.priority)
    return evolve(goroutine, info=evolve(goroutine.info, pod=pod), node=node, victims=victims, clear=clear)


def preempt(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """Up to 1.18: GET of the preemptor, then the choice, from the cycle's snapshot and the nominations."""
    assert action is not None
    pod = preemptor(setup, state, goroutine)
    if pod is None:
        met_error("GetUpdatedPod", "the pod is not found", goroutine.pod.uid)
    if pod is None or "node" not in dict(action.args):
        return state, without_preemption(goroutine)
    chosen = _chosen(setup, state, goroutine, pod, action)
    if not setup.rules.preempts_first():
        return state, chosen
    return state, evolve(chosen, info=goroutine.info, at_hand=pod)


def without_preemption(goroutine: Goroutine) -> Goroutine:
    """Preemption ends here: nothing follows, or the failure is recorded (1.18)."""
    steps = tuple(step for step in goroutine.steps if step not in PREEMPTION)
    return evolve(goroutine, steps=steps, victims=(), clear=(), at_hand=None)


def nominate(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """UpdateNominatedPodForNode (1.14 to 1.18); bound or not, the pod is nominated."""
    pod = goroutine.at_hand or goroutine.pod
    queue = queue_functions.add_nominated_pod(setup.queue, state.queue, pod, goroutine.node, lister_of(state))
    return with_queue(state, queue), goroutine


def set_nominated_node_name(
    setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None
) -> Stepped:
    """A PUT of the status; refused, the nomination is deleted again and nobody is preempted."""
    pod = goroutine.at_hand or goroutine.pod
    reply = put_status(state, pod, nominated=goroutine.node)
    met_error("SetNominatedNodeName", reply.error, pod.uid)
    if reply.refused:
        return not_nominated(setup, state, goroutine)
    return reply.state, evolve(goroutine, at_hand=None)


def not_nominated(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine) -> Stepped:
    """The nomination was not written: it is deleted in memory too, and nobody is preempted."""
    pod = goroutine.at_hand or goroutine.pod
    queue = queue_functions.delete_nominated_pod_if_exists(setup.queue, state.queue, pod)
    return with_queue(state, queue), without_preemption(goroutine)


def post_filter(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """1.19 on: the choice, from lister, snapshot and nominations. Not eligible: the nomination stays as it is."""
    assert action is not None
    pod = preemptor(setup, state, goroutine)
    if pod is None:
        met_error("PostFilter", "the pod is not found", goroutine.pod.uid)
    if pod is None or not _eligible(setup, state, pod):
        return state, evolve(goroutine, node=None)
    if "node" not in dict(action.args):
        return state, goroutine
    chosen = _chosen(setup, state, goroutine, pod, action)
    return state, evolve(chosen, info=goroutine.info)


def delete_victims(setup: SchedulingSetup, state: Scheduling, goroutine: Goroutine, action: Action | None) -> Stepped:
    """DELETE of each victim, by name; then pods of lower priority nominated there lose their nomination, in the API.

    From 1.26 on a patch of the victim's status comes before the DELETE (`marked`). One step: requests to the API server
    one after the other; an error ends them, as of a victim that is gone. From 1.19 on the error ends preemption, and
    nobody is nominated; before, the pod has been nominated already.
    """
    for uid in goroutine.victims:
        victim = Pod(uid.partition("#")[0], uid)
        state = marked(setup, state, victim)
        reply = delete_pod(state, victim, bool(setup.scope.graceful), bool(setup.scope.blocked_deletes))
        met_error("DeletePod", reply.error, uid)
        if reply.refused and not is_passed_over(setup, reply.error):
            return state, evolve(goroutine, victims=(), clear=(), node=nominated_after_error(setup, goroutine))
        state = reply.state
    write = put_status if setup.rules.error_func().own_goroutine else patch_status
    for pod in goroutine.clear:
        if pod.nominated_node_name:
            reply = write(state, pod, nominated="")
            met_error("RemoveNominatedNodeName", reply.error, pod.uid)
            state = reply.state
    return state, evolve(goroutine, victims=(), clear=())


def marked(setup: SchedulingSetup, state: Scheduling, victim: Pod) -> Scheduling:
    """The state with the condition DisruptionTarget of the victim, if the release writes the condition."""
    current = live(state, victim)
    written = setup.rules.status_of_victim(PodStatus(), PodStatus())
    if current is None or written is None or DISRUPTION_TARGET not in written.conditions:
        return state
    return write_pod(state, evolve(current, disruption_target=True))


def is_passed_over(setup: SchedulingSetup, error: str | None) -> bool:
    """Whether the victim is gone already, and preemption goes on."""
    return error == NOT_FOUND and not setup.rules.missing_victim_is_an_error()


def nominated_after_error(setup: SchedulingSetup, goroutine: Goroutine) -> str | None:
    """The node to which the pod is nominated if its victims cannot be deleted; None leaves the nomination as it is."""
    return goroutine.node if setup.rules.error_func().own_goroutine else None


def _has_no_victims(goroutine: Goroutine) -> bool:
    return not goroutine.victims and not goroutine.clear


_PREEMPT_GO: Place = (("1.13.0", "scheduler.go preempt"),)
_NOMINATE_GO: Place = (
    ("1.13.0", "factory.go SetNominatedNodeName"),
    ("1.17.0-alpha.1", "scheduler.go setNominatedNodeName"),
)
_VICTIMS_GO: Place = (
    *_PREEMPT_GO,
    ("1.19.0-alpha.1", "default_preemption.go PrepareCandidate"),
    ("1.23.0-alpha.1", "preemption.go prepareCandidate"),
    ("1.36.0", "executor.go prepareCandidate"),
)
_FOUND_GO: Place = (("1.13.0", "generic_scheduler.go Preempt"),)


def _has_preemption(scope: Scope) -> object:
    return scope.preemption


STEPS: tuple[OwnStep, ...] = (
    own_step(
        preempt,
        CYCLE,
        place=via(_PREEMPT_GO, _FOUND_GO),
        lock=NOMINATOR_LOCK,
        needs=_has_preemption,
        by_rule=True,
        chooses=("node", "victims"),
        options=_candidates,
    ),
    own_step(
        nominate,
        CYCLE,
        place=via(_PREEMPT_GO, at(QUEUE_GO, "UpdateNominatedPodForNode")),
        lock=QUEUE_LOCK,
        part_of=("preempt",),
        why="what others do between the choice and the nomination is explored before both and after both",
        needs=_has_preemption,
        by_rule=True,
    ),
    own_step(set_nominated_node_name, CYCLE, place=via(_PREEMPT_GO, _NOMINATE_GO), needs=_has_preemption, by_rule=True),
    own_step(
        post_filter,
        CYCLE,
        place=(("1.19.0", "default_preemption.go PostFilter"),),
        lock=NOMINATOR_LOCK,
        needs=_has_preemption,
        by_rule=True,
        chooses=("node", "victims"),
        options=_candidates,
    ),
    own_step(
        delete_victims,
        CYCLE,
        place=_VICTIMS_GO,
        part_of=("post_filter",),
        why="what others do between the choice and the first DELETE is explored before both and after both",
        needs=_has_preemption,
        by_rule=True,
        idle=_has_no_victims,
    ),
)
PREEMPTION = frozenset(step.name for step in STEPS)
