"""The texts of the bugs: what they say is what is loaded, and each fault is refused with its file and its place."""

import re
from pathlib import Path

import pytest
from attrs import fields

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.catalogue import BUGS, EVERY_BUG, UNSHOWN_BUGS, any_bug_named, bug_named
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.demonstrations.registry import DEMONSTRATIONS
from kubeproof.bugs.load import AnyBug, load_bug, load_folder
from kubeproof.errors import InputError
from kubeproof.systems.registry import SYSTEMS, system_named
from tests.conftest import ROOT

SCHEDULING = SYSTEMS["scheduling"]

RUN = """---
id: A-BUG
title: "A pod waits: for ever"
release: 1.22.3
property: no-event-lost
also: [fitting-pod-is-bound]
given: {nodes: 2, extender: 1}
powers: [extender]
issues: [1]
fixes: [2, 3]
flags: [recovers]
---

## Consequence

A pod stays
Pending.

## Mechanism

First.

Second.

## Notes

One note
on two lines.

#4 is another one.

## Mitigation

None.

## Questions

### Why?

Violates `one-attempt-at-a-time`, given extender=1, room=3.

Because.

So it is.

### And then?

Violates `no-event-lost`, given deletes=1.

Nothing.
"""
COMPONENT = """---
id: A-BUG
title: It waits
release: 1.22.3
demonstration: popped_first
searched: 2026-11-22
---
## Consequence
a
## Mechanism
b
## Mitigation
c
"""
UNSHOWN = """---
id: A-BUG
title: It waits
shown: no
issues: [1]
---
## Consequence
a
## Mechanism
b
## Mitigation
c
## Why nothing shows this bug
It is too
old.
"""


def loaded(text: str, place: str = "bugs/scheduling/a-bug.md") -> AnyBug:
    return load_bug(place, text, SCHEDULING)


def test_a_text_is_read_as_it_is_written() -> None:
    bug = loaded(RUN)
    assert isinstance(bug, Bug)
    assert (bug.id, bug.title, bug.system, bug.release) == ("A-BUG", "A pod waits: for ever", "scheduling", "1.22.3")
    assert (bug.violates, bug.properties) == ("no-event-lost", ("no-event-lost", "fitting-pod-is-bound"))
    assert (bug.recovers, bug.stays, bug.searched) == (True, False, "")
    assert bug.issues == ("https://github.com/kubernetes/kubernetes/issues/1",)
    assert [fix.rpartition("/")[2] for fix in bug.fixes] == ["2", "3"]
    assert (bug.consequence, bug.mechanism) == ("A pod stays Pending.", "First.\n\nSecond.")
    assert bug.notes == ("One note on two lines.", "#4 is another one.")
    first, second = bug.questions
    assert (first.asked, first.violates, first.answer) == ("Why?", "one-attempt-at-a-time", "Because.\n\nSo it is.")
    assert (dict(first.given)["room"], dict(second.given)["room"], dict(second.given)["deletes"]) == (3, 1, 1)


def test_a_bound_that_is_not_given_is_searched_or_has_its_least_value() -> None:
    bug = loaded(RUN)
    assert isinstance(bug, Bug)
    given = dict(bug.given)
    assert {name for name, value in given.items() if value} == {"nodes", "extender", "room", "goroutines"}
    assert "pods" not in given
    assert [*given] == [field.name for field in fields(SCHEDULING.scope_class) if field.name in given]


def test_the_other_kinds_of_texts() -> None:
    shown, unshown = loaded(COMPONENT), loaded(UNSHOWN)
    assert isinstance(shown, ComponentBug)
    assert shown.shown_by is DEMONSTRATIONS["popped_first"]
    assert isinstance(unshown, UnshownBug)
    assert unshown.reason == "It is too old."


