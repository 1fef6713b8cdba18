"""A hunt: scope after scope on all processors, until the time is over; each bug once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from time import monotonic, time
from typing import Any

from attrs import evolve, frozen

from kubeproof.errors import established
from kubeproof.hunt.blame import to_go_on, to_keep
from kubeproof.hunt.found import Asked, FoundBug, Way, named, same_bug
from kubeproof.hunt.kept import Kept, read_kept, write_kept
from kubeproof.hunt.known import bugs_of
from kubeproof.hunt.one_scope import Explored, Task, explore_scope
from kubeproof.processes.pool import side_by_side
from kubeproof.systems.gates import bounds_of_gates
from kubeproof.systems.growing import growing_scopes
from kubeproof.systems.system import scope_text

# Scopes that begin with the same cures. The number does not depend on the processors, so neither does the answer.
TOGETHER = 16


@frozen
class Hunt:
    """What a hunt found."""

    asked: Asked
    bugs: tuple[FoundBug, ...]
    # How many scopes were looked through, those of an earlier hunt with the same kept file included.
    scopes: int
    # Explorations that did not come to an end, a line each.
    cut: tuple[str, ...]
    # The kept bugs that the release has and that the hunt did not meet.
    not_met: tuple[str, ...]
    seconds: float


def hunt(
    asked: Asked,
    seconds: float,
    kept: Path | None = None,
    workers: int | None = None,
    scopes: Sequence[Any] | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Hunt:
    """The bugs that a release shows in growing scopes within `seconds`. Raises InputError.

    `kept`: a file with what an earlier hunt found. The hunt goes on where that one stopped, and writes the file anew
    after some scopes. `scopes`: in place of the growing ones. `progress` is told of each group of scopes.
    """
    started, until = monotonic(), time() + seconds
    system = asked.system
    so_far = Kept(asked) if kept is None else named_again(read_kept(kept, asked))
    done = set(so_far.scopes)
    gates = bounds_of_gates(system, asked.feature_gates)
    left = (scope for scope in (growing_scopes(system, gates) if scopes is None else scopes) if scope not in done)
    with established(lambda: _in_short(so_far)), side_by_side(workers) as each:
        while time() < until and (group := list(islice(left, TOGETHER))):
            progress(f"{len(so_far.scopes)} scopes, {len(so_far.bugs)} bugs; next {scope_text(group[0])}")
            examined = tuple(
                (way, to_go_on(bug.cures)) for bug in so_far.bugs if not to_keep(bug.cures) for way in bug.ways
            )
            tasks = [Task(asked, scope, so_far.cures, examined, until) for scope in group]
            for explored in each(explore_scope, tasks):
                so_far = with_explored(so_far, explored)
            if kept is not None:
                write_kept(kept, so_far)
    met = {name for bug in so_far.bugs for name in bug.known}
    looked_in = (evolve(system.scopes.default, **gates),) if scopes is None else tuple(scopes)
    not_met = tuple(bug.id for bug in bugs_of(system, asked.release, looked_in) if bug.id not in met)
    return Hunt(asked, so_far.bugs, len(so_far.scopes), so_far.cut, not_met, monotonic() - started)


def _in_short(kept: Kept) -> list[str]:
    return [f"{bug.property} is violated after {len(bug.actions)} actions" for bug in kept.bugs]


def named_again(kept: Kept) -> Kept:
    """`kept` with the names that the pages of today give. So two bugs may turn out to be one."""
    found = Explored(None, tuple(named(kept.asked, bug) for bug in kept.bugs), ended=False)
    return with_explored(evolve(kept, bugs=()), found)


def with_explored(kept: Kept, explored: Explored) -> Kept:
    """`kept` with what a scope showed. A scope that was not looked through is looked through again by the next hunt."""
    bugs, cures = list(kept.bugs), dict(kept.cures)
    for found in explored.bugs:
        number = next((number for number, bug in enumerate(bugs) if same_bug(bug, found)), None)
        if number is None:
            bugs.append(found)
            # What only a mixture of rules does shall not decide what is cured in other scopes.
            cures = (to_keep(found.cures) if found.own else {}) | cures
        else:
            bugs[number] = named(kept.asked, joined(bugs[number], found))
    scopes = (*kept.scopes, explored.scope) if explored.ended else kept.scopes
    return evolve(kept, bugs=tuple(bugs), cures=cures, scopes=scopes, cut=(*kept.cut, *explored.cut))


def joined(one: FoundBug, other: FoundBug) -> FoundBug:
    """One bug of two violations of it: the shorter run, and all properties and ways."""
    # A run of the release itself says more than one that needs cures.
    first, second = sorted((one, other), key=lambda bug: (not bug.own, len(bug.actions)))
    also = {*first.also, *second.also, second.property} - {first.property}
    ways = tuple(_shortest_ways((*first.ways, *second.ways)))
    return evolve(first, also=tuple(sorted(also)), ways=ways)


def _shortest_ways(ways: Iterable[Way]) -> Iterator[Way]:
    """`ways` without those that need more powers than another one of the same property, by property and powers."""
    distinct = sorted(set(ways), key=lambda way: (way.property, len(way.powers), way.powers, way.length))
    for number, way in enumerate(distinct):
        less = (other for other in distinct[:number] if other.property == way.property)
        if not any(set(other.powers) <= set(way.powers) for other in less):
            yield way
