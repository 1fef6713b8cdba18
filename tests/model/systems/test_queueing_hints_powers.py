"""The powers of queueing-hints by which a pod may be helped: its own update, a pod of others, an event of the node."""

from collections.abc import Iterator

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.pod_handlers import on_pod
from model.scheduler.queue.events import ObjectEvent
from model.scheduler.queue.state import InFlightEvent
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_OFF, GATE_ON
from properties.queueing_hints.catalogue import PROPERTIES
from tests.model.systems.test_queueing_hints import after, machine, violated

# The releases on both sides of what changes for these powers.
RELEASES = ("1.28.4", "1.29.9", "1.30.14", "1.31.13", "1.32.0", "1.36.2")
_TRIED = ("create_pod", "deliver_pod", "pop", "schedule", "requeue", "patch_failure", "deliver_pod")


def taken(m: QueueingHintsMachine, state: QueueingHints, name: str, **chosen: str) -> QueueingHints:
    """The state after the one action of this name that has these arguments."""
    (action,) = (a for a in m.actions(state) if a.name == name and dict(a.args).items() >= chosen.items())
    return m.step(state, action)


def queued(state: QueueingHints) -> bool:
    """Whether some pod is to be tried again."""
    return bool(state.queue.active or state.queue.backoff)


def kept(state: QueueingHints) -> Iterator[InFlightEvent]:
    yield from (each for each in state.queue.in_flight_events if isinstance(each, InFlightEvent))


@pytest.mark.parametrize(
    ("release", "gate"), [("1.29.9", GATE_ON), ("1.31.13", GATE_ON), ("1.31.13", GATE_OFF), ("1.36.2", GATE_ON)]
)
@pytest.mark.parametrize(
    "powers", [{"assigned": 2}, {"plugins": 1, "changes": 1, "hint_errors": 1}, {"tolerations": 1, "clock": 1}], ids=str
)
def test_no_release_loses_what_helps(release: str, gate: int, powers: dict[str, int]) -> None:
    """QH-ERROR-STUCK and other losses need more than these powers."""
    found = violated(release, QueueingHintsScope(gate=gate, **powers))
    assert {"no-event-lost", "accepted-pod-is-bound", "failed-by-error-is-tried-again"}.isdisjoint(found)


@pytest.mark.parametrize("release", RELEASES)
def test_a_pod_is_rejected_until_it_tolerates_the_taint(release: str) -> None:
    m = machine(release, QueueingHintsScope(gate=GATE_ON, tolerations=1))
    state = after(m, *_TRIED)
    assert state.queue.unschedulable[0].unschedulable_plugins == {"TaintToleration"}
    state = taken(m, taken(m, state, "add_toleration"), "deliver_pod")
    assert queued(state)
    state = taken(m, taken(m, state, "pop"), "schedule")
    assert state.cycle is not None
    assert not state.cycle.rejected_by


def test_a_hint_of_1_31_that_skips_the_own_update_leaves_the_pod() -> None:
    """The update of a waiting pod goes by the hint function from 1.31 on, and not before."""

    def skips(pod: object, old: object, new: object) -> str:
        return "QueueSkip"

    lost = []
    for release in ("1.30.14", "1.31.13", "1.36.2"):
        m = machine(release, QueueingHintsScope(gate=GATE_ON, tolerations=1))
        other = QueueingHintsMachine(m.scope, evolve(m.rules, taint_after_pod=skips), (skips,))
        (result,) = (each for each in check(other, PROPERTIES) if each.property == "no-event-lost")
        lost.append(result.trace is not None)
    assert lost == [False, True, True]


@pytest.mark.parametrize(
    ("release", "keeps"), [("1.28.4", None), ("1.30.14", None), ("1.31.13", "Pod"), ("1.36.2", "UnschedulablePod")]
)
def test_the_update_of_a_pod_in_flight_is_kept_with_its_object(release: str, keeps: str | None) -> None:
    """Up to 1.30 the pod is queued a second time instead (QUEUE-INFLIGHT-DUP)."""
    m = machine(release, QueueingHintsScope(gate=GATE_ON, tolerations=1))
    state = after(m, "create_pod", "deliver_pod", "pop", "add_toleration", "deliver_pod")
    assert queued(state) is (keeps is None)
    events = [each.event for each in kept(state)]
    assert [event.resource for event in events] == ([] if keeps is None else [keeps])
    assert all(isinstance(event, ObjectEvent) and event.new.toleration for event in events)


