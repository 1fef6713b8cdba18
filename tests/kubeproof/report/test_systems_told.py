"""What the page says of a system: one column where the same is said, and a kept run's verdict above the engines'."""

from collections import Counter

import pytest
from attrs import evolve

from kubeproof.report.build import viewer
from kubeproof.report.coverage import Killed
from kubeproof.report.kept_tables import NOW, KeptTable, killed_rows
from kubeproof.report.markdown import environment
from kubeproof.report.systems_told import (
    Column,
    KnownCell,
    Tables,
    columns,
    counts,
    in_stretch,
    known_cells,
    numbered,
    system_told,
)
from kubeproof.report.tasks import Cell, Checked, CheckTask, Seen, checked, replayed, stretches
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.scheduling import SCHEDULING

ONCE, AS_LONG = "listed-exactly-once", "list-as-long-as-tree"
NO_TABLE = KeptTable(NOW, {})
NOTHING = Tables(NO_TABLE, NO_TABLE, NO_TABLE)


def cell(name: str, outcome: str, engine: str = "explicit", **more: object) -> Cell:
    return evolve(Cell(name, engine, outcome, "exhaustive", "", "", ()), **more)


def check(
    first: str, last: str, *cells: Cell, engine: str = "explicit", taken: dict[str, int] | None = None
) -> Checked:
    return Checked("node-listing", first, last, engine, cells, taken, frozenset(), (), (), 0.0)


def seen(bug: str, first: str, system: str = "node-listing", *, shown: bool = True, **violated: int) -> Seen:
    scope = "0,nodes=3,zones=2"
    return Seen(bug, system, first, {name.replace("_", "-"): (scope, n) for name, n in violated.items()}, shown)


def test_stretches_of_which_the_same_is_said_are_one_column() -> None:
    held = cell(ONCE, "holds")
    checks = [
        check("1.18.0", "1.18.3", held),
        check("1.13.0", "1.17.9", held),
        check("1.18.4", "1.18.6", cell(ONCE, "violated", known=("NODETREE-CURSOR",))),
        check("1.18.7", "1.36.3", evolve(held, detail="said nowhere but on the cell")),
    ]
    found = columns(NODE_LISTING, checks, [], NO_TABLE)
    assert [column.releases for column in found] == ["1.13.0 to 1.18.3", "1.18.4 to 1.18.6", "1.18.7 to 1.36.3"]
    assert found[0].cells[ONCE] == (held,)
    # What a kept run violates parts them too.
    apart = columns(
        NODE_LISTING, checks[:2], [seen("A", "1.13.0"), seen("A", "1.18.0", listed_exactly_once=5)], NO_TABLE
    )
    assert [(column.releases, set(column.known)) for column in apart] == [
        ("1.13.0 to 1.17.9", set()),
        ("1.18.0 to 1.18.3", {ONCE}),
    ]
    assert Column("1.18.0", "1.18.0", {}, {}).releases == "1.18.0"


def test_of_each_bug_the_latest_stretch_that_has_begun_counts() -> None:
    """A system that extends another one has finer stretches."""
    runs = [seen("A", "1.13.0"), seen("A", "1.18.0"), seen("B", "1.18.4"), seen("C", "1.13.0", "cpu-manager")]
    assert in_stretch(NODE_LISTING, "1.18.2", runs) == [runs[1]]
    assert in_stretch(NODE_LISTING, "1.18.4", list(reversed(runs))) == [runs[2], runs[1]]
    other = [seen("D", "1.13.0", "scheduling")]
    assert in_stretch(SYSTEMS["scheduling-cycle"], "1.17.0", other) == other
    assert in_stretch(SYSTEMS["preemption"], "1.17.0", other) == []


def test_the_bugs_of_the_release_come_first_and_alone() -> None:
    runs = [
        seen("LONG", "1.13.0", listed_exactly_once=9),
        seen("SHORT", "1.13.0", listed_exactly_once=5),
        seen("OTHER", "1.13.0", shown=False, listed_exactly_once=3, list_as_long_as_tree=4),
        seen("ELSEWHERE", "1.13.0", not_a_property_of_this_system=1),
    ]
    assert known_cells(NODE_LISTING, "1.18.0", runs) == {
        ONCE: KnownCell((("SHORT", "short", True), ("LONG", "long", True)), "only nodes=3,zones=2", 5),
        AS_LONG: KnownCell((("OTHER", "other", False),), "only nodes=3,zones=2", 4),
    }


def test_properties_are_counted_by_the_worst_that_is_said() -> None:
    known = {"b": KnownCell((), "", 1), "a": KnownCell((), "", 1)}
    cells = {
        "a": (cell("a", "violated"), cell("a", "holds", "z3")),
        "b": (cell("b", "holds"),),
        "c": (cell("c", "holds"), cell("c", "inconclusive", "tlc")),
        "d": (cell("d", "inconclusive"),),
        "e": (cell("e", "not-applicable"),),
    }
    assert counts(Column("", "", known, cells)) == {"violated": 1, "violated elsewhere": 1, "hold": 1, "open": 2}


def test_notes_are_numbered_once() -> None:
    assert numbered(["b", "", "a", "b"]) == {"b": 1, "a": 2}


