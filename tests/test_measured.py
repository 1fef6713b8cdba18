"""What the benchmarks keep: the pages are those of the numbers, and the engines that came to an end agree."""

from benchmarks import exhausted_scopes
from benchmarks.exhausted_scopes import ASKED, FOLDER, kept, page


def test_each_kept_page_is_the_table_of_its_numbers() -> None:
    pages = {f"{asked.system.name}-scopes.md": page(asked, kept(asked)) for asked in ASKED if kept(asked)}
    assert {path.name: path.read_text("utf-8") for path in FOLDER.glob("*-scopes.md")} == pages


def test_the_engines_count_the_same_in_every_kept_row() -> None:
    rows = [row for asked in ASKED for row in kept(asked).values()]
    assert rows
    for row in rows:
        plain, orbits, theirs = row.runs["explicit"], row.runs["orbits"], row.runs.get("tlc")
        if not (plain.cut or orbits.cut):
            assert orbits.counts[0] <= plain.counts[0]
            assert orbits.counts[2] == plain.counts[2]
        if theirs is not None and not (plain.cut or theirs.cut):
            assert theirs.counts[:2] == plain.counts[:2]


def test_a_power_that_includes_another_one_makes_no_pair_with_it() -> None:
    hints = next(asked for asked in ASKED if asked.system.name == "queueing-hints")
    scopes = hints.scopes()
    assert len(set(scopes)) == len(scopes)
    assert f"{hints.with_two},updates=1,deletes=1,graceful=1" in scopes
    assert f"{hints.with_two},deletes=1,graceful=1" not in scopes
    assert exhausted_scopes.table([]).count("\n") == 2
