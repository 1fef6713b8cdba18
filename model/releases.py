"""Which rule each Kubernetes release follows; and the vendors' known back-ports.

The rows stand beside the components, in their `rows.py`. How well each is known: `model/evidence.py`.

A release is written as Kubernetes or a vendor writes it: `1.18.4`, `v1.18`, `1.19.0-rc.1`, `v1.18.4-tke.4`,
`1.21.3-gke.100`, `1.22.1+k3s1`. A release without a patch number is that minor's newest.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache
from typing import Any, TypeVar

from attrs import evolve, fields, frozen
from packaging.version import Version

from model.cpu.rows import CPU_ROWS
from model.rules import Row
from model.scheduler.cache import node_tree
from model.scheduler.rows import SCHEDULER_ROWS
from model.which_rule import itself

# The last patch release of each minor, 1.13 to 1.36: what `v1.18` stands for. Of 1.33 on: the last one of which a tree
# of sources was at hand.
LAST_PATCH = dict(zip(range(13, 37), (12, 10, 12, 15, 17, 20, 16, 15, 14, 17, 17, 17, 16, 15, 16, 15, 15, 14, 14, 13,
                                      13, 9, 7, 3), strict=True))  # fmt: skip
OLDEST = 13
# The last minor of which whole cycles of the real code are recorded. What a system knows is in `KNOWN_MINORS`.
NEWEST = 31
# The minors that some component knows.
EVERY_MINOR = range(OLDEST, max(LAST_PATCH) + 1)
# The minors that a command takes which does not say more, and the last patch release of each.
MINORS = range(OLDEST, NEWEST + 1)
NEWEST_PATCH = {minor: LAST_PATCH[minor] for minor in MINORS}

LONGEST = 100  # characters of a release: the longest that vendors write have about 40


class ReleaseError(ValueError):
    """A text that is no release, or one outside the modelled range."""


class NotModelledError(ReleaseError):
    """A release outside the modelled range."""


@frozen
class Release:
    """A release as it was named, and the upstream release whose rules are used."""

    text: str
    version: Version
    # "tke" and 4 of `v1.18.4-tke.4`. An upstream release has neither.
    vendor: str | None = None
    build: int | None = None
    # What was asked for, if it is newer than every model: then `version` is the newest modelled. "" otherwise.
    newer: str = ""

    @property
    def upstream(self) -> str:
        """The upstream release as Kubernetes writes it, without the v."""
        base = ".".join(str(part) for part in self.version.release)
        if self.version.pre is None:
            return base
        kind = {"a": "alpha", "b": "beta", "rc": "rc"}[self.version.pre[0]]
        return f"{base}-{kind}.{self.version.pre[1]}"

    @property
    def minor(self) -> int:
        return self.version.minor

    def __str__(self) -> str:
        return self.upstream if self.vendor is None else self.text.removeprefix("v")


@frozen
class BackPort:
    """A vendor's build of `upstream` from number `since_build` on follows `rule` although upstream does not."""

    vendor: str
    upstream: str
    since_build: int
    field: str
    rule: Callable[..., Any]
    source: str


def _with_sources(rows: Iterable[Row]) -> Iterator[Row]:
    sources: dict[str, str] = {}
    for row in rows:
        sources[row.field] = row.source or sources[row.field]
        yield row if row.source else evolve(row, source=sources[row.field])


ROWS: tuple[Row, ...] = (*_with_sources(SCHEDULER_ROWS), *_with_sources(CPU_ROWS))
# Field -> its rows with the version of each, oldest first.
_OF_FIELD: dict[str, tuple[tuple[Version, Row], ...]] = {
    field: tuple(sorted(((Version(row.since), row) for row in ROWS if row.field == field), key=lambda pair: pair[0]))
    for field in dict.fromkeys(row.field for row in ROWS)
}

BACK_PORTS: tuple[BackPort, ...] = (
    BackPort("tke", "1.18.4", 5, "list_nodes", node_tree.list_from_reset_cursors,
             "TKE revision history of v1.18.4-tke.5: merges #93387"),
)  # fmt: skip

_RELEASE = re.compile(
    r"v?1\.(?P<minor>\d{1,3})(?:\.(?P<patch>\d{1,4}))?"
    r"(?:-(?P<pre>alpha|beta|rc)\.(?P<pre_number>\d{1,3}))?"
    r"(?:[-+](?P<vendor>[A-Za-z][A-Za-z0-9]*?)(?:\.?(?P<build>\d{1,18}))?(?:[.+-][0-9A-Za-z.+-]*)?)?",
    re.ASCII,
)


def parse_release(text: str, minors: range = MINORS) -> Release:
    """The release that `text` names. Raises ReleaseError for anything else, and for a minor that is not in `minors`.

    >>> parse_release("v1.18.4-tke.4").upstream
    '1.18.4'
    >>> parse_release("1.19.0-rc.1").upstream
    '1.19.0-rc.1'
    """
    shown = text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
    found = _RELEASE.fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        raise ReleaseError(
            f"'{shown}' is not a Kubernetes release: expected one such as 1.18.4, v1.18, 1.19.0-rc.1, v1.18.4-tke.4"
        )
    minor = int(found["minor"])
    if minor not in minors:
        raise NotModelledError(f"release '{text}' is outside the modelled range 1.{minors[0]} to 1.{minors[-1]}")
    if found["patch"] is None and found["pre"]:
        patch = 0
    else:
        patch = LAST_PATCH.get(minor, 0) if found["patch"] is None else int(found["patch"])
    pre = f"{found['pre']}{found['pre_number']}" if found["pre"] else ""
    vendor = found["vendor"].lower() if found["vendor"] else None
    build = int(found["build"]) if found["build"] else None
    return Release(text.strip(), Version(f"1.{minor}.{patch}{pre}"), vendor, build)


