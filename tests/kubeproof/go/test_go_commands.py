"""The commands about a checkout, from the command line."""

import json
from pathlib import Path

import pytest

from kubeproof.cli import app, run
from tests.conftest import ROOT
from tests.kubeproof.go.test_drivers import LISTS_1_31, tree
from tests.kubeproof.go.test_results import lines_of

Captured = pytest.CaptureFixture[str]


def kubeproof(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def results(tmp_path: Path) -> str:
    """What a driver would write of the listing of 1.17.10."""
    (tmp_path / "results.jsonl").write_text(
        "".join(json.dumps(line) + "\n" for line in lines_of("node_tree", "1.17.10")), "utf-8"
    )
    return str(tmp_path)


def test_go_record_prints_the_command(capsys: Captured, tmp_path: Path) -> None:
    place = tree(tmp_path / "tree", LISTS_1_31)
    out_folder = tmp_path / "out"
    status, out, _ = kubeproof(capsys, "go", "record", "node_tree", "--checkout", str(place), "--out", str(out_folder))
    assert status == 0
    last = out.splitlines()[-1]
    assert last.startswith(f"cd {place} && KUBEPROOF_OUT={out_folder} go test -overlay {out_folder}/overlay.json ")
    replaced = json.loads((out_folder / "overlay.json").read_text())["Replace"]
    assert all(Path(path).is_file() for path in replaced.values())


def test_go_record_refuses_in_one_line(capsys: Captured, tmp_path: Path) -> None:
    for component, said in (("cache", "not a checkout of Kubernetes"), ("kubelet", "'kubelet' has no driver")):
        status, out, err = kubeproof(capsys, "go", "record", component, "--checkout", str(tmp_path))
        assert (status, out) == (2, "")
        assert said in err
        assert err.count("\n") == 1


def test_conform_says_what_a_checkout_does(capsys: Captured, results: str, tmp_path: Path) -> None:
    status, out, _ = kubeproof(capsys, "conform", "--checkout-results", results, "--release", "1.17.10")
    assert status == 0
    assert out.startswith("The checkout's node_tree does what 1.17.10 does.\n")
    shorter = tmp_path / "shorter.jsonl"
    again = ("--checkout-results", results, "--release", "1.31", "--shorter", str(shorter), "--json")
    status, out, err = kubeproof(capsys, "conform", *again)
    assert status == 1
    shown = json.loads(out)
    assert shown["verdict"] == "differs"
    assert json.loads(shorter.read_text().splitlines()[0])["ops"] == shown["shortest"]["ops"]
    assert err == ""


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--release", "1.12"), "--release: release '1.12' is outside the modelled range"),
        ((), "--checkout-results: expected --release with it"),
        (("a.jsonl", "--release", "1.31"), "a.jsonl is given too: expected one of the two"),
        (("--release", "1.17.10", "--shorter", "x"), "--shorter: nothing differs: leave the option out"),
    ],
)
def test_conform_refuses_in_one_line(capsys: Captured, results: str, args: tuple[str, ...], said: str) -> None:
    status, out, err = kubeproof(capsys, "conform", "--checkout-results", results, *args)
    assert (status, out) == (2, "")
    assert said in err


def test_conform_without_results_of_a_checkout_takes_no_release(capsys: Captured) -> None:
    status, _, err = kubeproof(capsys, "conform", str(ROOT / "tests/data/node_tree-1.17.10.jsonl"), "--release", "1.17")
    assert status == 2
    assert "expected --checkout-results with them" in err
    status, _, err = kubeproof(capsys, "conform")
    assert (status, "nothing to replay" in err) == (2, True)


@pytest.mark.slow
def test_validate_says_whether_the_checkout_has_the_rule(capsys: Captured, results: str) -> None:
    """The results are those of 1.17.10 unchanged: the rule is right, and the checkout does not have it."""
    judged = ("examples/fixes/reset_cursors.py", "--release", "1.17.10", "--system", "node-listing")
    asked = ("validate", str(ROOT / judged[0]), *judged[1:], "--engine", "explicit", "--scope", "0,nodes=2,zones=2")
    status, out, _ = kubeproof(capsys, *asked, "--checkout-results", results)
    assert status == 1
    assert "The checkout's node_tree does what 1.17.10 does, without reset_cursors.py." in out
    assert out.rstrip().endswith("The verdict above is about the rule only: the checkout does something else.")
    status, out, _ = kubeproof(capsys, *asked, "--checkout-results", results, "--json")
    assert status == 1
    assert json.loads(out)["checkout"]["components"][0]["verdict"] == "as the release"


def test_validate_refuses_results_that_are_not_there_before_it_explores(capsys: Captured, tmp_path: Path) -> None:
    fix = str(ROOT / "examples/fixes/reset_cursors.py")
    status, out, err = kubeproof(capsys, "validate", fix, "-r", "1.18.4", "--checkout-results", str(tmp_path))
    assert (status, out) == (2, "")
    assert "neither results.jsonl nor played.txt is there: expected the folder of" in err