REFUSED = [
    (RUN, "---\nid", "id", "no head: expected YAML between two lines '---'"),
    (RUN, "given: {nodes", "given: {{nodes", "line 8: not YAML"),
    (RUN, RUN.split("---")[1], "\njust words\n", "head: not a mapping"),
    (RUN, "id: A-BUG\n", "", "head: 'id' is missing"),
    (RUN, "release: 1.22.3\n", "", "head: 'release' is missing"),
    (RUN, "powers:", "power:", "head: 'power' is not known: expected one of id, title"),
    (RUN, "property: no-event-lost\n", "", "head: expected one of 'property', 'demonstration' and 'shown: no'"),
    (RUN, "property:", "shown: no\nproperty:", "head: expected one of 'property', 'demonstration' and 'shown: no'"),
    (RUN, "id: A-BUG", "id: OTHER", "head, id: OTHER does not go with the file's name: expected the file other.md"),
    (RUN, '"A pod waits: for ever"', '""', "head, title: '' is not a text"),
    (RUN, "release: 1.22.3", "release: 1.22", "head, release: 1.22 is not a text"),
    (RUN, "release: 1.22.3", "release: 1.99.0", "head, release: '1.99.0'"),
    (RUN, "release: 1.22.3", "release: 1.22.3\nasked_from: 1.99.0", "head, asked_from: '1.99.0'"),
    (RUN, "release: 1.22.3", "release: 1.22.3\nasked_to: 1.99.0", "head, asked_to: '1.99.0'"),
    (RUN, "property: no-", "property: any-", "head, property: 'any-event-lost' is not a property of scheduling"),
    (RUN, "[fitting-pod-is-bound]", "[fits]", "head, also: 'fits' is not a property of scheduling"),
    (RUN, "[fitting-pod-is-bound]", "fits", "head, also: 'fits' is not a list of names"),
    (RUN, "{nodes: 2", "{node: 2", "head, given: 'node' is not a bound of scheduling: expected one of pods, high"),
    (RUN, "{nodes: 2", "{nodes: two", "is not bounds with numbers: expected e.g. {pods: 1}"),
    (RUN, "powers: [extender]", "powers: [updates]", "head, powers: 'updates' is not given"),
    (RUN, "powers:", "also_in: [scheduling]\npowers:", "head, also_in: ['scheduling'] does not name systems"),
    (RUN, "powers:", "also_in: {a: [b]}\npowers:", "head, also_in: {'a': ['b']} does not name systems"),
    (RUN, "powers:", "also_in: {preemption: x}\npowers:", "head, also_in: 'x' is not a list of names: expected prop"),
    (RUN, "powers:", "also_in: {preemption: [x]}\npowers:", "head, also_in: 'x' is not a property of preemption"),
    (RUN, "issues: [1]", "issues: ['#1']", "head, issues: ['#1'] is not a list of numbers"),
    (RUN, "[recovers", "[recover", "head, flags: 'recover' is not a flag: expected one of recovers, stays"),
    (RUN, "## Consequence", "Words.\n\n## Consequence", "text before the first section"),
    (RUN, "## Mechanism\n\nFirst.\n\nSecond.\n\n", "", "sections: 'Mechanism' is missing"),
    (RUN, "First.\n\nSecond.\n\n", "", "sections: 'Mechanism' is empty"),
    (RUN, "## Notes", "## Note", "sections: 'Note' is not known: expected one of Consequence, Mechanism"),
    (RUN, "## Notes", "## Mechanism", "sections: 'Mechanism' is there twice"),
    (RUN, "### Why?\n\n", "", "Questions: text without a question"),
    (RUN, "### Why?\n\nViolates", "### Why?\n\nBreaks", "Questions, Why?: expected first 'Violates `a-property`"),
    (RUN, "Because.\n\nSo it is.\n\n", "", "Questions, Why?: expected first 'Violates `a-property`"),
    (RUN, "one-attempt", "two-attempts", "Questions, Why?: 'two-attempts-at-a-time' is not a property"),
    (RUN, "extender=1, room", "extenders=1, room", "Questions, Why?: 'extenders' is not a bound of scheduling"),
    (COMPONENT, "searched: 2026-11-22\n", "", "head, searched: expected the day on which no issue and no pull"),
    (COMPONENT, "2026-11-22", "lately", "head, searched: 'lately' is not a day: expected such as 2026-11-22"),
    (RUN, "issues: [1]", "issues: [1]\nsearched: 2026-11-22", "head, searched: expected the day on which no issue"),
    (COMPONENT, "popped_first", "popped_last", "head, demonstration: 'popped_last' is not known: expected one of"),
    (COMPONENT, "title", "given: {}\ntitle", "head: 'given' is not known"),
    (UNSHOWN, "shown: no", "shown: yes", "head, shown: True is not 'no'"),
    (UNSHOWN, "## Why nothing shows this bug\nIt is too\nold.\n", "", "'Why nothing shows this bug' is missing"),
]


