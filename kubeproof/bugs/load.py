"""The bugs, from their text files under bugs/<system>/.

A text names a property (a run of the system shows the bug), a demonstration (components show it), or `shown: no`.
Beside a property a demonstration shows what no run of the system does. What is missing or unknown is
refused in one line: the file, the place in it, what was expected.
"""

import re
from datetime import date
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from attrs import fields

from kubeproof.bugs.bug import Bug, Question, UnshownBug
from kubeproof.bugs.component import ComponentBug, Demonstrator
from kubeproof.bugs.demonstrations.registry import DEMONSTRATIONS
from kubeproof.bugs.links import issues, pulls
from kubeproof.bugs.text import BugText, parse
from kubeproof.errors import InputError
from kubeproof.input.files import packaged_text
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import known_release

AnyBug = Bug | ComponentBug | UnshownBug

FLAGS = ("recovers", "stays")
_TOLD = ("Consequence", "Mechanism", "Mitigation")
_REASON = "Why nothing shows this bug"
_QUESTION = re.compile(r"Violates `(?P<property>[^`]+)`, given (?P<given>\w+=\d+(, \w+=\d+)*)\.")


@cache
def load_bugs() -> tuple[AnyBug, ...]:
    """Every bug: system by system, by name. Raises InputError."""
    root = files("bugs")
    found: list[AnyBug] = []
    folders = [folder for folder in root.iterdir() if folder.is_dir() and not folder.name.startswith((".", "_"))]
    for folder in folders:
        if folder.name not in SYSTEMS:
            raise InputError(f"bugs/{folder.name}: not a system: expected a folder named {', '.join(SYSTEMS)}")
    for folder in sorted(folders, key=lambda folder: list(SYSTEMS).index(folder.name)):
        found += load_folder(folder, SYSTEMS[folder.name])
    return tuple(found)


def load_folder(folder: Traversable, system: System) -> list[AnyBug]:
    """The bugs of one system, by name. Raises InputError."""
    texts = sorted((path for path in folder.iterdir() if path.name.endswith(".md")), key=lambda path: path.name)
    places = {f"bugs/{folder.name}/{path.name}": path for path in texts}
    return [load_bug(place, packaged_text(path, place, "the text of a bug"), system) for place, path in places.items()]


def load_bug(place: str, content: str, system: System) -> AnyBug:
    """The bug that a text describes. `place` is the file's name, for errors. Raises InputError."""
    text = parse(place, content)
    kinds = {key for key in ("property", "demonstration", "shown") if key in text.head}
    if len(kinds - {"demonstration"}) > 1 or kinds in (set(), {"demonstration", "shown"}):
        text.refuse("head", "expected one of 'property', 'demonstration' and 'shown: no'")
    if "property" in kinds:
        bug: AnyBug = _run_bug(text, system)
    elif "demonstration" in kinds:
        bug = _component_bug(text)
    else:
        bug = _unshown_bug(text, system)
    if place.rpartition("/")[2] != f"{bug.id.lower()}.md":
        text.refuse("head, id", f"{bug.id} does not go with the file's name: expected the file {bug.id.lower()}.md")
    return bug


def _run_bug(text: BugText, system: System) -> Bug:
    text.names_in_head(
        ("id", "title", "release", "property"),
        (
            "also", "given", "powers", "other_powers", "also_in", "asked_from", "asked_to", "hidden_by",
            "demonstration", "issues", "fixes", "searched", "flags",
        ),
    )  # fmt: skip
    text.headings(_TOLD, ("Notes", "Questions"))
    flags = text.texts("flags")
    for flag in flags:
        if flag not in FLAGS:
            text.refuse("head, flags", f"'{flag}' is not a flag: expected one of {', '.join(FLAGS)}")
    violates = _property(text, system, "head, property", text.text("property"))
    also = [_property(text, system, "head, also", name) for name in text.texts("also")]
    given = _given(text, system, "head, given", text.head.get("given", {}))
    powers = text.texts("powers")
    for power in powers:
        if not dict(given).get(power):
            text.refuse("head, powers", f"'{power}' is not given: expected a bound that 'given' does not leave at 0")
    also_in = _also_in(text)
    other_powers = text.texts("other_powers")
    others = (each for each in SYSTEMS.values() if system.name in each.has_bugs_of or each.name in dict(also_in))
    bounds = list(dict.fromkeys(field.name for each in (system, *others) for field in fields(each.scope_class)))
    for power in other_powers:
        if power not in bounds:
            text.refuse("head, other_powers", f"'{power}' is not a bound: expected some of {', '.join(bounds)}")
    return Bug(
        **_common(text),
        system=system.name,
        release=_release(text),
        violates=violates,
        properties=(violates, *also),
        given=given,
        powers=powers,
        other_powers=other_powers,
        also_in=also_in,
        asked_from=_release(text, "asked_from") if "asked_from" in text.head else "",
        asked_to=_release(text, "asked_to") if "asked_to" in text.head else "",
        hidden_by=text.texts("hidden_by"),
        besides=_demonstrator(text) if "demonstration" in text.head else None,
        questions=_questions(text, system),
        recovers="recovers" in flags,
        stays="stays" in flags,
    )


