"""The Hypothesis engine: random runs of any machine. A run that violates a property is shrunk to a short trace.

The engine knows a system only through `model.machine.Machine`. `machine_class` derives a RuleBasedStateMachine with a
method for each action. `check` runs this class. A sample can refute a property and can never prove one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from time import monotonic
from typing import Any, ClassVar, cast

from attrs import Factory, define, field
from hypothesis import HealthCheck, Phase, Verbosity, configuration, seed, settings, strategies as st
from hypothesis.errors import Flaky
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from kubeproof.engines.watch import nobody
from kubeproof.errors import RuleError
from kubeproof.processes.left_behind import temporary_folder
from kubeproof.verdict.result import Claim, Outcome, Result, Strength
from kubeproof.verdict.trace import ReplayError, replay
from model.machine import Action, Machine, Value
from properties.property import Invariant, Property, StepInvariant

ENGINE = "hypothesis"
Safety = Invariant | StepInvariant

# An action's name and the names of its arguments.
Shape = tuple[str, tuple[str, ...]]
_LOOK_THROUGH = 300  # states, to find the shapes of all actions
# Names that `hypothesis.stateful.rule` and methods keep for themselves.
_RESERVED = frozenset({"self", "target", "targets"})
_IMPURE = "the same run did not end the same way twice: the rules must be pure functions of their arguments"
_PHASES = (Phase.generate, Phase.target, Phase.shrink)


class Violation(AssertionError):
    """A run that violates a property, or in which a rule went wrong. The text says what is wrong.

    `actions` lead from the initial state number `initial` to the end of the run. `broken` is the property's name, or ""
    if a rule went wrong.
    """

    def __init__(self, text: str, initial: int, actions: tuple[Action, ...], broken: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.broken = broken
        self.initial = initial
        self.actions = actions


class Unevaluated(Violation):
    """A run at whose end the predicate of a property raised. Such a run says nothing of the property."""


class _Stopped(BaseException):
    """Time or memory is up. Not an Exception: Hypothesis would take an Exception for a failing test and shrink it."""


@define
class _Tally:
    """What was executed, shrinking included, and the shortest violation so far."""

    # By the clock `monotonic`.
    deadline: float | None = None
    runs: int = 0
    # How many actions were taken.
    steps: int = 0
    # How many states or transitions met the premise of each property.
    witnesses: Counter[str] = Factory(Counter)
    # How often each action was taken.
    fired: dict[str, int] = Factory(dict)
    found: Violation | None = None
    # Why the sample ended early.
    stopped: str | None = None

    def stop(self, reason: str) -> _Stopped:
        self.stopped = reason
        return _Stopped(reason)

    def found_one(self, violation: Violation) -> Violation:
        if self.found is None or len(violation.actions) <= len(self.found.actions):
            self.found = violation
        return violation


@define
class _Model:
    machine: Machine[Any]
    properties: tuple[Safety, ...]
    shapes: tuple[Shape, ...]
    tally: _Tally = field(factory=_Tally)


class ModelStateMachine(RuleBasedStateMachine):
    """Base of the classes that `machine_class` makes. `model_state` is the state after the actions so far.

    The methods can also be called without Hypothesis: a falsifying example is a program that ends in its Violation.
    """

    _model: ClassVar[_Model]

    def __init__(self) -> None:
        super().__init__()
        self._model.tally.runs += 1
        self._chosen: dict[str, Value] = {}
        self._begin(0)

    def _begin(self, initial: int) -> None:
        machine = self._model.machine
        self._initial = initial
        self._taken: list[Action] = []
        self.model_state: Any = machine.initial_states()[initial]
        self._by_shape = _grouped(machine.actions(self.model_state))
        self._look()

    def take(self, action: Action) -> None:
        """Take `action`, which must be enabled, and check every property. Raises Violation."""
        machine, tally = self._model.machine, self._model.tally
        if tally.deadline is not None and monotonic() > tally.deadline:
            raise tally.stop("time is up: give more time, or choose fewer runs or fewer actions in a run")
        if action not in _instances(self, _shape_of(action)):
            raise ValueError(f"{action} is not enabled after {len(self._taken)} actions")
        before = self.model_state
        tally.steps += 1
        tally.fired[action.name] = tally.fired.get(action.name, 0) + 1
        try:
            self.model_state = machine.step(before, action)
            self._by_shape = _grouped(machine.actions(self.model_state))
        except MemoryError:
            raise tally.stop("memory is full: choose a smaller scope, or give more memory") from None
        except (Exception, SystemExit) as error:
            what = str(error) if isinstance(error, RuleError) else f"{action.name} raised {_one_line(error)}"
            raise tally.found_one(Violation(f"{what} (in {action})", self._initial, tuple(self._taken))) from error
        self._taken.append(action)
        self._look(before, action)

    def _look(self, before: Any = None, action: Action | None = None) -> None:
        """Check the properties in the present state and in the transition that led to this state."""
        for p in self._model.properties:
            if isinstance(p, Invariant):
                args: tuple[Any, ...] = (self.model_state,)
            elif action is not None and action.name in p.actions:
                args = (before, action, self.model_state)
            else:
                continue
            predicates: Any = p
            try:
                self._model.tally.witnesses[p.name] += bool(predicates.premise(*args))
                broken = None if predicates.holds(*args) else str(predicates.explain(*args))
            except Exception as error:
                text = f"{p.name} cannot be evaluated: {_one_line(error)}"
                end = Unevaluated(text, self._initial, tuple(self._taken), p.name)
                raise self._model.tally.found_one(end) from error
            if broken is not None:
                raise self._model.tally.found_one(Violation(broken, self._initial, tuple(self._taken), p.name))


def machine_class(machine: Machine[Any], properties: Sequence[Property]) -> type[ModelStateMachine]:
    """A RuleBasedStateMachine of `machine`: a method for each action; each action checks all safety properties.

    The class has the machine's name, so that a falsifying example reads `state = NodeListing()`,
    `state.add_node(node='n1', zone='z1')`. Arguments are drawn from the enabled instances of the action, in the
    machine's order, so they shrink to the first instance. Liveness properties are left out, because no finite run
    violates them. Use `.TestCase` for unittest and pytest, or `hypothesis.stateful.run_state_machine_as_test`.
    """
    shapes = _shapes(machine)
    safety = tuple(p for each in properties if isinstance(p := each.of(machine), Safety))
    members: dict[str, Any] = {"_model": _Model(machine, safety, shapes), "__doc__": f"Runs of {machine!r}."}
    if len(machine.initial_states()) > 1:
        members["begin"] = _begin_rule(len(machine.initial_states()))
    for shape in shapes:
        members[_method_name(shape[0])] = _action_rule(shape)
    members["take"] = _any_other_action_rule(frozenset(shapes))
    members["finished"] = _finished_rule()
    name = type(machine).__name__.removesuffix("Machine") or "Model"
    metaclass: Any = type(ModelStateMachine)
    return cast(type[ModelStateMachine], metaclass(name, (ModelStateMachine,), members))


def _shapes(machine: Machine[Any]) -> tuple[Shape, ...]:
    """One shape for each action that the states near the initial states enable, in the order of `action_names`."""
    shapes: dict[str, Shape] = {}
    states = dict.fromkeys(machine.initial_states())
    waiting = list(states)
    for state in waiting:
        try:
            for action in machine.actions(state):
                args = tuple(name for name, _ in action.args)
                if not _RESERVED.intersection(args):
                    shapes.setdefault(action.name, (action.name, args))
                if len(waiting) < _LOOK_THROUGH:
                    after = machine.step(state, action)
                    if after not in states:
                        states[after] = None
                        waiting.append(after)
        except (Exception, SystemExit):
            # The runs report a rule that raises, with a trace. Here such a rule only hides states.
            continue
        if len(shapes) == len(machine.action_names):
            break
    return tuple(shapes[name] for name in machine.action_names if name in shapes)


def _method_name(action_name: str) -> str:
    return f"{action_name}_" if hasattr(ModelStateMachine, action_name) else action_name


def _shape_of(action: Action) -> Shape:
    return action.name, tuple(name for name, _ in action.args)


def _grouped(actions: Iterable[Action]) -> dict[Shape, list[Action]]:
    groups: dict[Shape, list[Action]] = {}
    for action in actions:
        groups.setdefault(_shape_of(action), []).append(action)
    return groups


def _instances(state: ModelStateMachine, shape: Shape) -> list[Action]:
    return state._by_shape.get(shape, [])


def _action_rule(shape: Shape) -> Callable[..., None]:
    name, arg_names = shape

    def method(self: ModelStateMachine, **args: Value) -> None:
        self.take(Action(name, tuple((arg, args[arg]) for arg in arg_names)))

    method.__name__ = method.__qualname__ = _method_name(name)
    # Hypothesis draws arguments in alphabetical order, each from the instances that the earlier ones leave open.
    strategies: dict[str, Any] = {arg: _argument(shape, arg, arg == min(arg_names)) for arg in arg_names}
    made: Callable[..., Callable[..., None]] = rule(**strategies)
    return precondition(lambda self: bool(_instances(self, shape)))(made(method))


def _argument(shape: Shape, arg: str, first: bool) -> st.SearchStrategy[Value]:
    # Hypothesis takes as long to make a strategy as to draw from it, so one is kept for each choice of values. Their
    # types tell 1 from True.
    kept: dict[Any, st.SearchStrategy[Value]] = {}
    # Of the state that draws.
    chosen: dict[str, Value] = {}

    def remember(value: Value) -> Value:
        chosen[arg] = value
        return value

    def remaining(state: ModelStateMachine) -> st.SearchStrategy[Value]:
        nonlocal chosen
        if first:
            state._chosen = {}
        chosen = state._chosen
        open_ = [a for a in _instances(state, shape) if all(a[name] == value for name, value in chosen.items())]
        values = tuple(dict.fromkeys(a[arg] for a in open_))
        key = values, tuple(map(type, values))
        if key not in kept:
            kept[key] = st.sampled_from(values).map(remember)
        return kept[key]

    return st.runner().flatmap(remaining)


def _any_other_action_rule(shapes: frozenset[Shape]) -> Callable[..., None]:
    """For actions of a shape that was not found near the initial states: `state.take(action=Action(...))`."""

    def others(state: ModelStateMachine) -> list[Action]:
        return [action for shape, open_ in state._by_shape.items() if shape not in shapes for action in open_]

    def take(self: ModelStateMachine, action: Action) -> None:
        ModelStateMachine.take(self, action)

    drawn = st.runner().flatmap(lambda state: st.sampled_from(others(state)))
    return precondition(lambda self: bool(others(self)))(rule(action=drawn)(take))


def _finished_rule() -> Callable[..., None]:
    """Hypothesis needs a rule in every state. Where the machine has no action, this rule does nothing."""

    def finished(self: ModelStateMachine) -> None:
        assert not self._by_shape

    return precondition(lambda self: not self._by_shape)(rule()(finished))


def _begin_rule(count: int) -> Callable[..., None]:
    def begin(self: ModelStateMachine, initial: int) -> None:
        self._begin(initial)

    return initialize(initial=st.sampled_from(range(count)))(begin)


def check(
    machine: Machine[Any],
    properties: Sequence[Property],
    *,
    runs: int = 200,
    steps: int = 30,
    seed: int = 0,
    timeout: float | None = None,
    tell: Callable[[str], None] = nobody,
) -> list[Result]:
    """One Result for each property, in the order given. The same input gives the same results.

    `runs`: how many whole runs; Hypothesis breaks off some more, and the claim has the executed numbers. `steps`: how
    many actions a run has at most. `seed` fixes the random choices. Safety properties are sampled together; a violated
    one is taken out, and the others are sampled again. `timeout`: seconds for the whole call. The clock is read between
    actions: an action that never returns must be ended from outside. `tell`
    is told of each sample.
    """
    deadline = None if timeout is None else monotonic() + timeout
    found: dict[str, Result] = {}
    left = [p for each in properties if isinstance(p := each.of(machine), Safety)]
    with _home_elsewhere(), _no_constants_of_modules():
        while left:
            # Shrinking one violation must not take the time of the violations after it.
            tell(f"{len(left)} of {len(properties)} properties together")
            share = None if deadline is None else max(0.0, deadline - monotonic()) / min(3, len(left))
            results = _sample(machine, left, runs, steps, seed, share)
            decided = [r for r in results if len(left) == 1 or r.outcome is Outcome.VIOLATED]
            found |= {result.property: result for result in decided or results}
            left = [p for p in left if p.name not in found]
    why = "a finite sample cannot show that something happens again and again; the explicit engine can"
    never = Result(property="", engine=ENGINE, outcome=Outcome.NOT_APPLICABLE, reason=why)
    return [found.get(p.name) or never.evolve(property=p.name) for p in properties]


@contextmanager
def _home_elsewhere() -> Iterator[None]:
    """Hypothesis writes into its home also without a database, and the home is in the user's current folder."""
    before = configuration.__hypothesis_home_directory
    with temporary_folder("hypothesis") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)


