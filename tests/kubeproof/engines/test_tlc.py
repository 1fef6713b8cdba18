"""The TLC engine on node-listing: verdicts, traces, refusals, and what goes wrong around Java."""

import time

import psutil
import pytest

from kubeproof.engines import explicit, tlc
from kubeproof.engines.tlc.engine import ask
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.engines.tlc.question import Question, cfg_text
from kubeproof.engines.tlc.traces import DisagreementError, explain_lasso, to_trace
from kubeproof.systems.node_listing import NODE_LISTING
from kubeproof.verdict.result import Outcome, Strength
from kubeproof.verdict.trace import replay
from model.scheduler.cache import node_tree
from model.scheduler.cache.node_list import update_snapshot_every_cycle, update_snapshot_on_node_change
from model.systems.node_listing import NodeListingMachine, NodeListingScope
from properties.node_listing import listing as props
from properties.property import Liveness
from properties.tla.node_listing.system import form
from tests.conftest import node_listing_rules

SCOPE = NodeListingScope(nodes=3, zones=2)
RESUMING = node_listing_rules(
    list_nodes=node_tree.list_from_resuming_cursors, update_snapshot=update_snapshot_on_node_change
)
ONE_PER_ZONE = node_listing_rules(list_nodes=props.list_one_per_zone)
STATELESS = node_listing_rules(update_snapshot=update_snapshot_every_cycle)


@pytest.fixture
def java():
    try:
        return find_java(), find_jar()
    except MissingError as error:
        pytest.skip(str(error))


def checked(rules, *wanted, scope=SCOPE, **options):
    return tlc.check(NodeListingMachine(scope, rules), form(scope, rules), wanted, **options)


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_shortest_counterexample():
    machine = NodeListingMachine(SCOPE, RESUMING)
    (found,) = checked(RESUMING, props.LISTED_EXACTLY_ONCE)
    (shortest,) = explicit.check(machine, [props.LISTED_EXACTLY_ONCE])
    assert found.outcome is Outcome.VIOLATED
    assert found.minimal
    assert found.trace.length == found.depth == shortest.trace.length
    assert replay(machine, found.trace.actions) == found.trace
    assert "missing from the scheduler's node list" in found.explanation


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_step_invariant_is_violated_where_each_cycle_lists():
    rules = node_listing_rules(
        list_nodes=node_tree.list_from_resuming_cursors, update_snapshot=update_snapshot_every_cycle
    )
    (found,) = checked(rules, props.RELISTED_SAME_NODES)
    (shortest,) = explicit.check(NodeListingMachine(SCOPE, rules), [props.RELISTED_SAME_NODES])
    assert (found.outcome, found.trace.length) == (Outcome.VIOLATED, shortest.trace.length)


@pytest.mark.slow
@pytest.mark.usefixtures("java")
@pytest.mark.parametrize(
    ("wanted", "rules", "scope"),
    [
        # One node of a zone is listed: two nodes are enough for a lasso.
        (props.OFFERED_WHEN_QUIET, ONE_PER_ZONE, NodeListingScope(nodes=2, zones=1)),
        (props.OFFERED_WHEN_QUIET, RESUMING, SCOPE),
        (props.OFFERED_UNDER_CHURN, RESUMING, SCOPE),
    ],
)
def test_liveness_violated_by_a_lasso(wanted, rules, scope):
    machine = NodeListingMachine(scope, rules)
    (found,) = checked(rules, wanted, scope=scope)
    assert found.outcome is Outcome.VIOLATED
    assert replay(machine, found.trace.actions, loop=found.trace.loop) == found.trace
    cycle = found.trace.steps[found.trace.loop + 1 :]
    assert "update_snapshot" in {step.action.name for step in cycle}
    assert explain_lasso(machine, found.trace, wanted) == found.explanation


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_what_holds_is_exhaustive():
    scope = NodeListingScope(nodes=2, zones=2)
    wanted = (props.LISTED_EXACTLY_ONCE, props.RELISTED_SAME_NODES, props.OFFERED_UNDER_CHURN)
    results = checked(STATELESS, *wanted, scope=scope)
    assert [result.property for result in results] == [p.name for p in wanted]
    for result in results:
        assert result.outcome is Outcome.HOLDS, result
        assert result.claim.strength is Strength.EXHAUSTIVE
        assert ("symmetry" in result.claim.details) == (
            form(scope, STATELESS).properties[result.property].kind == "invariant"
        )


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_mutant_breaks_the_length():
    (found,) = checked(ONE_PER_ZONE, props.LIST_LENGTH)
    assert (found.outcome, found.trace.length) == (Outcome.VIOLATED, 3)


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_fix_with_operators_of_its_own(tmp_path):
    def list_nodes(tree):
        return tuple(reversed(tree.names())), tree

    rules = node_listing_rules(list_nodes=list_nodes)
    scope = NodeListingScope(nodes=2, zones=2)
    module = tmp_path / "reversed_fix.tla"
    body = (
        "RECURSIVE Names(_)\n"
        "Names(arrays) == IF arrays = <<>> THEN <<>> ELSE Names(Tail(arrays)) \\o Back(Head(arrays).nodes)\n"
        "ListNodes(t) == [names |-> Names(t.tree), tree |-> t]\n"
    )
    back = "Back(seq) == [i \\in DOMAIN seq |-> seq[Len(seq) + 1 - i]]\n"
    module.write_text(f"---- MODULE reversed_fix ----\nEXTENDS NodeTree\n{back}{body}====\n")
    machine, stated = NodeListingMachine(scope, rules), form(scope, rules, {"list_nodes": module})
    (result,) = tlc.check(machine, stated, [props.LISTED_EXACTLY_ONCE])
    assert result.outcome is Outcome.HOLDS, result
    counts = explicit.explore(machine).counts
    assert tlc.count(stated) == (counts.distinct, counts.generated, counts.depth)
    # An operator that says something else than the Python rule is found out by its trace.
    module.write_text(
        "---- MODULE reversed_fix ----\nEXTENDS NodeTree\nListNodes(t) == [names |-> <<>>, tree |-> t]\n====\n"
    )
    with pytest.raises(DisagreementError):
        tlc.check(machine, stated, [props.LISTED_EXACTLY_ONCE])


