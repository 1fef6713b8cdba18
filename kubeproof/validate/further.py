"""The scopes in which a fix is judged beside those that its system names: every pair of powers, and one more of each.

A fix may go wrong only where two powers meet, and none of the system's own scopes may have both. So it is looked, with
the same number of states for each kind:
- around the scopes in which the fix answers otherwise than the release, without the powers that it does not need for
  that: by finer grains, in other names, with one power more, and with one or two bounds raised;
- by a grain that tells of two powers, where both meet;
- for every pair of powers, in the smallest size in which one run uses both and a rule of the fix is asked;
- in these where the fix answers otherwise, and in the system's own scopes, with one bound raised by one, alone.
What is left goes to all others.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, combinations, islice
from math import comb, inf
from time import monotonic
from typing import Any

from attrs import asdict, define, evolve, fields, frozen

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
    # How many times a further power was put to those with which the fix acts, and how many of these met.
    triples: int = 0
    triples_met: int = 0
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


def look(
    system: System,
    judged: Mapping[Any, int],
    see: Callable[[Any, int, bool], Seen],
    further: Further,
    changed: Collection[Any] = (),
) -> Looked:
    """Look at all further scopes, as far as `further` lets it.

    `judged`: the scopes in which the fix is judged anyway, with the states of each. `see`: looks at a scope, at so many
    of its states, and may ask of properties even if the fix answers as the release does there. `changed`: of `judged`
    those in which the fix answers otherwise than the release.
    """
    looked, start = Looked(), monotonic()
    once_raised = dict.fromkeys(_raised(system, judged), 0)
    raised = once_raised.keys() | set(_raised(system, once_raised))
    share = further.states // max(1, len(raised) + comb(len(powers_of(system)), 2))
    of_one = min(MOST_OF_ONE, max(further.states_of_one, share))
    seen: dict[Any, Seen | None] = {}

    def once(scope: Any, *, asks: bool = False) -> Seen | None:
        if scope in seen:
            return seen[scope]
        left = looked.states < further.states and monotonic() - start < further.seconds
        found = seen[scope] = see(scope, of_one, asks) if left else None
        looked.scopes += found is not None
        looked.left += found is None
        if found is not None:
            looked.differing += found.differs
            looked.cut += found.run.stopped is not None
            looked.states += found.run.counts.distinct
        return found

    least = least_sizes(system, once)
    looked.powers = len(least)
    # By their states: the scopes in which the fix acts, and the others.
    acting: dict[Any, int] = {}
    others: dict[Any, int] = {}

    def meet(bounds: Bounds, powers: Collection[str], in_size: Collection[str]) -> bool:
        """Look where the powers meet: a scope in which the fix acts, or another one. Whether they do meet.

        `bounds`: that it has at least. `in_size`: the powers of which the size has to be one in which a run uses each.
        """
        scope = with_at_least(system, powers, bounds, *(least[power].bounds for power in in_size if power in least))
        found = None if scope is None else once(scope)
        if found is None:
            return False
        (acting if found.differs else others)[scope] = found.run.counts.distinct
        return found.asked and meets(system, scope, found.run, frozenset(powers))

    def look_around(core: Any) -> Iterator[None]:
        """Look at what lies around a scope in which the fix acts, scope by scope: see the text of this file."""
        own = _powers_on(system, core)
        for scope in _grained(system, core, own):
            # What the fix cures in other names it must cure in these.
            once(scope, asks=True)
            yield
        # In the sizes of the other scopes that have these powers too.
        for scope in (core, *_of_other_sizes(system, core, judged)):
            for larger in _raised(system, {scope: 0}):
                once(larger)
                yield
        for power in sorted(least.keys() - own, key=lambda power: least[power].states):
            met = any(meet(asdict(core), (*own, power), in_size) for in_size in ((), (power,)))
            looked.triples += len(own) > 1
            looked.triples_met += len(own) > 1 and met
            yield
        for larger in _raised(system, {core: 0}):
            for both in _raised(system, {larger: 0}):
                once(both)
                yield

    def look_at(scopes: Iterable[Any]) -> Iterator[None]:
        for scope in scopes:
            once(scope)
            yield

    def look_at_pairs(of: Iterable[tuple[str, str]]) -> Iterator[None]:
        for pair in of:
            looked.met += meet({}, pair, pair)
            yield

    def look_at_grains() -> Iterator[None]:
        """Where two powers of which a grain tells meet, the fix may act by this grain alone."""
        for grain, powers in system.scopes.finer.items():
            for pair in combinations([power for power in powers if power in least], 2):
                meet({grain: 1, **system.scopes.least}, pair, pair)
                yield

    def look_above_acting() -> Iterator[None]:
        """One bound more of each scope in which the fix acts, as long as others look for such scopes."""
        done: set[Any] = set()
        while True:
            new = {scope: states for scope, states in acting.items() if scope not in done}
            done |= new.keys()
            yield from look_at(_raised(system, new))
            if not new:
                if len(spent) == 1:
                    return
                yield

    # Small ones first. Where neither power brings a question to a rule of the fix, the two together hardly do.
    pairs = sorted(combinations(least, 2), key=lambda pair: least[pair[0]].states * least[pair[1]].states)
    looked.pairs = len(pairs)
    asking = dict.fromkeys(power for power, size in least.items() if size.asked).keys()
    cores = _cores(system, {scope: judged[scope] for scope in changed}, once)
    # Each kind has the same share of what may be looked at: nobody knows in which a fix goes wrong.
    spent: dict[Iterator[None], float] = {
        chain.from_iterable(map(look_around, cores)): 0.0,
        look_at_grains(): 0.0,
        look_at_pairs(pair for pair in pairs if not asking.isdisjoint(pair)): 0.0,
        look_above_acting(): 0.0,
        look_at(_raised(system, judged)): 0.0,
    }
    while spent:
        kind = min(spent, key=spent.__getitem__)
        states, now = looked.states, monotonic()
        if next(kind, _END) is _END:
            del spent[kind]
        else:
            spent[kind] += max(1, looked.states - states) if further.seconds == inf else monotonic() - now
    for _ in chain(
        look_at_pairs(pair for pair in pairs if asking.isdisjoint(pair)), look_at(_raised(system, {**others, **acting}))
    ):
        pass
    return looked


_END = object()


def with_at_least(system: System, powers: Collection[str], *bounds: Bounds) -> Any | None:
    """The scope with all `powers`, and at least these bounds."""
    found = switched_on(system, powers)
    for each in bounds:
        for name, value in each.items():
            found[name] = max(found.get(name, 0), value)
    return scope_with(system, found)


def _powers_on(system: System, scope: Any) -> tuple[str, ...]:
    return tuple(power for power in powers_of(system) if getattr(scope, power))


def _cores(system: System, scopes: Mapping[Any, int], once: Look) -> list[Any]:
    """Of `scopes` the small ones, without the powers without which the fix still acts. Each has other powers."""
    found: list[Any] = []
    for scope in sorted(scopes, key=lambda each: scopes[each]):
        if any(set(_powers_on(system, core)) <= set(_powers_on(system, scope)) for core in found):
            continue
        for power in _powers_on(system, scope):
            with suppress(ValueError):  # another power may need this one
                smaller = evolve(scope, **{power: 0})
                without = once(smaller)
                if without is not None and without.differs:
                    scope = smaller
        if scope not in found:
            found.append(scope)
    return found


def _of_other_sizes(system: System, core: Any, judged: Iterable[Any]) -> list[Any]:
    """The scopes of `judged` that have the powers of `core` too, with these powers as `core` has them and no others."""
    own = {power: getattr(core, power) for power in powers_of(system)}
    sharing = (scope for scope in judged if all(getattr(scope, power) for power, value in own.items() if value))
    return [scope for scope in dict.fromkeys(evolve(each, **own) for each in sharing) if scope != core]


def _grained(system: System, scope: Any, own: Collection[str]) -> Iterator[Any]:
    """`scope` by each finer grain, with one of the powers of which the grain tells, if it tells of some."""
    kinds = system.scopes
    for grain, powers in kinds.finer.items():
        bounds = {**asdict(scope), grain: 1} | ({kinds.grain_needs[grain]: 1} if grain in kinds.grain_needs else {})
        with_powers = [()] if not powers or any(each in own for each in powers) else [(each,) for each in powers]
        for more in with_powers:
            found = with_at_least(system, more, bounds)
            if found is not None:
                yield found


@frozen
class Size:
    """The smallest size in which a run uses a power."""

    bounds: Bounds
    # Whether a rule of the fix is asked there, and how many states there are.
    asked: bool
    states: int


def least_sizes(system: System, once: Look) -> dict[str, Size]:
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
                if found is None or not meets(system, scope, found.run, frozenset((power,))):
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


def meets(system: System, scope: Any, run: Exploration, powers: frozenset[str]) -> bool:
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
