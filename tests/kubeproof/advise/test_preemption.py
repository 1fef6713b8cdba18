"""Whom a pod evicts in a release, and whether that is needless: the answers of `kubeproof preemption`."""

import json
from typing import Any

import pytest

from kubeproof.advise.preemption import exit_status, render
from kubeproof.advise.preemption.cluster import ClusterRules, cluster_of
from kubeproof.cli import app, run
from model.releases import EVERY_MINOR, known_release, rules_for
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.preemption_lists import ask, budget, going, node, picture, pod, says, waiting

Captured = pytest.CaptureFixture[str]
CLUSTER = DATA / "preemption-cluster.json"
CHECKOUT = "shop/checkout-84c5d7f9bb-k5wxz"
TWO = (node("n1"), node("n2"))
# Two pods of one budget, and an older one without: 1.17 evicts the two, since its count does not go down.
SHARED = (
    node(cpu="4"),
    pod("old", "n1", cpu="2", at=1, labels={}),
    pod("b1", "n1", at=2),
    pod("b2", "n1", at=3),
    budget(allowed=1),
    waiting(),
)


def command(*args: str) -> int:
    return run(lambda: app(["preemption", *args], prog_name="kubeproof", standalone_mode=False))


def test_a_pod_that_fits_evicts_nobody() -> None:
    answer = ask(*TWO, pod("v", "n1", cpu="2"), waiting())
    assert (answer.outcome, exit_status(answer), answer.evictions) == ("fits", 0, ())
    assert render(answer).startswith("web/p evicts nobody: it fits on n2.")


def test_the_least_important_node_is_chosen() -> None:
    answer = ask(*TWO, pod("v", "n1", cpu="2", priority=5), pod("w", "n2", cpu="2", priority=4), waiting())
    assert (answer.outcome, exit_status(answer), going(answer)) == ("preempts", 0, {"n2": [["w"]]})


def test_all_answers_among_equals_are_given() -> None:
    answer = ask(*TWO, pod("v", "n1", cpu="2"), pod("w", "n2", cpu="2"), waiting())
    assert going(answer) == {"n1": [["v"]], "n2": [["w"]]}
    # Of equally important pods of one node any may go: the larger one, or the two smaller ones.
    full = (node(cpu="4"), pod("big", "n1", cpu="2"), pod("s1", "n1"), pod("s2", "n1"))
    answer = ask(*full, waiting(), release="1.19.0")
    assert sorted(map(sorted, going(answer)["n1"])) == [["big"], ["s1", "s2"]]
    assert [bool(eviction.needless) for eviction in answer.evictions] == [len(each) > 1 for each in going(answer)["n1"]]
    assert exit_status(answer) == 1


def test_the_count_of_violations_depends_on_the_order_of_equals() -> None:
    # The budget allows one: the first of its pods, in whatever order, counts as no violation.
    full = (node(cpu="5"), pod("a", "n1", "2"), pod("b", "n1", "2"), pod("c", "n1", "1"), budget(1), waiting("4"))
    answer = ask(*full)
    assert {tuple(sorted(each)) for each in going(answer)["n1"]} == {("a", "b")}
    assert sorted((each.counted_violations, each.violations) for each in answer.evictions) == [(1, 1), (2, 1)]


def test_pods_of_one_kind_stand_for_each_other() -> None:
    answer = ask(node(), pod("v", "n1"), pod("w", "n1"), waiting(cpu="1"))
    (eviction,) = answer.evictions
    assert sorted([eviction.victims[0].pod, *eviction.victims[0].instead]) == ["web/v", "web/w"]


@pytest.mark.parametrize(("release", "goes"), [("1.14.10", ["new", "old"]), ("1.15.3", ["new"])])
def test_up_to_1_14_any_pod_of_the_lowest_priority_may_go(release: str, goes: list[str]) -> None:
    answer = ask(node(), pod("old", "n1", at=1), pod("new", "n1", at=2), waiting(cpu="1"), release=release)
    assert sorted(each[0] for each in going(answer)["n1"]) == goes


