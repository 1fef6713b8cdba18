"""scheduling in TLA+ against Python: counts beyond the manifest's, every property's verdict, what is left out."""

from itertools import product

import pytest
from attrs import evolve

from kubeproof.check import manifest
from kubeproof.engines import explicit, tlc
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.question import Question
from kubeproof.verdict.result import Outcome
from kubeproof.verdict.trace import replay
from model.releases import parse_release, rules_for
from model.scheduler import extender, skip
from model.scheduler.cache import snapshot as cache_snapshot
from model.scheduler.queue import move as queue_move, scheduling_queue, update
from model.scheduler.queue.nominator import add_overriding, delete_by_uid
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope, fitting
from properties.scheduling import (
    backoff,
    cache as of_cache,
    catalogue as props,
    nominations as nominations,
    order,
    pods as of_pods,
    progress as progress,
)
from properties.tla.scheduling.operators import CONSTANTS
from properties.tla.scheduling.system import form
from tests.conftest import ROOT


def rules_of(release):
    return rules_for(SchedulingRules, parse_release(release))


REPORTED = SchedulingScope(pods=1, nodes=2, goroutines=1, extender=1, preemption=1)
SCOPE = SchedulingScope(pods=1, nodes=2, goroutines=1)
SMALL = SchedulingScope(pods=1, nodes=1, goroutines=1)


needs_java = pytest.mark.usefixtures("java")


@pytest.fixture
def java():
    try:
        find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


# --- counts ----------------------------------------------------------------------------------------------------------


def counted_alike(scope, rules):
    machine, stated = SchedulingMachine(scope, rules), form(scope, rules)
    counts = explicit.explore(machine).counts
    answer = ask(stated, Question(invariants=("TypeOK",)))
    assert answer.outcome is Outcome.HOLDS, answer.reason
    assert (answer.states, answer.generated, answer.depth) == (counts.distinct, counts.generated, counts.depth)


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("scope", "release"),
    [
        (evolve(SCOPE, pods=2, nodes=1, deletes=1, graceful=1, high=1, preemption=1), "1.19.16"),
        (evolve(SCOPE, pods=2, late_nodes=1, high=1, preemption=1), "1.13.4"),
        (evolve(SCOPE, deletes=1, recreates=1, relists=1, other_binders=1), "1.14.0"),
        (evolve(SCOPE, nodes=1, goroutines=2, updates=1, finalizers=1, resyncs=1), "1.18.20"),
        (evolve(SCOPE, lost_replies=1, bind_errors=1, listeners=1), "1.23.17"),
        (evolve(SCOPE, node_deletes=1, node_adds=1, deletes=1, updates=1), "1.29.0"),
        (evolve(SMALL, labels=2, anti_affinity=1), "1.14.0"),
        (evolve(SMALL, labels=2, anti_affinity=1, bind_errors=1), "1.27.0"),
        (evolve(SMALL, finalizers=1, deletes=1, blocked_deletes=1), "1.22.3"),
        (evolve(SMALL, big=1, node_grows=1, node_shrinks=1), "1.18.4"),
        (evolve(SMALL, nodes=2, late_nodes=1, node_grows=1, node_deletes=1), "1.13.0"),
        (evolve(SMALL, big=1, cordons=2, node_grows=1), "1.23.3"),
        (evolve(SMALL, pods=2, cordons=2, deletes=1), "1.30.0"),
        (evolve(SMALL, big=1, shrinks=1, node_grows=1), "1.27.0"),
        (evolve(SMALL, pods=3, room=2, high=2, top=1, big=1, preemption=1), "1.26.0"),
    ],
)
def test_counts(scope, release):
    counted_alike(scope, rules_of(release))


@pytest.mark.slow
@needs_java
def test_counts_where_an_update_decides_whether_a_pod_fits():
    counted_alike(evolve(SMALL, labels=1, anti_affinity=1, big=1, node_grows=1, cordons=1), rules_of("1.29.0"))


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    "other", [extender.filter_error_when_allocated, extender.filter_keeps_all, extender.filter_rejects_all]
)
def test_counts_with_other_extenders(other):
    counted_alike(evolve(REPORTED, updates=1), evolve(rules_of("1.20.0"), extender_filter=other))


def test_every_operator_is_counted():
    """Each rule that the modules have is one of some release whose states the manifest counts, or says the same."""
    counted = set()
    for entry in manifest.read_manifest(ROOT / "specs"):
        if entry.system == "scheduling":
            rules = entry.scope_and_rules()[1]
            counted |= {(each.name, each.operators.of(rules)) for each in CONSTANTS}
    # Counted in a test above, but for those that no release follows.
    above = {"AddIfListed", "FilterErrorWhenAllocated", "FilterKeepsAll", "FilterRejectsAll", "NoPodCounts"}
    said = {(each.name, operator) for each in CONSTANTS for operator in each.operators.by_rule.values()}
    assert {operator for _, operator in said - counted} <= above


