"""A run, told once: what each action did, where that stands in Go, what it changed. Others only lay it out.

Laid out by terminal.py, the Markdown pages, the HTML report and the pytest plugin. Pure functions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import evolve, frozen

from kubeproof.systems.registry import system_named
from kubeproof.systems.system import Fact, Facts, System, fact_text, scope_text
from kubeproof.verdict.trace import Trace
from kubeproof.visible import shell_word
from model.machine import Action
from model.releases import Release, known_release
from properties.property import Invariant, Property

if TYPE_CHECKING:
    # A browser tells runs too, and has neither the bugs nor what executes a fix.
    from kubeproof.bugs.bug import Bug
    from kubeproof.bugs.kept import Reproduction
    from kubeproof.fix.fix import Fix


@frozen
class Change:
    """One fact that an action changed."""

    # Of what: "queue: activeQ".
    subject: str
    # How: "pending -> on n1", "+ p1#1", "gone".
    text: str


@frozen
class Told:
    """One action of a run."""

    # What happened, in the words of Kubernetes.
    sentence: str
    # The Go function of the release, or who does it if that is nobody in Go ("a user").
    place: str
    # The facts that are not as they were before the action, and no others.
    changes: tuple[Change, ...]
    # What fails since this action: "property: what is wrong".
    broken: tuple[str, ...]

    @property
    def go(self) -> str:
        """The place if it is in Go, else ""."""
        return self.place if ".go" in self.place else ""


@frozen
class ToldRun:
    """A run that violates a property, ready to be laid out."""

    # What is wrong at its end, in the words of the property.
    broke: str
    # How strong the claim is, and where it was made.
    claim: str
    # What is so from the start and does not go without saying; "" for nothing.
    beginning: str
    actions: tuple[Told, ...]
    # Which actions go on for ever; "" for a run that ends.
    loop: str
    property: Property
    # Every fact at the end of the run: the values with which the property fails.
    end: tuple[Change, ...]
    # The command that shows the run again.
    again: str
    # The number of the first action that repeats for ever; None of a run that ends, and where nothing more happens.
    repeats_from: int | None = None


def told(system: System, release: Release, before: object, action: Action, after: object) -> Told:
    """The action that leads from `before` to `after`, as `release` takes it.

    The sentence may say what came of the step, since both states are known.
    """
    old, new = system.facts(before), system.facts(after)
    invariants = [p for p in system.properties if isinstance(p, Invariant)]
    broken = [p for p in invariants if p.holds(before) and not p.holds(after)]
    return Told(
        system.sentence(before, action, after),
        system.place(action.name, release),
        tuple(changes(old, new)),
        tuple(_failure(p, p.explain(after)) for p in broken),
    )


def told_actions(system: System, release: Release, trace: Trace) -> tuple[Told, ...]:
    """Each action of the run."""
    return tuple(
        told(system, release, before.state, step.action, step.state)
        for before, step in zip(trace.steps, trace.steps[1:], strict=False)
        if step.action is not None
    )


def told_run(
    system: System, release: Release, property: Property, trace: Trace, broke: str, claim: str, again: str
) -> ToldRun:
    """The run, of which `broke` says what is wrong at its end. `claim` and `again` are as in `ToldRun`."""
    actions = told_actions(system, release, trace)
    if actions and not any(line.startswith(f"{property.name}: ") for line in actions[-1].broken):
        # A transition or a lasso fails as a whole, and what fails shows at its end.
        last = actions[-1]
        actions = (
            *actions[:-1],
            Told(last.sentence, last.place, last.changes, (*last.broken, _failure(property, broke))),
        )
    end = tuple(Change(subject, fact_text(fact)) for subject, fact in system.facts(trace.last).items() if fact)
    repeats_from = None if trace.loop in (None, trace.length) else trace.loop + 1
    return ToldRun(
        broke, claim, system.beginning(trace.steps[0].state), actions, loop_text(trace), property, end, again,
        repeats_from,
    )  # fmt: skip


def check_line(system: System, release: Release, scope: str, property: str, options: Sequence[str] = ()) -> str:
    """The command that checks one property again. `scope`: as people read it. `options`: further ones, `--fix FILE`."""
    words = [
        "kubeproof check",
        *([f"--machine {shell_word(str(system.file))}"] if system.file else [system.name, f"--release {release}"]),
        *(f"--property-file {shell_word(str(file))}" for file in system.property_files),
        f"--scope {shell_word(scope)}",
        f"--property {property}",
    ]
    return " ".join([*words, *options])


def fix_options(fix: Fix | None, without: Collection[str] = ()) -> list[str]:
    """The options that put `fix` in place. `without`: the fields whose built-in rules are left out."""
    if fix is None:
        return []
    file = [] if fix.path is None else [f"--fix {shell_word(str(fix.path))}"]
    choices = (choice for choice in fix.choices if choice.partition("=")[0].strip() not in without)
    return [*file, *(f"--rule {choice}" for choice in choices)]


def actions_text(count: int) -> str:
    """
    >>> actions_text(1), actions_text(2)
    ('1 action', '2 actions')
    """
    return f"{count} action" if count == 1 else f"{count} actions"


def loop_text(trace: Trace) -> str:
    """Which actions of a lasso go on for ever; empty for a run that ends."""
    if trace.loop is None:
        return ""
    if trace.loop == trace.length:
        return "Nothing more happens, for ever."
    first = trace.loop + 1
    if first == trace.length:
        return f"Action {first} repeats for ever. Nothing else has to happen, and this action never helps."
    return (
        f"Actions {first} to {trace.length} repeat for ever. Nothing else has to happen, and none of them ever helps."
    )


def changes(old: Facts, new: Facts) -> Iterator[Change]:
    """What is not the same in `new` as in `old`, in the order of `new`; what is gone comes last."""
    for subject, fact in new.items():
        if subject not in old:
            yield Change(subject, fact_text(fact))
        elif old[subject] != fact:
            yield Change(subject, _difference(old[subject], fact))
    yield from (Change(subject, "gone") for subject in old if subject not in new)


def _difference(old: Fact, new: Fact) -> str:
    """Old to new; of a list that has become longer or shorter only what came and what went.

    >>> _difference(("p1#1", "pending"), ("p1#1", "on n1"))
    'pending -> on n1'
    >>> _difference(("p1#1",), ("p1#1", "p2#1"))
    '+ p2#1'
    """
    if isinstance(old, str) or isinstance(new, str):
        return f"{fact_text(old)} -> {fact_text(new)}"
    went, came = (without(one, other) for one, other in ((old, new), (new, old)))
    if len(went) == len(came) == 1:
        return _replaced(went[0], came[0])
    if not went and not came:
        return f"{fact_text(old)} -> {fact_text(new)}"
    return ", ".join([*(f"- {item}" for item in went), *(f"+ {item}" for item in came)])


def _replaced(old: str, new: str) -> str:
    """An item in another's place; of one that is still of the same name only what differs.

    >>> _replaced("p1#1 (2 attempts)", "p1#1 (on n1, 2 attempts)")
    'p1#1: + on n1'
    """
    (name, old_parts), (other, new_parts) = _parts(old), _parts(new)
    if name != other:
        return f"{old} -> {new}"
    return f"{name}: {_difference(old_parts, new_parts)}"


def _parts(item: str) -> tuple[str, tuple[str, ...]]:
    name, _, rest = item.partition(" (")
    return name, tuple(rest.removesuffix(")").split(", ")) if rest else ()


def without(one: tuple[str, ...], other: tuple[str, ...]) -> list[str]:
    """What `one` has more of than `other`, in the order of `one`."""
    left = Counter(one) - Counter(other)
    found = []
    for item in one:
        if left[item]:
            left[item] -= 1
            found.append(item)
    return found


def _failure(property: Property, text: str) -> str:
    return f"{property.name}: {text}"


# --- A kept run: how the bug's counterexample reads on its page and for `kubeproof reproduce`


def run_of(bug: Bug, scope: Any, trace: Trace, broke: str) -> ToldRun:
    """The run of `bug` in `scope`, at whose end `broke` is wrong."""
    system, release = system_named(bug.system), known_release(bug.release)
    given = ", ".join(f"{name}={value}" for name, value in bug.given if value)
    smallest = f"the smallest in which this can happen{f' with {given}' if given else ''}"
    claim = (
        f"Kubernetes {release}, after {actions_text(trace.length)}: no shorter run does this in the scope "
        f"{scope_text(scope)}, {smallest}"
    )
    again = check_line(system, release, scope_text(scope), bug.violates)
    return told_run(system, release, system.property_named(bug.violates), trace, broke, claim, again)


def kept_run(found: Reproduction) -> ToldRun:
    """The kept run of a bug as it was played again."""
    assert found.trace is not None
    told = run_of(found.bug, found.scope, found.trace, found.explanation)
    if not found.gates:
        return told
    actions = actions_text(found.trace.length)
    return evolve(told, claim=f"Kubernetes {found.bug.release} with {found.gates}, after {actions}: those of the page")
