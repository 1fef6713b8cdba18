"""Which renamings a scope has, as numbers: by them the core finds the least row of each orbit.

Every renaming is made of a few that swap two neighbours. Only these are asked of the model, once for each value.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import factorial, prod

from kubeproof.engines.explicit.remembered import NONE, Seeker
from kubeproof.engines.explicit.states import variables

# Beyond so many renamings the model finds the representative itself.
MOST = 1_000

Names = Mapping[str, str]


def tell(seeker: Seeker, fixed: frozenset[str]) -> None:
    """The search keeps one state of each orbit, under renamings that leave `fixed` alone. Before it begins."""
    machine, core = seeker.machine, seeker.search
    free = [[name for name in names if name not in fixed] for names in machine.sorts.values()]
    free = [names for names in free if len(names) > 1]
    if not free or not machine.symmetric:
        return
    relabelling = getattr(machine, "relabelling", None)
    if relabelling is None and prod(factorial(len(names)) for names in free) > MOST:
        seeker.represent_by(lambda state: machine.canonical(state, fixed))
        return
    slots = core.slots
    for slot in range(slots):
        named = seeker.memory.fields[slot] in machine.named
        core.nameless.append(int(not named))
        if named:
            core.compared.append(slot)
    if relabelling is not None:
        seeker.relabel_by(fixed, lambda state: relabelling(state, fixed), lambda names: _targets(seeker, names))
        return
    every = {name: name for names in machine.sorts.values() for name in names}
    generators = [every | {a: b, b: a} for names in free for a, b in pairwise(names)]
    moves = [_targets(seeker, names) for names in ({}, *generators)]
    seeker.rename_by(list(zip(generators, moves[1:], strict=True)))
    targets = [list(range(slots))]
    for before, generator in _elements(free):
        core.made_of.append(before)
        core.generators.append(generator)
        if before is NONE:
            continue
        targets.append([moves[generator][to] for to in targets[before]])
    for each in targets:
        sources = [0] * slots
        for source, target in enumerate(each):
            sources[target] = source
            core.targets.append(target)
        for source in sources:
            core.sources.append(source)
    core.renamings = len(targets)


def _elements(free: list[list[str]]) -> Iterator[tuple[int, int]]:
    """Every renaming: after which other it is made, by which generator. The identity is number 0.

    The generators are the numbers 1, 2 and so on: each is made by itself after the identity.
    """
    yield NONE, NONE
    number = 0
    first = 1
    # The generators come first, so that their numbers are their own.
    count = sum(len(names) - 1 for names in free)
    for generator in range(1, count + 1):
        yield 0, generator
    number = count
    of: dict[tuple[tuple[int, ...], ...], int] = {tuple(tuple(range(len(names))) for names in free): 0}
    generator = 0
    for at, names in enumerate(free):
        for place in range(len(names) - 1):
            generator += 1
            of[_swapped(next(iter(of)), at, place)] = generator
    # Sort after sort: whatever the sorts before have made, then every order of this sort.
    done = [next(iter(of))]
    for at, names in enumerate(free):
        waiting = list(done)
        reached = set(done)
        for key in waiting:
            for place in range(len(names) - 1):
                to = _swapped(key, at, place)
                if to in reached:
                    continue
                reached.add(to)
                waiting.append(to)
                if to not in of:
                    number += 1
                    of[to] = number
                    yield of[key], first + place
        first += len(names) - 1
        done = waiting


def _swapped(key: tuple[tuple[int, ...], ...], at: int, place: int) -> tuple[tuple[int, ...], ...]:
    order = list(key[at])
    order[place], order[place + 1] = order[place + 1], order[place]
    return (*key[:at], tuple(order), *key[at + 1 :])


def _targets(seeker: Seeker, names: Names) -> list[int]:
    """Where the value of each variable goes."""
    found = list(range(seeker.search.slots))
    for field, identifiers in seeker.machine.named.items():
        if identifiers:
            parts = seeker.memory.layout.root.by_name[field].parts
            for part, name in zip(parts, identifiers, strict=True):
                to = parts[identifiers.index(names.get(name, name))]
                for one, other in zip(variables(part), variables(to), strict=True):
                    found[one.slot] = other.slot
    return found
