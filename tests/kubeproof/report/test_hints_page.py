"""docs/queueing-hints.md: the page is what the models compute, and its sentences follow from the tables."""

import re
from itertools import pairwise

import pytest

from kubeproof.report.hints_design import PROMISES
from kubeproof.report.hints_page import (
    FILE,
    RUN,
    SHOWN,
    bug_rows,
    function_rows,
    gate_on_by_default,
    gated_ranges,
    has_bug_rows,
    later_done_rows,
    locked,
    missed_end_rows,
    missed_rows,
    page,
    promise_rows,
    ranges,
    safe_ranges,
)
from kubeproof.report.hints_verdicts import CHECKED, EXITS, TELLING, commands, leaks, property_rows, shortest
from model.releases import parse_release
from tests.conftest import ROOT


def numbers(cells: list[str]) -> list[int]:
    return [int(cell.replace(",", "").replace("*", "")) for cell in cells]


LOCKED_IN = "1.34.0 to 1.34.9, 1.35.0 to 1.35.7, 1.36.0 to 1.36.3"
SINCE_1_32 = f"1.32.0 to 1.32.13, 1.33.0 to 1.33.13, {LOCKED_IN}"


def test_which_releases_have_the_gate_on_and_in_which_nobody_can_set_it() -> None:
    assert gate_on_by_default() == f"1.28.0 to 1.28.4, {SINCE_1_32}"
    assert locked() == LOCKED_IN


def test_ranges_are_of_one_minor_and_without_gaps() -> None:
    among = [parse_release(text) for text in ("1.29.1", "1.29.2", "1.29.4", "1.30.5")]
    assert ranges(lambda release: True, among) == "1.29.1 to 1.29.2, 1.29.4, 1.30.5"
    assert ranges(lambda release: False, among) == "none"


def test_which_bugs_retain_events_in_which_release() -> None:
    found = {row[0]: row[1:] for row in bug_rows()}
    assert found["1.28.3"] == ["on", "**3**", "**6**", "**3**", "3", "3"]
    assert found["1.31.13"] == ["off", "**3**", "0", "**3**", "0", "3"]
    assert found["1.32.2"] == ["on", "0", "0", "**3**", "0", "3"]
    assert found["1.36.3"] == ["on", "0", "0", "0", "0", "3"]


@pytest.mark.slow
def test_which_patch_releases_have_which_bug() -> None:
    found = {row[0]: row[2] for row in has_bug_rows()}
    to_1_30 = "1.28.0 to 1.28.15, 1.29.0 to 1.29.15, 1.30.0 to 1.30.14"
    to_1_33 = f"{to_1_30}, 1.31.0 to 1.31.14, 1.32.0 to 1.32.13, 1.33.0 to 1.33.13"
    assert found["QH-DUP-ELEMENT"] == to_1_30
    assert found["QH-DONE-SKIP"] == f"{to_1_30}, 1.31.0 to 1.31.14"
    assert found["QH-RECREATE-LEAK"] == f"{to_1_33}, 1.34.0 to 1.34.7, 1.35.0 to 1.35.4"
    assert safe_ranges() == "1.34.8 to 1.34.9, 1.35.5 to 1.35.7, 1.36.0 to 1.36.3"


def test_what_each_release_keeps_of_what_the_design_promises() -> None:
    broken = {
        promise.says: [name for name, cell in zip(SHOWN, row[1:], strict=True) if cell != "yes"]
        for promise, row in zip(PROMISES, promise_rows(), strict=True)
    }
    old = ["1.28.0", "1.28.3", "1.28.14"]
    assert {says: names for says, names in broken.items() if names} == {
        # No hint function of 1.28 can fail.
        "A hint function that fails counts as one that says Queue.": old,
        "What a pending plugin queues does not back off.": old,
        "A pod that comes back is told each event since its Pop.": ["1.28.0"],
        "A pod that met an error is tried again without an event.": old,
        "What no pod needs any more is dropped.": list(SHOWN[:-1]),
    }


@pytest.mark.slow
def test_where_an_event_is_lost() -> None:
    """The fast tests of the system requeueing say so of a release of each kind."""
    in_1_31, in_1_32, others = "1.31.0 to 1.31.14", "1.32.0 to 1.32.13", "InterPodAffinity"
    none, nodes = "none", "nodes join; nodes change"
    pods, both = "bound pods come and go; labels of bound pods change", f"{in_1_31}, {in_1_32}"
    since_1_31 = f"{in_1_31}, {SINCE_1_32}"
    to_1_35 = since_1_31.removesuffix(", 1.36.0 to 1.36.3")
    assert missed_rows() == [
        ["NodeAffinity", nodes, "1.29.0"],
        ["NodeUnschedulable", nodes, "1.29.0"],
        ["NodeUnschedulable", "the pod gets a toleration", in_1_31],
        ["TaintToleration", nodes, in_1_31],
        ["PodTopologySpread", "nodes change", f"1.30.0 to 1.30.14, {in_1_31}"],
        ["PodTopologySpread", "the pod's own labels change", in_1_31],
        [f"{others}: another pod's anti-affinity", "nodes join", since_1_31],
        [f"{others}: another pod's anti-affinity", "bound pods come and go", to_1_35],
        [f"{others}: another pod's anti-affinity", "the pod's own labels change", to_1_35],
        [f"{others}: its affinity to pods like itself", "bound pods come and go", since_1_31],
        [f"{others}: its anti-affinity", "nodes join", both],
        [f"{others}: another pod's anti-affinity", "nodes change", since_1_31],
        [f"{others}: its anti-affinity", "nodes change", both],
        ["TaintToleration", "the pod gets a toleration", none],
        ["NodeResourcesFit", nodes, none],
        ["PodTopologySpread", pods, none],
        [f"{others}: its affinity", nodes, none],
        [f"{others}: its affinity", pods, none],
        [f"{others}: its affinity to pods like itself", nodes, none],
        [f"{others}: its anti-affinity", pods, none],
    ]