@pytest.mark.parametrize(("release", "goes", "status"), [("1.17.10", ["b1", "b2"], 1), ("1.18.0", ["old"], 0)])
def test_1_17_does_not_count_what_the_victims_take_of_a_budget(release: str, goes: list[str], status: int) -> None:
    answer = ask(*SHARED, release=release)
    assert (going(answer), exit_status(answer)) == ({"n1": [goes]}, status)
    (eviction,) = answer.evictions
    assert eviction.counted_violations == 0
    assert [(each.budget, each.allowed, each.too_many) for each in eviction.broken] == [("web/b", 1, 1)] * status
    assert answer.less_harm is not None
    assert [victim.pod for victim in answer.less_harm.victims] == ["web/old"]


def test_the_bug_behind_a_needless_eviction_is_named() -> None:
    (bug,) = ask(*SHARED, release="1.17.10").bugs
    assert (bug.bug, bug.cured_in, bug.reproduce) == (
        "PREEMPT-PDB-COUNT",
        "1.18.0",
        "kubeproof reproduce PREEMPT-PDB-COUNT",
    )
    assert ask(*SHARED, release="1.18.0").bugs == ()
    # The list of victims begins with the pod that the budget protects, and not with the most important one.
    other = {"app": "b"}
    full = (
        *TWO,
        pod("low", "n1", priority=1),
        pod("high", "n1", priority=5, labels=other),
        pod("middle", "n2", "2", priority=3),
        budget(),
        waiting(),
    )
    answer = ask(*full, release="1.31.2")
    assert going(answer) == {"n1": [["low", "high"]]}
    assert answer.evictions[0].needless == "a pod of priority 5 goes, where pods up to priority 3 would do"
    assert [(bug.bug, bug.cured_in) for bug in answer.bugs] == [("PREEMPT-VICTIM-ORDER", "1.31.3")]
    assert answer.notes[0] == "1.36.3, the newest release that is modelled, evicts nobody needlessly here"
    assert "PREEMPT-VICTIM-ORDER: Preemption deletes" in render(answer)
    assert going(ask(*full, release="1.31.3")) == {"n2": [["middle"]]}


def test_a_greedy_choice_that_every_release_makes_is_no_bug() -> None:
    full = (node(cpu="4"), pod("big", "n1", cpu="2", at=1), pod("s1", "n1", at=2), pod("s2", "n1", at=3), waiting())
    answer = ask(*full, release="1.28.0")
    assert (going(answer), answer.bugs) == ({"n1": [["s1", "s2"]]}, ())
    assert answer.evictions[0].needless == "2 pods go, where 1 would do"
    assert "1.36.3, the newest release that is modelled, may evict needlessly here too" in answer.notes


