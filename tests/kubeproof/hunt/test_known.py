"""Which kept bug a violation is: in releases after those that were modelled, and by which cures."""

from collections.abc import Sequence
from time import time

import pytest
from attrs import fields

import model.releases
from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import kept_releases, row_of
from kubeproof.bugs.known import shown_in
from kubeproof.engines import explicit
from kubeproof.hunt.blame import Cure, Swap, Violation, blamed_for
from kubeproof.hunt.known import bugs_of, known_by_rule, known_elsewhere, known_ids
from kubeproof.systems.async_preemption import ASYNC_PREEMPTION
from kubeproof.systems.cpu_manager import CPU_MANAGER
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling import SCHEDULING
from model.releases import LAST_PATCH, NEWEST, NEWEST_RELEASE, known_release, parse_release, rules_for
from model.systems.cpu_manager import CPUManagerRules
from model.systems.node_listing import NodeListingRules, NodeListingScope

OF_SCHEDULING = [bug for bug in BUGS if bug.system == "scheduling"]
# A patch release, and one after the last that was modelled.
LATER = [(f"1.{minor}.{last}", f"1.{minor}.{last + 1}") for minor, last in LAST_PATCH.items() if minor <= NEWEST]


@pytest.mark.parametrize(("last", "later"), LATER)
def test_a_patch_release_after_the_modelled_ones_has_the_bugs_of_the_last_one(last: str, later: str) -> None:
    def shown(release: str) -> list[Bug]:
        return [bug for bug in BUGS if shown_in(bug, parse_release(release))]

    assert shown(last)
    assert shown(later) == shown(last)
    assert bugs_of(SCHEDULING, parse_release(later)) == bugs_of(SCHEDULING, parse_release(last))


def test_a_row_has_the_releases_of_its_last_minor_and_no_others() -> None:
    rows = kept_releases(bug_named("CACHE-RECREATE-LEAK"))
    assert row_of(rows, parse_release("1.24.99")) == row_of(rows, parse_release("1.23.0")) == rows[6]
    assert row_of(rows, parse_release("1.31.15-tke.1")) == rows[-1]
    assert row_of(rows, parse_release("1.37.0", range(13, 38))) is None
    assert row_of(rows, parse_release("1.13.0-rc.1")) is None
    assert row_of((), parse_release("1.31.14")) is None


@pytest.mark.parametrize("later", ["1.31.15", "1.31.99-tke.1"])
def test_a_violation_without_a_cure_has_the_same_names_after_the_modelled_releases(later: str) -> None:
    properties = {bug.violates for bug in OF_SCHEDULING}
    powers = {field.name for field in fields(SCHEDULING.scope_class)}
    known = known_ids(SCHEDULING, parse_release(NEWEST_RELEASE), properties, powers, ())
    assert "QUEUE-INFLIGHT-DUP" in known
    assert known_ids(SCHEDULING, parse_release(later), properties, powers, ()) == known


def test_a_table_that_is_asked_no_further_ends_where_the_cure_begins() -> None:
    """The table of ASYNC-PREEMPT-STUCK-ONE-GONE ends with 1.34.1: from 1.34.2 on another bug shows there."""
    tried, powers = ["preemptor-is-tried-when-room-is-free"], ["deletions"]
    field, rule, fails = "answer_of_patch_without_pod", "patch_of_gone_pod_ends_well", "patch_of_gone_pod_fails"
    for since, known in (("1.34.2", ("ASYNC-PREEMPT-STUCK-ONE-GONE",)), ("1.34.1", ())):
        cure = Cure((Swap(field, rule, "", "", fails, since, ""),), "scope")
        assert known_ids(ASYNC_PREEMPTION, known_release("1.34.1"), tried, powers, (cure,)) == known


@pytest.mark.parametrize("release", ["1.18.4", "1.31.14"])
def test_a_cure_by_an_older_rule_alone_names_no_bug(release: str) -> None:
    older = Swap("error_func", "error_func", "", "", "error_func_without_cycle", "1.13.0", "", older=True)
    assert known_by_rule(SCHEDULING, parse_release(release), [Cure((older,), "run")]) == ()


def test_only_rules_that_the_system_knows_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    release = parse_release("1.18.4")
    rules, scope = rules_for(NodeListingRules, release), NodeListingScope(nodes=3, zones=2, moves=0)
    property = NODE_LISTING.property_named("listed-exactly-once")
    (result,) = explicit.check(NODE_LISTING.machine(scope, rules), [property])
    assert result.trace is not None
    found = Violation(NODE_LISTING, release, scope, rules, property, result.trace, time() + 60)
    (cure,) = blamed_for(found).cures
    assert cure.swaps[0].cured_since == "1.18.7"
    # The rule that cures came with a minor that the system does not know.
    monkeypatch.setitem(model.releases.KNOWN_MINORS, "node-listing", range(13, 18))
    assert blamed_for(found).cures == ()


