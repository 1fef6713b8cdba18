"""A hunt: scope after scope on all processors, until the time is over; each bug once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count, islice
from pathlib import Path
from time import monotonic, time
from typing import Any

import cattrs
from attrs import evolve, frozen

from kubeproof.errors import LostError, established
from kubeproof.hunt.blame import to_go_on, to_keep
from kubeproof.hunt.found import Asked, FoundBug, Way, named, same_bug
from kubeproof.hunt.kept import Kept, read_kept, write_kept
from kubeproof.hunt.known import bugs_of
from kubeproof.hunt.one_scope import Explored, Task, explore_scope
from kubeproof.input.files import shown
from kubeproof.output.progress import short_time
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import Told
from kubeproof.systems.gates import bounds_of_gates
from kubeproof.systems.growing import growing_scopes

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
    # Why the hunt ended early, and what goes on from there; "" if it did not.
    lost: str = ""


def hunt(
    asked: Asked,
    seconds: float,
    kept: Path | None = None,
    workers: int | None = None,
    scopes: Sequence[Any] | None = None,
    progress: Callable[[str], None] = lambda text: None,
    told: Told | None = None,
    dask: str | None = None,
) -> Hunt:
    """The bugs that a release shows in growing scopes within `seconds`. Raises InputError.

    `kept`: a file with what an earlier hunt found. The hunt goes on where that one stopped, and writes the file anew
    after some scopes. `scopes`: in place of the growing ones. `progress` is told of each group of scopes, `told` how
    far the scopes are. `workers`, `dask`: as in `side_by_side`. If the cluster's scheduler ends, so does the hunt, and
    what was found is kept in any case.
    """
    started, until = monotonic(), time() + seconds
    system = asked.system
    so_far = Kept(asked) if kept is None else named_again(read_kept(kept, asked))
    done = set(so_far.scopes)
    gates = bounds_of_gates(system, asked.feature_gates)
    left = (scope for scope in (growing_scopes(system, gates) if scopes is None else scopes) if scope not in done)
    lost = ""
    # How many scopes there will be nobody knows.
    far = None if told is None else lambda now: told(evolve(now, total=0))
    pool = side_by_side(workers, dask=dask, told=far, weigh=_size)
    try:
        with established(lambda: _in_short(so_far)), pool as each:
            while time() < until and (group := list(islice(left, TOGETHER))):
                found = f"{len(so_far.scopes)} scopes, {len(so_far.bugs)} bugs"
                progress(f"{found}, at most {short_time(until - time())} left")
                examined = tuple(
                    (way, to_go_on(bug.cures)) for bug in so_far.bugs if not to_keep(bug.cures) for way in bug.ways
                )
                tasks = [Task(asked, scope, so_far.cures, examined, until) for scope in group]
                for explored in _those_there(each(explore_scope, tasks)):
                    so_far = with_explored(so_far, explored)
                if kept is not None:
                    write_kept(kept, so_far)
    except LostError as error:
        kept = kept or unused(Path(f"out/hunts/{system.name}-{asked.release}.json"))
        write_kept(kept, so_far)
        lost = f"{error}: the same command with --kept {shown(kept)} goes on from there"
    met = {name for bug in so_far.bugs for name in bug.known}
    looked_in = (evolve(system.scopes.default, **gates),) if scopes is None else tuple(scopes)
    not_met = tuple(bug.id for bug in bugs_of(system, asked.release, looked_in) if bug.id not in met)
    return Hunt(asked, so_far.bugs, len(so_far.scopes), so_far.cut, not_met, monotonic() - started, lost)


def unused(path: Path) -> Path:
    """`path`, or with a number in its name if there is a file already."""
    named = (path if number == 1 else path.with_stem(f"{path.stem}-{number}") for number in count(1))
    return next(each for each in named if not each.exists())


def _those_there(results: Iterator[Explored]) -> Iterator[Explored]:
    """`results`, and in the end LostError if some of them are lost."""
    lost = None
    while True:
        try:
            yield next(results)
        except StopIteration:
            break
        except LostError as error:
            lost = error
    if lost is not None:
        raise lost


def _size(task: Task) -> float:
    """What the time for a scope grows with."""
    return float(sum(cattrs.unstructure(task.scope).values()))


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
