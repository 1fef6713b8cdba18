"""What code and texts say of a feature gate's default is held against the default of each release.

A gate that has become default was still said to be off. So a sentence that names a gate and says "by default", "alpha"
or "beta" must have a form that this test understands, and must be true; of what names no release, in the newest one.
"""

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from model.feature_gates import STAGES, stage_in
from model.releases import EVERY_MINOR, LAST_PATCH, Release, known_release
from tests.conftest import ROOT

FOLDERS = ("kubeproof", "model", "properties", "docs", "bugs")
RELEASES = [known_release(f"1.{minor}.{patch}") for minor in EVERY_MINOR for patch in range(LAST_PATCH[minor] + 1)]
GATE = "|".join(sorted(STAGES, key=len, reverse=True))
ONE = r"1\.\d+(?:\.\d+)?(?:-\w+\.\d+)?"
SPAN = rf"(?:(?:from |in )?{ONE} on(?:wards)?|(?:up )?to {ONE}|(?:from |in )?{ONE} to {ONE}|(?:in )?{ONE})"
SPANS = rf"{SPAN}(?:(?:,| and|, and) {SPAN})*"
# A state, and the releases that are named behind it or before it.
SAID = re.compile(
    rf"(?:(?P<before>{SPANS})[ ,](?:(?!by default|alpha|beta)[^.;])*?)?"
    r"(?<![-\w])(?P<state>on by default|off by default|alpha(?![.\w])|beta(?![.\w])|"
    rf"(?P<on>on|off),? (?:in {ONE}, )?as (?:it is )?by default)"
    rf"(?: gate)?(?:,? \(?(?P<after>{SPANS}))?",
    re.IGNORECASE,
)
STATES: dict[str, Callable[[bool, str], bool]] = {
    "on": lambda on, stage: on,
    "off": lambda on, stage: not on,
    "alpha": lambda on, stage: stage in ("alpha", "none"),
    "beta": lambda on, stage: stage == "beta",
}


def state_in(gate: str, release: Release) -> tuple[bool, str]:
    stage = stage_in(gate, release.version)
    return (False, "none") if stage is None else (stage.on, stage.stage)


def newest_of(text: str) -> Release:
    """`1.31`: its last patch release."""
    return known_release(text)


def oldest_of(text: str) -> Release:
    return known_release(text if text.count(".") > 1 else f"{text}.0")


def releases_of(spans: str | None) -> list[Release]:
    """The releases that the text names; those of the newest minor if it names none."""
    if spans is None:
        return RELEASES[-1:]
    found = []
    for span in re.finditer(SPAN, spans, re.IGNORECASE):
        ends = re.findall(ONE, span[0])
        first = RELEASES[0] if re.match(r"(up )?to", span[0], re.IGNORECASE) else oldest_of(ends[0])
        last = RELEASES[-1] if re.search(r"\bon(wards)?$", span[0]) else newest_of(ends[-1])
        found += [each for each in RELEASES if first.version <= each.version <= last.version]
    return found


def texts(path: Path) -> Iterator[str]:
    """The text of a page; of code its comments and its strings."""
    source = path.read_text("utf-8")
    if path.suffix == ".md":
        yield source
        return
    comment = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comment += token.string.lstrip("# ") + " "
        elif token.type not in (tokenize.NL, tokenize.INDENT, tokenize.DEDENT) and comment:
            yield comment
            comment = ""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            yield "".join(each.value for each in node.values if isinstance(each, ast.Constant))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def sentences(text: str) -> Iterator[tuple[str, str]]:
    """Each sentence with the gate that it is about: the last one that is named before the state."""
    gate = ""
    for sentence in re.split(r"(?<=[.:;])\s+(?=[A-Z])", re.sub(r"\s+", " ", text.replace("`", ""))):
        named = re.findall(rf"\b(?:{GATE})\b", sentence)
        if named:
            gate = named[-1]
        if named or re.search(r"\b(a|the|this|second|feature) gate\b", sentence, re.IGNORECASE):
            yield gate, sentence


def claims(gate: str, sentence: str) -> Iterator[tuple[str, str, list[Release]]]:
    """(gate, state, releases) of all that the sentence says of defaults and stages."""
    for said in SAID.finditer(sentence):
        before = re.findall(rf"\b(?:{GATE})\b", sentence[: said.end("state")])
        state = (said["on"] or said["state"]).split()[0].lower()
        inside = re.search(rf"in ({ONE}), as", said["state"])
        spans = said["after"] or (f"in {inside[1]}" if inside else said["before"])
        yield before[-1] if before else gate, state, releases_of(spans)


FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")) if path.suffix in (".py", ".md")]


def wrong(path: Path) -> list[str]:
    found = []
    for gate, sentence in (each for text in texts(path) for each in sentences(text)):
        if not gate and re.search(r"behind a gate that is (?:on|off)\b", sentence):
            found.append(f"{path.name}: names no gate: {sentence[:200]}")
        if not gate:
            continue
        for about, state, releases in claims(gate, sentence):
            lies = [str(each) for each in releases if not STATES[state](*state_in(about, each))]
            if lies:
                found.append(f"{path.name}: {about} is not {state} in {lies[0]}: {sentence[:300]}")
    return found


def test_what_is_said_of_defaults_is_so_in_each_release() -> None:
    found = [line for path in FILES for line in wrong(path)]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("text", "lies"),
    [
        ("With the alpha gate InPlacePodVerticalScaling it moves all.", True),
        ("In-place resize is behind the gate InPlacePodVerticalScaling, off by default.", True),
        ("A request that grows is behind a gate that is off.", True),
        ("InPlacePodVerticalScaling is off by default up to 1.32.", False),
        ("InPlacePodVerticalScaling is on by default from 1.33 on.", False),
        ("InPlacePodVerticalScaling is on by default from 1.32 on.", True),
        ("Up to 1.31 the gate SchedulerQueueingHints is off by default.", True),
        ("SchedulerQueueingHints is on by default (1.28.0 to 1.28.4, 1.32 on).", False),
        ("Leave SchedulerPopFromBackoffQ on, as it is by default.", False),
        ("Leave the feature gate SidecarContainers off in 1.28, as it is by default.", False),
        ("SchedulerAsyncAPICalls is on by default in 1.34.0, 1.34.1 and 1.35.0.", False),
        ("SchedulerAsyncAPICalls is on by default in 1.34.", True),
        ("PodLevelResourceManagers is new in 1.36 and off by default.", False),
    ],
)
def test_a_text_that_is_out_of_date_is_found(text: str, lies: bool, tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_text(f"Something. {text} Something else.")
    assert bool(wrong(path)) is lies
