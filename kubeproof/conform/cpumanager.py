"""Plays what the driver `cpumanager` records: a kubelet around the real CPU manager, as runs of cpu-manager.

An operation is an action of the system. What is observed is the state after it, in the words of the pages, and the
error that the Go function returned.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from attrs import evolve

from kubeproof.conform.operations import NotCovered
from kubeproof.conform.recorded_rules import rules_for
from kubeproof.systems.cpu_manager import words
from kubeproof.systems.system import fact_text
from model.cpu.manager import (
    active_pods_not_terminal,
    active_pods_with_workers,
    post_stop_container_nothing,
    post_stop_container_removing,
)
from model.machine import Action
from model.releases import Release
from model.systems.cpu_manager.crash import orders
from model.systems.cpu_manager.enabled import room
from model.systems.cpu_manager.kubelet import CPUManagerRules, knows_full_pcpus
from model.systems.cpu_manager.machine import CPUManagerMachine
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.shapes import pod_spec, scheduler_request

Entry = dict[str, Any]

# How often each power may be used in a case: as often as a scope can say.
_OFTEN = 99
# The names of pods: p1 to p9.
_PODS = 9
_SHAPE = re.compile(
    r"(?:(?:init|sidecar) (?:shared|[1-9]\d?), ){0,3}app (?:shared|[1-9]\d?)(?:, app (?:shared|[1-9]\d?)){0,3}"
)
# What the kubelet does when the driver has it die, and which the driver can cut short.
_CUT_SHORT = ("allocate", "reconcile_state")
# Operations whose Go function may return an error of which every word is compared. A kubelet that does not start names
# the folder of its file.
_FAILING = ("allocate", "start_container", "remove_container")


class Config(TypedDict):
    """The machine that the kubelet finds, and what is around the package."""

    cores: int
    # CPUs of a core.
    threads: int
    # How many CPUs the kubelet reserves.
    reserved: int
    full_pcpus: bool
    # GetActivePods leaves out a pod whose admission is under way, as in 1.22.0 and 1.22.1.
    active_after_admission: bool
    # The hooks around the end of a container call RemoveContainer, as up to 1.18.3.
    removes_at_stop: bool


class Bare(TypedDict):
    """An operation without arguments."""


class Created(TypedDict):
    """A pod that is bound to the node."""

    pod: str
    # Its containers, as `init 2, app 1, app shared`.
    containers: str


class OfPod(TypedDict):
    pod: str


class OfContainer(TypedDict):
    pod: str
    container: str


class OfCPU(TypedDict):
    cpu: int


class OfPolicy(TypedDict):
    policy: str


class Crash(TypedDict):
    """The kubelet dies in the middle of an operation, after so many writes of the state file."""

    during: str
    write: int
    pod: NotRequired[str]
    container: NotRequired[str]


class CPUManagerPlayer:
    """One case: a kubelet on a machine of one socket, with the pods p1 to p9."""

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        "create_pod": Created,
        **dict.fromkeys(("complete_pod", "delete_pod"), OfPod),
        **dict.fromkeys(("allocate", "start_container", "exit_container", "remove_container"), OfContainer),
        **dict.fromkeys(("sources_ready", "reconcile_state", "stop_kubelet", "start_kubelet"), Bare),
        **dict.fromkeys(("add_core", "grow_reserved", "delete_state_file"), Bare),
        "offline_cpu": OfCPU,
        "set_policy": OfPolicy,
        "crash_kubelet": Crash,
    }

    def __init__(self, release: Release, config: Entry) -> None:
        rules = rules_for(CPUManagerRules, release)
        if config["full_pcpus"] and not knows_full_pcpus(rules):
            raise NotCovered("the option full-pcpus-only came with 1.22")
        scope = CPUManagerScope(
            cores=config["cores"], threads=config["threads"], reserved=config["reserved"],
            pods=_PODS, containers=1, size=0, jobs=1, removals=1, repolicy=1, wipes=2,
            full_pcpus=int(config["full_pcpus"]),
            exits=_OFTEN, restarts=_OFTEN, hotplug=_OFTEN, offline=_OFTEN, rereserve=_OFTEN,
        )  # fmt: skip
        active = active_pods_with_workers if config["active_after_admission"] else active_pods_not_terminal
        stopping = post_stop_container_removing if config["removes_at_stop"] else post_stop_container_nothing
        self._machine = CPUManagerMachine(scope, evolve(rules, active_pods=active, post_stop_container=stopping))
        if not self._machine.steps.allocates_at_admission:
            raise NotCovered("up to 1.17 containers get their CPUs when they start")
        # The states in which the kubelet may be now: it takes some maps in Go's order.
        self._states = list(self._machine.initial_states())
        # What may come of the last operation, and what was answered.
        self._outcomes: list[tuple[Entry, CPUManagerSystem]] = []
        self._answer: Entry = {}

    def play(self, op: Entry) -> Entry:
        if self._outcomes:
            self._keep(self._answer)
        found = [(self._observed(op, *each), each[0]) for state in self._states for each in self._after(state, op)]
        self._outcomes = found or [({"impossible": True}, self._states[0])]
        self._answer = self._outcomes[0][0]
        return self._answer

    def agrees(self, op: Entry, expected: Entry, got: Entry) -> bool:
        """Whether another order of a Go map leads there."""
        agrees = any(entry == expected for entry, _ in self._outcomes)
        if agrees:
            self._answer = expected
        return agrees

    def _keep(self, answer: Entry) -> None:
        self._states = list(dict.fromkeys(state for entry, state in self._outcomes if entry == answer))

    def _observed(self, op: Entry, after: CPUManagerSystem, error: str | None) -> Entry:
        facts = {subject: fact_text(fact) for subject, fact in words.facts(after).items()}
        failed = {} if error is None or op["op"] not in _FAILING else {"error": error}
        # Why a kubelet does not start is Go's text, with names of the machine where it is played.
        return {**facts, "kubelet": after.kubelet.phase, **failed}

    def _after(self, state: CPUManagerSystem, op: Entry) -> Iterator[tuple[CPUManagerSystem, str | None]]:
        """(state, error) of each way in which `op` may go in `state`; none if it cannot be taken there."""
        for action in self._actions(state, op):
            doing = None if action.name == "crash_kubelet" else self._machine.steps.do(state, action)
            error = None if doing is None or doing.error is None else str(doing.error)
            yield self._machine.step(state, action), error

    def _actions(self, state: CPUManagerSystem, op: Entry) -> Iterator[Action]:
        match op["op"]:
            case "create_pod":
                yield from self._creation(state, op)
            case "crash_kubelet":
                if op["during"] not in _CUT_SHORT:
                    expected = ", ".join(_CUT_SHORT)
                    raise ValueError(f"nothing is cut short during '{op['during']}': expected one of {expected}")
                for action in self._enabled(state, {**op, "op": op["during"]}):
                    yield from self._crashes(state, action, op["write"])
            case _:
                yield from self._enabled(state, op)

    def _enabled(self, state: CPUManagerSystem, op: Entry) -> Iterator[Action]:
        """Go chooses in which order pods have their turn."""
        for action in self._machine.actions(state):
            if action.name == op["op"] and all(op[name] == value for name, value in action.args if name != "pods"):
                yield action

    def _creation(self, state: CPUManagerSystem, op: Entry) -> Iterator[Action]:
        """A pod that fits what the scheduler counts. Its shape need not be one of the scope's."""
        steps, shape = self._machine.steps, op["containers"]
        if not _SHAPE.fullmatch(shape):
            raise ValueError(f"'{shape}' is not a list of containers: expected one such as `init 2, app 1, app shared`")
        fits = scheduler_request(pod_spec(op["pod"], shape)) <= room(steps, state)
        known = "sidecar" not in shape or self._machine.rules.sidecars()
        if state.pods[steps.names.index(op["pod"])].phase == "absent" and fits and known:
            yield Action.of("create_pod", pod=op["pod"], containers=shape)

    def _crashes(self, state: CPUManagerSystem, action: Action, write: int) -> Iterator[Action]:
        """Also after the last write: then all is done, and the kubelet is gone."""
        for order in orders(self._machine.steps, state, action):
            if 1 <= write <= len(self._machine.steps.do(state, action, order).stores):
                yield Action.of("crash_kubelet", during=action.name, **dict(action.args), order=order, write=write)