def release_or_newest(text: str, minors: range) -> Release:
    """As `parse_release`. A release that is newer than every model stands for the newest one, if `minors` has that.

    >>> release_or_newest("1.99.0", EVERY_MINOR) == evolve(parse_release("1.36", EVERY_MINOR), newer="1.99.0")
    True
    """
    try:
        return parse_release(text, minors)
    except NotModelledError as reason:
        asked = parse_release(text, range(1000))
        if asked.minor <= EVERY_MINOR[-1] or minors[-1] != EVERY_MINOR[-1]:
            raise reason
        return evolve(parse_release(f"1.{minors[-1]}", minors), newer=asked.text)


def known_release(text: str) -> Release:
    """The release that a text of the models' own names: of any minor that some system or component knows."""
    return parse_release(text, EVERY_MINOR)


NEWEST_RELEASE = f"1.{NEWEST}.{NEWEST_PATCH[NEWEST]}"


def rows_of(field: str) -> tuple[tuple[Version, Row], ...]:
    """The field's rows with the version of each, oldest first. Raises KeyError for a field that no row has."""
    return _OF_FIELD[field]


@cache
def row_at(field: str, version: Version) -> Row:
    """The field's row that holds in upstream release `version`, 1.13 or newer; of older ones, the first."""
    rows = _OF_FIELD[field]
    return next((row for since, row in reversed(rows) if since <= version), rows[0][1])


def row_in(field: str, release: Release) -> Row:
    """The field's row that holds in `release`, a vendor's back-port included. Raises KeyError as `rows_of`."""
    row = row_at(field, release.version)
    for port in BACK_PORTS:
        known = port.field == field and port.vendor == release.vendor and port.upstream == release.upstream
        if known and release.build is not None and release.build >= port.since_build:
            return Row(field, release.upstream, port.rule, port.source, row.source)
    return row


def release_rows(release: Release) -> dict[str, Row]:
    """The row that holds in `release` for each rule field, vendors' back-ports included."""
    return {field: row_in(field, release) for field in _OF_FIELD}


R = TypeVar("R")


def rules_for(rules_class: type[R], release: Release) -> R:
    """The rules of `rules_class` (an attrs class whose fields are rules) that `release` follows.

    A release that is too old for a field gets the field's first rule: see `has_rules`.
    """
    return rules_class(**{f.name: row_in(f.name, release).rule for f in fields(rules_class)})  # type: ignore[arg-type]


def first_with(rules_class: type[Any]) -> Row:
    """The row that brings what `rules_class` tells of: no older release has rules for all of its fields."""
    oldest = (_OF_FIELD[f.name][0] for f in fields(rules_class))
    return max(oldest, key=lambda pair: pair[0])[1]


def has_rules(rules_class: type[Any], release: Release) -> bool:
    """Whether `release` has what `rules_class` tells of. An older release has it not, whatever `rules_for` answers."""
    return Version(first_with(rules_class).since) <= release.version


# The minors that each system knows. A component may know more: the queue of 1.32 replays its recordings.
KNOWN_MINORS = {
    "node-listing": EVERY_MINOR,
    "cpu-manager": EVERY_MINOR,
    "scheduling": EVERY_MINOR,
    "queueing-hints": range(28, 37),
    "preemption": EVERY_MINOR,
    # Those with preemption in a goroutine.
    "async-preemption": range(32, 37),
    # Those with the API dispatcher.
    "api-calls": range(34, 37),
    "scheduling-cycle": EVERY_MINOR,
}


def knows(system: str, row: Row) -> bool:
    """Whether `system` knows a release that follows `row`, as far as the row's first release tells."""
    return Version(row.since).minor <= KNOWN_MINORS[system][-1]


def from_outside(rules: Any, known: Collection[Callable[..., Any]] = ()) -> frozenset[str]:
    """The fields of `rules` whose rule no release follows and is none of `known`: nobody knows what such a rule reads.

    A reduction may drop what no known rule reads. What a rule from outside is given it may read.
    """
    # Not by attribute: whoever notes which rules an exploration reads would take all of them for read.
    chosen = vars(rules)

    rule_of = {field.name: itself(chosen[field.name]) for field in fields(type(rules))}
    outside = {name: rule for name, rule in rule_of.items() if not _is_followed(name, rule)}
    return frozenset(name for name, rule in outside.items() if not any(rule is other for other in known))


@cache
def _is_followed(field: str, rule: Callable[..., Any]) -> bool:
    """Whether a release follows the rule in this field."""
    return any(rule is row.rule for _, row in _OF_FIELD.get(field, ()))


def newest(rules_class: type[R], system: str) -> R:
    """The rules of `rules_class` in the newest release that `system` ("node-listing") knows."""
    minors = KNOWN_MINORS[system]
    return rules_for(rules_class, parse_release(f"1.{minors[-1]}", minors))