def test_a_rule_without_operator_is_not_applicable():
    def list_nodes(tree):
        return tree.names(), tree

    (result,) = checked(node_listing_rules(list_nodes=list_nodes), props.LISTED_EXACTLY_ONCE)
    assert result.outcome is Outcome.NOT_APPLICABLE
    assert "list_nodes" in result.reason


@pytest.mark.parametrize("bad", [{"symmetry": True}, {"constraint": "Small"}])
def test_temporal_properties_refuse_what_makes_tlc_lie(bad):
    with pytest.raises(ValueError, match="TLC"):
        Question(properties=("OfferedAgainWhenQuiet",), fair=True, **bad)


def test_symmetry_needs_a_symmetric_form(tmp_path):
    def list_nodes(tree):
        return tree.names(), tree

    asymmetric = form(SCOPE, node_listing_rules(list_nodes=list_nodes), {"list_nodes": tmp_path / "any.tla"})
    with pytest.raises(ValueError, match="no symmetry"):
        cfg_text(asymmetric, Question(symmetry=True))


def test_no_java(monkeypatch, tmp_path):
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (result,) = checked(RESUMING, props.LISTED_EXACTLY_ONCE)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "no Java" in result.reason


def test_no_jar(monkeypatch, tmp_path):
    monkeypatch.setenv("TLA2TOOLS_JAR", str(tmp_path / "none.jar"))
    with pytest.raises(MissingError, match="TLA2TOOLS_JAR"):
        find_jar()


@pytest.fixture
def fake_java(monkeypatch, tmp_path):
    """A function that makes JAVA_HOME's java a shell script."""

    def make(script):
        (tmp_path / "bin").mkdir()
        java = tmp_path / "bin" / "java"
        java.write_text(f"#!/bin/sh\n{script}\n")
        java.chmod(0o755)
        jar = tmp_path / "tla2tools.jar"
        jar.touch()
        monkeypatch.setenv("JAVA_HOME", str(tmp_path))
        monkeypatch.setenv("TLA2TOOLS_JAR", str(jar))

    return make


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("kill -9 $$", "killed by SIGKILL"),
        ("echo 'java.lang.OutOfMemoryError: Java heap space' >&2; exit 1", "ran out of memory"),
        ("echo 'Unrecognized option' >&2; exit 1", "Unrecognized option"),
        ("exit 0", "exit 0 and no verdict"),
    ],
)
def test_java_that_fails(fake_java, script, reason):
    fake_java(script)
    (result,) = checked(RESUMING, props.LISTED_EXACTLY_ONCE)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert reason in result.reason


@pytest.mark.slow
def test_timeout_kills_the_whole_group(fake_java, tmp_path):
    pid = tmp_path / "pid"
    fake_java(f"sleep 60 & echo $! > '{pid}'; wait")
    (result,) = checked(RESUMING, props.LISTED_EXACTLY_ONCE, timeout=1.0)
    assert result.outcome is Outcome.INCONCLUSIVE
    assert "stopped after 1 s" in result.reason
    child = int(pid.read_text())
    assert _ends(child)


def _ends(process: int) -> bool:
    """Whether the process is gone, or dead and not yet reaped, within two seconds."""
    for _ in range(100):
        try:
            if psutil.Process(process).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


def test_states_of_another_model_are_a_disagreement():
    machine = NodeListingMachine(SCOPE, RESUMING)
    (initial,) = machine.initial_states()
    first = next(iter(machine.actions(initial)))
    after = machine.step(initial, first)
    assert to_trace(machine, [initial, after], None, frozenset()).actions == (first,)
    with pytest.raises(DisagreementError):
        to_trace(machine, [after], None, frozenset())
    with pytest.raises(DisagreementError):
        to_trace(machine, [initial, initial], None, frozenset())
    # A snapshot after the node joined changes something, so a run that stutters there for ever is not fair.
    with pytest.raises(DisagreementError, match="not fair"):
        to_trace(machine, [initial, after], 1, frozenset({"update_snapshot"}))


def test_liveness_without_the_violation_is_a_disagreement():
    machine = NodeListingMachine(SCOPE, RESUMING)
    (initial,) = machine.initial_states()
    trace = to_trace(machine, [initial], 0, frozenset({"update_snapshot"}))
    assert isinstance(props.OFFERED_UNDER_CHURN, Liveness)
    with pytest.raises(DisagreementError):
        explain_lasso(machine, trace, props.OFFERED_UNDER_CHURN)


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_deadlock_option_is_the_right_way_round():
    scope = NodeListingScope(nodes=2, zones=2)
    assert ask(NODE_LISTING.tla_form(scope, STATELESS, {}), Question(), check_deadlock=True).outcome is Outcome.HOLDS
