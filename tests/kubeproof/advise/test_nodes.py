"""Can a real cluster lose a node: the report's cluster, and what is known of others."""

import json
from itertools import combinations
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings, strategies as st

from kubeproof.advise.nodes.answer import ClusterAnswer, analyse, to_json
from kubeproof.advise.nodes.cure import later_releases, zone_keys
from kubeproof.advise.nodes.kubectl_nodes import ClusterNode, ClusterNodes, read_nodes
from kubeproof.advise.nodes.rendering import render, verdict
from kubeproof.advise.nodes.runs import SNAPSHOT, Joining, after_changes, every_subset, machine_of, run
from kubeproof.advise.nodes.survey import plan_for
from model.machine import Action
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import BETA_REGION, BETA_ZONE, STABLE_ZONE
from model.systems.node_listing import NodeListing, NodeListingRules

DATA = Path(__file__).parents[2] / "data"
REPORT = read_nodes(DATA / "nodes-report.json").nodes
MA_01, MA_02, MA_03, TEST_01 = (node.name for node in REPORT)


def cluster(zones: str, label: str = BETA_ZONE) -> list[ClusterNode]:
    """Nodes n1, n2 … in zones named by one letter each; `-` is a node without a zone label."""
    return [ClusterNode(f"n{i}", {} if z == "-" else {label: z}) for i, z in enumerate(zones, 1)]


def ask(zones: str, release: str, label: str = BETA_ZONE) -> ClusterAnswer:
    return analyse(cluster(zones, label), parse_release(release))


def test_the_reports_cluster_loses_a_node_in_its_release() -> None:
    answer = analyse(REPORT, parse_release("1.18.4"))
    assert answer.can_lose
    history = answer.run
    assert history is not None
    assert history.moments == (3,)
    assert [step.action for step in history.steps] == ["add_node"] * 3 + [
        "update_snapshot",
        "add_node",
        "update_snapshot",
    ]
    assert history.list == (TEST_01, MA_01, TEST_01, MA_02)
    assert [node.name for node in history.lost] == [MA_03]
    assert history.twice == (TEST_01,)
    assert history.lost[0].back_after is None
    assert history.settled
    assert answer.moments.before_last_join is True
    assert answer.moments.after_every_join is False
    assert (answer.moments.tried, answer.moments.losing) == (8, 3)
    assert answer.moments.losing_sets[0] == (3,)


def test_the_reports_answer_in_words_says_both() -> None:
    text = render(analyse(REPORT, parse_release("1.18.4")))
    first = text.splitlines()[0]
    assert first == verdict(analyse(REPORT, parse_release("1.18.4")))
    assert first.startswith("This cluster can lose a node in Kubernetes 1.18.4: ss-stg-ma-03")
    assert "one snapshot before the last join: a node is lost" in text
    assert "a snapshot after every single join: no node is lost" in text
    assert f"[{TEST_01}, {MA_01}, {TEST_01}, {MA_02}]" in text
    assert "stays lost until a node joins or leaves" in text
    assert "not tried: nodes that left or came back" in text


@pytest.mark.parametrize("release", ["v1.18.4-tke.5", "1.18.7", "1.19.0", "1.20.0", "1.31"])
def test_releases_with_the_fix_lose_nothing(release: str) -> None:
    answer = analyse(REPORT, parse_release(release))
    assert not answer.can_lose
    assert answer.run is None
    assert answer.cures == ()
    assert answer.late_label is not None
    assert answer.late_label.losing == 0


def test_the_next_snapshot_has_the_node_again_before_1_18() -> None:
    for release in ("1.13.0", "1.16.15", "1.17.17"):
        history = analyse(REPORT, parse_release(release)).run
        assert history is not None
        assert history.lost[0].back_after == 1, release
        assert not history.lost[0].lost_again, release


