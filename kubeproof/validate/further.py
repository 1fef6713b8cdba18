"""The scopes in which a fix is judged beside those that its system names: every pair of powers, and one more of each.

A fix may go wrong only where two powers meet, and none of the system's own scopes may have both. So every pair of
powers is looked for in the smallest size in which one run uses both and a rule of the fix is asked. Then each bound is
raised by one, alone: first where the fix answers otherwise than the release, then in the system's own scopes.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import combinations, islice, product
from math import comb, inf
from time import monotonic
from typing import Any

from attrs import define, evolve, fields, frozen

from kubeproof.engines.explicit import Exploration
from kubeproof.systems.growing import powers_of, scope_with, sizes, switched_on
from kubeproof.systems.system import System
from model.machine import Action

SUMS = 3  # so many sums of the bounds of size are tried, from the smallest on
MOST_OF_ONE = 20_000  # states of one scope
RUNS = 300  # so many runs of a scope are asked which powers they use

Bounds = dict[str, int]


@frozen
class Further:
    """How much may be looked at in the further scopes of one system."""

    # Distinct states of all these scopes together, soon after which no scope is begun.
    states: int = 60_000
    # Seconds, after which no scope is begun.
    seconds: float = inf
    # Distinct states of each scope, where its search is cut; or its share of `states`, if that is more.
    states_of_one: int = 3_000


USUAL = Further()


def within(seconds: float) -> Further | None:
    """As much as can be looked at in so many seconds; None: nothing."""
    return Further(states=100_000_000, seconds=seconds, states_of_one=MOST_OF_ONE) if seconds else None


@define
class Looked:
    """How far a fix was looked at in further scopes."""

    # How many powers a run of a small scope uses, and how many pairs of them there are.
    powers: int = 0
    pairs: int = 0
    # Of how many pairs one run used both, in a scope in which a rule of the fix was asked.
    met: int = 0
    # How many scopes were looked at, in how many of them the fix answers otherwise, and how many were left out.
    scopes: int = 0
    differing: int = 0
    left: int = 0
    # How many of them were not searched to the end.
    cut: int = 0
    # Distinct states of all these scopes.
    states: int = 0


@frozen
class Seen:
    """What a search of one scope saw."""

    run: Exploration
    # Whether a rule of the fix was asked.
    asked: bool
    # Whether the fix answered otherwise than the release.
    differs: bool


Look = Callable[[Any], Seen | None]


def look(system: System, judged: Mapping[Any, int], see: Callable[[Any, int], Seen], further: Further) -> Looked:
    """Look at all further scopes, as far as `further` lets it.

    `judged`: the scopes in which the fix is judged anyway, with the states of each. `see`: looks at a scope, and at so
    many of its states.
    """
    looked, end = Looked(), monotonic() + further.seconds
    share = further.states // max(1, len(list(_raised(system, judged))) + comb(len(powers_of(system)), 2))
    of_one = min(MOST_OF_ONE, max(further.states_of_one, share))
    seen: dict[Any, Seen | None] = {}

    def once(scope: Any) -> Seen | None:
        if scope in seen:
            return seen[scope]
        found = seen[scope] = see(scope, of_one) if looked.states < further.states and monotonic() < end else None
        looked.scopes += found is not None
        looked.left += found is None
        if found is not None:
            looked.differing += found.differs
            looked.cut += found.run.stopped is not None
            looked.states += found.run.counts.distinct
        return found

    least = _least_sizes(system, once)
    looked.powers = len(least)
    pairs = list(combinations(least, 2))
    looked.pairs = len(pairs)

    def meet(pair: tuple[str, str], acting: dict[Any, int], others: dict[Any, int]) -> bool:
        """Look where the pair meets: a scope in which the fix acts, or another one. Whether it does meet."""
        bounds = [least[power].bounds for power in pair if power in least]
        size = {name: max(each[name] for each in bounds) for name in system.scopes.searched}
        scope = scope_with(system, {**size, **switched_on(system, pair)})
        found = None if scope is None else once(scope)
        if found is None:
            return False
        (acting if found.differs else others)[scope] = found.run.counts.distinct
        met = found.asked and _meets(system, scope, found.run, frozenset(pair))
        looked.met += met
        return met

    def raise_each(scopes: Mapping[Any, int]) -> None:
        for larger in _raised(system, scopes):
            once(larger)

    # By their states: the scopes in which the fix acts, and the others.
    acting: dict[Any, int] = {}
    others: dict[Any, int] = {}
    # Small ones first. Where neither power brings a question to a rule of the fix, the two together hardly do.
    pairs.sort(key=lambda pair: least[pair[0]].states * least[pair[1]].states)
    asking = dict.fromkeys(power for power, size in least.items() if size.asked).keys()
    for pair in pairs:
        if not asking.isdisjoint(pair):
            meet(pair, acting, others)
    raise_each(acting)
    # A power that no run uses alone may need another one.
    by_need: dict[Any, int] = {}
    for pair in product((power for power in powers_of(system) if power not in least), asking):
        looked.pairs += meet(pair, by_need, others)
    raise_each(by_need)
    raise_each(judged)
    for pair in pairs:
        if asking.isdisjoint(pair):
            meet(pair, others, others)
    raise_each(others)
    return looked


@frozen
class Size:
    """The smallest size in which a run uses a power."""

    bounds: Bounds
    # Whether a rule of the fix is asked there, and how many states there are.
    asked: bool
    states: int


def _least_sizes(system: System, once: Look) -> dict[str, Size]:
    """For each power that some run uses the smallest size in which one does, and in which a rule of the fix is asked.

    Where only some powers bring the question, the others are as small as a run that uses them.
    """
    by_sum = sizes(system)[:SUMS]
    asked = next((size for of_sum in by_sum for size in of_sum if _asked(once(scope_with(system, size)))), None)
    least: dict[str, Size] = {}
    for of_sum in [[asked]] if asked is not None else by_sum:
        for power in powers_of(system):
            for size in of_sum:
                scope = scope_with(system, {**size, **switched_on(system, (power,))})
                found = None if scope is None else once(scope)
                if found is None or not _meets(system, scope, found.run, frozenset((power,))):
                    continue
                if found.asked or power not in least:
                    least[power] = Size(size, found.asked, found.run.counts.distinct)
                if found.asked:
                    break
        if any(size.asked for size in least.values()):
            break
    return least


def _asked(seen: Seen | None) -> bool:
    return seen is not None and seen.asked


def _raised(system: System, scopes: Mapping[Any, int]) -> Iterator[Any]:
    """The scopes with one more in one bound: first of what works at once, then of size or of a power that is on.

    Of the scopes those with few states come first.
    """
    kinds = system.scopes
    names = [field.name for field in fields(system.scope_class) if field.name not in {*kinds.grains, *kinds.setups}]
    for first in (True, False):
        for scope in sorted(scopes, key=lambda each: scopes[each]):
            for name in names:
                if (name in kinds.least) is first and (getattr(scope, name) or name in kinds.searched):
                    with suppress(ValueError):  # it may have no more
                        yield evolve(scope, **{name: getattr(scope, name) + 1})


def _meets(system: System, scope: Any, run: Exploration, powers: frozenset[str]) -> bool:
    """Whether one of the shortest runs to the states that were found uses all `powers`."""
    if powers <= system.powers_used(scope, ()):
        return True
    search = run.seeker.search
    ends = set(range(run.counts.distinct)) - {search.parent(number) for number in range(run.counts.distinct)}
    return any(
        powers <= system.powers_used(scope, _actions_to(run, number))
        for number in islice(sorted(ends, reverse=True), RUNS)
    )


def _actions_to(run: Exploration, number: int) -> list[Action]:
    """The actions of the shortest run to the state of that number."""
    actions = []
    before = run.before(number)
    while before is not None:
        actions.append(next(action for action, to in run.successors(before) if to == number))
        number, before = before, run.before(before)
    return actions[::-1]
