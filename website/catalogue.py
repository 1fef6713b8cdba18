"""The catalogue of bugs: a line for each, with what the filters of the page ask. The newest bugs come first."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from kubeproof.bugs.bug import UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS, upstream_numbers
from kubeproof.bugs.facts import known_upstream, seen_on
from kubeproof.bugs.kept import kept_releases, row_of
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.signature import Signature
from kubeproof.bugs.signatures import SIGNATURES
from kubeproof.report.bug_list import Listed, newest_first, spans_of, system_of
from kubeproof.report.first_line import first_line
from kubeproof.systems.registry import SYSTEMS
from model.releases import LAST_PATCH, known_release

# What a bug costs, by words of the text that says so. A text may have words of several.
CONSEQUENCES: Mapping[str, str] = {
    "a pod waits or stays Pending": r"pending\b|waits\b|not tried again|in no queue|passed over|no pod goes|no pod is",
    "a pod is refused, or fails": r"rejected|rejects|refuse|\bfails?\b|OutOf|not enough cpus|UnexpectedAdmission",
    "a process ends, hangs or does not start": r"process ends|does not start|panics|hangs|NotReady|without a kubelet|"
    r"start of the kubelet fails|never ends|killed",
    "more on a node than it has": r"than it has|fits? there|does not fit|than fit|emptier",
    "pods are evicted or deleted": r"victim|evict|preempt|deleted|\bdie",
    "room or devices are held for nobody": r"keeps? (?:the )?(?:room|a device|both)|takes? (?:the )?room|room again|"
    r"stays held|kept out",
    "CPUs are shared, lost or misplaced": r"CPUs?\b|NUMA",
    "memory grows": r"memory|is kept from now on|keep all events|list of events|inFlightEvents",
    "a wrong event, status or metric": r"FailedScheduling|nominatedNodeName|condition\b|PodScheduled|metric",
    "work is done twice or in vain": r"twice|second attempt|in vain|again and again|once more|at once",
}
OTHER = "something else"
SYMPTOMS: Mapping[str, str] = {
    "text": "an error, an event or a line of a log",
    "panic": "a panic",
    "metric": "a metric",
    "function": "a function in a profile",
}
# The releases of today: the last patch releases of the newest minors, of which upstream keeps three.
TODAY = tuple(f"1.{minor}.{LAST_PATCH[minor]}" for minor in sorted(LAST_PATCH)[-3:])


@frozen
class Entry:
    """A bug of the catalogue, with what the filters ask. In `spans` are the releases that have the bug."""

    bug: AnyBug
    line: str
    system: str
    spans: tuple[tuple[str, str], ...]
    consequences: tuple[str, ...]
    symptoms: tuple[str, ...]
    # `issue`, `change`, or `nothing` of a bug that is in neither.
    upstream: tuple[str, ...]
    seen: bool
    today: bool
    # What the search looks in, in small letters.
    words: str


def entries() -> list[Entry]:
    """All bugs: those of newer releases first, and last those that nothing shows."""
    shown = newest_first(Listed(bug, spans_of(bug, kept_releases(bug)), ()) for bug in EVERY_BUG)
    return [*(_entry(each.bug, each.releases) for each in shown), *(_entry(bug, ()) for bug in UNSHOWN_BUGS)]


def _entry(bug: AnyBug, spans: tuple[tuple[str, str], ...]) -> Entry:
    leaves = signatures_of(bug)
    kinds = {each.kind for each in leaves}
    known = [name for name, links in (("issue", bug.issues), ("change", bug.fixes)) if links]
    texts = [bug.id, bug.title, bug.consequence, bug.mitigation, *upstream_numbers(bug)]
    texts += [text for each in leaves for text in each.texts]
    return Entry(
        bug,
        first_line(bug),
        system_of(bug),
        spans,
        consequences_of(bug.consequence),
        tuple(kind for kind in SYMPTOMS if kind in kinds),
        tuple(known) or ("nothing",),
        not isinstance(bug, UnshownBug) and bool(seen_on(bug)),
        is_of_today(bug),
        " ".join(" ".join(texts).lower().split()),
    )


def signatures_of(bug: AnyBug) -> list[Signature]:
    """The symptoms that the bug leaves."""
    return [each for each in SIGNATURES if bug.id in each.bugs]


def consequences_of(text: str) -> tuple[str, ...]:
    """
    >>> consequences_of("A pod stays Pending. The memory grows.")
    ('a pod waits or stays Pending', 'memory grows')
    """
    found = [name for name, words in CONSEQUENCES.items() if re.search(words, text, re.IGNORECASE)]
    return tuple(found) or (OTHER,)


def is_of_today(bug: AnyBug) -> bool:
    """Whether one of the releases of today has the bug."""
    if isinstance(bug, UnshownBug):
        return False
    rows = kept_releases(bug)
    found = (row_of(rows, known_release(release)) for release in TODAY)
    return any(row is not None and row.shown for row in found)


def filters(bugs: Iterable[Entry]) -> list[dict[str, Any]]:
    """The lists to choose from: the name of each, what it asks, and (value, text, number of bugs)."""
    all_bugs = list(bugs)

    def choices(name: str, texts: Mapping[str, str]) -> list[tuple[str, str, int]]:
        def has(each: Entry, value: str) -> bool:
            of = getattr(each, name)
            return value in of if isinstance(of, tuple) else of == value

        numbers = ((value, text, sum(has(each, value) for each in all_bugs)) for value, text in texts.items())
        return [each for each in numbers if each[2]]

    systems = {name: f"{name}: {system.summary}" for name, system in SYSTEMS.items()}
    consequences = {name: name for name in (*CONSEQUENCES, OTHER)}
    upstream = {"nothing": "nothing is known upstream", "issue": "an issue", "change": "a change"}
    return [
        {"name": "system", "asks": "component", "choices": choices("system", systems)},
        {"name": "consequences", "asks": "consequence", "choices": choices("consequences", consequences)},
        {"name": "symptoms", "asks": "symptom", "choices": choices("symptoms", SYMPTOMS)},
        {"name": "upstream", "asks": "upstream", "choices": choices("upstream", upstream)},
    ]


def unknown(bugs: Iterable[Entry]) -> int:
    """Of how many bugs nothing is known upstream."""
    return sum(not known_upstream(each.bug) for each in bugs)
