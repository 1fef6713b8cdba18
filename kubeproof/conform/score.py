"""Plays recordings of `prioritizeNodes` on `model.scheduler.scoring`."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, NotRequired, TypedDict

from kubeproof.conform.operations import Bare
from kubeproof.conform.recorded_rules import rules_for
from model.go.errors import GoError
from model.releases import Release
from model.scheduler.framework.status import Code, Status
from model.scheduler.scoring import (
    Normalize,
    PrioritizeExtender,
    ScorePlugin,
    ScoringRules,
    default_normalize_score,
    prioritize_nodes,
)

_PRE_SCORE = {"success": Code.SUCCESS, "skip": Code.SKIP, "error": Code.ERROR, "unschedulable": Code.UNSCHEDULABLE}


class Plugin(TypedDict):
    name: str
    weight: int
    raw: dict[str, int]
    normalize: NotRequired[Literal["default", "reverse", "error"]]
    error_node: NotRequired[str]
    prescore: NotRequired[Literal["success", "skip", "error", "unschedulable"]]


class Extender(TypedDict):
    name: str
    weight: int
    scores: dict[str, int]
    prioritize_error: NotRequired[bool]
    not_interested: NotRequired[bool]


class Prioritize(TypedDict):
    nodes: list[str]
    plugins: list[Plugin]
    extenders: NotRequired[list[Extender]]


def _normalize(kind: str | None) -> Normalize | None:
    if kind is None:
        return None
    return (lambda scores: "normalize error") if kind == "error" else default_normalize_score(kind == "reverse")


def _plugin(recorded: dict[str, Any]) -> ScorePlugin:
    raw: dict[str, int | str] = dict(recorded["raw"])
    if "error_node" in recorded:
        raw[recorded["error_node"]] = "score error"
    kind = recorded.get("prescore")
    prescore = None if kind is None else Status(_PRE_SCORE[kind], (f"prescore {kind}",))
    # A configured weight of 0 means the default.
    return ScorePlugin(recorded["name"], recorded["weight"] or 1, raw, _normalize(recorded.get("normalize")), prescore)


class ScorePlayer:
    """One case: the operations do not depend on one another."""

    CONFIG: ClassVar[type] = Bare
    OPERATIONS: ClassVar[Mapping[str, type]] = {"prioritize": Prioritize}

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(ScoringRules, release)
        # From 1.27 on the answer has each plugin's share of the total.
        self._has_parts = release.minor > 26

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        extenders = op.get("extenders", [])
        found = prioritize_nodes(
            self._rules,
            "p",
            op["nodes"],
            [_plugin(each) for each in op["plugins"]],
            [
                PrioritizeExtender(each["name"], each["weight"], each["scores"])
                for each in extenders
                if not each.get("prioritize_error") and not each.get("not_interested")
            ],
            bool(extenders),
        )
        if isinstance(found, GoError):
            return {"error": found.text}
        rows = [
            [node.name, node.total, [list(part) for part in node.parts]] if self._has_parts else [node.name, node.total]
            for node in found
        ]
        return {"error": None, "scores": rows}