@contextmanager
def _no_constants_of_modules() -> Iterator[None]:
    """Hypothesis also draws the constants of all modules that are imported, and these depend on the process."""
    providers: Any = import_module("hypothesis.internal.conjecture.providers")
    own = getattr(providers, "_get_local_constants", None)
    if own is None or not hasattr(providers, "Constants") or not hasattr(providers, "CONSTANTS_CACHE"):
        yield  # another Hypothesis than the one that the constraints name
        return
    providers._get_local_constants = providers.Constants
    providers.CONSTANTS_CACHE.cache.clear()
    try:
        yield
    finally:
        providers._get_local_constants = own
        providers.CONSTANTS_CACHE.cache.clear()


def _sample(
    machine: Machine[Any], properties: Sequence[Safety], runs: int, steps: int, seed_: int, timeout: float | None
) -> list[Result]:
    """One sample for all of `properties`. The first violation ends the sample; it then says nothing of the others.

    A rule that goes wrong ends the sample for all of them.
    """
    started = monotonic()
    sample = machine_class(machine, properties)
    tally = sample._model.tally
    tally.deadline = None if timeout is None else started + timeout
    tally.fired = dict.fromkeys(machine.action_names, 0)
    reason: str | None = None
    try:
        run_state_machine_as_test(seed(seed_)(sample), settings=_settings(runs, steps))
    except Violation:
        pass
    except Flaky:
        # A run that was stopped while it was shrunk also ends differently. The violation found before stands.
        if tally.stopped is None:
            tally.found, reason = None, _IMPURE
    except _Stopped:
        pass
    reason = reason or tally.stopped
    seconds = round(monotonic() - started, 3)
    results = [
        Result(property=p.name, engine=ENGINE, outcome=Outcome.INCONCLUSIVE).evolve(
            transitions=tally.steps, fired=dict(tally.fired), seconds=seconds
        )
        for p in properties
    ]
    if tally.found is not None:
        return [_ended(machine, result, tally.found) for result in results]
    return [_unbroken(result, tally, reason) for result in results]


