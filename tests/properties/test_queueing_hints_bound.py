"""The bound on the events that the queue retains: some run reaches the bound, so that no smaller one holds."""

import pytest

from model.releases import known_release, rules_for
from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_ON
from properties.queueing_hints.view import of_interest, retained, running


@pytest.mark.parametrize("release", ["1.30.14", "1.31.14", "1.32.0", "1.36.2"])
@pytest.mark.parametrize("events", [1, 3])
def test_a_run_retains_as_many_events_as_its_oldest_cycle_lives_through(release: str, events: int) -> None:
    rules = rules_for(QueueingHintsRules, known_release(release))
    machine = QueueingHintsMachine(QueueingHintsScope(plugins=1, gate=GATE_ON, events=events), rules)
    level = seen = set(machine.initial_states())
    reached = set()
    while level:
        level = {machine.step(state, action) for state in level for action in machine.actions(state)} - seen
        seen |= level
        for state in level:
            needed = [sum(of_interest(machine.setup, each) for each in g.events) for g in running(state)]
            assert len(retained(state)) <= max(needed, default=0)
            reached.add((len(retained(state)), max(needed, default=0)))
    assert (events, events) in reached
