"""Plays recordings of the search for feasible nodes, and of `selectHost`, on `model.scheduler.filtering`."""

from collections.abc import Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from kubeproof.conform.recorded_rules import rules_for
from model.go.errors import GoError
from model.go.formats import quote
from model.releases import Release
from model.scheduler.cache.node_tree import NodeTree, NodeTreeRules
from model.scheduler.filtering import (
    FilteringRules,
    FilterSetup,
    answered,
    find_nodes_that_fit_pod,
    select_host,
)
from model.scheduler.framework.calls import driven
from model.scheduler.framework.status import SUCCESS, Code, Status

# All recorded nodes are in one zone. More nodes than a cluster may have take too long to list.
_ZONE, _MOST_NODES = "", 15_000
_CODES = {"unschedulable": Code.UNSCHEDULABLE, "unresolvable": Code.UNSCHEDULABLE_AND_UNRESOLVABLE, "error": Code.ERROR}


class Config(TypedDict):
    nodes: int
    percentage: int
    profile_percentage: NotRequired[int]
    no_filter_plugin: NotRequired[bool]
    no_score_plugin: NotRequired[bool]


class Find(TypedDict):
    fail: NotRequired[dict[str, list[str]]]
    prefilter_nodes: NotRequired[list[str]]
    nominated_node: NotRequired[str]


class OfNode(TypedDict):
    node: str


class NumFeasible(TypedDict):
    nodes: int
    percentage: int
    profile_percentage: NotRequired[int]


class SelectHost(TypedDict):
    # Node and total of each node.
    scores: list[list[Any]]


class FindNodesPlayer:
    """One case: a scheduler with nodes. Each search begins where the one before has ended."""

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        "find": Find, "add_node": OfNode, "remove_node": OfNode, "num_feasible": NumFeasible, "select_host": SelectHost,
    }  # fmt: skip

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        if not 0 <= config["nodes"] <= _MOST_NODES:
            raise ValueError(f"'nodes' is not between 0 and {_MOST_NODES:,}")
        self._rules = rules_for(FilteringRules, release)
        self._trees = rules_for(NodeTreeRules, release)
        # Up to 1.17 an error takes the statuses with it, and the answer names the pod.
        self._to_1_17 = release.minor < 18
        self._has_top_scores = 27 < release.minor < 35
        self._config = config
        self._start = 0
        self._tree = NodeTree()
        for number in range(config["nodes"]):
            self._tree = self._trees.add_node(self._tree, f"n{number}", _ZONE)

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        match op["op"]:
            case "add_node":
                self._tree = self._trees.add_node(self._tree, op["node"], _ZONE)
                return {}
            case "remove_node":
                _, self._tree = self._trees.remove_node(self._tree, op["node"], _ZONE)
                return {}
            case "num_feasible":
                of_profile = op.get("profile_percentage")
                return {"result": self._rules.num_feasible_nodes_to_find(op["nodes"], op["percentage"], of_profile)}
            case "select_host":
                return self._select_host([(name, total) for name, total in op["scores"]])
            case "find":
                return self._find(op)
            case unknown:
                raise ValueError(f"'{unknown}'")

    def _select_host(self, scores: list[tuple[str, int]]) -> dict[str, Any]:
        found = select_host(self._rules, scores)
        if isinstance(found, GoError):
            return {"hosts": [], "panic" if found.panic else "error": found.text}
        top = {"top_scores": sorted((score for _, score in scores), reverse=True)[:3]} if self._has_top_scores else {}
        return {"hosts": sorted(found)} | top

    def _find(self, op: dict[str, Any]) -> dict[str, Any]:
        text = f"error while running {quote('Verdict')} filter plugin for pod {quote('p')}: no"
        reasons = {Code.ERROR: text if self._to_1_17 else f"running {quote('Verdict')} filter plugin: no"}
        answers = {
            node: Status(_CODES[kind], (reasons.get(_CODES[kind], "no"),))
            for kind, nodes in op.get("fail", {}).items()
            for node in nodes
        }
        setup = FilterSetup(
            self._rules,
            self._config["percentage"],
            self._config.get("profile_percentage"),
            not self._config.get("no_score_plugin"),
            None if self._config.get("no_filter_plugin") else lambda node: answered(answers.get(node, SUCCESS)),
        )
        nodes, self._tree = self._trees.list_nodes(self._tree)
        named = tuple(op["prefilter_nodes"]) if "prefilter_nodes" in op else None
        steps = find_nodes_that_fit_pod(setup, nodes, self._start, op.get("nominated_node", ""), named)
        found = driven(steps, lambda call: None)
        if found.error is not None and found.error.panic:
            return {"panic": found.error.text}
        self._start = found.start
        answer: dict[str, Any] = {
            "error": found.error.text if found.error else None,
            "feasible": list(found.feasible),
            "num_failed": 0 if found.error and self._to_1_17 else len(found.statuses),
            "next_start": found.start,
        }
        if setup.check is not None:
            answer["examined"] = len(found.examined)
            if found.examined:
                answer |= {"first": found.examined[0], "last": found.examined[-1]}
        return answer