def _also_in(text: BugText) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """System -> properties of it."""
    named = text.head.get("also_in", {})
    if not (isinstance(named, dict) and named.keys() <= SYSTEMS.keys()):
        text.refuse(
            "head, also_in", f"{named!r} does not name systems: expected e.g. {{scheduling: [pod-in-one-place]}}"
        )
    for name, properties in named.items():
        if not isinstance(properties, list) or not properties:
            text.refuse("head, also_in", f"{properties!r} is not a list of names: expected properties of {name}")
        for each in properties:
            _property(text, SYSTEMS[name], "head, also_in", each)
    return tuple((name, tuple(properties)) for name, properties in named.items())


def _component_bug(text: BugText) -> ComponentBug:
    text.names_in_head(("id", "title", "release", "demonstration"), ("issues", "fixes", "searched"))
    text.headings(_TOLD, ("Notes",))
    return ComponentBug(**_common(text), release=_release(text), shown_by=_demonstrator(text))


def _demonstrator(text: BugText) -> Demonstrator:
    name = text.text("demonstration")
    if name not in DEMONSTRATIONS:
        text.refuse("head, demonstration", f"'{name}' is not known: expected one of {', '.join(DEMONSTRATIONS)}")
    return DEMONSTRATIONS[name]


def _unshown_bug(text: BugText, system: System) -> UnshownBug:
    text.names_in_head(("id", "title", "shown"), ("issues", "fixes", "searched"))
    if text.head["shown"] is not False:
        text.refuse("head, shown", f"{text.head['shown']!r} is not 'no': expected a property or a demonstration then")
    text.headings((*_TOLD, _REASON), ("Notes",))
    return UnshownBug(**_common(text), system=system.name, reason=text.sections[_REASON])


def _common(text: BugText) -> dict[str, Any]:
    """What every kind of bug has."""
    return {
        "id": text.text("id"),
        "title": text.text("title"),
        "issues": issues(*text.issues()),
        "fixes": pulls(*text.numbers("fixes")),
        "searched": _searched(text),
        "consequence": text.sections["Consequence"],
        "mechanism": text.sections["Mechanism"],
        "mitigation": text.sections["Mitigation"],
        "notes": text.paragraphs("Notes"),
    }


def _searched(text: BugText) -> str:
    """The day on which nothing was found upstream."""
    known = bool(text.issues() or text.numbers("fixes"))
    if known != ("searched" not in text.head):
        text.refuse("head, searched", "expected the day on which no issue and no pull request was found, else no day")
    if known:
        return ""
    day = text.head["searched"]
    if type(day) is not date:
        text.refuse("head, searched", f"{day!r} is not a day: expected such as 2026-11-22")
    return day.isoformat()


def _release(text: BugText, key: str = "release") -> str:
    return _known(text, key, text.text(key))


def _known(text: BugText, key: str, release: str) -> str:
    """`release`, if it is one."""
    try:
        known_release(release)
    except ValueError as error:
        text.refuse(f"head, {key}", f"'{release}': {error}")
    return release


def _property(text: BugText, system: System, where: str, name: str) -> str:
    names = [known.name for known in system.properties]
    if name not in names:
        text.refuse(where, f"'{name}' is not a property of {system.name}: expected one of {', '.join(names)}")
    return name


def _given(text: BugText, system: System, where: str, given: Any) -> tuple[tuple[str, int], ...]:
    """`given`, and for every other bound that is not searched its least value; in the order of the scope."""
    names = [field.name for field in fields(system.scope_class)]
    if not (isinstance(given, dict) and all(type(value) is int and value >= 0 for value in given.values())):
        text.refuse(where, f"{given!r} is not bounds with numbers: expected e.g. {{{names[0]}: 1}}")
    for name in given:
        if name not in names:
            text.refuse(where, f"'{name}' is not a bound of {system.name}: expected one of {', '.join(names)}")
    return tuple(
        (name, given.get(name, system.scopes.least.get(name, 0)))
        for name in names
        if name in given or name not in system.scopes.searched
    )


def _questions(text: BugText, system: System) -> tuple[Question, ...]:
    """The parts of the section Questions: `### ` and the question, a line that says what is violated, the answer."""
    if "Questions" not in text.sections:
        return ()
    before, *parts = re.split(r"(?:^|\n\n)### ", text.sections["Questions"])
    if before or not parts:
        text.refuse("Questions", "text without a question: expected a line that begins with '### '")
    found = []
    for part in parts:
        asked, _, rest = part.partition("\n\n")
        first, _, answer = rest.partition("\n\n")
        match, where = _QUESTION.fullmatch(first), f"Questions, {asked}"
        if match is None or not answer:
            text.refuse(
                where, "expected first 'Violates `a-property`, given bound=1, other=2.', then the answer as a paragraph"
            )
        pairs = (pair.split("=") for pair in match["given"].split(", "))
        given = {name: int(value) for name, value in pairs}
        found.append(
            Question(
                asked,
                _property(text, system, where, match["property"]),
                _given(text, system, where, given),
                answer,
            )
        )
    return tuple(found)