def _ended(machine: Machine[Any], result: Result, found: Violation) -> Result:
    """`result` of a sample that `found` ended."""
    if found.broken not in ("", result.property):
        return result.evolve(reason=f"the sample ended with a run that violates {found.broken}")
    try:
        trace = replay(machine, found.actions, initial=found.initial)
    except (ReplayError, RuleError):
        return result.evolve(reason=_IMPURE)
    if isinstance(found, Unevaluated):
        return result.evolve(reason=found.text, trace=trace)
    return result.evolve(outcome=Outcome.VIOLATED, trace=trace, explanation=found.text)


def _unbroken(result: Result, tally: _Tally, reason: str | None) -> Result:
    """`result` of a sample in which nothing broke, or that `reason` ended."""
    witnesses = tally.witnesses[result.property]
    if reason is None and not witnesses:
        reason = (
            "vacuous: no sampled state meets the property's premise, so nothing was checked: choose more or longer runs"
        )
    if reason is not None:
        return result.evolve(reason=reason)
    figures = {"runs": tally.runs, "steps": tally.steps, "witnesses": witnesses}
    return result.evolve(outcome=Outcome.HOLDS, claim=Claim(Strength.SAMPLED, figures))


def _settings(runs: int, steps: int) -> settings:
    return settings(
        max_examples=runs,
        stateful_step_count=steps,
        database=None,
        derandomize=True,
        deadline=None,
        phases=_PHASES,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.normal,
    )


def _one_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
