"""What `--release` stands for, and what a reader of a verdict must know of the release that it speaks of."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from packaging.version import Version

from kubeproof.errors import InputError
from kubeproof.systems.system import System
from model.evidence import cell
from model.releases import (
    BACK_PORTS,
    LAST_PATCH,
    MINORS,
    Release,
    ReleaseError,
    release_or_newest,
    release_rows,
    row_at,
)

_MINOR = re.compile(r"v?1\.\d+", re.ASCII)


def names_a_minor(release: Release) -> bool:
    """Whether the release was named without a patch number, and is no newer one than the models know."""
    return _MINOR.fullmatch(release.text) is not None and not release.newer


def minor_note(release: Release, rule_fields: Collection[str]) -> tuple[str, ...]:
    """If a minor was named: the patch release that is judged, and those that differ in a rule of `rule_fields`."""
    if not names_a_minor(release):
        return ()
    rows = {field: row for field, row in release_rows(release).items() if field in rule_fields}

    def differs(patch: int) -> bool:
        version = Version(f"1.{release.minor}.{patch}")
        return any(row_at(field, version).rule is not row.rule for field, row in rows.items())

    other = [patch for patch in range(LAST_PATCH[release.minor]) if differs(patch)]
    besides = f"; {patches_text(release.minor, other)} differ in rules that are asked here" if other else ""
    return (f"{release.text} is taken as {release}, its last patch release that is modelled{besides}",)


def patches_text(minor: int, patches: Iterable[int]) -> str:
    """
    >>> patches_text(18, [0, 1, 2, 5])
    '1.18.0 to 1.18.2, 1.18.5'
    """
    spans: list[list[int]] = []
    for patch in patches:
        if spans and patch == spans[-1][1] + 1:
            spans[-1][1] = patch
        else:
            spans.append([patch, patch])
    return ", ".join(f"1.{minor}.{a}" if a == b else f"1.{minor}.{a} to 1.{minor}.{b}" for a, b in spans)


def release_named(text: str | None, option: str = "--release", minors: range = MINORS) -> Release:
    """The release that `text`, given with `option`, names, or the newest one of `minors`. Raises InputError.

    What is newer than every model is judged as the newest of `minors`, where a model knows no newer one either:
    whoever asks has to say `newer_note`.
    """
    try:
        # An empty text is no release: it is what a command leaves that could not ask the cluster.
        newest = f"1.{minors[-1]}.{LAST_PATCH[minors[-1]]}"
        return release_or_newest(newest if text is None else text, minors)
    except ReleaseError as error:
        raise InputError(f"{option}: {error}") from None


def systems_at(
    systems: Sequence[System], text: str | None, *, every: bool
) -> tuple[Release, tuple[System, ...], tuple[tuple[str, str], ...]]:
    """The release that `text` names, those of `systems` that know its minor, and (system, why not) of the others.

    Without a text the newest release of those that the most systems know. Raises InputError for what is no release, if
    no system knows the release, and if `every` system must.
    """
    if text is None:
        known = Counter(minor for each in systems for minor in each.minors)
        newest = max(known, key=lambda minor: (known[minor], minor))
        release = release_named(None, minors=range(newest, newest + 1))
    else:
        spans = [each.minors for each in systems]
        release = release_named(text, minors=range(min(s[0] for s in spans), max(s[-1] for s in spans) + 1))
    knowing = tuple(each for each in systems if release.minor in each.minors)
    without = [each for each in systems if release.minor not in each.minors]
    if without and (every or not knowing):
        release_named(text, minors=without[0].minors)
    return release, knowing, tuple((s.name, f"it knows 1.{s.minors[0]} to 1.{s.minors[-1]}") for s in without)


def default_gates_note(system: System, release: Release) -> tuple[str, ...]:
    """What of the release's default configuration the system leaves out, for commands that print no verdict on it."""
    gates = system.default_gates_left_out(release)
    left_out = f"{release}: {system.name} leaves out {', '.join(gates)}, on by default there"
    return (f"{left_out} (see `kubeproof list {system.name}`)",) if gates else ()


def newer_note(release: Release) -> tuple[str, ...]:
    """What a release that is newer than every model is judged as."""
    return (f"{release.newer} is newer than every model: judged as {release}",) if release.newer else ()


def release_notes(release: Release, rule_fields: Sequence[str]) -> tuple[str, ...]:
    """What a reader of a verdict must know of the release it is judged as: vendors, and cells that are inferred.

    `rule_fields`: the rules that the verdict is about.
    """
    notes = []
    if release.vendor is not None:
        ports = [port for port in BACK_PORTS if port.vendor == release.vendor and port.upstream == release.upstream]
        known = "; ".join(f"from {port.vendor}.{port.since_build} on: {port.source}" for port in ports)
        notes.append(
            f"{release.text} is judged as upstream {release.upstream}; vendors back-port fixes, and the back-ports "
            f"known here are: {known or 'none'}"
        )
    notes += [*newer_note(release), *minor_note(release, rule_fields)]
    return (*notes, *inferred_notes(release, rule_fields))


def inferred_notes(release: Release, rule_fields: Sequence[str]) -> tuple[str, ...]:
    """Which of the rules are inferred for the release, a line each."""
    return tuple(
        f"{field} = {row.rule.__name__} is inferred for {release}: {row.change or f'the rule since {row.since}'}"
        for field, row in release_rows(release).items()
        if field in rule_fields and cell(field, release).evidence == "inferred"
    )
