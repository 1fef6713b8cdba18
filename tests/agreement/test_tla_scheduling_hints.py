"""scheduling from 1.32 on, where pods are in flight, in TLA+ against Python."""

import pytest
from attrs import evolve

from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.question import Question
from kubeproof.engines.tlc.traces import to_trace
from kubeproof.verdict.result import Outcome
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.scheduler.eventhandlers import move_when_no_longer_nominated
from model.scheduler.hint_functions import queue_if_node_fits
from model.scheduler.told_rules import cache_alone
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from properties.scheduling import catalogue as props, pods as of_pods, progress
from properties.tla.scheduling.system import form
from tests.agreement.test_tla_scheduling import SCOPE, SMALL, agree, counted_alike, java, needs_java, violated_of

assert java  # the fixture of `needs_java`


def rules_of(release: str) -> SchedulingRules:
    return rules_for(SchedulingRules, parse_release(release, EVERY_MINOR))


REPORTED = SchedulingScope(pods=1, nodes=2, goroutines=1, extender=1, preemption=1)
PREEMPTS = evolve(SMALL, pods=2, high=1, preemption=1)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(("scope", "release"), [(PREEMPTS, "1.36.0")])
def test_counts(scope: SchedulingScope, release: str) -> None:
    counted_alike(scope, rules_of(release))


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "release"),
    [
        (evolve(SMALL, labels=2, finalizers=1, updates=1, resyncs=1), "1.32.0"),
        (evolve(SMALL, lost_replies=1, bind_errors=1), "1.32.0"),
        (evolve(SMALL, deletes=1, relists=1, graceful=1), "1.33.0"),
        (evolve(SMALL, deletes=1, relists=1, graceful=1), "1.36.0"),
        (evolve(REPORTED, updates=1), "1.34.0"),
        (evolve(SCOPE, late_nodes=1, node_deletes=1, updates=1), "1.34.0"),
        (evolve(SCOPE, deletes=1, recreates=1, relists=1, other_binders=1), "1.32.0"),
        (evolve(SCOPE, deletes=1, recreates=1, relists=1, other_binders=1), "1.36.0"),
        (evolve(SMALL, pods=2, deletes=1, cordons=2), "1.32.0"),
        (evolve(SMALL, labels=2, anti_affinity=1, bind_errors=1), "1.35.0"),
        (evolve(SMALL, labels=1, anti_affinity=1, big=1, node_grows=1, cordons=1), "1.36.0"),
        (evolve(SMALL, big=1, node_grows=1, node_shrinks=1), "1.33.0"),
        (evolve(SMALL, finalizers=1, deletes=1, blocked_deletes=1), "1.34.8"),
        (evolve(SMALL, big=1, shrinks=1, bind_errors=1), "1.36.0"),
        (evolve(SMALL, pods=2, big=1, shrinks=1, node_grows=1), "1.33.0"),
        (evolve(PREEMPTS, deletes=1, graceful=1), "1.33.0"),
        (evolve(PREEMPTS, deletes=1, graceful=1), "1.35.0"),
        (evolve(SMALL, updates=1, listeners=1, deletes=1, lost_replies=1), "1.36.0"),
        # A failed pod that another scheduler has bound is done at the end of the failure's handler.
        *((evolve(SMALL, updates=1, other_binders=1, bind_errors=1), release) for release in ("1.32.0", "1.36.0")),
        (evolve(SMALL, pods=2, room=2, labels=1, heartbeats=1), "1.34.0"),
        # A backoff by attempts, through a window, by failures; a pod with an error stays in the backoff queue.
        *(
            (evolve(SMALL, pods=2, bind_errors=1, clock=1, flush=1), release)
            for release in ("1.32.0", "1.33.0", "1.36.0")
        ),
        (evolve(PREEMPTS, clock=1), "1.33.0"),
    ],
)
def test_counts_of_each_power(scope: SchedulingScope, release: str) -> None:
    counted_alike(scope, rules_of(release))


SEEN = """---- MODULE Seen ----
EXTENDS MCSchedulingWithHints
KeepsNoEvent == \\A i \\in DOMAIN queue.events : queue.events[i].event.is # "{event}"
====
"""


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("event", "scope"),
    [
        ("NodeAllocatableChange", evolve(SMALL, node_grows=1)),
        ("UnschedulablePodLabelChange", evolve(SMALL, labels=1)),
    ],
)
def test_an_event_that_is_kept_is_read(tmp_path, event: str, scope: SchedulingScope) -> None:
    """The machine takes the steps of the run, and reaches its states, with the objects of the event."""
    rules = rules_of("1.34.0")
    module = tmp_path / "Seen.tla"
    module.write_text(SEEN.format(event=event))
    stated = evolve(form(scope, rules), extra_modules=(module,), symmetry=None)
    answer = ask(stated, Question(invariants=("KeepsNoEvent",)))
    assert answer.outcome is Outcome.VIOLATED
    machine = SchedulingMachine(scope, rules)
    trace = to_trace(machine, [stated.decode(variables) for variables in answer.variables], None, frozenset())
    assert len(trace.steps[-1].state.queue.in_flight_events) > 1


# --- properties ------------------------------------------------------------------------------------------------------


def test_every_property_is_stated() -> None:
    stated = form(REPORTED, rules_of("1.36.0"))
    assert {p.name for p in props.PROPERTIES} == {*stated.properties, *stated.unsupported}


@pytest.mark.slow
@needs_java
def test_a_pod_that_goes_back_is_in_one_place() -> None:
    (found,) = agree(evolve(SMALL, updates=1), rules_of("1.32.0"), of_pods.ONE_PLACE)
    assert found.outcome is Outcome.HOLDS


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.32.0", "1.34.0", "1.36.0"])
@pytest.mark.parametrize(
    "scope",
    [
        REPORTED,
        PREEMPTS,
        evolve(SMALL, pods=2, deletes=1),
        evolve(SMALL, updates=1, bind_errors=1),
        evolve(SMALL, labels=2, anti_affinity=1),
        evolve(SMALL, late_nodes=1, bind_errors=1, clock=1, flush=1),
    ],
)
def test_all_properties(release: str, scope: SchedulingScope) -> None:
    found = agree(scope, rules_of(release), *props.PROPERTIES)
    if scope.anti_affinity and release != "1.36.0":
        # The pod's own labels are no event that its plugin asks for, up to 1.35.
        assert progress.NO_EVENT_LOST.name in violated_of(found)


# --- what is left out ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("switch", ["expiry", "fine", "keep_snapshot"])
def test_powers_without_a_form(switch: str) -> None:
    scope = evolve(SMALL, **{switch: 1})
    assert f"{switch}=1" in str(form(scope, rules_of("1.36.0")).reason)


@pytest.mark.parametrize(
    ("field", "rule"),
    [
        ("node_deleted", cache_alone),
        ("fit_after_node", queue_if_node_fits),
        ("fit_events", lambda: ()),
        ("discard_popped", lambda queue, uid: False),
    ],
)
def test_rules_without_a_form(field: str, rule: object) -> None:
    rules = evolve(rules_of("1.36.0"), **{field: rule})
    assert field in str(form(SMALL, rules).reason)


@needs_java
@pytest.mark.slow
def test_a_later_release_s_move_in_an_older_one() -> None:
    """A rule of 1.33 on, in the place of that of 1.31: the queue without hints moves pods of the priority or less."""
    rules = evolve(rules_of("1.31.0"), moves_of_renomination=move_when_no_longer_nominated)
    counted_alike(evolve(PREEMPTS, deletes=1), rules)