@pytest.mark.parametrize("release", RELEASES)
def test_a_pod_that_asks_for_another_one_is_tried_when_that_comes(release: str) -> None:
    m = machine(release, QueueingHintsScope(gate=GATE_ON, assigned=2))
    state = after(m, "create_asking_pod", *_TRIED[1:])
    assert state.queue.unschedulable[0].unschedulable_plugins == {"InterPodAffinity"}
    assert queued(taken(m, state, "bind_other", kind="labelled"))
    plain = taken(m, state, "bind_other", kind="plain")
    # Up to 1.30 the queue itself picks the pods, by the labels; then hint functions do.
    assert not queued(plain)
    assert queued(taken(m, plain, "label_other"))


@pytest.mark.parametrize(("release", "asked"), [("1.30.14", False), ("1.31.13", True), ("1.36.2", True)])
def test_who_is_told_of_an_assigned_pod(release: str, asked: bool) -> None:
    """Up to 1.30 a pod that asks for no other pod is not told. From 1.31 on every plugin that waits is asked."""
    m = machine(release, QueueingHintsScope(gate=GATE_ON, assigned=1, permits=1))
    state = after(m, *_TRIED[:4], "assume", permit="wait")
    for name, chosen in (("wait_on_permit", {"permit": "rejected"}), ("binding_failed", {}), ("requeue", {})):
        state = taken(m, state, name, **chosen)
    assert state.queue.unschedulable[0].unschedulable_plugins == {"Coscheduling"}
    assert queued(taken(m, state, "bind_other", kind="plain")) is asked


@pytest.mark.parametrize("release", ["1.28.4", "1.36.2"])
def test_a_pod_of_others_that_goes_makes_room(release: str) -> None:
    m = machine(release, QueueingHintsScope(gate=GATE_ON, assigned=2))
    state = taken(m, m.initial_states()[0], "bind_other", kind="big")
    for name in _TRIED:
        state = taken(m, state, name)
    assert state.queue.unschedulable[0].unschedulable_plugins == {"NodeResourcesFit"}
    assert queued(taken(m, state, "remove_other"))


@pytest.mark.parametrize(("release", "may"), [("1.28.14", False), ("1.29.0", True), ("1.36.2", True)])
def test_an_error_of_a_hint_function_counts_as_queue_from_1_29_on(release: str, may: bool) -> None:
    m = machine(release, QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, hint_errors=1))
    state = after(m, *_TRIED)
    offered = [action for action in m.actions(state) if "hint" in dict(action.args)]
    assert bool(offered) is may
    for action in offered:
        assert "QueueingHintFn returns error" in str(m.errors(state, action)[0])
        assert queued(m.step(state, action))


def test_an_error_that_counted_as_skip_would_lose_the_event() -> None:
    m = machine("1.36.2", QueueingHintsScope(plugins=1, gate=GATE_ON, changes=1, hint_errors=1))
    release_rule = m.rules.worth_requeuing

    def skipping_errors(info, event, registrations):  # type: ignore[no-untyped-def]
        return "QueueSkip" if isinstance(event, ObjectEvent) else release_rule(info, event, registrations)

    mutant = QueueingHintsMachine(m.scope, evolve(m.rules, worth_requeuing=skipping_errors), (skipping_errors,))
    found = {result.property for result in check(mutant, PROPERTIES) if result.trace is not None}
    assert "no-event-lost" in found


@pytest.mark.parametrize(
    ("release", "gate", "moved"),
    [("1.31.14", GATE_ON, False), ("1.32.0", GATE_ON, True), ("1.32.0", GATE_OFF, False), ("1.36.2", GATE_ON, True)],
)
def test_the_pre_check_keeps_a_pod_from_an_event_of_a_node_that_does_not_take_it(
    release: str, gate: int, moved: bool
) -> None:
    """TaintToleration rejects first. The taint goes while the node is too small."""
    m = machine(release, QueueingHintsScope(plugins=3, gate=gate, changes=2, pre_check=1))
    state = after(m, *_TRIED)
    assert state.queue.unschedulable[0].unschedulable_plugins == {"TaintToleration"}
    assert queued(taken(m, state, "change_condition", plugin="TaintToleration")) is moved


def rejected(release: str, scope: QueueingHintsScope, create: str, holds: tuple[str, ...]) -> QueueingHints:
    """A pod is tried and rejected while only the conditions of these plugins hold."""
    m = machine(release, scope)
    (state,) = m.initial_states()
    for plugin in holds:
        state = taken(m, state, "change_condition", plugin=plugin)
    for name in (create, *_TRIED[1:]):
        state = taken(m, state, name)
    return state


