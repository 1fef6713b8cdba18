"""Plays what the driver `scheduler` records: the real scheduler in a small world, as runs of scheduling.

An operation is an action of the system. What is observed is the state after it, as far as the driver sees it.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from attrs import evolve

from kubeproof.conform.operations import NotCovered
from kubeproof.conform.recorded_rules import rules_for
from kubeproof.players.player import CannotPlayError
from kubeproof.players.registry import PLAYERS
from kubeproof.players.scheduling import ACTIONS
from kubeproof.systems.registry import system_named
from kubeproof.systems.scheduling.system import SCHEDULING
from kubeproof.systems.system import fact_text
from model.machine import Action
from model.releases import Release, rules_for as rules_of_release
from model.scheduler.cycle import binding_clears_nomination, by_uid, never_by_uid, nomination_outlives_binding
from model.scheduler.eventhandlers import waits_for_stores
from model.scheduler.pod_handlers import PodHandlerRules
from model.which_rule import noting

Entry = dict[str, Any]

SYSTEMS_PLAYED = ("scheduling", "scheduling-cycle")
# What an action says and an operation does not: whose goroutine it is, and what Go chooses.
_NOT_SAID = frozenset({"by", "victims"})
# Actions of which an operation says the node: what others do, and where the pod goes if the driver may choose.
CHOOSES = "assume"
_OF_A_NODE = frozenset(
    {CHOOSES, "add_node", "delete_node", "cordon_node", "uncordon_node", "grow_node", "bind_elsewhere"}
)

_ENDED = {"scheduler": "its process has ended"}
# What is observed of an operation that cannot be taken; the driver also says why.
_IMPOSSIBLE = "impossible"


def operation(action: Action) -> dict[str, Any]:
    """An action of the system as an operation."""
    left_out = _NOT_SAID if action.name in _OF_A_NODE else _NOT_SAID | {"node"}
    return {"op": action.name, **{name: str(value) for name, value in action.args if name not in left_out}}


def scope_of(system: str, bounds: dict[str, int]) -> Any:
    """The scope of a config, with as many goroutines as a run may have. Raises InputError for what is no scope."""
    text = ",".join(["0", *(f"{name}={value}" for name, value in {**bounds, "goroutines": 9}.items())])
    return system_named(system).parse_scope(text)


class Config(TypedDict):
    """The world around the scheduler."""

    # scheduling, or scheduling-cycle.
    system: str
    # The bounds of the system that are not 0.
    scope: dict[str, int]
    # A Binding needs only the name of the pod, whatever UID it has: as the API server of the release does.
    binds_any_uid: bool
    # A Binding clears status.nominatedNodeName, as the API server of the release does.
    clears_nomination: NotRequired[bool]
    # The bug whose kept run the case is.
    name: NotRequired[str]


class Taken(TypedDict):
    """The arguments of an action, as texts."""

    pod: NotRequired[str]
    node: NotRequired[str]
    uid: NotRequired[str]
    order: NotRequired[str]
    # How a request goes, and for how many plugins a pod waits at Permit.
    reply: NotRequired[str]
    waits: NotRequired[str]


class SchedulerPlayer:
    """One case: a scheduler on nodes without pods."""

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = dict.fromkeys(sorted(ACTIONS), Taken)
    MINORS: ClassVar[range] = SCHEDULING.minors

    def __init__(self, release: Release, config: Entry) -> None:
        if config["system"] not in SYSTEMS_PLAYED:
            raise ValueError(f"no driver plays '{config['system']}': expected one of {', '.join(SYSTEMS_PLAYED)}")
        system = system_named(config["system"])
        honours = never_by_uid if config["binds_any_uid"] else by_uid
        clears = config.get("clears_nomination", False)
        rules = evolve(
            rules_for(system.rules_class, release),
            binding_honours_uid=honours,
            clears_nomination_of_bound=binding_clears_nomination if clears else nomination_outlives_binding,
            # The driver begins at once: it stands in for kube-scheduler around the package.
            handlers_sync_first=waits_for_stores,
        )
        # The fields of the rules that were looked up until now.
        self.looked_up: set[str] = set()
        self._machine = system.machine(scope_of(system.name, config["scope"]), noting(rules, self.looked_up.add))
        self._player = PLAYERS[system.name]
        # By the release: a fix with one handler is told apart from what two do.
        if config["scope"].get("listeners") and rules_of_release(PodHandlerRules, release).one_pod_handler():
            raise NotCovered("one handler hears of all pods, and the driver lets two of them lag")
        try:
            self._player.begin(self._machine, "", ())
        except CannotPlayError as error:
            raise NotCovered(str(error)) from None
        # The states in which the scheduler may be now: Go draws lots among nodes that are alike.
        self._states = list(self._machine.initial_states())
        # What may come of the last operation, and what was answered.
        self._outcomes: list[tuple[Entry, Any]] = []
        self._answer: Entry = {}

    def play(self, op: Entry) -> Entry:
        if _IMPOSSIBLE in self._answer:
            raise ValueError("the operation before was impossible, which ends the case")
        if self._outcomes:
            self._states = list(dict.fromkeys(state for entry, state in self._outcomes if entry == self._answer))
        found = [self._machine.step(state, action) for state in self._states for action in self._actions(state, op)]
        self._outcomes = [(self._observed(after), after) for after in found]
        self._outcomes = self._outcomes or [({_IMPOSSIBLE: True}, self._states[0])]
        self._answer = self._outcomes[0][0]
        return self._answer

    def agrees(self, op: Entry, expected: Entry, got: Entry) -> bool:
        """Whether another choice of Go leads there, or the scheduler's process ends there too."""
        seen = expected
        if "panic" in expected or "fatal" in expected:
            seen = _ENDED
        elif _IMPOSSIBLE in expected:
            seen = {_IMPOSSIBLE: True}
        agrees = any(entry == seen for entry, _ in self._outcomes)
        if agrees:
            self._answer = seen
        return agrees

    def _observed(self, after: Any) -> Entry:
        if after.crashed:
            return _ENDED
        return {subject: fact_text(fact) for subject, fact in self._player.facts(after).items()}

    def _actions(self, state: Any, op: Entry) -> Iterator[Action]:
        """The actions that `op` may be in `state`; where the pod goes may be left to Go: the node of `op` first."""
        said = {name: value for name, value in op.items() if name != "node" or op["op"] != CHOOSES}
        found = []
        for action in self._machine.actions(state):
            as_operation = operation(action)
            node = as_operation.pop("node", None) if action.name == CHOOSES else None
            if as_operation == said:
                found.append((node != op.get("node"), action))
        yield from (action for _, action in sorted(found, key=lambda each: each[0]))
