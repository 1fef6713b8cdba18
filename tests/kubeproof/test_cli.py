"""The command line: documents on stdout, one line on stderr for bad input, exit statuses."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.cli import app, run
from kubeproof.engines.explicit.remembered import Memory, Seeker
from kubeproof.engines.table import ENGINES
from kubeproof.systems.registry import SYSTEMS
from kubeproof.validate.validate import validate
from tests.conftest import DATA, ROOT

Captured = pytest.CaptureFixture[str]


def kubeproof(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys: Captured, *args: str) -> tuple[int, Any]:
    status, out, _ = kubeproof(capsys, *args, "--json")
    return status, json.loads(out)


@pytest.mark.slow
def test_check_says_what_it_found_as_json(capsys: Captured) -> None:
    status, found = document(capsys, "check", "node-listing", "--release", "1.18.4")
    assert status == 1
    assert (found["system"], found["release"]) == ("node-listing", "1.18.4")
    by_name = {result["property"]: result for result in found["results"]}
    lost = by_name["listed-exactly-once"]
    assert lost["outcome"] == "violated"
    assert lost["trace"][0]["action"] is None
    assert len(lost["trace"]) == 6
    assert lost["loop"] is None
    quiet = by_name["offered-again-when-quiet"]
    assert quiet["trace"][quiet["loop"]]["state"] == quiet["trace"][-1]["state"]
    assert by_name["list-as-long-as-tree"]["claim"]["strength"] == "exhaustive"


def test_the_newest_release_holds(capsys: Captured) -> None:
    status, found = document(capsys, "check", "node-listing")
    assert status == 0
    assert {result["outcome"] for result in found["results"]} == {"holds"}


def test_a_trace_is_shown_with_what_changed(capsys: Captured) -> None:
    status, out, _ = kubeproof(capsys, "check", "node-listing", "-r", "1.17", "-p", "listed-exactly-once")
    assert status == 1
    assert "n2 missing from the scheduler's node list" in out
    assert "none of them n2" in out
    assert "snapshot: nodeInfoList     [n3, n1, n3]" in out


@pytest.mark.parametrize(
    "args",
    [
        ("check", "nothing"),
        ("check", "node-listing", "--release", "1.12"),
        ("check", "node-listing", "--scope", "nodes=4,pods=2"),
        ("check", "node-listing", "--scope", "nodes=0"),
        ("check", "node-listing", "--property", "nope"),
        ("check", "node-listing", "--engine", "nope"),
        ("check", "node-listing", "--rule", "list_nodes=nope"),
        ("check", "node-listing", "--fix", "none.py"),
        ("check",),
        ("check", "node-listing", "--nope"),
        ("nope",),
        ("validate",),
        ("validate", "none.py"),
        ("conform", "none.jsonl"),
        ("nodes", "none.json"),
        ("reproduce", "NOPE"),
    ],
)
def test_bad_input_gets_one_line_and_exit_2(capsys: Captured, args: tuple[str, ...]) -> None:
    status, out, err = kubeproof(capsys, *args)
    assert (status, out) == (2, "")
    assert err.startswith("kubeproof: ")
    assert err.count("\n") == 1


def test_a_vendors_release_is_judged_as_upstream_with_one_line(capsys: Captured) -> None:
    status, _, err = kubeproof(capsys, "check", "node-listing", "-r", "v1.18.4-tke.4", "-p", "listed-exactly-once")
    assert status == 1
    assert "judged as upstream 1.18.4; vendors back-port fixes" in err
    status, _, _ = kubeproof(capsys, "check", "node-listing", "-r", "v1.18.4-tke.5", "-p", "listed-exactly-once")
    assert status == 0


@pytest.mark.slow
def test_conform_validate_reproduce_bugs_and_list_have_json(capsys: Captured) -> None:
    status, found = document(capsys, "conform", str(DATA / "node_tree-1.17.10.jsonl"))
    assert status == 0
    assert found["files"][0]["system"] == "node_tree"
    fix = ROOT / "examples" / "fixes" / "reset_cursors.py"
    status, found = document(
        capsys, "validate", str(fix), "-r", "1.18.4", "-e", "explicit", "--scope", "nodes=3,zones=2"
    )
    assert (status, found["verdict"]) == (0, "accepted")
    status, found = document(capsys, "reproduce", "nodetree-cursor")
    assert (status, found["appears"]) == (0, True)
    status, found = document(capsys, "bugs")
    assert [bug["id"] for bug in found["bugs"]] == [bug.id for bug in EVERY_BUG]
    status, found = document(capsys, "list")
    assert found["engines"] == ["explicit", "hypothesis", "z3", "tlc"]


def test_a_divergence_is_exit_1(capsys: Captured, tmp_path: Path) -> None:
    text = (DATA / "node_tree-1.17.10.jsonl").read_text(encoding="utf-8")
    path = tmp_path / "wrong.jsonl"
    path.write_text(text.replace('"num_nodes":1', '"num_nodes":2'), encoding="utf-8")
    status, out, _ = kubeproof(capsys, "conform", str(path))
    assert status == 1
    assert "expected 2, got 1" in out


@pytest.mark.slow
def test_every_command_has_an_example(capsys: Captured) -> None:
    commands = "check conform validate nodes reproduce bugs report list hunt mutants growth"
    for command in commands.split():
        status, out, _ = kubeproof(capsys, command, "--help")
        assert status == 0
        assert "Example:" in out


def test_an_interrupt_is_exit_130_with_what_had_been_established(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(request: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setitem(ENGINES, "z3", interrupted)
    args = ("check", "node-listing", "-e", "explicit", "-e", "z3")
    status, out, err = kubeproof(capsys, *args)
    assert (status, err) == (130, "kubeproof: interrupted\n")
    assert "exhaustive" in out
    assert out.count("interrupted before its verdict") == len(SYSTEMS["node-listing"].properties)
    # A check that is cut short is not green beside a known bug either.
    status, out, _ = kubeproof(
        capsys, "check", "cpu-manager", "--release", "1.36.3", "-p", "shared-off-exclusive",
        "--scope", "only cores=2,threads=1,reserved=1,pods=1,containers=1,size=1", "-e", "explicit", "-e", "z3",
    )  # fmt: skip
    assert status == 130
    assert "CPU-STALE-LAST-UPDATE" in out.splitlines()[4]
    status, _, err = kubeproof(capsys, "validate", "--rule", "list_nodes=list_stateless", "-e", "z3")
    assert (status, err) == (130, "kubeproof: interrupted\n")


def test_an_interrupt_keeps_the_counts_of_the_exploration_under_way(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    missed = Memory.missed

    def interrupted(memory: Memory, function: int, seeker: Seeker, base: int) -> int:
        if seeker.search.next == 20:
            raise KeyboardInterrupt
        return missed(memory, function, seeker, base)

    monkeypatch.setattr(Memory, "missed", interrupted)
    args = ("check", "node-listing")
    status, found = document(capsys, *args)
    assert status == 130
    by_name = {result["property"]: result for result in found["results"]}
    safety = by_name["listed-exactly-once"]
    assert safety["outcome"] == "inconclusive"
    assert safety["states"] > 10
    assert safety["transitions"] > safety["states"] > safety["depth"] > 1
    counts = f"{safety['states']} states, {safety['transitions']} transitions, depth {safety['depth']}"
    assert safety["reason"] == f"interrupted after {counts}"
    assert by_name["relisting-permutes"]["reason"] == safety["reason"]
    assert by_name["offered-again-under-churn"]["reason"] == "interrupted before its verdict"
    status, out, err = kubeproof(capsys, *args)
    assert (status, err) == (130, "kubeproof: interrupted\n")
    assert f"interrupted after {counts}" in out


def test_an_interrupted_search_for_cycles_keeps_the_verdicts_and_counts_before_it(
    capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_module("kubeproof.engines.explicit.check"), "find_lasso", interrupted)
    status, found = document(capsys, "check", "node-listing")
    assert status == 130
    by_name = {result["property"]: result for result in found["results"]}
    assert by_name["listed-exactly-once"]["outcome"] == "holds"
    for name in ("offered-again-when-quiet", "offered-again-under-churn"):
        liveness = by_name[name]
        assert liveness["outcome"] == "inconclusive"
        assert liveness["reason"].startswith(f"interrupted after {liveness['states']} states, ")
        assert liveness["states"] > 0


@pytest.mark.parametrize(
    ("args", "says"),
    [
        # What `--release "$(kubectl version ...)"` leaves where no cluster answers is not the newest release.
        (("check", "node-listing", "--release", ""), "--release: '' is not a Kubernetes release"),
        (("nodes", str(DATA / "nodes-report.json"), "--release", ""), "--release: '' is not a Kubernetes release"),
        (("check", "node-listing", "--scope", ""), "--scope : '' is not a bound of node-listing"),
        (("check", "node-listing", "--feature-gates", "A=true"), "of node-listing: expected none, as it has no gate"),
        ((), "no command: expected one of those above"),
    ],
)
def test_what_is_empty_or_there_twice_is_refused_in_one_line(
    capsys: Captured, args: tuple[str, ...], says: str
) -> None:
    status, _, err = kubeproof(capsys, *args)
    assert (status, err.count("\n")) == (2, 1)
    assert says in err


@pytest.mark.slow
def test_validate_tells_what_it_asks_next() -> None:
    told: list[str] = []
    verdict = validate(
        ROOT / "examples/fixes/reset_cursors.py", "1.18.4", systems=("node-listing",), scope="0,nodes=2,zones=1",
        engines=("explicit", "hypothesis"), progress=told.append,
    )  # fmt: skip
    assert verdict.parts[0].system.name == "node-listing"
    assert told == [
        "node-listing: explicit, scope only nodes=2,zones=1",
        "node-listing: hypothesis, scope only nodes=2,zones=1",
    ]


@pytest.mark.parametrize("option", ["--out", "--counterexamples"])
@pytest.mark.parametrize("below", ["", "sub"])
def test_a_report_into_a_file_is_refused_at_once(capsys: Captured, tmp_path: Path, option: str, below: str) -> None:
    (tmp_path / "file").write_text("mine")
    status, out, err = kubeproof(capsys, "report", option, str(tmp_path / "file" / below))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert f"{tmp_path / 'file'} is a file: expected a folder" in err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_report_into_a_folder_with_too_long_a_name_is_refused_at_once(capsys: Captured, tmp_path: Path) -> None:
    status, out, err = kubeproof(capsys, "report", "--out", str(tmp_path / ("x" * 300)))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "File name too long: expected a place to write to" in err
