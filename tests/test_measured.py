"""What the benchmarks keep: the pages are those of the numbers, and the engines that came to an end agree."""

import pytest

from benchmarks import exhausted_scopes, fix_scopes
from benchmarks.exhausted_scopes import ASKED, FOLDER, Row, Run, kept, page
from kubeproof.engines.explicit import explore
from model.releases import known_release, rules_for
from tests.kubeproof.validate.test_cases import CASES

HINTS = next(asked for asked in ASKED if asked.system.name == "queueing-hints")


def test_each_kept_page_is_the_table_of_its_numbers() -> None:
    pages = {f"{asked.system.name}-scopes.md": page(asked, kept(asked)) for asked in ASKED if kept(asked)}
    there = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*-scopes.md") if path != fix_scopes.PAGE}
    assert there == pages


def test_the_engines_count_the_same_in_every_kept_row() -> None:
    rows = [row for asked in ASKED for row in kept(asked).values()]
    assert rows
    for row in rows:
        plain, orbits, theirs = row.runs.get("explicit"), row.runs["orbits"], row.runs.get("tlc")
        if plain is None:
            continue
        if not (plain.cut or orbits.cut):
            assert orbits.counts[0] <= plain.counts[0]
            assert orbits.counts[2] == plain.counts[2]
        if theirs is not None and not (plain.cut or theirs.cut):
            assert theirs.counts[:2] == plain.counts[:2]


def test_a_row_of_the_search_with_symmetry_alone_says_what_was_not_asked() -> None:
    row = Row("pods=3", "1.28.3", "2026-11-22", {"orbits": Run((2000, 5000, 7), 1.5, None)})
    assert row.cells == ("pods=3", "1.28.3", *["not asked"] * 3, "2,000", "not asked", "1.5", "not asked", "2026-11-22")


def test_a_power_that_includes_another_one_makes_no_pair_with_it() -> None:
    scopes = HINTS.scopes()
    assert len(set(scopes)) == len(scopes)
    assert f"{HINTS.with_two},updates=1,deletes=1,graceful=1" in scopes
    assert f"{HINTS.with_two},deletes=1,graceful=1" not in scopes
    assert exhausted_scopes.table([]).count("\n") == 2


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.28.3", "1.32.0"])
def test_the_smallest_kept_row_has_the_counts_of_today(release: str) -> None:
    """A change of the model that moves counts makes the table old: then it has to be measured anew."""
    rows = [row for row in kept(HINTS).values() if row.release == release and not row.runs["orbits"].cut]
    smallest = min(rows, key=lambda row: row.runs["orbits"].counts[1])
    scope = exhausted_scopes.scope_of(HINTS.system, smallest.scope)
    machine = HINTS.system.machine(scope, rules_for(HINTS.system.rules_class, known_release(release)))
    counts = explore(machine, symmetry=True).counts
    assert smallest.runs["orbits"].counts == (counts.distinct, counts.generated, counts.depth)


@pytest.mark.skipif(not CASES.is_dir(), reason="the fixes beside the repository are not here")
def test_the_kept_page_of_fixes_is_that_of_its_rows() -> None:
    assert fix_scopes.PAGE.read_text("utf-8") == fix_scopes.page(fix_scopes.rows(), len(fix_scopes.fixes()))


def test_each_fix_of_the_examples_and_tests_is_measured() -> None:
    there = {path.stem for folder in fix_scopes.FOLDERS for path in folder.glob("*.py")}
    assert there - fix_scopes.fixes().keys() == {"nominate_listed_uid"}