# --- which victims are less harm -------------------------------------------------------------------------------------

# How many of three pods of priority 1 go, and how many of two pods of priority 0.
SOME = tuple(product(range(4), range(3)))
HARM = """---- MODULE Harm ----
EXTENDS MCScheduling
Middle == InSomeOrder(HighPods \\ TopPods)
Low == InSomeOrder(Pods \\ HighPods)
Victims(of) ==
    [i \\in 1 .. of[1] + of[2] |-> <<IF i <= of[1] THEN Middle[i] ELSE Low[i - of[1]], 1>>]
Rank(of) == CASE {ranks}
HarmsAlike ==
    \\A a, b \\in {{{some}}} : NotMore(Cost(Victims(a)), Cost(Victims(b))) <=> Rank(a) <= Rank(b)
Stays == UNCHANGED vars
====
"""


def by_number_last(priorities):
    """As if no priority were shifted."""
    return max(priorities, default=-1), sum(priorities), len(priorities)


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(("of", "reason"), [(fitting.cost, None), (by_number_last, "HarmsAlike is equal to FALSE")])
def test_the_same_victims_are_less_harm(tmp_path, of, reason):
    """Three pods of priority 1 and two of 0, before a pod of priority 2: the number counts before the priorities."""
    scope = evolve(SMALL, pods=6, high=4, top=1, preemption=1)
    costs = {some: of([1] * some[0] + [0] * some[1]) for some in SOME}
    said = {some: "<<{}, {}>>".format(*some) for some in SOME}
    ranks = " [] ".join(f"of = {said[some]} -> {sorted(costs.values()).index(cost)}" for some, cost in costs.items())
    module = tmp_path / "Harm.tla"
    module.write_text(HARM.format(ranks=ranks, some=", ".join(said.values())))
    stated = evolve(form(scope, rules_of("1.26.0")), extra_modules=(module,), next_state="Stays")
    answer = ask(stated, Question(invariants=("HarmsAlike",)))
    if reason is None:
        assert answer.outcome is Outcome.HOLDS, answer.reason
    else:
        assert reason in answer.reason


# --- properties ------------------------------------------------------------------------------------------------------


def agree(scope, rules, *wanted):
    """Both engines' results, which must be the same, shortest runs equally long; TLC's runs must replay.

    Where no run meets its premise the explicit engine leaves a property open, and TLC says that it holds.
    """
    machine = SchedulingMachine(scope, rules)
    found = tlc.check(machine, form(scope, rules), wanted)
    for ours, theirs in zip(explicit.check(machine, wanted), found, strict=True):
        if theirs.property not in form(scope, rules).properties:
            assert theirs.outcome is Outcome.NOT_APPLICABLE
            continue
        violated = ours.outcome is Outcome.VIOLATED
        assert theirs.outcome is (Outcome.VIOLATED if violated else Outcome.HOLDS), theirs
        if theirs.trace is not None:
            assert replay(machine, theirs.trace.actions, loop=theirs.trace.loop) == theirs.trace
            assert theirs.trace.loop is not None or (theirs.minimal and theirs.trace.length == ours.trace.length)
    return found


def violated_of(found):
    return {result.property for result in found if result.outcome is Outcome.VIOLATED}


def test_every_property_is_stated():
    """All but those that ask for more than the modules keep; of these TLC says that they are not applicable."""
    stated = form(REPORTED, rules_of("1.14.0"))
    unstated = {p.name for p in props.PROPERTIES} - set(stated.properties)
    assert unstated == {
        "no-needless-error", "requested-is-what-pods-ask", "preempts-if-that-makes-room", "preemptor-is-bound",
    }  # fmt: skip
    assert unstated == set(stated.unsupported)
    assert all(stated.properties[p.name].kind == p.kind for p in props.PROPERTIES if p.name not in unstated)
    machine = SchedulingMachine(REPORTED, rules_of("1.14.0"))
    wanted = [p for p in props.PROPERTIES if p.name in unstated]
    found = tlc.check(machine, stated, wanted)
    assert {result.outcome for result in found} == {Outcome.NOT_APPLICABLE}
    assert {result.property: result.reason for result in found} == stated.unsupported


@pytest.mark.slow
@needs_java
def test_the_reported_pod_stays_nominated():
    (found,) = agree(evolve(REPORTED, goroutines=2), rules_of("1.14.0"), nominations.NOMINATED_IS_PENDING)
    assert found.outcome is Outcome.VIOLATED
    assert "stays nominated" in found.explanation