@pytest.mark.slow
def test_a_bug_with_a_repair_does_not_end_where_another_bug_hides_it() -> None:
    # 1.22.0 alone does not show CPU-INIT-LEAK, since CPU-STALE-DURING-ADMISSION takes the entries away before.
    release, leak = parse_release("1.18.4"), {"holds-what-was-counted"}
    hides = Swap(
        "active_pods", "active_pods_not_terminal", "1.18.4", "", "active_pods_with_workers", "1.22.0-beta.2", ""
    )
    assert known_ids(CPU_MANAGER, release, leak, {"init"}, [Cure((hides,), "scope")]) == ()
    assert known_ids(CPU_MANAGER, release, leak, {"init"}, []) == ("CPU-INIT-LEAK",)
    rules = rules_for(CPUManagerRules, release)
    scope = CPU_MANAGER.parse_scope("0,cores=3,threads=1,reserved=1,pods=2,containers=2,size=1,init=1")
    property = CPU_MANAGER.property_named("holds-what-was-counted")
    (result,) = explicit.check(CPU_MANAGER.machine(scope, rules), [property])
    assert result.trace is not None

    def documented(cures: Sequence[Cure]) -> bool:
        return bool(known_ids(CPU_MANAGER, release, leak, {"init"}, cures))

    found = Violation(CPU_MANAGER, release, scope, rules, property, result.trace, time() + 60, frozenset(), documented)
    (swap,) = blamed_for(found).cures[0].swaps
    assert (swap.cured_by, swap.repairs) == ("allocate_reusable_first", "CPU-INIT-LEAK")


@pytest.mark.parametrize("power", ["deletes", "bind_errors"])
def test_the_update_after_done_is_known_whichever_power_brings_the_update(power: str) -> None:
    """A pod that begins to terminate is updated, and so is a pod whose binding failed: its condition is written.

    No step of the run takes the switch `graceful`, so that the switch is among the powers of no run.
    """
    release = parse_release("1.36.3", QUEUEING_HINTS.minors)
    assert known_ids(QUEUEING_HINTS, release, ["pod-in-one-place"], {power}, []) == ("QH-UPDATE-AFTER-DONE",)
    assert known_ids(QUEUEING_HINTS, release, ["pod-in-one-place"], {"updates"}, []) == ()


def test_a_bug_of_another_system_is_named_by_the_older_rule_that_takes_its_run_away() -> None:
    """CACHE-RECREATE-EXIT is a page of queueing-hints, and begins where pods have one handler."""
    handlers = Swap(
        "one_pod_handler", "pods_have_one_handler", "1.35.0", "", "pods_have_two_handlers", "1.13.0", "", older=True
    )
    cures, powers = [Cure((handlers,), "scope")], {"deletes", "recreates", "relists"}
    bound = ["fitting-pod-is-bound"]
    release = known_release("1.36.2")
    assert known_elsewhere(SCHEDULING, release, bound, powers, cures) == ("CACHE-RECREATE-EXIT",)
    assert known_elsewhere(SCHEDULING, release, bound, powers - {"relists"}, cures) == ()
    # In 1.34.1 pods have two handlers, and the rule is that of a fix.
    assert known_elsewhere(SCHEDULING, known_release("1.34.1"), bound, powers, cures) == ()
    # The rule changes where the bug begins, and the bug's run goes wrong without it.
    forgets = Swap(
        "forgets_deleted_assumed_pod", "assumed_pod_is_forgotten", "1.35.0", "", "assumed_pod_stays", "1.13.0", "",
        older=True,
    )  # fmt: skip
    assert known_elsewhere(SCHEDULING, release, bound, powers, [Cure((forgets,), "scope")]) == ()


def test_a_bug_of_another_system_is_named_by_its_property_where_its_gate_is_on() -> None:
    one_place = ["pod-in-one-place"]
    for release, known in (("1.36.2", ("QH-UPDATE-AFTER-DONE",)), ("1.30.14", ())):
        assert known_elsewhere(SCHEDULING, known_release(release), one_place, {"bind_errors"}, ()) == known
    assert known_elsewhere(SCHEDULING, known_release("1.36.2"), one_place, {"updates"}, ()) == ()
    assert known_elsewhere(NODE_LISTING, known_release("1.36.2"), one_place, {"bind_errors"}, ()) == ()


def test_an_update_of_a_forgotten_pod_is_known_by_the_page_of_its_own_system() -> None:
    release, powers = known_release("1.36.2"), {"finalizers", "deletes", "extender"}
    for property in ("pod-in-one-place", "one-attempt-at-a-time"):
        assert known_ids(SCHEDULING, release, [property], powers, ()) == ("QUEUE-DELETED-ASSUMED-UPDATE",)


def test_a_table_that_ends_within_a_minor_says_nothing_of_later_patches() -> None:
    """ASYNC-PREEMPT-STUCK-ONE-GONE is asked up to 1.34.1; from then on ASYNC-PREEMPT-STUCK shows instead."""
    rows = kept_releases(bug_named("ASYNC-PREEMPT-STUCK-ONE-GONE"))
    assert row_of(rows, known_release("1.34.1")) is rows[-1]
    assert row_of(rows, known_release("1.34.9")) is None
    # The last modelled patch of a minor speaks for the newer ones.
    assert row_of(kept_releases(bug_named("NODETREE-CURSOR")), known_release("1.18.99")) is not None