def test_cures_are_the_vendors_build_and_the_first_later_release_that_loses_nothing() -> None:
    cures = analyse(REPORT, parse_release("v1.18.4-tke.4")).cures
    assert [(cure.kind, cure.release) for cure in cures] == [("vendor", "v1.18.4-tke.5"), ("upstream", "1.18.7")]
    candidates = [str(later) for later in later_releases(parse_release("1.18.4"))]
    for earlier in candidates[: candidates.index(cures[1].release)]:
        assert analyse(REPORT, parse_release(earlier)).can_lose, earlier
    assert [change.rule_field for change in cures[1].changes] == ["list_nodes"]


@pytest.mark.parametrize(("release", "cure"), [("1.19.0-rc.1", "1.19.0"), ("1.13.4", "1.18.7"), ("1.18.6", "1.18.7")])
def test_cures_of_other_releases(release: str, cure: str) -> None:
    cures = analyse(REPORT, parse_release(release)).cures
    assert [(one.kind, one.release) for one in cures] == [("upstream", cure)]


def test_labels_that_a_release_does_not_read_are_no_zones() -> None:
    assert not ask("aaab", "1.16.15", STABLE_ZONE).can_lose
    assert len(ask("aaab", "1.16.15", STABLE_ZONE).zones) == 1
    assert ask("aaab", "1.17.0", STABLE_ZONE).can_lose


@pytest.mark.parametrize("zones", ["", "a", "-", "aaaaaa", "------"])
@pytest.mark.parametrize("release", ["1.13.0", "1.17.0", "1.18.4", "1.31"])
def test_one_zone_or_no_labels_lose_nothing(zones: str, release: str) -> None:
    answer = ask(zones, release)
    assert not answer.can_lose
    assert answer.moments.losing == 0
    json.dumps(to_json(answer))
    assert render(answer).count("\n") >= (1 if zones else 0)


def test_an_empty_cluster_says_so() -> None:
    assert render(ask("", "1.18.4")) == "No nodes, nothing can be lost in Kubernetes 1.18.4."


def test_nodes_without_labels_are_a_zone_of_their_own() -> None:
    answer = ask("aaa-", "1.18.4")
    assert [(zone.key, zone.nodes) for zone in answer.zones] == [(":\x00:a", 3), ("", 1)]
    assert answer.can_lose
    assert "no zone label: 1 node" in render(answer)


def test_a_late_label_loses_a_node_of_a_single_zone_but_is_told_apart() -> None:
    answer = ask("aaaa", "1.18.4")
    assert not answer.can_lose
    assert answer.late_label is not None
    history = answer.late_label.run
    assert history is not None
    assert answer.late_label.node == "n4"
    assert [node.name for node in history.lost] == ["n3"]
    assert "update_node" in [step.action for step in history.steps]
    assert [cure.release for cure in answer.cures] == ["v1.18.4-tke.5", "1.18.7"]
    assert "if the cloud provider labels n4 only after its join, n3 can be lost" in render(answer)


@pytest.mark.parametrize("release", ["1.17.0", "1.18.4"])
@given(zones=st.text("ab-", min_size=1, max_size=6))
@settings(max_examples=40, deadline=None)
def test_shared_runs_find_what_separate_runs_find(release: str, zones: str) -> None:
    keyed = zone_keys(cluster(zones), parse_release(release))
    rules, joining = rules_for(NodeListingRules, parse_release(release)), Joining(keyed)
    between = range(1, len(zones))
    separate = {
        one
        for size in range(len(zones))
        for moments in combinations(between, size)
        if (one := run(rules, joining, moments)) is not None
    }
    assert set(every_subset(rules, joining)) == separate


@pytest.mark.slow
@given(zones=st.text("abc-", min_size=1, max_size=7))
@settings(max_examples=40, deadline=None)
def test_lists_of_the_answer_are_consistent(zones: str) -> None:
    answer = ask(zones, "1.18.4")
    assert answer.can_lose == bool(answer.moments.losing) == (answer.run is not None)
    assert not ask(zones, "1.31").can_lose
    if answer.run is not None:
        lost = {node.name for node in answer.run.lost}
        assert lost == set(answer.joins) - set(answer.run.list)
        assert len(answer.run.moments) == len(answer.moments.losing_sets[0])
        assert lost