def test_what_an_engine_does_not_count_is_not_counted() -> None:
    checks = [
        check("1.13.0", "1.17.9", cell(ONCE, "holds"), taken={"add_node": 2}),
        check("1.18.0", "1.36.3", cell(ONCE, "holds"), taken={"add_node": 3}),
        check("1.18.0", "1.36.3", cell(ONCE, "holds", "z3"), engine="z3"),
    ]
    told = system_told("node-listing", checks, [], Counter({("node_tree", "list"): 3}), NOTHING)
    rows = {row.name: row for row in told["coverage"]}
    assert told["engines"] == ["explicit", "z3"]
    assert rows["add_node"].taken == (5, None)
    assert rows["remove_node"].taken == (None, None)
    assert rows["update_snapshot"].recordings == 3
    assert (told["newest"], told["has_recordings"]) == ("1.18.0 to 1.36.3", True)
    # The newest column has the answers of both engines; the older one has the explicit one's alone.
    assert [len(column.cells[ONCE]) for column in told["columns"]] == [1, 2]


def html(system: dict[str, object]) -> str:
    runs = {"bugs": 0, "stretches": 0, "errors": []}
    values = {
        "systems": [system], "bugs": [], "components": [], "not_shown": [], "growth": None, "pages": NOW, "runs": runs,
        "recordings": {"files": 0}, "played": {"rows": []}, "viewer": viewer([]),
    }  # fmt: skip
    return environment().get_template("report.html.j2").render(values)


def test_a_violation_without_a_known_bug_stands_out() -> None:
    page = html(system_told("node-listing", [check("1.13.0", "1.36.3", cell(ONCE, "violated"))], [], None, NOTHING))
    assert "no known bug: <code>kubeproof hunt node-listing</code>" in page
    known = check("1.13.0", "1.36.3", cell(ONCE, "violated", known=("NODETREE-CURSOR",)))
    page = html(system_told("node-listing", [known], [], None, NOTHING))
    assert "no known bug" not in page
    assert '<a href="#nodetree-cursor">NODETREE-CURSOR</a>' in page


def test_the_verdict_of_a_kept_run_stands_above_what_engines_say() -> None:
    runs = [seen(name, "1.13.0", listed_exactly_once=5) for name in ("A", "B", "C", "D")]
    runs.append(seen("E", "1.13.0", shown=False, list_as_long_as_tree=5))
    checks = [check("1.13.0", "1.36.3", cell(ONCE, "holds"), cell(AS_LONG, "holds"))]
    page = html(system_told("node-listing", checks, runs, None, NOTHING))
    row = page.partition(f"<b>{ONCE}</b>")[2].partition("</tr>")[0]
    kept, _, engines = row.partition("<b>holds</b>")
    assert '<details class="cell violated"><summary><b>violated</b></summary><p>A kept run, 5 actions,' in kept
    assert '<a class="cell" href="#c">C</a><span class="cell soft">and 1 more</span>' in kept
    assert "violated" not in engines
    # A run of a bug that its page does not say the release to have.
    assert '<a class="cell" href="#e">run of E</a>' in page


def coverage_in(page: str) -> dict[str, str]:
    """The rows of the coverage table, by the action or rule."""
    table = page.partition("<summary>Coverage: ")[2].partition("</table>")[0]
    return {row.partition("</code>")[0]: row for row in table.split("<tr><td><code>")}


def test_the_page_says_which_actions_the_scope_has_not_and_what_other_rules_break() -> None:
    cut, other = Killed("list_b", (), decided=False), Killed("list_c", (), fits=False)
    others = {"list_nodes": (Killed("list_a", ()), cut, other)}
    tables = evolve(NOTHING, other_rules=KeptTable(NOW, {"node-listing": killed_rows(others)}))
    own = evolve(check("1.13.0", "1.36.3", taken={"add_node": 0}), absent=frozenset({"update_node"}))
    page = html(system_told("node-listing", [own], [], None, tables))
    rows = coverage_in(page)
    assert "<b>never</b>" in rows["add_node"]
    assert "not counted" in rows["remove_node"]
    assert "<code>list_a</code>: <b>nothing</b>" in rows["list_nodes"]
    assert '<code>list_b</code>: <span class="soft">not decided: the search was cut</span>' in rows["list_nodes"]
    assert '<code>list_c</code>: <span class="soft">does not go with the other rules</span>' in rows["list_nodes"]
    told = system_told("node-listing", [evolve(own, taken={"update_node": 0, "add_node": 1})], [], None, tables)
    rows = coverage_in(html(told))
    assert "not in this scope" in rows["update_node"]


@pytest.mark.slow
def test_some_stretches_of_a_large_system_are_one_column() -> None:
    spans = [span for span in stretches(SCHEDULING) if span[0] in ("1.17.5", "1.17.7", "1.18.0", "1.18.2")]
    checks = [checked(CheckTask(SCHEDULING.name, *span, "explicit")) for span in spans]
    runs = [each for name in ("CACHE-ASSUME-TTL", "BIND-UID") for each in replayed(name)]
    told = system_told(SCHEDULING.name, checks, runs, None, NOTHING)
    assert 1 < len(told["columns"]) < len(spans)
    assert all(set(column.cells) == {p.name for p in SCHEDULING.properties} for column in told["columns"])
    offered = {row.name: row.offered for row in told["coverage"]}
    assert not offered["delete_pod"]
    assert offered["bind_failed"]
    bound = told["columns"][0].known["binds-what-was-decided"]
    assert ("BIND-UID", "bind-uid", True) in bound.bugs
