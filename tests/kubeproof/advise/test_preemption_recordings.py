"""What real Go code answered to preemption, asked of `kubeproof preemption` about the same cluster from kubectl."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from kubeproof.advise.preemption import PreemptionAnswer, picture_of, pod_named
from kubeproof.advise.preemption.analysis import analyse
from model.releases import parse_release
from tests.conftest import DATA

BEGAN = datetime(2024, 1, 1, tzinfo=UTC)


def pod(recorded: dict[str, Any], node: str | None) -> Any:
    """A recorded pod as kubectl shows it."""
    metadata = {"name": recorded["name"], "namespace": "ns", "labels": recorded.get("labels")}
    if recorded.get("deleting"):
        metadata["deletionTimestamp"] = "2024-01-02T00:00:00Z"
    status: dict[str, Any] = {"nominatedNodeName": recorded.get("nominated")}
    if "start_ms" in recorded:
        status["startTime"] = (BEGAN + timedelta(milliseconds=recorded["start_ms"])).isoformat()
    if recorded.get("disruption_target"):
        target = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
        status["conditions"] = [target, {"type": "Ready", "status": "True"}]
    spec = {"nodeName": node, "priority": recorded.get("priority", 0)}
    if recorded.get("policy_never"):
        spec["preemptionPolicy"] = "Never"
    requests = {"cpu": f"{recorded.get('cpu_milli', 0)}m"}
    return {
        "kind": "Pod", "metadata": metadata, "status": status,
        "spec": spec | {"containers": [{"resources": {"requests": requests}}]},
    }  # fmt: skip


def asked(op: dict[str, Any], release: str) -> PreemptionAnswer:
    items = [pod(op["preemptor"], None)]
    for node in op["nodes"]:
        allocatable = {"cpu": f"{node['cpu_milli']}m", "pods": str(node.get("pods", 110))}
        items.append({"kind": "Node", "metadata": {"name": node["name"]}, "status": {"allocatable": allocatable}})
        items += [pod(each, node["name"]) for each in node["bound"]]
    for budget in op.get("pdbs", ()):
        spec = {"selector": {"matchLabels": budget["selector"]}} if "selector" in budget else {}
        status = {
            "disruptionsAllowed": budget["allowed"], "disruptedPods": dict.fromkeys(budget.get("disrupted", ()), "x"),
        }  # fmt: skip
        metadata = {"name": budget["name"], "namespace": budget.get("namespace", "ns")}
        items.append({"kind": "PodDisruptionBudget", "apiVersion": "policy/v1", "metadata": metadata, "spec": spec,
                      "status": status})  # fmt: skip
    picture = picture_of([({"kind": "List", "items": items}, "recorded")])
    return analyse(picture, pod_named(picture, f"ns/{op['preemptor']['name']}"), parse_release(release))


def has(answer: PreemptionAnswer, node: str, victims: list[str]) -> bool:
    """Whether these victims on this node are one of the answers, or pods that may stand for them."""
    for eviction in answer.evictions:
        may_go = {name for victim in eviction.victims for name in (victim.pod, *victim.instead)}
        same = eviction.node == node and len(eviction.victims) == len(victims)
        if same and {f"ns/{name}" for name in victims} <= may_go:
            return True
    return False


@pytest.mark.parametrize("release", ["1.17.10", "1.28.14", "1.31.13"])
def test_every_recorded_answer_is_given(release: str) -> None:
    preempted = 0
    for line in (DATA / f"preempt-{release}.jsonl").read_text().splitlines():
        case = json.loads(line)
        for op, observed in zip(case["ops"], case["observed"], strict=True):
            answers = observed.get("alternatives", [observed])
            if any(key.startswith("min_candidate") for key in op) or any("panic" in each for each in answers):
                continue
            answer = asked(op, release)
            if answer.outcome == "fits":
                continue
            for each in answers:
                victims = each["victims"]
                if victims:
                    assert has(answer, each["nominated"], victims), (case["case"], each, answer.evictions)
                    preempted += 1
                else:
                    assert answer.evictions == (), (case["case"], each)
    assert preempted > 2
