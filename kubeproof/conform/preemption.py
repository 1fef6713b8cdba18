"""Plays recordings of preemption on `model.scheduler.preemption`.

Preemption on one node, the choice among candidates, and all of it over a small cluster.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model.go.errors import GoError
from model.objects import NAMESPACE
from model.releases import Release
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.preemption.candidates import select_candidate
from model.scheduler.preemption.objects import (
    Budgets,
    PodDisruptionBudget,
    PreemptionNode,
    PreemptionPod,
    RunFilters,
    Victims,
)
from model.scheduler.preemption.preempt import CLEAR, MinCandidates, Preempted, PreemptionRules, preempt
from model.scheduler.preemption.victims import select_victims_on_node, with_nominated_pods

# What a recorded node has that says nothing of these.
_CPU_MILLI, _PODS = 1_000_000, 110


class Pod(TypedDict):
    name: str
    priority: NotRequired[int]
    cpu_milli: NotRequired[int]
    labels: NotRequired[dict[str, str]]
    start_ms: NotRequired[int]
    deleting: NotRequired[bool]
    disruption_target: NotRequired[bool]
    nominated: NotRequired[str]
    policy_never: NotRequired[bool]


class Node(TypedDict):
    name: str
    cpu_milli: NotRequired[int]
    pods: NotRequired[int]


class NodeWithPods(Node):
    bound: list[Pod]


class Budget(TypedDict):
    name: str
    namespace: NotRequired[str]
    selector: NotRequired[dict[str, str]]
    allowed: int
    disrupted: NotRequired[list[str]]


class SelectVictims(TypedDict):
    preemptor: Pod
    node: Node
    pods: list[Pod]
    nominated: NotRequired[list[Pod]]
    pdbs: NotRequired[list[Budget]]
    anti_label: NotRequired[str]
    need_label: NotRequired[str]


class Candidate(TypedDict):
    node: str
    num_pdb_violations: int
    victims: list[Pod]


class SelectCandidate(TypedDict):
    candidates: list[Candidate]


class Preempt(TypedDict):
    preemptor: Pod
    nodes: list[NodeWithPods]
    pdbs: NotRequired[list[Budget]]
    min_candidate_nodes_percentage: NotRequired[int]
    min_candidate_nodes_absolute: NotRequired[int]


def _pod(recorded: dict[str, Any]) -> PreemptionPod:
    return PreemptionPod(
        recorded["name"],
        recorded.get("priority", 0),
        recorded.get("cpu_milli", 0),
        tuple(sorted(recorded.get("labels", {}).items())),
        recorded.get("start_ms"),
        recorded.get("deleting", False),
        recorded.get("disruption_target", False),
        recorded.get("nominated", ""),
        recorded.get("policy_never", False),
    )


def _node(recorded: dict[str, Any], pods: list[dict[str, Any]]) -> PreemptionNode:
    found = tuple(_pod(pod) for pod in pods)
    if len({pod.name for pod in found}) != len(found):
        raise ValueError(f"two pods of one name on node '{recorded['name']}'")
    cpu_milli, allowed = recorded.get("cpu_milli", _CPU_MILLI), recorded.get("pods", _PODS)
    return PreemptionNode(recorded["name"], cpu_milli, allowed, found)


def _budgets(recorded: list[dict[str, Any]]) -> Budgets:
    return tuple(
        PodDisruptionBudget(
            each["name"],
            each.get("namespace", NAMESPACE),
            tuple(sorted(each["selector"].items())) if "selector" in each else None,
            each["allowed"],
            frozenset(each.get("disrupted", ())),
        )
        for each in recorded
    )


def _filters(fits: RunFilters, op: dict[str, Any]) -> RunFilters:
    """NodeResourcesFit, and after it the filter that looks at the label `x` of the pods on the node."""
    forbidden, needed = op.get("anti_label"), op.get("need_label")

    def run(pod: PreemptionPod, node: PreemptionNode) -> Status:
        status = fits(pod, node)
        if not status.ok:
            return status
        labels = {label for each in node.pods for label in each.labels}
        if forbidden is not None and ("x", forbidden) in labels:
            return Status(Code.UNSCHEDULABLE, ("a pod on the node has the forbidden label",))
        if needed is not None and ("x", needed) not in labels:
            return Status(Code.UNSCHEDULABLE, ("no pod on the node has the needed label",))
        return SUCCESS

    return run


class PreemptionVictimsPlayer:
    """One case: the operations do not depend on one another."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"select_victims": SelectVictims}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(PreemptionRules, release)
        # Up to 1.20 the answer is whether the pod fits, and no status.
        self._has_status = release.minor > 20

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        nominated = tuple(_pod(pod) for pod in op.get("nominated", ()))
        found = select_victims_on_node(
            self._rules,
            with_nominated_pods(_filters(self._rules.fits_node, op), nominated),
            _pod(op["preemptor"]),
            _node(op["node"], op["pods"]),
            _budgets(op.get("pdbs", [])),
        )
        victims = found if isinstance(found, Victims) else Victims((), 0)
        answer: dict[str, Any] = {
            "victims": [pod.name for pod in victims.pods],
            "num_pdb_violations": victims.num_pdb_violations,
        }
        status = found if isinstance(found, Status) else SUCCESS
        if self._has_status:
            return answer | {"code": str(status.code), "message": status.message}
        return answer | {"fits": status.ok}


