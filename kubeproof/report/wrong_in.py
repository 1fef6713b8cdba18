"""`kubeproof bugs --release R`: the bugs that a release has, first those of which nothing upstream is known."""

from collections.abc import Iterator
from typing import Any

from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.kept import kept_releases, row_of
from kubeproof.bugs.played import played_of
from kubeproof.check.gates import BOUNDS, HINTS_GATE, LOCKED_ON
from kubeproof.errors import InputError
from model.releases import Release, known_release


@frozen
class WrongIn:
    """A bug that the release has, as computed when the bug's page was made."""

    bug: Bug | ComponentBug
    # The gates that the bug needs, where the release lets them be off.
    gates: tuple[str, ...]
    # How the rules of the release are known that the page's exploration reads.
    evidence: tuple[str, ...]
    # The releases of the same minor on whose real Go code the bug was seen.
    seen_on: tuple[str, ...]


def wrong_in(release: Release) -> list[WrongIn]:
    """What `release` does wrong, in the order of the pages. A vendor's release goes by the upstream one.

    Raises InputError for a pre-release, of which the pages say nothing.
    """
    if release.version.is_prerelease:
        raise InputError(f"--release: {release} is a pre-release, and the pages have none: expected such as 1.36.3")
    found = []
    for bug in EVERY_BUG:
        row = row_of(kept_releases(bug), release)
        if row is not None and row.shown:
            played = (each for each in played_of(bug) if each.violated and each.same)
            seen = dict.fromkeys(each.release for each in played if known_release(each.release).minor == release.minor)
            found.append(WrongIn(bug, tuple(_gates(bug, release)), row.evidence, tuple(seen)))
    return found


def _gates(bug: Bug | ComponentBug, release: Release) -> Iterator[str]:
    given = dict(bug.given) if isinstance(bug, Bug) else {}
    for gate, (bound, on, _) in BOUNDS.items():
        if on and given.get(bound) == on and not (gate == HINTS_GATE and release.version >= LOCKED_ON):
            yield gate


def wrong_in_json(release: Release) -> dict[str, Any]:
    """The same as JSON. Where nothing upstream is known, `issues` and `fixes` are empty."""
    return {
        "release": str(release),
        "bugs": [
            {
                "id": each.bug.id,
                "title": each.bug.title,
                "system": _system(each.bug),
                "issues": list(each.bug.issues),
                "fixes": list(each.bug.fixes),
                "gates": list(each.gates),
                "evidence": list(each.evidence),
                "seen_on": list(each.seen_on),
                "folder": f"counterexamples/{each.bug.folder}",
            }
            for each in wrong_in(release)
        ],
    }


def wrong_in_text(release: Release) -> str:
    """The same as text."""
    found = wrong_in(release)
    known = [each for each in found if each.bug.issues or each.bug.fixes]
    unknown = [each for each in found if each not in known]
    lines = [f"wrong in {release}: {len(found)} bugs; of {len(unknown)} of them neither an issue nor a change is known"]
    for title, bugs in (("no issue and no change upstream is known", unknown), ("known upstream", known)):
        lines += ["", f"{title}:"]
        for each in bugs:
            lines += [f"  {each.bug.id}  {each.bug.title}", f"      {'; '.join(_facts(each))}"]
    return "\n".join(lines)


def _facts(each: WrongIn) -> Iterator[str]:
    yield _system(each.bug) or "shown on components"
    for name, addresses in (("issues", each.bug.issues), ("changes", each.bug.fixes)):
        if addresses:
            numbers = (address.rpartition("/")[2] for address in addresses)
            yield f"{name} {', '.join(f'#{number}' for number in numbers)}"
    if each.gates:
        yield f"needs the gate {', '.join(each.gates)}"
    if each.seen_on:
        yield f"seen on the real Go code of {', '.join(each.seen_on)}"
    else:
        yield f"seen in the model alone, whose rules are {', '.join(each.evidence)}"


def _system(bug: Bug | ComponentBug) -> str | None:
    return bug.system if isinstance(bug, Bug) else None
