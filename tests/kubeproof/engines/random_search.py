"""The explicit engine against a search that remembers nothing, on random scopes and random mixtures of rules.

    python -m tests.kubeproof.engines.random_search [--minutes 60] [--seed N] [--most 4000] [--system NAME]

Runs on all processors. A difference is printed with the smallest case that shows it, and the exit status is 1.
"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from functools import partial
from itertools import count
from os import cpu_count
from random import Random, randrange
from time import monotonic
from traceback import format_exc
from typing import Any

from attrs import define, evolve, fields, frozen

from kubeproof.engines.explicit import Exploration, check, explore
from kubeproof.engines.explicit.shared import Shared, Sharing
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, rules_of, scope_text
from kubeproof.verdict.result import Cause, Outcome, Result
from model.machine import Machine
from model.releases import EVERY_MINOR, LAST_PATCH, parse_release, rows_of, rules_for
from model.scheduler.filters import FILTERS
from model.systems.requeueing import RequeueingMachine, RequeueingRules, RequeueingScope, requeueing_rules
from properties.property import Invariant, Liveness, Property
from properties.requeueing import no_event_lost
from tests.model.systems.plain import Plain, plain_search

# What rules that do not go together may raise. No attribute that is missing: a channel that became a tuple shows so.
NO_FIT = (TypeError, LookupError, AssertionError, ValueError)
# requeueing gives its rules nodes and pods of its own kinds, of which the rules of other releases may ask more.
NO_FIT_OF_KINDS = (*NO_FIT, AttributeError)
REQUEUEING = "requeueing"
NAMES = (*SYSTEMS, REQUEUEING)

# The field of a rule, and the rule's name.
PutIn = tuple[tuple[str, str], ...]


class TooLong(BaseException):
    """A case takes more time than there is for one."""


@frozen
class Case:
    """What is searched, as data."""

    system: str
    release: str
    scope: Any
    symmetry: bool
    # Choices of rules that are searched one after the other, each as rules that are put in the place of the release's.
    choices: tuple[PutIn, ...]
    # Whether the searches share what they find.
    shared: bool = False
    # Whether properties are asked besides.
    asked: bool = True

    def __str__(self) -> str:
        scope = repr(self.scope) if self.system == REQUEUEING else scope_text(self.scope)
        lines = [f"{self.system} {self.release}, scope {scope}, symmetry {self.symmetry}, shared {self.shared}"]
        return "\n".join([*lines, *(f"  rules: {dict(each) or 'those of the release'}" for each in self.choices)])


# --- what there is to choose from


def _known_rules(system: str, field: str) -> dict[str, Any]:
    if system == REQUEUEING:
        return {row.rule.__name__: row.rule for _, row in rows_of(field)}
    return SYSTEMS[system].rules_to_choose(field)


def _rules(case: Case, choice: PutIn) -> Any:
    minors = EVERY_MINOR if case.system == REQUEUEING else SYSTEMS[case.system].minors
    release = parse_release(case.release, minors)
    put_in = {field: _known_rules(case.system, field)[name] for field, name in choice}
    if case.system != REQUEUEING:
        return evolve(rules_for(SYSTEMS[case.system].rules_class, release), **put_in)
    rules = requeueing_rules(release)
    of_base = {field.name for field in fields(type(rules.base))}
    base = evolve(rules.base, **{field: rule for field, rule in put_in.items() if field in of_base})
    if rules.hints is None:
        return RequeueingRules(base, None)
    return RequeueingRules(base, evolve(rules.hints, **{f: rule for f, rule in put_in.items() if f not in of_base}))


def _machine(case: Case, rules: Any) -> Machine[Any]:
    if case.system == REQUEUEING:
        return RequeueingMachine(case.scope, rules)
    return SYSTEMS[case.system].machine(case.scope, rules)


def _properties(case: Case) -> tuple[Property, ...]:
    if case.system == REQUEUEING:
        return tuple(no_event_lost(plugin) for plugin in sorted(case.scope.plugins))
    return SYSTEMS[case.system].properties


def _rule_fields(name: str, release: str) -> tuple[str, ...]:
    if name != REQUEUEING:
        return SYSTEMS[name].rule_fields
    return tuple(requeueing_rules(parse_release(release, EVERY_MINOR)).of_fields())


def _release(random: Random, name: str) -> str:
    """A release: the newest of a minor, or one in which a rule changes."""
    minors = EVERY_MINOR if name == REQUEUEING else SYSTEMS[name].minors
    if random.random() < 0.5:
        minor = random.choice(minors)
        return f"1.{minor}.{LAST_PATCH[minor]}"
    rows = (row for field in _rule_fields(name, f"1.{minors[-1]}") for _, row in rows_of(field))
    return random.choice(sorted({row.since for row in rows if int(row.since.split(".")[1]) in minors}))


def _scope(random: Random, name: str) -> Any:
    """Few of everything, and a few powers; or a scope that the system names, with another bound or two."""
    if name == REQUEUEING:
        plugins = frozenset(random.sample(list(FILTERS), random.choice((1, 1, 2))))
        return _with_some(random, RequeueingScope(plugins=plugins, nodes=1), random.randrange(5))
    system = SYSTEMS[name]
    named = [*system.scopes.few_powers, *system.scopes.mutants, *system.scopes.told_apart, *system.scopes.besides]
    if named and random.random() < 0.5:
        return _with_some(random, random.choice(named), random.randrange(3))
    return _with_some(random, _least(system), random.randrange(1, 6))


def _least(system: System) -> Any:
    values = {field.name: 0 for field in fields(system.scope_class)}
    while True:
        try:
            return system.scope_class(**values)
        except ValueError as error:
            name = next(name for name in values if f"'{name}'" in str(error.args[0]))
            values[name] += 1


def _with_some(random: Random, scope: Any, times: int) -> Any:
    for _ in range(times):
        field = random.choice([field.name for field in fields(type(scope)) if field.name != "plugins"])
        try:
            scope = evolve(scope, **{field: random.choice((0, 1, 1, 1, 2, 2, 3))})
        except ValueError:
            continue
    return scope


def random_case(random: Random, name: str | None = None) -> Case:
    """A case of any system, or of the one of this name."""
    name = name or random.choice(NAMES)
    release = _release(random, name)
    every = _rule_fields(name, release)

    def put_in() -> PutIn:
        chosen = random.sample(every, min(len(every), random.choice((1, 1, 2, 4, 10, 40))))
        return tuple((field, random.choice(list(_known_rules(name, field)))) for field in sorted(chosen))

    shared = name != REQUEUEING and random.random() < 0.5
    choices = ((), *(put_in() for _ in range(random.randrange(1, 4)))) if shared else random.choice(((), (put_in(),)))
    return Case(
        name, release, _scope(random, name), random.random() < 0.5, choices or ((),), shared, random.random() < 0.5
    )


# --- what a case compares


@define
class Compared:
    """What came of a case."""

    # What the engine answers otherwise than the plain search; None if nothing.
    difference: str | None = None
    # How many searches were compared, and of how many nothing was, since there are too many states.
    searches: int = 0
    too_many: int = 0


class TooManyStates(Exception):
    """The plain search has no end."""


def compare(case: Case, most: int) -> Compared:
    """Each choice of rules by both searches, as long as they agree. Raises what neither search may raise.

    Nothing is compared where the plain search finds more than `most` states.
    """
    system = SYSTEMS.get(case.system)
    shared = Shared(rules_of(system.mutants, system.repairs)) if system and case.shared else None
    found = Compared()
    for number, choice in enumerate(case.choices):
        pair = Pair(case, _rules(case, choice), shared)
        try:
            difference = pair.difference(most)
        except TooManyStates:
            found.too_many += 1
            continue
        found.searches += 1
        if difference is not None:
            found.difference = f"choice {number}: {difference}"
            break
    return found


@frozen
class Pair:
    """The engine and the plain search under one choice of rules."""

    case: Case
    rules: Any
    shared: Shared | None

    def machine(self) -> Machine[Any]:
        return _machine(self.case, self.rules)

    def begun(self) -> Machine[Any] | Sharing:
        """A machine that nobody has asked anything, with what a search of it shares."""
        if self.shared is None:
            return self.machine()
        return self.shared.search(self.case.scope, self.shared.under(self.rules), partial(_machine, self.case))

    def explored(self) -> Exploration:
        return explore(self.begun(), symmetry=self.case.symmetry)

    def results(self) -> list[Result]:
        return check(self.begun(), _properties(self.case), symmetry=self.case.symmetry)

    def _or_error(self, does: Callable[[], Any]) -> Any:
        no_fit = NO_FIT_OF_KINDS if self.case.system == REQUEUEING else NO_FIT
        try:
            return does()
        except no_fit as error:
            return error

    def difference(self, most: int) -> str | None:
        plain = self._or_error(lambda: plain_search(self.machine(), most=most))
        if isinstance(plain, Plain) and not plain.complete:
            raise TooManyStates
        small = self._or_error(lambda: plain_search(self.machine(), symmetry=True)) if self.case.symmetry else plain
        run = self._or_error(self.explored)
        if isinstance(small, Exception) or isinstance(run, Exception):
            return self._other_error(run, small)
        if isinstance(plain, Exception):
            return f"orbits have an end, all states do not: {plain!r}"
        machine = self.machine()
        if self.case.symmetry and not _interchangeable(machine, plain, small):
            return "the machine is symmetric, and its rules tell names apart"
        return self._other_counts(run, small) or self._other_states(run, small) or self._other_results(plain)

    def _other_error(self, run: Any, plain: Any) -> str | None:
        errors = isinstance(run, Exception) and isinstance(plain, Exception)
        # Of two representatives of an orbit another action may come first, and raise something else.
        if errors and (self.case.symmetry or type(run) is type(plain)):
            return None
        return f"the engine: {run!r}, the plain search: {plain!r}"

    def _other_counts(self, run: Exploration, plain: Plain) -> str | None:
        counts = run.counts
        fired = {name: times for name, times in counts.fired.items() if times}
        if (counts.distinct, counts.generated, counts.depth) == plain.counts and fired == plain.fired:
            return None
        return f"the engine counts {counts}, the plain search {plain.counts}, {dict(plain.fired)}"

    def _other_states(self, run: Exploration, plain: Plain) -> str | None:
        states = {run.state(number) for number in range(run.counts.distinct)}
        machine = self.machine()
        if self.case.symmetry and machine.symmetric:
            states = {machine.canonical(state) for state in states}
        return None if states == set(plain.depths) else f"other states: {next(iter(states ^ set(plain.depths)))}"

    def _other_results(self, plain: Plain) -> str | None:
        """Of safety properties. What a liveness property says is only asked, and its run walked."""
        if not self.case.asked:
            return None
        safety = [p for p in _properties(self.case) if not isinstance(p, Liveness)]
        results, machine = self._or_error(self.results), self.machine()
        expected = self._or_error(lambda: [_said(p, machine, plain) for p in safety])
        if isinstance(results, Exception) or isinstance(expected, Exception):
            same = isinstance(results, Exception) and isinstance(expected, Exception)
            return None if same else f"properties: the engine: {results!r}, the plain search: {expected!r}"
        by_name = {result.property: result for result in results}
        told = [_told(by_name[p.name]) for p in safety]
        wrong = [pair for pair in zip(told, expected, strict=True) if pair[0] != pair[1]]
        return f"(engine, plain search): {wrong}" if wrong else None


def _interchangeable(machine: Machine[Any], plain: Plain, small: Plain) -> bool:
    """Whether the orbits of all states are the orbits that runs between representatives reach."""
    return not machine.symmetric or {machine.canonical(state) for state in plain.depths} == set(small.depths)


# The name, the outcome, how many actions the shortest run to a violation has.
Said = tuple[str, Outcome, int | None]


def _said(asked: Property, machine: Machine[Any], plain: Plain) -> Said:
    p: Any = asked.of(machine)
    if isinstance(p, Invariant):
        judged = [(depth, p.premise(state), p.holds(state)) for state, depth in plain.depths.items()]
    else:
        judged = [
            (plain.depths[before] + 1, p.premise(before, action, after), p.holds(before, action, after))
            for before, action, after in plain.steps
            if action.name in p.actions
        ]
    bad = [depth for depth, _, holds in judged if not holds]
    if bad:
        return p.name, Outcome.VIOLATED, min(bad)
    return p.name, Outcome.HOLDS if any(premise for _, premise, _ in judged) else Outcome.INCONCLUSIVE, None


def _told(result: Result) -> Said:
    assert result.outcome is not Outcome.INCONCLUSIVE or result.cause is Cause.PREMISE, result
    return result.property, result.outcome, result.trace.length if result.trace else None


# --- the smallest case


def smaller(case: Case) -> Iterator[Case]:
    """Cases of which each has one thing less."""
    if case.shared:
        yield evolve(case, shared=False, choices=case.choices[-1:])
    for at in range(len(case.choices) if len(case.choices) > 1 else 0):
        yield evolve(case, choices=case.choices[:at] + case.choices[at + 1 :])
    for flag in ("symmetry", "asked"):
        if getattr(case, flag):
            yield evolve(case, **{flag: False})
    for field in fields(type(case.scope)):
        value = getattr(case.scope, field.name)
        if isinstance(value, int) and value:
            try:
                yield evolve(case, scope=evolve(case.scope, **{field.name: value - 1}))
            except ValueError:
                continue
    for at, choice in enumerate(case.choices):
        half = len(choice) // 2
        parts = [choice[:half], choice[half:]] if half > 1 else []
        for less in (*parts, *(choice[:i] + choice[i + 1 :] for i in range(len(choice)))):
            yield evolve(case, choices=(*case.choices[:at], less, *case.choices[at + 1 :]))


def smallest(case: Case, most: int, until: float) -> Case:
    """A case that also differs and has as little as possible, as far as there is time."""
    while monotonic() < until:
        found = next((each for each in smaller(case) if monotonic() < until and _differs(each, most)), None)
        if found is None:
            break
        case = found
    return case


def _differs(case: Case, most: int) -> bool:
    try:
        with at_most(60):
            return compare(case, most).difference is not None
    except TooLong:
        return False
    except Exception:
        return True


# --- the command


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raises TooLong after so many seconds. In the main thread."""

    def late(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def one(seed: int, number: int, most: int, system: str | None) -> Compared | None:
    """What case `number` of the seed shows; None if it takes too long."""
    random = Random(f"{seed} {number}")
    case = random_case(random, system)
    try:
        with at_most(90):
            found = compare(case, random.choice((most // 20, most // 4, most)))
    except TooLong:
        return None
    except Exception as error:
        found = Compared(repr(error))
    if found.difference is not None:
        least = smallest(case, most, monotonic() + 300)
        drawn = f"as drawn, number {number} of seed {seed}: {case}"
        found.difference = f"{least}\n{_why(least, most)}\n{drawn}\n{found.difference[:2000]}"
    return found


def _why(case: Case, most: int) -> str | None:
    try:
        return compare(case, most).difference
    except Exception:
        return format_exc()


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=randrange(1 << 30))
    parser.add_argument("--most", type=int, default=4_000, help="states of one search")
    parser.add_argument("--system", choices=NAMES)
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    end, done, late, all_found, differences = monotonic() + 60 * options.minutes, 0, 0, Compared(), 0
    numbers, processes = count(), cpu_count() or 1
    with ProcessPoolExecutor(processes) as pool:
        waiting: set[Future[Compared | None]] = set()
        while waiting or monotonic() < end:
            while monotonic() < end and len(waiting) < 2 * processes:
                waiting.add(pool.submit(one, options.seed, next(numbers), options.most, options.system))
            ended, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for found in (each.result() for each in ended):
                done += 1
                if found is None:
                    late += 1
                    continue
                all_found.searches += found.searches
                all_found.too_many += found.too_many
                if found.difference is not None:
                    differences += 1
                    print(f"--- difference\n{found.difference}", flush=True)
    print(
        f"{done} cases, {late} of them took too long; {all_found.searches} searches compared, "
        f"{all_found.too_many} not, of more than --most states; {differences} differences"
    )
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