def test_an_empty_selector_of_policy_v1_protects_and_the_scheduler_does_not_see_it() -> None:
    everything = budget(selector={})
    full = (*TWO, pod("v", "n1", cpu="2"), pod("w", "n2", cpu="2", metadata={"namespace": "dev"}), waiting())
    answer = ask(*full, everything)
    assert {each.node: (each.counted_violations, each.violations) for each in answer.evictions} == {
        "n1": (0, 1), "n2": (0, 0)}  # fmt: skip
    assert exit_status(answer) == 1
    assert "(PREEMPT-PDB-EMPTY-SELECTOR)" in " ".join(answer.notes)
    assert [(bug.bug, bug.cured_in) for bug in answer.bugs] == [("PREEMPT-PDB-EMPTY-SELECTOR", None)]
    # In policy/v1beta1 it selects nothing, and neither does a missing one.
    for nothing in (budget(selector={}, version="policy/v1beta1"), budget(selector=None)):
        assert exit_status(ask(*full, nothing)) == 0
    # A pod without labels is of no budget, the scheduler says.
    unlabelled = (node(), pod("v", "n1", cpu="2", labels={}), waiting())
    absent = budget(selector={"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]})
    (eviction,) = ask(*unlabelled, absent).evictions
    assert (eviction.counted_violations, eviction.violations) == (0, 1)


@pytest.mark.parametrize(
    "free",
    [
        {"status": {"conditions": [{"type": "Ready", "status": "False"}]}},
        {"status": {"conditions": [{"type": "PodScheduled", "status": "True"}]}},
        {"metadata": {"deletionTimestamp": "2024-01-02T00:00:00Z"}},
    ],
)
def test_a_budget_loses_nothing_by_a_pod_that_is_not_healthy(free: Any) -> None:
    (eviction,) = ask(node(), pod("v", "n1", cpu="2", **free), budget(), waiting()).evictions
    assert (eviction.counted_violations, eviction.violations) == (1, 0)


def test_a_pod_that_the_budget_counts_as_disrupted_is_free() -> None:
    disrupted = budget(disruptedPods={"v": "2024-01-02T00:00:00Z"})
    (eviction,) = ask(node(), pod("v", "n1", cpu="2"), disrupted, waiting()).evictions
    assert (eviction.counted_violations, eviction.violations) == (0, 0)
    (eviction,) = ask(node(), pod("v", "n1", cpu="2"), disrupted, waiting(), release="1.18.20").evictions
    assert (eviction.counted_violations, eviction.violations) == (1, 0)


def test_who_may_not_preempt() -> None:
    full = (node(), pod("v", "n1", cpu="2"))
    answer = ask(*full, waiting(preemptionPolicy="Never"))
    assert (answer.outcome, exit_status(answer)) == ("not-eligible", 0)
    assert "preemptionPolicy=Never" in render(answer)
    policy = {minor: ask(*full, waiting(preemptionPolicy="Never"), release=f"1.{minor}") for minor in (14, 15, 18, 19)}
    assert [policy[minor].outcome for minor in policy] == ["preempts", "not-eligible", "not-eligible", "not-eligible"]
    assert [any("preemptionPolicy" in note for note in policy[minor].notes) for minor in policy] == [True] * 3 + [False]
    never = {"kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7, "preemptionPolicy": "Never"}
    assert ask(*full, never, waiting(priorityClassName="c")).outcome == "not-eligible"
    # A victim still leaves the nominated node. From 1.27 on only one of a preemption counts.
    leaving = (node(), pod("v", "n1", cpu="2", metadata={"deletionTimestamp": "2024-01-02T00:00:00Z"}))
    nominated = waiting(status={"nominatedNodeName": "n1"})
    assert ask(*leaving, nominated, release="1.26.0").outcome == "not-eligible"
    assert ask(*leaving, nominated, release="1.27.0").outcome == "preempts"
    target = {"conditions": [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]}
    leaving[1]["status"] |= target
    assert ask(*leaving, nominated, release="1.27.0").outcome == "not-eligible"
    gated = waiting(schedulingGates=[{"name": "g"}])
    assert [ask(*full, gated, release=f"1.{minor}").outcome for minor in (26, 27)] == ["preempts", "not-tried"]


def test_priorities_come_from_classes_where_the_pod_does_not_say() -> None:
    high = {"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 50}
    wants = waiting(priority=None, priorityClassName="high")
    answer = ask(node(), pod("v", "n1", cpu="2"), high, wants)
    assert (answer.priority, answer.outcome) == (50, "preempts")
    critical = waiting(priority=None, priorityClassName="system-node-critical")
    assert ask(node(), pod("v", "n1", cpu="2"), critical).priority == 2_000_001_000


def test_nodes_that_never_fit_and_nodes_that_are_too_small() -> None:
    taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["3"]}]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    nodes = (
        node("cordoned", unschedulable=True, labels={"pool": "x", "size": "4"}),
        node("tainted", taints=[taint], labels={"pool": "x", "size": "4"}),
        node("other", labels={"pool": "y", "size": "4"}),
        node("low", labels={"pool": "x", "size": "3"}),
        node("small", cpu="1", labels={"pool": "x", "size": "4"}),
        node("good", labels={"pool": "x", "size": "4"}),
    )
    bound = [pod(f"v{each['metadata']['name']}", each["metadata"]["name"]) for each in nodes]
    wants: Any = {"nodeSelector": {"pool": "x"}, "affinity": affinity}
    answer = ask(*nodes, *bound, waiting(**wants))
    never = dict.fromkeys(("cordoned", "tainted", "other", "low"), "never")
    assert says(answer) == never | {"small": "too-small", "good": "candidate"}
    reasons = {each.node: each.reasons for each in answer.nodes}
    assert reasons["tainted"] == ("the taint gpu=yes:NoSchedule",)
    assert going(answer) == {"good": [["vgood"]]}
    tolerations = [
        {"key": "gpu", "operator": "Exists"},
        {"key": "node.kubernetes.io/unschedulable", "operator": "Exists"},
    ]
    tolerant = ask(*nodes, *bound, waiting(**wants, tolerations=tolerations))
    assert {each for each, word in says(tolerant).items() if word == "never"} == {"other", "low"}


@pytest.mark.parametrize("resource", ["memory", "ephemeral-storage", "nvidia.com/gpu", "pods"])
def test_every_resource_decides(resource: str) -> None:
    amount = {"pods": "2"}.get(resource, "2")
    big = node(cpu="100")
    big["status"]["allocatable"] |= {"pods": "10", resource: amount}
    asked = {} if resource == "pods" else {resource: "1"}
    bound = [pod(f"v{at}", "n1", cpu="0", at=at) for at in (1, 2)]
    wants = waiting(cpu="0")
    for each in (*bound, wants):
        each["spec"]["containers"][0]["resources"]["requests"] |= asked
    answer = ask(big, *bound, wants)
    assert going(answer) == {"n1": [["v2"]]}


@pytest.mark.parametrize(
    ("wants", "also", "what"),
    [
        ({"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}]}, {}, "its volumes"),
        ({"topologySpreadConstraints": [{"whenUnsatisfiable": "DoNotSchedule"}]}, {},
         "its topology spread constraints"),
        ({"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [{}]}}}, {},
         "its pod affinity"),
        ({"containers": [{"resources": {"requests": {"cpu": "2"}}, "ports": [{"hostPort": 80}]}]},
         {"containers": [{"resources": {"requests": {"cpu": "2"}}, "ports": [{"hostPort": 80}]}]},
         "the host ports of web/v"),
        ({}, {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
            {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "host"}]}}}, "the anti-affinity of web/v"),
    ],
)  # fmt: skip
def test_what_is_not_judged_is_named(wants: Any, also: Any, what: str) -> None:
    answer = ask(node(labels={"host": "n1"}), pod("v", "n1", cpu="2", **also), waiting(**wants))
    assert (says(answer), answer.nodes[0].reasons) == ({"n1": "not-judged"}, (what,))
    assert (answer.outcome, exit_status(answer)) == ("depends", 3)
    assert "on n1 more decides than these files say" in " ".join(render(answer).split())


def test_an_answer_beside_nodes_that_are_not_judged_is_no_answer() -> None:
    port = [{"resources": {"requests": {"cpu": "2"}}, "ports": [{"hostPort": 80}]}]
    full = (*TWO, pod("v", "n1", containers=port), pod("w", "n2", cpu="2"), waiting(containers=port))
    answer = ask(*full)
    assert (says(answer), going(answer)) == ({"n1": "not-judged", "n2": "candidate"}, {"n2": [["w"]]})
    assert exit_status(answer) == 3
    assert render(answer).startswith("Unless the node that is not judged comes first: web/p evicts 1 pod on n2.")


def test_ports_and_anti_affinity_of_others_decide_nowhere_else() -> None:
    port = [{"resources": {"requests": {"cpu": "2"}}, "ports": [{"hostPort": 80}]}]
    term = {"labelSelector": {"matchLabels": {"app": "other"}}, "topologyKey": "host"}
    shy = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    answer = ask(node(labels={"host": "n1"}), pod("v", "n1", cpu="2", affinity=shy), waiting(containers=port))
    assert (says(answer), exit_status(answer)) == ({"n1": "candidate"}, 0)


def test_where_nobody_can_make_room_nobody_goes() -> None:
    answer = ask(node(cpu="1"), pod("v", "n1"), waiting())
    assert (answer.outcome, exit_status(answer), says(answer)) == ("no-candidate", 0, {"n1": "too-small"})
    assert render(answer).startswith("web/p evicts nobody: on no node would that make room.")


def test_a_nominated_pod_keeps_its_room() -> None:
    other = pod("q", cpu="1", priority=200, status={"nominatedNodeName": "n1"})
    answer = ask(node(cpu="3"), pod("v", "n1", cpu="1"), waiting(), other)
    assert going(answer) == {"n1": [["v"]]}
    assert ask(node(cpu="3"), pod("v", "n1", cpu="1"), waiting(), pod("q", priority=200)).outcome == "fits"


def test_every_release_lists_every_node() -> None:
    nodes = [node(f"n{at}", labels={"topology.kubernetes.io/zone": f"z{at % 3}"}) for at in range(7)]
    read = picture(*nodes, waiting())
    for minor in EVERY_MINOR:
        release = known_release(f"1.{minor}")
        assert rules_for(ClusterRules, release) is not None
        listed = [each.name for each in cluster_of(read, read.pods[0], release).nodes]
        assert sorted(listed) == [f"n{at}" for at in range(7)], release


def test_the_example_of_the_readme(capsys: Captured) -> None:
    assert command(str(CLUSTER), "--pod", CHECKOUT, "--release", "1.17.10") == 1
    shown = capsys.readouterr().out
    assert shown in (ROOT / "docs/your-cluster.md").read_text()
    assert command(str(CLUSTER), "--pod", CHECKOUT, "--release", "1.18.0") == 0
    assert "evicts 1 pod on ip-10-0-1-21, and no other" in capsys.readouterr().out


def test_json_has_the_whole_answer(capsys: Captured) -> None:
    assert command(str(CLUSTER), "--pod", CHECKOUT, "--release", "1.17.10", "--json") == 1
    answer = json.loads(capsys.readouterr().out)
    assert sorted(answer) == [
        "bugs", "evictions", "files", "judged_as", "less_harm", "looked_at", "nodes", "notes", "outcome", "pod",
        "priority", "release", "requests", "undecided", "why_not",
    ]  # fmt: skip
    assert answer["evictions"][0]["broken"] == [{"budget": "shop/search", "allowed": 1, "too_many": 1}]
    assert answer["less_harm"]["proved"] is True


def test_what_two_schedulers_do_not_know_of_each_other_is_said() -> None:
    """#130429. Whether the two are profiles of one process, no file of a cluster tells."""
    others = {"schedulerName": "batch"}
    answer = ask(*TWO, pod("v", "n1", cpu="2", **others), pod("w", "n2", cpu="2", priority=20), waiting())
    assert going(answer) == {"n1": [["v"]]}
    assert any("web/v is of another scheduler than web/p" in note for note in answer.notes)
    assert any("TWO-SCHEDULERS-PREEMPT" in note for note in answer.notes)
    answer = ask(*TWO, pod("v", status={"nominatedNodeName": "n1"}, **others), waiting())
    assert any("web/v, which names another scheduler than web/p, is nominated" in note for note in answer.notes)
    assert not any("another scheduler" in note for note in ask(*TWO, pod("v", "n1", cpu="2"), waiting()).notes)
