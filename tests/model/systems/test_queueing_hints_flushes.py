"""Each flush of a pod that cannot leave unschedulablePods is one more event behind a pod in flight: without end."""

import pytest
from attrs import evolve

from model.releases import known_release, rules_for
from model.systems.queueing_hints import QueueingHints, QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_ON

SCOPE = QueueingHintsScope(pods=2, gate=GATE_ON, clock=1, flush=1, gates=1)


def taken(m: QueueingHintsMachine, state: QueueingHints, name: str, pod: str = "") -> QueueingHints:
    """The state after this action, of this pod if the action names one."""
    return m.step(state, next(a for a in m.actions(state) if a.name == name and dict(a.args).get("pod", "") == pod))


@pytest.mark.parametrize("release", ["1.28.0", "1.28.3", "1.31.14", "1.32.0"])
def test_a_gated_pod_and_a_cycle_that_lasts_are_enough_for_states_without_end(release: str) -> None:
    m = QueueingHintsMachine(SCOPE, rules_for(QueueingHintsRules, known_release(release)))
    state = m.initial_states()[0]
    for name, pod in (("create_gated_pod", "p1"), ("deliver_pod", "p1"), ("create_pod", "p2"), ("deliver_pod", "p2")):
        state = taken(m, state, name, pod)
    state = taken(m, state, "pop", "p2")
    while not any(action.name == "flush_unschedulable_q_leftover" for action in m.actions(state)):
        state = taken(m, state, "tick")
    for times in range(6):
        assert state.cycle is not None
        assert len(state.cycle.events) == times
        flushed = taken(m, state, "flush_unschedulable_q_leftover")
        assert flushed.cycle is not None
        before = evolve(flushed, queue=state.queue, cycle=evolve(flushed.cycle, events=state.cycle.events))
        assert times == 0 or before == state
        state = flushed