@pytest.mark.slow
@needs_java
def test_a_pod_waits_for_the_plugin_of_an_attempt_before_the_last() -> None:
    scope = evolve(SMALL, pods=2, deletes=1, bind_errors=1)
    (found,) = agree(scope, rules_of("1.27.0"), backoff.REJECTED_BY_LAST)
    assert found.outcome is Outcome.VIOLATED


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.20.0", "1.30.0"])
def test_where_the_last_attempt_is_known_and_where_nobody_asks(release: str) -> None:
    scope = evolve(SMALL, pods=2, deletes=1, bind_errors=1)
    (found,) = agree(scope, rules_of(release), backoff.REJECTED_BY_LAST)
    assert found.outcome is Outcome.HOLDS


@pytest.mark.slow
@needs_java
def test_the_first_of_two_pods_is_popped() -> None:
    (found,) = agree(evolve(SMALL, pods=2, high=1), rules_of("1.30.0"), order.TAKES_THE_FIRST)
    assert found.outcome is Outcome.HOLDS


@pytest.mark.slow
@needs_java
def test_a_snapshot_whose_map_lacks_what_the_cache_has(tmp_path) -> None:
    """The rules of the releases take a snapshot anew for each cycle, and it is right. A wrong operator is not."""
    stated = form(evolve(SMALL, pods=2, nodes=2, high=1, preemption=1), rules_of("1.24.0"))
    both = Question(properties=("SnapshotMapEqualsCache", "SnapshotEqualsCache"))
    assert ask(stated, both).outcome is Outcome.HOLDS
    module = tmp_path / "smaller_nodes.tla"
    module.write_text(
        "---- MODULE smaller_nodes ----\nEXTENDS Scheduling\n"
        "Smaller(info) == [info EXCEPT !.is.room = 0]\n"
        "SmallerNodes(c) == [node \\in Listed(c.infos) |-> Smaller(c.infos[node])]\n"
        "====\n"
    )
    constants = tuple(line.replace("<- SnapshotOfNodes", "<- SmallerNodes") for line in stated.constants)
    assert constants != stated.constants
    wrong = evolve(stated, constants=constants, extra_modules=(module,), symmetry=None)
    assert ask(wrong, Question(properties=("SnapshotMapEqualsCache",))).outcome is Outcome.VIOLATED
    assert ask(wrong, Question(properties=("SnapshotEqualsCache",))).outcome is Outcome.HOLDS


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize(
    ("time", "outcome"),
    [({}, Outcome.VIOLATED), ({"clock": 1}, Outcome.VIOLATED), ({"clock": 1, "flush": 1}, Outcome.HOLDS)],
)
def test_a_pod_waits_until_the_flush_after_a_refused_binding(time, outcome):
    """Up to 1.22 ForgetPod moves nobody. TLC finds it under its own fairness."""
    (found,) = agree(evolve(SCOPE, bind_errors=1, **time), rules_of("1.22.3"), progress.FITTING_IS_BOUND)
    assert found.outcome is outcome


@pytest.mark.slow
@needs_java
@pytest.mark.parametrize("release", ["1.17.10", "1.20.0"])
def test_an_update_of_the_status_ends_a_backoff(release):
    (found,) = agree(evolve(SMALL, late_nodes=1, clock=1), rules_of(release), backoff.IN_TIME)
    assert found.outcome is Outcome.VIOLATED


@pytest.mark.slow
@needs_java
def test_a_pod_that_no_backoff_holds_back():
    """1.13 has no backoff queue."""
    (found,) = agree(evolve(SMALL, late_nodes=1, clock=1), rules_of("1.13.4"), backoff.BACKS_OFF)
    assert found.outcome is Outcome.VIOLATED


@needs_java
@pytest.mark.slow
@pytest.mark.parametrize(
    ("release", "scope", "violated"),
    [
        (
            "1.14.0",
            REPORTED,
            (of_pods.ONE_PLACE, of_pods.NO_FAILURE_OF_BOUND, of_pods.ASSUMED_NOT_SCHEDULED),
        ),
        ("1.14.0", evolve(REPORTED, nodes=1, pods=2, high=1, extender=0), (of_pods.ASSUMED_NOT_QUEUED,)),
        (
            "1.14.0",
            evolve(SCOPE, deletes=1, recreates=1, relists=1, other_binders=1),
            (of_pods.RUNS, of_pods.BINDS_ONCE),
        ),
        ("1.17.6", evolve(SCOPE, nodes=1, deletes=1, recreates=1), (of_pods.BINDS_DECIDED,)),
        ("1.22.3", evolve(SCOPE, deletes=1, recreates=1, relists=1), (of_cache.CACHE_IS_TRUE,)),
        ("1.23.3", evolve(REPORTED, nodes=1, pods=2, high=1, extender=0), (nominations.NOMINATED_NODE_NAMED,)),
        ("1.31.0", evolve(REPORTED, nodes=1, pods=2, high=1, extender=0), (nominations.NOMINATED_NODE_NAMED,)),
        ("1.24.0", evolve(SCOPE, labels=1), (of_cache.CURRENT_OBJECTS,)),
        ("1.17.6", evolve(SCOPE, pods=2, nodes=1, deletes=1), (progress.NO_EVENT_LOST, progress.NO_STARVATION)),
        ("1.20.0", evolve(SMALL, late_nodes=1, clock=1), (backoff.IN_TIME,)),
    ],
)
def test_all_properties(release, scope, violated):
    found = agree(scope, rules_of(release), *props.PROPERTIES)
    assert {p.name for p in violated} <= violated_of(found)