@pytest.mark.parametrize(("text", "old", "new", "error"), REFUSED, ids=lambda value: value[:40])
def test_a_fault_is_refused_in_one_line(text: str, old: str, new: str, error: str) -> None:
    assert old in text
    with pytest.raises(InputError) as refused:
        loaded(text.replace(old, new, 1))
    line = str(refused.value)
    assert line.startswith("bugs/scheduling/a-bug.md: ")
    assert error in line
    assert "\n" not in line


def test_a_text_that_is_not_utf_8_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "BUG.md").write_bytes(b"---\nproperty: caf\xe9\n")
    with pytest.raises(InputError, match=r"BUG.md: missing or damaged, UnicodeDecodeError: expected the text of a bug"):
        load_folder(tmp_path, SYSTEMS["node-listing"])


def test_every_text_is_loaded_and_every_demonstration_is_named() -> None:
    texts = {path.stem for path in (ROOT / "bugs").glob("*/*.md")}
    assert texts == {bug.id.lower() for bug in (*EVERY_BUG, *UNSHOWN_BUGS)}
    used = [bug.shown_by.ask for bug in EVERY_BUG if isinstance(bug, ComponentBug)]
    used += [bug.besides.ask for bug in BUGS if bug.besides is not None]
    assert len(used) == len(set(used)) == len(DEMONSTRATIONS)
    for bug in BUGS:
        assert set(dict(bug.given)) <= {field.name for field in fields(system_named(bug.system).scope_class)}


@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug.given and not bug.fixes], ids=lambda bug: bug.id)
def test_a_page_says_up_to_which_release_its_table_knows_no_fix(bug: Bug) -> None:
    page = (ROOT / "counterexamples" / bug.folder / "README.md").read_text(encoding="utf-8")
    assert f"- fix: none in any release up to 1.{system_named(bug.system).minors[-1]}\n" in page


def test_a_bug_is_found_in_any_case_and_an_unknown_one_is_refused() -> None:
    assert any_bug_named("nodetree-cursor") is bug_named("NODETREE-CURSOR")
    with pytest.raises(
        InputError, match=r"'NODETREE-CURSER' is not a bug: did you mean NODETREE-CURSOR.*`kubeproof bugs`"
    ):
        any_bug_named("NODETREE-CURSER")


@pytest.mark.parametrize("name", ["91601", "#91601", "93387", "https://github.com/kubernetes/kubernetes/issues/91601"])
def test_a_number_of_upstream_is_another_name_of_the_one_bug_that_has_the_number(name: str) -> None:
    assert any_bug_named(name) is bug_named("NODETREE-CURSOR")


def test_a_number_of_several_bugs_or_of_none_is_refused() -> None:
    with pytest.raises(InputError, match="#110175 is of 4 bugs: expected one of QUEUE-UNCORDON-MISS, "):
        any_bug_named("110175")
    with pytest.raises(InputError, match="#7 is of no bug"):
        any_bug_named("#7")


@pytest.mark.parametrize("path", sorted((ROOT / "bugs").glob("*/*.md")), ids=lambda path: path.stem)
def test_a_text_has_short_sentences(path: Path) -> None:
    text = path.read_text(encoding="utf-8").split("---\n", 2)[2]
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    for paragraph in prose.split("\n\n"):
        for sentence in re.split(r"[.:?!;]\s", " ".join(paragraph.split())):
            assert len(sentence.split()) <= 32, sentence
