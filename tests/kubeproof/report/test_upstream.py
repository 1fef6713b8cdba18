"""The texts for upstream: which bugs have one, and that the fix that a text names is a fix."""

from pathlib import Path

import pytest

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import any_bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.load import load_bugs
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import kept_run
from kubeproof.engines.explicit import check
from kubeproof.errors import InputError
from kubeproof.fix.fix import apply, load_fix
from kubeproof.report.upstream import upstream_text
from kubeproof.systems.registry import system_named
from kubeproof.verdict.result import Outcome
from model.releases import known_release, rules_for
from tests.conftest import ROOT

SOURCES = sorted(path.stem for path in (ROOT / "bugs/_upstream").glob("*.md"))
# The oldest minor that somebody supports.
SUPPORTED = 34
# Bugs that nobody has reported, and that need no text of their own: why not.
NO_TEXT = {
    "API-CLEAR-FROM-OLD-OBJECT": "1.36.0 has ended it",
    "ASYNC-PREEMPT-STUCK-ONE-GONE": "1.34.2 takes the change back that brought it: later it is ASYNC-PREEMPT-STUCK",
    "NOM-CLEAR-OVERTAKEN": "the text of NOM-CLEAR-OVERTAKEN-BY-PRIORITY has the same mechanism",
}


def _reported_by_nobody() -> set[str]:
    """The bugs without an issue or a fix that the code of a supported minor was seen to have."""
    found = set()
    for bug in load_bugs():
        if not isinstance(bug, Bug | ComponentBug) or bug.issues or bug.fixes:
            continue
        minors = [known_release(row.release).minor for row in played_of(bug) if row.violated]
        if minors and max(minors) >= SUPPORTED:
            found.add(bug.id)
    return found


def test_each_bug_that_nobody_has_reported_has_a_text() -> None:
    """A bug whose run was played before the run changed keeps its text."""
    texts = {source.upper() for source in SOURCES}
    assert _reported_by_nobody() - set(NO_TEXT) <= texts
    assert texts.isdisjoint(NO_TEXT)
    assert not any(bug.issues or bug.fixes for bug in map(_bug, SOURCES))


@pytest.mark.parametrize("source", SOURCES)
def test_the_text_is_kept(source: str) -> None:
    """That it is up to date is asked with the other files of the bug."""
    said = upstream_text(_bug(source))
    assert said is not None
    kept = (ROOT / "counterexamples" / source / "upstream.md").read_text("utf-8")
    assert said.change in kept
    assert said.fix in kept


def _bug(source: str) -> Bug | ComponentBug:
    bug = any_bug_named(source.upper())
    assert isinstance(bug, Bug | ComponentBug)
    return bug


@pytest.mark.parametrize(
    "source", [pytest.param(s, marks=[pytest.mark.slow] if s == "preempt-namesake" else []) for s in SOURCES]
)
def test_the_fix_that_a_text_names_cures_every_run_of_the_scope(source: str) -> None:
    bug = _bug(source)
    said = upstream_text(bug)
    assert said is not None
    if not said.fix_file:
        pytest.skip("no fix is named")
    assert isinstance(bug, Bug)
    system = system_named(bug.system)
    scope = kept_run(bug).scope
    own = rules_for(system.rules_class, known_release(said.judged_in))
    fix = load_fix(Path(ROOT / "examples/fixes" / said.fix_file), [system])
    try:
        for rules, outcome in ((own, Outcome.VIOLATED), (apply(system, own, fix), Outcome.HOLDS)):
            (result,) = check(system.machine(scope, rules), [system.property_named(bug.violates)])
            assert result.outcome is outcome
    finally:
        fix.close()


def test_a_text_without_a_section_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "_upstream").mkdir()
    (tmp_path / "_upstream/nodetree-cursor.md").write_text("---\n---\n## Setting\n\nNone.\n", "utf-8")
    monkeypatch.setattr("kubeproof.report.upstream.files", lambda package: tmp_path)
    with pytest.raises(InputError, match="Which change brought it"):
        upstream_text(_bug("nodetree-cursor"))