class PreemptionNodePlayer:
    """One case: the operations do not depend on one another. Several answers are `alternatives`, as in recordings."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"select_candidate": SelectCandidate}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(PreemptionRules, release)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        candidates = {
            each["node"]: Victims(tuple(_pod(pod) for pod in each["victims"]), each["num_pdb_violations"])
            for each in op["candidates"]
        }
        picked = select_candidate(self._rules, candidates)
        if isinstance(picked, GoError):
            return {"panic": [picked.text]}
        if not picked:
            return {"chosen": None}
        if len(picked) > 1:
            return {"alternatives": sorted(picked)}
        return {"chosen": picked[0], "victims": [pod.name for pod in candidates[picked[0]].pods]}


class PreemptPlayer:
    """One case: the operations do not depend on one another. Several answers are `alternatives`, as in recordings."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"preempt": Preempt}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(PreemptionRules, release)
        # Up to 1.18 the answer is a node and pods, and no status.
        self._has_status = release.minor > 18

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        preemptor = _pod(op["preemptor"])
        nodes = tuple(_node(node, node["bound"]) for node in op["nodes"])
        answers = {node.name: self._rules.fits_node(preemptor, node) for node in nodes}
        statuses = {name: status for name, status in answers.items() if not status.ok}
        default = MinCandidates()
        enough = MinCandidates(
            op.get("min_candidate_nodes_percentage", default.percentage),
            op.get("min_candidate_nodes_absolute", default.absolute),
        )
        budgets = _budgets(op.get("pdbs", []))
        found = [
            self._observed(preemptor, answer)
            for answer in preempt(self._rules, self._rules.fits_node, preemptor, nodes, statuses, budgets, enough)
        ]
        return found[0] if len(found) == 1 else {"alternatives": found}

    def _observed(self, preemptor: PreemptionPod, answer: Preempted | GoError) -> dict[str, Any]:
        if isinstance(answer, GoError):
            return {"panic": answer.text}
        status = answer.status
        victims = list(answer.victims)
        if self._has_status:
            nominated = {"nominated": answer.nominated, "victims": victims}
            return {"code": str(status.code), "message": status.message} | nominated
        cleared = [preemptor.name] if answer.nominated == CLEAR else []
        error = status.message if status.code is Code.ERROR else None
        nominated = {"nominated": answer.nominated or None, "victims": victims}
        return {"error": error, "clear_nomination_of": cleared} | nominated

    def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
        """Whether the model has all recorded answers and no other, in any order."""
        recorded, modelled = (answer.get("alternatives", [answer]) for answer in (expected, got))
        return all(each in modelled for each in recorded) and all(each in recorded for each in modelled)
