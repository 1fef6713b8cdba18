"""Random runs of queueing-hints held against the steps that the proofs know: the scopes, and the comparison."""

import random

from attrs import evolve

from model.machine import Action
from model.releases import known_release, rules_for
from model.systems.queueing_hints import QueueingHintsMachine, QueueingHintsRules, QueueingHintsScope, cluster
from properties.property import Invariant
from properties.queueing_hints.catalogue import PROPERTIES
from properties.queueing_hints.view import of_interest, retained
from properties.smt.queueing_hints.timeline_steps import Environment
from properties.smt.queueing_hints.violations import FORBIDDEN
from properties.smt.queueing_hints.watched_run import Moment, facts


def rules_of(release: str) -> QueueingHintsRules:
    return rules_for(QueueingHintsRules, known_release(release))


# What users and the cluster do; the rest is informers, clock and scheduler.
OF_OTHERS = {step.name for step in cluster.STEPS} | {"resync_pod", "relist_pods"}
MOST = QueueingHintsScope(
    pods=2, plugins=1, goroutines=2, gate=1, changes=3, events=2, uninteresting=2, updates=2, tolerations=1, assigned=1,
    hint_errors=1, pre_check=1, deletes=2, recreates=1, resyncs=1, relists=1, errors=1, unknown_profiles=1, permits=1,
    gates=1, claims=1, pending=1, activations=2, bind_errors=1, lost_replies=1, graceful=1, listeners=1,
)  # fmt: skip
QUIET = QueueingHintsScope(pods=2, goroutines=2, gate=1, uninteresting=3, deletes=2, resyncs=1, relists=1, listeners=1)
ACTIVATES = QueueingHintsScope(pods=2, goroutines=2, gate=1, bind_errors=2, activations=3)
SCOPES = [
    ("1.28.0-beta.0", MOST),
    ("1.28.0-beta.0", evolve(QUIET, bind_errors=2)),
    ("1.28.0", MOST),
    ("1.28.0", evolve(MOST, recreates=0, graceful=0, unknown_profiles=0)),
    ("1.28.0", evolve(MOST, fine=1, clock=1)),
    ("1.28.0", QUIET),
    ("1.28.3", MOST),
    ("1.29.14", evolve(MOST, recreates=0)),
    ("1.28.14", evolve(QUIET, gates=1)),
    ("1.30.14", evolve(MOST, graceful=0, listeners=0)),
    ("1.30.14", evolve(QUIET, fine=1, clock=1)),
    ("1.31.0-alpha.2", evolve(MOST, fine=1, clock=1)),
    ("1.31.13", MOST),
    ("1.31.13", evolve(MOST, fine=1, clock=1, flush=1)),
    ("1.31.13", evolve(MOST, recreates=0, graceful=0, unknown_profiles=0)),
    ("1.32.0", evolve(MOST, fine=1, clock=1)),
    ("1.34.1", evolve(MOST, fine=1, clock=1)),
    ("1.36.3", MOST),
    ("1.36.3", evolve(MOST, fine=1, clock=1)),
    ("1.32.0", evolve(QUIET, fine=1, clock=1)),
    ("1.32.0", evolve(QUIET, deletes=0)),
    ("1.30.14", ACTIVATES),
    ("1.32.0", ACTIVATES),
]


def steps_taken(environment: Environment, before: Moment, after: Moment) -> str | None:
    """The name of the step that leads from the one moment to the other, or None; what is the same is named ""."""
    pods = [f"p{i + 1}#{k + 1}" for i, count in enumerate(after.state.incarnations) for k in range(count)]
    kept = before.kept_places() | after.kept_places()
    keep = sorted(kept | set(range(len(before.places), len(after.places))))
    reading = facts(after, pods, keep)
    one = before.timeline(pods, keep)
    one = evolve(one, past=lambda i: keep[i] < len(before.places))
    other = after.timeline(pods, keep)
    for step in environment.steps(reading, one):
        if step.guard is not False and step.leads(reading, one, other) is True:
            return step.name
    return None


def explained(environment: Environment, before: Moment, action: Action) -> tuple[Moment, list[str]]:
    """A moment that the action leads to, by steps of the relation: its own, then one for each event that came."""
    found = before.after(action)
    assert found, f"no list fits after {action}"
    for after in found:
        first = len(before.places) + (action.name == "pop" and after.cycle is not None)
        new = list(range(first, len(after.places)))
        chain = [after.without(new[i:]) for i in range(len(new) + 1)]
        names = [steps_taken(environment, one, other) for one, other in zip([before, *chain], chain, strict=False)]
        if all(name is not None for name in names):
            return after, [str(name) for name in names]
    raise AssertionError(f"no step for {action} from {before.state}")


def speaks_of_the_same(before: Moment, action: Action, after: Moment) -> None:
    """Where a property is broken in Python, what the proofs forbid is so."""
    pods = [f"p{i + 1}#{k + 1}" for i, count in enumerate(after.state.incarnations) for k in range(count)]
    keep = sorted(after.kept_places())
    reading, now = facts(after, pods, keep), after.timeline(pods, keep)
    for p in PROPERTIES:
        forbidden = FORBIDDEN.get(p.name)
        if forbidden is None or p.name == "one-done-for-each-pop":
            continue
        asked = p.of(after.machine)
        if isinstance(asked, Invariant):
            broken = not asked.holds(after.state)
        else:
            broken = not asked.holds(before.state, action, after.state)  # type: ignore[union-attr]
        assert not broken or forbidden(reading, now) is True, f"{p.name}: {after.state}"


def counts_the_same(moment: Moment) -> None:
    """Each running attempt was told of as many events that somebody needs as have places behind its Pop."""
    for at, goroutine in moment.goroutines():
        if not goroutine.done:
            needed = sum(of_interest(moment.machine.setup, event) for event in goroutine.events)
            assert needed == sum(place is True for place in moment.places[at + 1 :])
    assert len(retained(moment.state)) == sum(isinstance(moment.places[p], bool) for p in moment.listed)


def walk(environment: Environment, machine: QueueingHintsMachine, seed: int, length: int) -> dict[str, int]:
    """How often each step was taken in a random run."""
    chance = random.Random(seed)
    (state,) = machine.initial_states()
    moment, used = Moment(machine, state), dict[str, int]()
    for _ in range(length):
        actions = list(machine.actions(moment.state))
        if not actions:
            break
        others = [action for action in actions if action.name in OF_OTHERS]
        own = [action for action in actions if action.name not in OF_OTHERS]
        action = chance.choice(own if own and (not others or chance.random() < 0.7) else others)
        before = moment
        moment, names = explained(environment, before, action)
        speaks_of_the_same(before, action, moment)
        counts_the_same(moment)
        for name in names:
            used[name] = used.get(name, 0) + 1
    return used


def compare(release: str, scope: QueueingHintsScope, runs: int, length: int = 60) -> dict[str, int]:
    rules = rules_of(release)
    return compare_runs(QueueingHintsMachine(scope, rules), Environment(rules, scope), runs, length)


def compare_runs(machine: QueueingHintsMachine, environment: Environment, runs: int, length: int) -> dict[str, int]:
    """How often each step was taken in so many random runs."""
    used: dict[str, int] = {}
    for seed in range(runs):
        for name, times in walk(environment, machine, seed, length).items():
            used[name] = used.get(name, 0) + times
    return used