# --- what is left out, and what others bring -------------------------------------------------------------------------


@pytest.mark.parametrize("switch", ["expiry", "fine", "keep_snapshot"])
def test_switches_without_a_form(switch):
    assert f"{switch}=1" in form(evolve(SCOPE, **{switch: 1}), rules_of("1.24.0")).reason


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        (
            {"note_move_request": queue_move.note_by_flag},
            "begin_cycle=begin_next_cycle and note_move_request=note_by_flag",
        ),
        (
            {"queue_timestamp": scheduling_queue.no_timestamp},
            "queue_timestamp=no_timestamp and active_q_heads=only_head",
        ),
        ({"strip_pod": lambda pod: pod}, "strip_pod"),
        ({"move_pods": lambda *args: args[1]}, "move_pods"),
        ({"queue_update": update.update_nominating_anew}, "queue_update"),
    ],
)
def test_rules_without_a_form(changes, named):
    rules = rules_of("1.24.0")
    assert form(SCOPE, rules).reason is None
    assert named in form(SCOPE, evolve(rules, **changes)).reason


def test_no_form_where_a_list_may_show_that_a_bound_pod_asks_for_less():
    scope = evolve(SMALL, big=1, shrinks=1, recreates=1)
    assert form(scope, rules_of("1.31.0")).reason is None
    assert form(evolve(scope, relists=1), rules_of("1.30.0")).reason is None
    assert "asks for less" in form(evolve(scope, relists=1), rules_of("1.31.0")).reason


def test_no_form_where_a_pod_shrinks_and_its_node_keeps_the_old_request():
    scope = evolve(SMALL, big=1, shrinks=1)
    assert form(scope, rules_of("1.26.0")).reason is None
    assert "sum of its own" in form(scope, rules_of("1.25.0")).reason


def test_no_form_where_another_attempt_of_a_pod_that_shrank_may_fail():
    """Both counts would differ: the explicit engine tells 915 states in 1.31.0, TLC would tell 900."""
    scope = SchedulingScope(pods=1, big=1, nodes=1, room=2, goroutines=1, shrinks=1, deletes=1, relists=1)
    assert form(scope, rules_of("1.31.0")).reason is None
    assert "not stated for goroutines=2" in form(evolve(scope, goroutines=2), rules_of("1.31.0")).reason


def test_rules_that_say_the_same_without_time():
    rules = rules_of("1.17.0")
    other = evolve(
        rules, take_snapshot=cache_snapshot.snapshot_counting_tree_nodes, strip_pod=skip.strip_managed_fields
    )
    assert form(SCOPE, rules).constants == form(SCOPE, other).constants


@pytest.mark.slow
@needs_java
def test_fix_with_operators_of_its_own(tmp_path):
    def nominate_no_bound_pod(nominator, pod, node, lister):
        listed = lister(pod.name)
        if listed is None or listed.uid != pod.uid or listed.node_name:
            return delete_by_uid(nominator, pod)
        return add_overriding(nominator, pod, node, lister)

    rules = evolve(rules_of("1.14.0"), nominator_add=nominate_no_bound_pod)
    assert "nominate_no_bound_pod" in form(REPORTED, rules).reason
    module = tmp_path / "nominate_no_bound_pod.tla"
    module.write_text(
        "---- MODULE nominate_no_bound_pod ----\n"
        "EXTENDS Scheduling\n"
        "IsThis(pod, listed) == Uid(listed) = Uid(pod) /\\ ~Bound(listed)\n"
        "FixedNominatorAdd(nominations, pod, node, listed) ==\n"
        "    IF listed = None THEN DeleteByUid(nominations, pod)\n"
        "    ELSE IF IsThis(pod, listed) THEN AddOverriding(nominations, pod, node, listed)\n"
        "    ELSE DeleteByUid(nominations, pod)\n"
        "====\n"
    )
    machine, stated = SchedulingMachine(REPORTED, rules), form(REPORTED, rules, {"nominator_add": module})
    counts = explicit.explore(machine).counts
    assert tlc.count(stated) == (counts.distinct, counts.generated, counts.depth)
