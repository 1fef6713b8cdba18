"""The kept counterexamples: up to date, minimal, the same bytes everywhere, and they replay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubeproof.catalogue import BUGS, Bug
from kubeproof.counterexample import minimal_counterexample, scopes
from kubeproof.engines.explicit import check
from kubeproof.errors import InputError
from kubeproof.kept import kept_document, reproduce
from kubeproof.report.markdown import counterexample_files
from kubeproof.systems import system_named
from kubeproof.verdict import Outcome
from model.releases import parse_release, rules_for
from tests.conftest import ROOT


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_what_is_kept_is_up_to_date(bug: Bug) -> None:
    example = minimal_counterexample(bug)
    assert example is not None
    for name, content in counterexample_files(example).items():
        kept = ROOT / "counterexamples" / bug.folder / name
        assert kept.read_text(encoding="utf-8") == content, f"{kept} is out of date: run `make counterexamples`"


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_no_smaller_scope_has_the_violation(bug: Bug) -> None:
    example = minimal_counterexample(bug)
    assert example is not None
    system = system_named(bug.system)
    rules = rules_for(system.rules_class, parse_release(bug.release))
    smaller = 0
    for scope in scopes(system):
        if scope == example.scope:
            break
        smaller += 1
        result = check(system.machine(scope, rules), [system.property_named(bug.violates)])[0]
        assert result.outcome is not Outcome.VIOLATED
    assert smaller > 0


def test_a_bug_is_reproduced_as_recorded() -> None:
    for bug in BUGS:
        found = reproduce(bug)
        assert found.appears
        assert found.trace is not None


def test_a_bug_without_its_file_gets_one_line() -> None:
    from attrs import evolve

    with pytest.raises(InputError, match="missing or damaged"):
        kept_document(evolve(BUGS[0], id="NO-SUCH"))


def test_a_bug_does_not_appear_in_a_cured_release() -> None:
    from attrs import evolve

    assert not reproduce(evolve(BUGS[0], release="1.19.0")).appears


@pytest.mark.parametrize("seed", ["0", "4711"])
def test_the_bytes_do_not_depend_on_the_hash_seed(seed: str, tmp_path: Path) -> None:
    code = "from kubeproof.report.build import write_counterexamples; from pathlib import Path; import sys\n"
    code += "write_counterexamples(Path(sys.argv[1]))"
    env = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, env=env, cwd=tmp_path)
    for bug in BUGS:
        for path in (tmp_path / bug.folder).iterdir():
            assert path.read_bytes() == (ROOT / "counterexamples" / bug.folder / path.name).read_bytes()
