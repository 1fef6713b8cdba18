"""Runs as Mermaid sequence diagrams: every kept run gives one, of the statements that Mermaid has."""

import re

import pytest
from attrs import evolve

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, bug_named
from kubeproof.bugs.kept import reproduce
from kubeproof.report.mermaid import escaped, sequence_diagram
from kubeproof.report.told import Told, ToldRun, kept_run

# No sign of a text ends a statement, begins a comment or is read as HTML; an entity is the one exception.
TEXT = r"(?:[^#;%{}<>&\"\\|`\n]|#\d+;)+"
STATEMENT = re.compile(
    rf"    (autonumber|(participant|actor) L\d+ as {TEXT}|L\d+->>L\d+: {TEXT}|Note over L\d+: {TEXT}|loop for ever|end)"
)


def run_of(name: str) -> ToldRun:
    return kept_run(reproduce(bug_named(name), None))


def assert_is_a_diagram(run: ToldRun) -> None:
    first, *lines = sequence_diagram(run).splitlines()
    assert first == "sequenceDiagram"
    assert [line for line in lines if STATEMENT.fullmatch(line) is None] == []
    lanes = {found[1] for line in lines if (found := re.match(r" +(?:participant|actor) (L\d+) as ", line))}
    assert {lane for line in lines for lane in re.findall(r"\bL\d+(?=->>|: )", line)} <= lanes
    assert sum("->>" in line for line in lines) == len(run.actions)
    assert lines.count("    loop for ever") == lines.count("    end") == (run.repeats_from is not None)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.id)
def test_every_kept_run_is_drawn(bug: Bug) -> None:
    assert_is_a_diagram(kept_run(reproduce(bug, None)))


def test_who_acts_has_a_lane() -> None:
    assert sequence_diagram(run_of("NODETREE-CURSOR")) == (
        "sequenceDiagram\n"
        "    autonumber\n"
        "    participant L1 as cache.go\n"
        "    participant L2 as node_tree.go\n"
        "    L1->>L2: Node n1 joins in zone z1.\n"
        "    L1->>L2: Node n2 joins in zone z1.\n"
        "    L1->>L2: A scheduling cycle begins: its node list has 2 entries.\n"
        "    L1->>L2: Node n3 joins in zone z2.\n"
        "    L1->>L2: A scheduling cycle begins: its node list has 3 entries, none of them n2.\n"
        "    Note over L2: listed-exactly-once: n2 missing from the scheduler's node list#59; n3 in it twice or more: "
        "list = [n3, n1, n3]\n"
    )
    lines = sequence_diagram(run_of("NOM-EXT-LEAK")).splitlines()
    assert lines[2:4] == ["    actor L1 as a user", "    participant L2 as shared_informer.go"]


def test_what_repeats_for_ever_stands_in_a_loop() -> None:
    run = evolve(run_of("NODETREE-CURSOR"), repeats_from=4)
    assert_is_a_diagram(run)
    lines = sequence_diagram(run).splitlines()
    assert lines.index("    loop for ever") == lines.index("    L1->>L2: Node n3 joins in zone z2.") - 1
    assert lines[-1] == "    end"


@pytest.mark.parametrize("name", ["end", "a;b", "x\n    L1->>L2: y", "%%{init: {}}%%", "<script>", 'a "b" #1', "`Pop`"])
def test_no_name_ends_a_statement(name: str) -> None:
    action = Told(f"Pod {name} joins", f"{name} -> x/y.go f, g", (), (f"p: {name}",))
    assert_is_a_diagram(evolve(run_of("NODETREE-CURSOR"), actions=(action,)))
    assert "\n" not in escaped(name)