@pytest.mark.parametrize(
    ("release", "gate", "moved"),
    [("1.31.14", GATE_ON, False), ("1.32.0", GATE_ON, True), ("1.32.0", GATE_OFF, False), ("1.36.2", GATE_ON, True)],
)
def test_a_change_of_taints_has_each_plugin_try_again_that_waits_for_new_nodes(
    release: str, gate: int, moved: bool
) -> None:
    """NodeResourcesFit names no taints from 1.32 on with the gate on, but the scheduler adds them (#109437)."""
    scope = QueueingHintsScope(plugins=3, gate=gate, changes=2, events=1, pre_check=1)
    state = rejected(release, scope, "create_pod", ("TaintToleration", "NodeAffinity"))
    assert state.queue.unschedulable[0].unschedulable_plugins == {"NodeResourcesFit"}
    assert queued(taken(machine(release, scope), state, "cluster_event", plugin="TaintToleration")) is moved


@pytest.mark.parametrize("release", ["1.28.4", "1.31.14", "1.36.2"])
def test_a_pod_that_asks_for_another_one_is_tried_when_the_labels_of_the_node_change(release: str) -> None:
    scope = QueueingHintsScope(plugins=2, gate=GATE_ON, changes=2, events=1, assigned=1, pre_check=1)
    state = rejected(release, scope, "create_asking_pod", ("NodeResourcesFit", "NodeAffinity"))
    assert state.queue.unschedulable[0].unschedulable_plugins == {"InterPodAffinity"}
    assert queued(taken(machine(release, scope), state, "cluster_event", plugin="NodeAffinity"))
    assert not queued(taken(machine(release, scope), state, "cluster_event", plugin="NodeResourcesFit"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "gate", "lost"),
    [("1.28.4", GATE_ON, None), ("1.31.14", GATE_ON, None), ("1.31.14", GATE_OFF, None), ("1.32.0", GATE_OFF, 10),
     ("1.33.1", GATE_OFF, 10), ("1.32.0", GATE_ON, None), ("1.36.2", GATE_ON, None)],
)  # fmt: skip
def test_who_loses_an_event_that_the_pre_check_kept(release: str, gate: int, lost: int | None) -> None:
    """With the gate off in 1.32 and 1.33 TaintToleration waits for too few events beside the check."""
    scope = QueueingHintsScope(plugins=3, gate=gate, changes=3, pre_check=1)
    assert violated(release, scope).get("no-event-lost") == lost


@pytest.mark.parametrize(("release", "ends"), [("1.34.9", False), ("1.35.0", True), ("1.36.3", True)])
def test_a_pod_that_a_relist_finds_created_again_ends_the_scheduler(release: str, ends: bool) -> None:
    """From 1.35 on the one handler takes the next incarnation for an update of the bound pod."""
    scope = QueueingHintsScope(gate=GATE_ON, deletes=1, recreates=1, relists=1)
    found = violated(release, scope)
    assert ("accepted-pod-is-bound" in found) is ends
    m = machine(release, scope)
    state = after(m, "create_pod", "deliver_pod", "pop", "schedule", "assume")
    while state.bindings:
        state = m.step(state, next(a for a in m.actions(state) if dict(a.args).get("by") == "binding"))
    for name in ("deliver_pod", "delete_pod", "recreate_pod", "relist_pods", "deliver_pod"):
        state = taken(m, state, name)
    assert bool(state.crashed) is ends
    assert bool(state.queue.active) is not ends


def test_what_the_one_handler_of_pods_calls() -> None:
    m = machine("1.36.2", QueueingHintsScope())
    state = after(m, "create_pod")
    pod = state.pods[0]
    assert pod is not None
    bound = evolve(pod, node_name="n1")
    heard = {
        "add": PodNotification(None, pod),
        "add bound": PodNotification(None, bound),
        "bind": PodNotification(pod, bound),
        "delete": PodNotification(bound, None),
        "missed": PodNotification(pod, None, True),
    }
    assert {name: [call.function for call in on_pod(m.rules, each)] for name, each in heard.items()} == {
        "add": ["add"],
        "add bound": ["add_pod", "assigned_pod_added"],
        "bind": ["add_pod", "assigned_pod_added", "delete"],
        "delete": ["remove_pod", "move_all_to_active_or_backoff_queue"],
        # Whether the pod waits at Permit is asked of an assumed pod alone.
        "missed": ["remove_pod", "move_all_to_active_or_backoff_queue", "delete"],
    }
