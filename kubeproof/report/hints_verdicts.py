"""What the system queueing-hints answers for docs/queueing-hints.md: which properties fail, and what leaks."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from attrs import frozen

from kubeproof.engines.explicit import check
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.system import scope_text
from kubeproof.visible import shell_word
from model.releases import parse_release, rules_for
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_ON

# One release of each design of the queue.
CHECKED = ("1.28.0-beta.0", "1.28.0", "1.28.3", "1.30.14", "1.31.14", "1.32.0", "1.33.13", "1.36.3")
# Of each release the violated property that tells most of the release. The page gives the command.
TELLING = {
    "1.28.0-beta.0": "active-pod-is-popped",
    "1.28.0": "no-event-lost",
    "1.28.3": "one-element-for-each-pod",
    "1.30.14": "nothing-in-flight-nothing-retained",
    "1.31.14": "scheduled-while-in-flight",
    "1.32.0": "pending-pod-not-forgotten",
    "1.33.13": "events-are-released",
    "1.36.3": "pod-in-one-place",
}
LEAK = "events-are-released"


def _exit(**powers: int) -> QueueingHintsScope:
    """A scope with an event that a plugin waits for, so that any release may keep the event."""
    return QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, **powers)


# How a pod may stay in flight for ever, and a scope in which nothing else that is known does the same.
EXITS: tuple[tuple[str, QueueingHintsScope], ...] = (
    ("The pod is popped while it is being deleted: `ScheduleOne` skips the pod.", _exit(deletes=1, graceful=1)),
    ("The pod's scheduler name is that of no profile.", _exit(unknown_profiles=1)),
    ("The pod is updated while it is scheduled: it is popped a second time.", _exit(goroutines=2, updates=1)),
    (
        "The same in smaller steps: from 1.31 on `Pop` may come in the midst of `Update`.",
        _exit(goroutines=2, updates=1, clock=1, fine=1),
    ),
    ("The pod is deleted and created again while its attempt fails.", _exit(deletes=1, recreates=1)),
)


@frozen
class Shortest:
    """The shortest run of a release that violates a property, in some scopes."""

    # The number of actions.
    length: int
    scope: QueueingHintsScope


def _machine(release: str, scope: QueueingHintsScope) -> Any:
    rules = rules_for(QUEUEING_HINTS.rules_class, parse_release(release, QUEUEING_HINTS.minors))
    return QUEUEING_HINTS.machine(scope, rules)


@cache
def shortest(release: str) -> dict[str, Shortest]:
    """By property the shortest run over the scopes in which `validate` judges, gate on. Only what is violated."""
    found: dict[str, Shortest] = {}
    for scope in (QUEUEING_HINTS.scopes.fix, *QUEUEING_HINTS.scopes.fix_narrow):
        for result in check(_machine(release, scope), QUEUEING_HINTS.properties):
            known = found.get(result.property)
            if result.trace is not None and (known is None or result.trace.length < known.length):
                found[result.property] = Shortest(result.trace.length, scope)
    return found


def property_rows() -> list[list[str]]:
    """Of each property the length of the shortest run that violates the property, release by release."""
    return [
        [
            f"`{each.name}`",
            *(str(found.length) if (found := shortest(name).get(each.name)) else "–" for name in CHECKED),
        ]
        for each in QUEUEING_HINTS.properties
    ]


def commands() -> Iterator[str]:
    """Of each release the command that shows the run of `TELLING`."""
    for release, name in TELLING.items():
        scope = scope_text(shortest(release)[name].scope)
        yield f"kubeproof check queueing-hints --release {release} --property {name} --scope {shell_word(scope)}"


@cache
def leaks(release: str, scope: QueueingHintsScope) -> int | None:
    """The length of the shortest run after which an event is kept for ever; None if there is no such run."""
    (result,) = check(_machine(release, scope), [QUEUEING_HINTS.property_named(LEAK)])
    return None if result.trace is None else result.trace.length


def exit_rows() -> list[list[str]]:
    """Of each exit the length of the shortest run of each release that leaks there."""
    return [[says, *(str(leaks(name, scope) or "–") for name in CHECKED)] for says, scope in EXITS]
