"""Rules that are the same wherever an exploration looked have the same exploration."""

from typing import Any

import pytest

from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.counterexample import Counterexample, generations, release_rows_of
from kubeproof.bugs.runs import kept_run
from kubeproof.engines.explicit import explore
from kubeproof.engines.explicit.shared import LookedUp
from kubeproof.store.results import looked_up
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Outcome, Result
from model.releases import parse_release, rules_for
from model.scheduler.cache.canonical import compress_generations
from model.scheduler.cache.state import Cache, CacheSnapshot
from model.systems.api_calls import ApiCallsScope
from model.systems.async_preemption import AsyncPreemptionScope
from model.systems.cpu_manager import CPUManagerScope
from model.systems.node_listing import NodeListingScope
from model.systems.preemption import PreemptionScope
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.scheduling import SchedulingScope
from model.systems.scheduling_cycle import SchedulingCycleScope

SMALL = {
    "node-listing": NodeListingScope(nodes=2, zones=2),
    "cpu-manager": CPUManagerScope(cores=2, pods=1, restarts=1),
    "scheduling": SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, deletes=1),
    "queueing-hints": QueueingHintsScope(pods=1, plugins=1, gate=1, changes=1, errors=1),
    "preemption": PreemptionScope(nodes=1, pods=1, budgets=1, disrupted=1),
    "async-preemption": AsyncPreemptionScope(victims=2),
    "api-calls": ApiCallsScope(asynchronous_calls=1, refusals=1),
    "scheduling-cycle": SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=1, permit=1, failures=1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SYSTEMS)
def test_releases_with_the_same_rules_where_one_looked_have_the_same_exploration(name: str) -> None:
    system, scope = SYSTEMS[name], SMALL[name]
    noted: list[tuple[LookedUp, Any]] = []
    same = 0
    for first, _ in generations(system):
        rules = rules_for(system.rules_class, first)
        counts = explore(system.machine(scope, rules)).counts
        found = [known for notes, known in noted if notes.read_by(rules) is not None]
        assert all(known == counts for known in found), first
        same += bool(found)
        if not found:
            notes = looked_up(system, rules)
            noted.append((notes, explore(system.machine(scope, notes.rules)).counts))
            assert noted[-1][1] == counts
    # In node-listing every step looks up one of four rules, and all of them differ somewhere.
    assert same or name == "node-listing"
    assert len(noted) > 1


ANY_RESULT = Result(property="", engine="explicit", outcome=Outcome.VIOLATED)


def test_rules_that_another_rule_asks_count_as_read() -> None:
    system = SYSTEMS["node-listing"]
    notes = looked_up(system, rules_for(system.rules_class, parse_release("1.31")))
    explore(system.machine(SMALL["node-listing"], notes.rules))
    assert {"update_snapshot", "list_nodes"} <= notes.fields


def test_which_rule_it_is_counts_where_that_was_asked() -> None:
    system = SYSTEMS["scheduling"]
    notes = looked_up(system, rules_for(system.rules_class, parse_release("1.20.0")))
    compress_generations(notes.rules, Cache(), CacheSnapshot())
    assert notes.fields == {"next_generation", "take_snapshot"}
    assert notes.read_by(rules_for(system.rules_class, parse_release("1.19.0"))) is not None
    assert notes.read_by(rules_for(system.rules_class, parse_release("1.13.0"))) is None


@pytest.mark.slow
def test_a_property_that_asks_for_the_release_is_judged_in_each_release() -> None:
    """Up to 1.20 no queue says which plugin rejected a pod, so the property says nothing there."""
    bug = bug_named("QUEUE-STALE-PLUGINS")
    example = Counterexample(bug, kept_run(bug).scope, ANY_RESULT, ANY_RESULT)
    rows = release_rows_of(example, frozenset({"1.19.0", "1.20.0", "1.21.0"}))
    assert [row.violated for row in rows] == [False, False, True]
