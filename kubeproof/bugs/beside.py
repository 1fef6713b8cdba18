"""What the kept runs say beside an engine's verdict: a property is never green where a kept run violates it.

The runs of all bugs of a system are played under the rules that were asked about, which takes a second at most. Each
property that one of them violates is `violated`, whatever an engine established in another scope. Rules may be those of
a fix: then it shows which bugs stay.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from attrs import Factory, fields, frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.known import shown_in
from kubeproof.bugs.runs import KeptRun, first_violations, kept_runs
from kubeproof.errors import InputError, RuleError
from kubeproof.systems.gates import refuse_locked
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from kubeproof.verdict.result import Outcome, Result
from kubeproof.verdict.trace import Trace
from model.releases import Release, rules_for
from properties.property import Property

# Stands where a result has the name of its engine.
KEPT_RUN = "kept run"
NO_BOUNDS: Mapping[str, int] = {}


@frozen
class KeptViolation:
    """A kept run that violates a property under the rules in force."""

    bug: Bug
    # The name of the property.
    property: str
    scope: Any
    # The run until the property fails.
    trace: Trace
    # What is wrong at its end.
    explanation: str
    # Whether the page says that the release has this bug. If not, the run shows another bug of the release.
    shown: bool


def rank(of: KeptViolation) -> tuple[bool, bool]:
    """How little the bug explains the violation: bugs of the release that name the property explain it best."""
    return not of.shown, not of.bug.names(of.property)


@frozen
class Beside:
    """What the kept runs of a system say of some rules."""

    # By property: first those of bugs that explain it best, then the shortest runs.
    violations: Mapping[str, tuple[KeptViolation, ...]] = Factory(dict)
    # Pages that say of the release what none of their runs shows: an error each.
    errors: tuple[str, ...] = ()

    def bugs(self, property: str) -> tuple[str, ...]:
        """The ids of the bugs of the release whose kept runs violate the property."""
        return tuple(dict.fromkeys(each.bug.id for each in self.violations.get(property, ()) if each.shown))

    def both(self, other: "Beside") -> "Beside":
        """Of these violations those that the same bug's kept runs also violate by `other`."""
        return self._where(lambda each: each.bug in other._bugs_of(each.property))

    def only(self, other: "Beside") -> "Beside":
        """Of these violations those that no kept run of the same bug violates by `other`."""
        return self._where(lambda each: each.bug not in other._bugs_of(each.property))

    def _bugs_of(self, property: str) -> list[Bug]:
        return [each.bug for each in self.violations.get(property, ())]

    def _where(self, keeps: Callable[[KeptViolation], bool]) -> "Beside":
        some = {name: tuple(each for each in of if keeps(each)) for name, of in self.violations.items()}
        return Beside({name: of for name, of in some.items() if of}, self.errors)

    def results(self, properties: Iterable[str]) -> list[Result]:
        """For each property that a kept run violates a result in the scope of that run."""
        return [_result(self.violations[name]) for name in properties if name in self.violations]


NOTHING_KEPT = Beside()


def _result(of: tuple[KeptViolation, ...]) -> Result:
    first = of[0]
    return Result(
        property=first.property,
        engine=KEPT_RUN,
        outcome=Outcome.VIOLATED,
        trace=first.trace,
        explanation=first.explanation,
        scope=first.scope,
        known=tuple(dict.fromkeys(each.bug.id for each in of if rank(each) == rank(first))),
        reason=None if first.shown else f"the page of {first.bug.id} has the release not: the run shows another bug",
    )


def beside(
    system: System,
    release: Release,
    rules: Any = None,
    *,
    properties: Collection[str] = (),
    bounds: Mapping[str, int] = NO_BOUNDS,
) -> Beside:
    """What the kept runs of `system`, and of the systems that it extends, say of `release`.

    `rules`: those in force, where they are not the release's own: a fix is in place. Then no page can be wrong.
    `properties`: their names; default all. `bounds`: what a scope must have for a run in it to count, such as the
    gates that a user names.
    """
    wanted = set(properties) or {p.name for p in system.properties}
    found: dict[str, list[KeptViolation]] = {}
    unseen: list[str] = []
    for bug in BUGS:
        if bug.system not in system.has_bugs_of:
            continue
        if not all(bounds.get(name) for name in bug.setups):
            continue
        own = system if bug.system == system.name else system_named(bug.system)
        asked = [p for p in own.properties if p.name in wanted]
        has_it = shown_in(bug, release)
        seen = False
        for violation in of_bug(bug, own, release, rules_in(own, release, rules), asked, bounds):
            found.setdefault(violation.property, []).append(violation)
            seen = seen or violation.property == bug.violates
        # A page speaks of upstream's releases: a vendor may have the fix.
        as_on_page = rules is None and not bounds and release.vendor is None
        if has_it and not seen and as_on_page and bug.violates in {p.name for p in asked}:
            unseen.append(
                f"counterexamples/{bug.folder}: no run of {bug.id} violates {bug.violates} in {release}, and its "
                "releases.json says so: expected a run; `make counterexamples` looks for it"
            )
    ordered = {
        name: tuple(sorted(each, key=lambda v: (rank(v), v.trace.length, v.bug.id))) for name, each in found.items()
    }
    return Beside(ordered, tuple(unseen))


def rules_in(system: System, release: Release, rules: Any) -> Any:
    """`rules`, which may be those of a system that extends `system`, as the rules of `system`; None: the release's."""
    own = rules_for(system.rules_class, release)
    if rules is None or isinstance(rules, system.rules_class):
        return own if rules is None else rules
    return system.rules_class(**{f.name: getattr(rules, f.name, getattr(own, f.name)) for f in fields(type(own))})


def of_bug(
    bug: Bug,
    system: System,
    release: Release,
    rules: Any,
    properties: Collection[Property],
    bounds: Mapping[str, int] = NO_BOUNDS,
) -> list[KeptViolation]:
    """What the kept runs of `bug`, a bug of `system`, violate of `properties`: each once, by the first run that does.

    `rules` are those of `release`, or of a fix of it. `bounds` are as in `beside`.
    """
    found: list[KeptViolation] = []
    left, shown = list(properties), shown_in(bug, release)
    for run in kept_runs(bug.id):
        if not left or not _counts(run, system, release, bounds):
            continue
        machine = system.machine(run.scope, rules)
        try:
            violated = first_violations(machine, left, run.played(machine))
        except RuleError:
            # A rule of a fix went wrong. The engines say how.
            continue
        found += (KeptViolation(bug, name, run.scope, trace, wrong, shown) for name, (trace, wrong) in violated.items())
        left = [p for p in left if p.name not in violated]
    return found


def _counts(run: KeptRun, system: System, release: Release, bounds: Mapping[str, int]) -> bool:
    if any(getattr(run.scope, name, value) != value for name, value in bounds.items()):
        return False
    try:
        refuse_locked(release, run.scope)
    except InputError:
        return False
    return True