@pytest.mark.slow
def test_twelve_nodes_are_tried_at_all_moments_and_thirteen_are_not() -> None:
    twelve, thirteen = ask("a" * 8 + "b" * 4, "1.18.4"), ask("a" * 9 + "b" * 4, "1.18.4")
    assert twelve.moments.all_sets
    assert twelve.moments.tried == 2048
    assert len(twelve.moments.losing_sets) == twelve.moments.losing > 0
    assert not thirteen.moments.all_sets
    assert thirteen.moments.tried == 13
    assert thirteen.can_lose
    assert thirteen.moments.before_last_join is True
    assert thirteen.moments.after_every_join is False
    assert thirteen.late_label is None
    assert "other choices of moments may lose a node too" in render(thirteen)


def test_a_large_cluster_is_answered_with_a_bounded_plan() -> None:
    plan = plan_for(5000)
    assert (4999,) in plan.single
    assert not plan.complete
    assert plan.after_each[-1] == 4999
    answer = analyse(cluster("a" * 150 + "b" * 50), parse_release("1.18.4"), effort=10_000)
    assert answer.can_lose
    assert answer.moments.before_last_join is True
    assert answer.moments.after_every_join is None
    assert answer.moments.after_newest_joins == 25
    text = render(answer)
    assert "after every single join: not tried" in text
    assert "addNode: 150 nodes join, (no region)/a: n1 … n150" in text


def test_json_and_yaml_of_one_cluster_give_one_answer_that_is_plain_json() -> None:
    answers = [
        analyse(read_nodes(DATA / f"nodes-report.{kind}").nodes, parse_release("1.18.4")) for kind in ("json", "yaml")
    ]
    assert answers[0] == answers[1]
    document = to_json(answers[0])
    assert json.loads(json.dumps(document)) == document
    assert document["can_lose"] is True
    assert document["history"]["lost"] == [{"name": MA_03, "back_after": None, "lost_again": False}]
    assert document["late_label"]["history"] is None or document["late_label"]["history"]["lost"]


def test_notes_of_the_reader_and_the_vendors_line_are_shown() -> None:
    text = render(analyse(ClusterNodes(REPORT, ("a note",)), parse_release("v1.18.4-tke.4")))
    assert "Note: a note" in text
    assert "Judged as upstream 1.18.4" in text


joins = st.lists(
    st.builds(
        lambda node, zone: Action.of("add_node", node=node, zone=zone),
        st.sampled_from("abcdefgh"),
        st.sampled_from(["", "z1", "z2", "z3"]),
    ),
    max_size=8,
)


@pytest.mark.slow
@given(joins, joins, st.sampled_from(["1.17.10", "1.18.4", "1.31.14"]))
def test_joins_taken_together_are_the_joins_one_by_one(first: list[Action], then: list[Action], release: str) -> None:
    machine = machine_of(rules_for(NodeListingRules, parse_release(release)))
    state = NodeListing()
    for join in first:
        state = machine.step(state, join)
    state = machine.step(state, SNAPSHOT)
    one_by_one = state
    for join in then:
        one_by_one = machine.step(one_by_one, join)
    assert after_changes(machine, state, then) == one_by_one


@pytest.mark.slow
def test_a_large_cluster_takes_little_time() -> None:
    """3,000 nodes took 6 s of CPU when each join was a step of its own."""
    nodes = [ClusterNode(f"n{i}", {BETA_REGION: "r", BETA_ZONE: f"z{i % 3}"}) for i in range(3000)]
    started = process_time()
    analyse(nodes, parse_release("1.17.10"))
    assert process_time() - started < 3
