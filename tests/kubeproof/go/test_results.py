"""What a driver wrote is read, and held against releases and fixes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubeproof.errors import InputError
from kubeproof.fix.fix import chosen_fix
from kubeproof.go.held_against import AS_FIX, AS_RELEASE, DIFFERS, NOT_TOLD, held_against, shorter, shorter_operations
from kubeproof.go.results import read_results
from kubeproof.report.conformance import held_json, held_notes, held_text
from tests.conftest import ROOT

Lines = list[dict[str, Any]]


def lines_of(component: str, release: str) -> Lines:
    """What a driver would write of the code of a release: the cases of a recording of this code."""
    text = (ROOT / f"tests/data/{component}-{release}.jsonl").read_text("utf-8")
    cases = [json.loads(line) for line in text.splitlines()]
    for case in cases:
        del case["release"]
    header = {
        "component": component,
        "package": "pkg/scheduler/internal/cache",
        "halves": {},
        "symbols": {},
        "tree_says": "1.31",
        "go": "go1.27.3",
        "sha256": "",
    }
    return [header, *cases, {"end": len(cases)}]


@pytest.fixture
def written(tmp_path: Path) -> Callable[[Lines], Path]:
    def write(lines: Lines) -> Path:
        (tmp_path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        return tmp_path

    return write


Write = Callable[[Lines], Path]


@pytest.mark.parametrize("component", ["node_tree", "cache"])
def test_unchanged_code_is_the_release(written: Write, component: str) -> None:
    held = held_against(written(lines_of(component, "1.31.13")), "1.31.13")
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 0)
    assert held_text(held).startswith(f"The checkout's {component} does what 1.31.13 does.\n")
    assert held_notes(held) == []


def test_the_shortest_case_that_differs_is_shown(written: Write) -> None:
    folder = written(lines_of("cache", "1.31.13"))
    held = held_against(folder, "1.22.3")
    assert (held.verdict, held.exit_status) == (DIFFERS, 1)
    shortest = held.shortest
    assert shortest is not None
    assert all(shortest.operation <= each.operation for each in held.of_release.divergences)
    shown = held_text(held)
    assert f"The shortest case that differs is case {shortest.case}, with {shortest.operation + 1} operation" in shown
    assert held_json(held)["shortest"]["ops"] == held.operations(shortest)
    assert held_notes(held) == ["the tree says of itself that it is 1.31, and is held against 1.22.3"]


def test_code_without_the_fix_is_told_from_code_with_it(written: Write) -> None:
    resuming = written(lines_of("node_tree", "1.17.10"))
    held = held_against(resuming, "1.17.10", chosen_fix(None, ["list_nodes=list_from_reset_cursors"]))
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 1)
    assert held_text(held).startswith("The checkout's node_tree does what 1.17.10 does, without list_nodes=")
    same = held_against(resuming, "1.17.10", chosen_fix(None, ["list_nodes=list_from_resuming_cursors"]))
    assert (same.verdict, same.exit_status) == (NOT_TOLD, 3)


def test_code_that_took_rules_over_is_the_release_with_these_rules(written: Write) -> None:
    """1.31.13 differs from 1.25.16 in two rules of the cache that its recording shows."""
    newer = written(lines_of("cache", "1.31.13"))
    both = ["confirm_assumed_pod=confirm_by_update", "cached_pod_text=pod_by_key_and_name"]
    held = held_against(newer, "1.25.16", chosen_fix(None, both))
    assert (held.verdict, held.exit_status) == (AS_FIX, 0)
    assert "does what 1.25.16 does with confirm_assumed_pod=confirm_by_update" in held_text(held)
    assert held_against(newer, "1.25.16", chosen_fix(None, both[:1])).verdict == DIFFERS


def _refused(written: Write, change: Callable[[Lines], Lines]) -> str:
    with pytest.raises(InputError) as raised:
        read_results(written(change(lines_of("node_tree", "1.31.13"))))
    assert "\n" not in str(raised.value)
    return str(raised.value)


def _other_system(lines: Lines) -> Lines:
    return [*lines[:3], {**lines[3], "system": "cache"}, *lines[4:]]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], "cut short after 17 cases: expected an end line"),
        (lambda lines: [*lines[:5], *lines[6:]], "16 cases, and the end line says 17"),
        (lambda lines: lines[1:], "line 1: not a header: component: missing"),
        (lambda lines: [*lines, *lines], "more lines after the end"),
        (lambda lines: [*lines[:4], lines[0], *lines[4:]], "line 5: not a case: system: missing"),
        (_other_system, "line 4: a case of cache: expected node_tree"),
        (lambda lines: [{**lines[0], "component": "kubelet"}, *lines[1:]], "'kubelet' has no driver"),
    ],
)
def test_results_that_are_cut_short_or_mixed_are_refused(
    written: Write, change: Callable[[Lines], Lines], said: str
) -> None:
    assert said in _refused(written, change)


def test_results_of_other_operations_are_refused(written: Write) -> None:
    folder = written(lines_of("node_tree", "1.31.13"))
    (folder / "operations.jsonl").write_text("{}\n")
    with pytest.raises(InputError, match=r"of other operations than operations\.jsonl beside it"):
        read_results(folder)


def test_half_a_line_is_said_to_be_cut_short(written: Write) -> None:
    folder = written(lines_of("node_tree", "1.31.13"))
    path = folder / "results.jsonl"
    path.write_bytes(path.read_bytes()[:700])
    with pytest.raises(InputError, match=r"results\.jsonl: line 2: not a JSON object, as if cut short"):
        read_results(folder)


def test_a_release_that_is_not_modelled_is_said_in_one_line(written: Write) -> None:
    folder = written(lines_of("cache", "1.31.13"))
    with pytest.raises(InputError, match=r"--release: release '1\.12\.1' is outside the modelled range 1\.13 to 1\.36"):
        held_against(folder, "1.12.1")
    with pytest.raises(InputError, match="expected --release with it"):
        held_against(folder, None)


def test_a_release_newer_than_every_model_is_judged_as_the_newest(written: Write) -> None:
    held = held_against(written(lines_of("node_tree", "1.31.13")), "1.37.1")
    assert held_notes(held)[0] == "1.37.1 is newer than every model: judged as 1.36.3"


def test_a_fix_without_a_rule_of_the_component_is_refused(written: Write) -> None:
    fix = chosen_fix(None, ["binding_deadline=deadline_after_ttl"])
    with pytest.raises(InputError, match="no rule of node_tree: expected one of list_nodes, add_node, remove_node"):
        held_against(written(lines_of("node_tree", "1.31.13")), "1.31.13", fix)


@pytest.mark.parametrize(
    ("end", "expected"), [({"hang": True}, "does not answer"), ({"panic": "boom"}, "panics: boom")]
)
def test_a_hang_and_a_panic_are_observations(written: Write, end: dict[str, Any], expected: str) -> None:
    lines = lines_of("node_tree", "1.31.13")
    first = lines[1]
    lines[1] = {**first, "ops": first["ops"][:2], "observed": [first["observed"][0], end]}
    held = held_against(written(lines), "1.31.13")
    assert held.shortest is not None
    assert held.shortest.expected == end
    assert f"In operation 1 the checkout {expected}" in held_text(held)


def test_a_driver_that_stopped_says_so(written: Write) -> None:
    lines = lines_of("node_tree", "1.31.13")[:5]
    held = held_against(written([*lines, {"end": 4, "stopped": "5 operations did not answer"}]), "1.31.13")
    assert (held.verdict, held.exit_status) == (AS_RELEASE, 3)
    assert "Stopped    before the last case: 5 operations did not answer" in held_text(held)


def test_shorter_cases_end_with_the_operation_that_differs(written: Write) -> None:
    ops = [{"op": str(i)} for i in range(4)]
    every = list(shorter(ops))
    assert every[0] == [ops[3]]
    assert len(every) == 2**3 - 1
    assert all(case[-1] == ops[3] and len(case) < 4 for case in every)
    long = [{"op": str(i)} for i in range(20)]
    proposed = list(shorter(long))
    assert [*long[:5], *long[9:]] in proposed
    assert all(case[-1] == long[-1] and len(case) < 20 for case in proposed)
    held = held_against(written(lines_of("cache", "1.31.13")), "1.22.3")
    first = json.loads(shorter_operations(held).splitlines()[0])
    assert held.shortest is not None
    assert first["ops"] == held.operations(held.shortest)
