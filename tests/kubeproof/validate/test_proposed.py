"""Proposed fixes, right ones and wrong ones: each gets the verdict that reading the Go code gives it.

The files say what they propose, and why that is right or wrong.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.validate.further import Further
from kubeproof.validate.one_scope import AT_LEAST, TIMES
from kubeproof.validate.validate import validate, validation_json
from kubeproof.verdict.result import Cause

PROPOSED = Path(__file__).parent / "proposed"
THREE_NODES = "nodes=3,zones=2,moves=1"
TWO_BUDGETS = "only nodes=1,pods=1,cpus=1,priorities=1,budgets=2,disrupted=1"
EMPTY_SELECTOR = "only nodes=1,pods=2,cpus=2,priorities=1,budgets=1,empty_selectors=1"
PERMIT_FAILS = "only pods=1,nodes=1,room=1,goroutines=1,reserves=1,permit=1,failures=1"
RESERVING = "only pods=2,nodes=1,room=1,goroutines=1,reserves=2,failures=1"
RECREATED = "only pods=1,nodes=1,room=1,goroutines=1,deletes=1,recreates=1,permit=1"
SHARED_INIT = "cores=3,pods=1,containers=3,size=2,init=1,exits=0,removals=1,restarts=0,crashes=0,hotplug=0"
HOTPLUG = "cores=2,pods=1,containers=1,size=1,init=0,exits=0,removals=0,restarts=1,crashes=0,hotplug=1"
NAMESAKE = "only pods=1,plugins=1,goroutines=1,gate=1,changes=1,deletes=1,recreates=1"
DELETED = "only pods=1,goroutines=2,gate=1,deletes=1,graceful=1"
UPDATED = "only pods=1,plugins=1,goroutines=2,gate=1,changes=1,updates=1"
NAMED_NODES = "only pods=2,nodes=2,room=1,goroutines=1,named_nodes=2,node_deletes=1"
NODE_GROWS = "only pods=2,nodes=1,room=1,goroutines=1,node_grows=1"
FORGOTTEN = "only pods=2,nodes=1,room=1,goroutines=1,deletes=1"
START_TIMES = "only nodes=1,pods=2,cpus=2,priorities=1,start_times=1,turned=1"
NODE_CHANGES = "only pods=1,nodes=1,room=1,goroutines=1,node_grows=1,cordons=1,together=1"
BIND_FAILS_FINE = "only pods=1,nodes=1,room=1,goroutines=1,bind_errors=1,fine=1"

# The file -> its release, the system, the verdict, the scope; None: those of the system, where they show it.
EXPECTED = {
    "nl_zone_index_only": ("1.18.4", "node-listing", "refused", THREE_NODES),
    "nl_reset_on_every_change": ("1.18.4", "node-listing", "accepted", THREE_NODES),
    "nl_first_and_last_zone": ("1.18.4", "node-listing", "refused", "nodes=3,zones=3,moves=0"),
    "nl_remove_by_bisection": ("1.18.4", "node-listing", "refused", "nodes=2,zones=1,moves=0"),
    "nl_every_third_listing": ("1.18.4", "node-listing", "refused", THREE_NODES),
    "nl_cached_by_tree": ("1.18.4", "node-listing", "accepted", THREE_NODES),
    "ac_answered_for_other_type": ("1.36.2", "api-calls", "refused", None),
    "ac_newer_patch_alone": ("1.36.2", "api-calls", "refused", None),
    "ac_merge_from_the_older": ("1.36.2", "api-calls", "accepted", None),
    "pre_disrupted_ends_the_search": ("1.18.20", "preemption", "refused", TWO_BUDGETS),
    "pre_disrupted_takes_nothing": ("1.18.20", "preemption", "accepted", None),
    "pre_empty_selector_uncounted": ("1.31.13", "preemption", "refused", EMPTY_SELECTOR),
    "pre_by_priority_and_name": ("1.28.4", "preemption", "refused", START_TIMES),
    "as_activated_unless_all_gone": ("1.36.2", "async-preemption", "refused", None),
    "as_activated_and_never_held": ("1.36.2", "async-preemption", "refused", None),
    "as_held_only_at_the_last": ("1.36.2", "async-preemption", "refused", "0,victims=2,goroutines=2"),
    "as_no_repeat_by_gate": ("1.36.2", "async-preemption", "refused", None),
    "as_activated_and_held_to_the_end": ("1.36.2", "async-preemption", "accepted", None),
    "c_reserve_and_permit_alike": ("1.17.10", "scheduling-cycle", "refused", PERMIT_FAILS),
    "c_unreserve_after_the_record": ("1.17.10", "scheduling-cycle", "accepted", RESERVING),
    "c_undone_in_reverse": ("1.17.10", "scheduling-cycle", "accepted", RESERVING),
    "c_forgotten_before_the_record": ("1.19.0-rc.4", "scheduling-cycle", "accepted", RESERVING),
    "c_named_nodes_first_alone": ("1.28.8", "scheduling-cycle", "refused", NAMED_NODES),
    "c_gone_if_no_namesake": ("1.36.2", "scheduling-cycle", "refused", RECREATED),
    "cpu_spares_the_first_other": ("1.23.0", "cpu-manager", "refused", SHARED_INIT),
    "cpu_spares_all_others": ("1.23.0", "cpu-manager", "accepted", SHARED_INIT),
    "cpu_pool_is_the_rest": ("1.31.13", "cpu-manager", "accepted", HOTPLUG),
    "qh_not_the_newer_pod": ("1.34.7", "queueing-hints", "refused", f"{NAMESAKE},turned=1"),
    "qh_only_the_popped_pod": ("1.34.7", "queueing-hints", "accepted", NAMESAKE),
    "qh_nobody_goes_back": ("1.34.7", "queueing-hints", "refused", NAMESAKE),
    "qh_same_with_other_words": ("1.34.7", "queueing-hints", "changes nothing", NAMESAKE),
    "qh_done_of_the_skipped": ("1.31.13", "queueing-hints", "accepted", DELETED),
    "qh_done_without_profile_alone": ("1.31.13", "queueing-hints", "refused", DELETED),
    "qh_keep_the_pods_events": ("1.28.3", "queueing-hints", "refused", UPDATED),
    "s_error_alone_backs_off": ("1.22.3", "scheduling", "refused", NODE_GROWS),
    "s_forgotten_and_no_more": ("1.22.3", "scheduling", "refused", FORGOTTEN),
    "s_one_change_of_a_node": ("1.36.2", "scheduling", "refused", NODE_CHANGES),
    "s_moved_before_forgotten": ("1.22.3", "scheduling", "refused", BIND_FAILS_FINE),
    "s_error_backs_off": ("1.22.3", "scheduling", "accepted", None),
    "s_empty_name_clears": ("1.31.13", "scheduling", "accepted", None),
    "s_empty_name_is_passed_over": ("1.31.13", "scheduling", "refused", None),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_a_proposed_fix_gets_the_verdict_of_who_reads_the_go_code(name: str) -> None:
    release, system, expected, scope = EXPECTED[name]
    path = PROPOSED / f"{name}.py"
    # No further scope. Beside the cures of other bugs it is judged all the same.
    none = Further(states=0)
    verdict = validate(path, release, systems=[system], scope=scope, engines=["explicit"], further=none)
    assert validation_json(verdict)["verdict"] == expected, (verdict.reasons, [part.open for part in verdict.parts])


# What shows that a fix is wrong, in none of the system's own scopes: the file -> what the further scope has.
UNAIDED: dict[str, Callable[[Any], bool]] = {
    # Two powers.
    "pre_disrupted_ends_the_search": lambda scope: scope.budgets > 1 and scope.disrupted,
    # A power that the system's own scopes have, and two more.
    "c_gone_if_no_namesake": lambda scope: scope.deletes and scope.recreates and scope.permit,
    # Two larger sizes.
    "cpu_spares_the_first_other": lambda scope: scope.containers > 2 and scope.size > 1,
    # UIDs that descend.
    "qh_not_the_newer_pod": lambda scope: scope.turned,
    # A lock between two others.
    "s_moved_before_forgotten": lambda scope: scope.fine,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", UNAIDED)
def test_a_fix_that_goes_wrong_in_further_scopes_alone_is_refused_unaided(name: str) -> None:
    release, system, expected, _ = EXPECTED[name]
    verdict = validate(PROPOSED / f"{name}.py", release, systems=[system], engines=["explicit"])
    assert validation_json(verdict)["verdict"] == expected
    (part,) = verdict.parts
    assert all(row.further or row.beside.bugs for row in part.refused_by)
    assert any(row.further and UNAIDED[name](row.after.scope) for row in part.refused_by)


@pytest.mark.slow
def test_what_a_bug_of_the_release_brings_about_is_not_laid_at_a_right_fix() -> None:
    """A pod that backs off and not waits is popped sooner, beside QUEUE-NAMESAKE-BACK twice at once."""
    verdict = validate(PROPOSED / "s_error_backs_off.py", "1.22.3", systems=["scheduling"], engines=["explicit"])
    assert validation_json(verdict)["verdict"] == "accepted"
    (part,) = verdict.parts
    assert any(row.further and "QUEUE-NAMESAKE-BACK" in row.known for row in part.rows)


@pytest.mark.slow
def test_a_scope_with_states_without_end_is_left_once_the_fix_has_broken_something() -> None:
    path = PROPOSED / "qh_keep_the_pods_events.py"
    none = Further(states=0)
    verdict = validate(path, "1.28.3", systems=["queueing-hints"], scope=NAMESAKE, engines=["explicit"], further=none)
    assert validation_json(verdict)["verdict"] == "refused"
    (part,) = verdict.parts
    assert any(row.change == "broken" for row in part.rows)
    cut = [row for row in part.rows if row.after.cause is Cause.LIMIT]
    assert cut
    assert all("and a violation was found" in row.after.reason for row in cut)
    few = [TIMES * row.before.states + AT_LEAST for row in cut if row.before.states]
    assert max(row.after.states or 0 for row in cut) < max(few) + 1_000


def test_each_proposed_fix_is_judged() -> None:
    assert {path.stem for path in PROPOSED.glob("*.py")} == {*EXPECTED, "s_done_after_pre_bind"}


def test_a_rule_that_no_step_of_a_system_asks_has_no_verdict_there() -> None:
    with pytest.raises(InputError, match="'done_in_binding' is not a rule of scheduling"):
        validate(PROPOSED / "s_done_after_pre_bind.py", "1.31.13", systems=["scheduling"], engines=["explicit"])