def test_where_a_gated_pod_is_passed_over() -> None:
    assert gated_ranges() == "1.27.15 to 1.27.16, 1.28.11, 1.29.6, 1.30.2"


@pytest.mark.slow
def test_the_later_done_the_more_events() -> None:
    rows = [numbers(row[1:]) for row in later_done_rows()]
    # The largest number follows the time that a binding takes, and at rest nothing is left.
    assert all(later[0] > 1.5 * sooner[0] for sooner, later in pairwise(rows))
    assert all(row[0] > 10 * row[2] > row[4] for row in rows)
    assert {(row[1], row[3], row[5]) for row in rows} == {(0, 0, 0)}


@pytest.mark.slow
def test_a_missed_end_has_no_bound_and_a_slow_binding_has() -> None:
    rows = [numbers(row) for row in missed_end_rows()]
    assert all(1.8 < later[1] / sooner[1] < 2.2 for sooner, later in pairwise(rows))
    assert max(row[2] for row in rows[1:]) < 1.1 * min(row[2] for row in rows[1:])
    assert {row[3] for row in rows} == {0}


def test_which_plugins_have_a_hint_function() -> None:
    since_1_31 = f"1.31.0 to 1.31.14, {SINCE_1_32}"
    newer = f"1.30.0 to 1.30.14, {since_1_31}"
    assert dict(function_rows()) == {
        "NodeResourcesFit": newer,
        "NodeAffinity": f"1.29.0, {newer}",
        "NodeUnschedulable": f"1.29.0, {newer}",
        "TaintToleration": since_1_31,
        "PodTopologySpread": newer,
        "SchedulingGates": since_1_31,
    }


@pytest.mark.slow
def test_the_page_is_what_the_models_compute() -> None:
    made = page()
    assert FILE.read_text("utf-8") == made, "make docs"
    # No workload alone leaks, and none from 1.32 on.
    rows = [row.strip("| ").split(" | ") for row in made.splitlines() if re.match(r"\| (scale|churn|slow|quiet)", row)]
    assert {cell for row in rows if row[1] == "nothing" for cell in row[2:]} == {"0"}
    costs = [row for row in rows if row[2] in RUN]
    assert len(costs) == 24
    for workload, _, release, _, *attempts in costs:
        off, blind, on, saved = (None if cell == "–" else int(cell.replace(",", "")) for cell in attempts)
        assert blind is not None
        assert on is not None
        assert saved == blind - on
        # The gate off never saves an attempt. Hint functions save many where nodes come and nobody checks the nodes.
        assert off is None or off >= on
        assert (saved > 100) is (workload == "churn" and release in ("1.32.2", "1.36.3"))
    rows = [row for row in rows if row not in costs]
    assert {cell for row in rows for cell in row[-2:]} == {"0"}
    # What leaks are the powers that the page names, and each of them does.
    assert {row[1] for row in rows if set(row[2:]) != {"0"}} == {"updates", "deletes", "recreates"}
    # In the same test, since the page has computed it.
    what_the_page_says_of_the_properties_that_each_release_violates()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("exit_", "safe"),
    [
        ("being deleted", ("1.32.0", "1.33.13", "1.36.3")),
        ("of no profile", ("1.32.0", "1.33.13", "1.36.3")),
        ("popped a second time", ("1.31.14", "1.32.0", "1.33.13", "1.36.3")),
        ("created again", ("1.36.3",)),
    ],
)
def test_which_releases_leak_by_which_exit(exit_: str, safe: tuple[str, ...]) -> None:
    (scope,) = (scope for says, scope in EXITS if exit_ in says)
    assert {name for name in CHECKED if leaks(name, scope) is None} == set(safe)


@pytest.mark.slow
def test_in_1_31_a_pop_in_the_midst_of_update_leaks_and_not_in_1_32() -> None:
    (scope,) = (scope for says, scope in EXITS if "in the midst" in says)
    assert leaks("1.31.14", scope) == 24
    assert leaks("1.32.0", scope) is None


def what_the_page_says_of_the_properties_that_each_release_violates() -> None:
    def violated_in(name: str) -> list[str]:
        return [release for release in CHECKED if name in shortest(release)]

    assert violated_in("pending-pod-not-forgotten") == ["1.32.0"]
    # QH-UPDATE-POP-RACE, in 1.32.0 too.
    assert violated_in("pod-in-one-place") == list(CHECKED)
    assert violated_in("no-event-lost") == list(CHECKED[:2])
    assert violated_in("failed-by-error-is-tried-again") == list(CHECKED[:3])
    assert len(list(commands())) == len(TELLING) == len(CHECKED)
    held = {row[0] for row in property_rows() if set(row[1:]) == {"–"}}
    assert held == {"`leaves-backoff-queue-in-time`"}


def test_the_readme_leads_to_the_page() -> None:
    assert FILE.relative_to(ROOT).as_posix() in (ROOT / "README.md").read_text("utf-8")
