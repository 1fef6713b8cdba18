"""Plays recordings of `static_policy` (Go: policy_static.go, policy_options.go) on `model.cpu.policy.static`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar, NotRequired, TypedDict

from attrs import evolve, frozen

from kubeproof.conform.operations import Assigned, Bare, Topology, machine
from kubeproof.conform.recorded_rules import rules_for
from model.cpu.assignment.assignment import AssignmentRules, Hang
from model.cpu.cpuset import printed, to_string
from model.cpu.policy import allocate as policy_allocate
from model.cpu.policy.allocate import get_available_cpus, get_available_physical_cpus
from model.cpu.policy.choices import allocations, new_policies, validations
from model.cpu.policy.hints import Hints, get_pod_topology_hints, get_topology_hints
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.static import PolicyTake, new_static_policy, reserved_cpus_alone, reserved_physical_cpus
from model.cpu.policy.types import EMPTY_MEMORY, Change, PolicyConfig, PolicyMemory, PolicyRules, Problem, StaticPolicy
from model.cpu.state.state import CPUManagerState, get_cpu_set, sorted_assignments
from model.cpu.topology import CPUTopology
from model.go.errors import GoError
from model.releases import Release
from properties.forms import Forms


class RecordedContainer(TypedDict):
    name: str
    cpu: str
    restartable: NotRequired[bool]


class RecordedPod(TypedDict):
    qos: str
    init: list[RecordedContainer]
    app: list[RecordedContainer]


class Configured(TypedDict):
    num_reserved: NotRequired[int]
    reserved_cpus: NotRequired[str]
    options: NotRequired[dict[str, str]]


class Config(Configured):
    topology: Topology
    pods: dict[str, RecordedPod]
    feature_gates: NotRequired[dict[str, bool]]
    topology_manager_policy: NotRequired[str]
    state: NotRequired[Assigned]


class Restart(Configured):
    topology: NotRequired[Topology]


class OfPod(TypedDict):
    pod: str


class OfContainer(OfPod):
    container: str


class Allocate(OfContainer):
    hint: NotRequired[list[int]]


Entry = dict[str, Any]


@frozen
class Kubelet:
    """The machine, the configuration and the state of one case at one moment."""

    topology: CPUTopology
    config: PolicyConfig
    state: CPUManagerState = CPUManagerState()
    memory: PolicyMemory = EMPTY_MEMORY
    # None while no policy runs.
    policy: StaticPolicy | None = None
    # Whether the policy is in an endless loop.
    hung: bool = False


Outcome = tuple[Entry, Kubelet]

# Up to 1.17 the keys of the state are container ids, and there are no CPUs to reuse.
BY_ID = Forms(
    "allocate",
    dict.fromkeys([policy_allocate.add_container_by_id, policy_allocate.add_container_removing_init], True)
    | dict.fromkeys([policy_allocate.allocate_returning_init_cpus, policy_allocate.allocate], False),
)
# Recordings of 1.22 and 1.23 have GetAllocatableCPUs itself, and no other CPUs.
ALLOCATABLE_ALONE = Forms(
    "allocatable_cpus",
    dict.fromkeys([policy_allocate.allocatable_cpus_not_reported, policy_allocate.allocatable_cpus], False)
    | {policy_allocate.allocatable_cpus_free_now: True},
)
# Whether the policy knows the reserved CPUs' cores.
KNOWS_PHYSICAL = Forms("reserved_physical_cpus", {reserved_cpus_alone: False, reserved_physical_cpus: True})


class StaticPolicyPlayer:
    """One case: a kubelet's policy on the recorded machine, under the rules of the recorded release.

    Raises KeyError, TypeError or ValueError for a config that cannot be read.
    """

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        **dict.fromkeys(("new", "start", "available"), Bare),
        "restart": Restart,
        "set_state": Assigned,
        "allocate": Allocate,
        **dict.fromkeys(("remove", "hints"), OfContainer),
        "pod_hints": OfPod,
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        self._rules = rules_for(PolicyRules, release)
        self._take = PolicyTake(rules_for(AssignmentRules, release))
        self._by_id = BY_ID.of(self._rules)
        self._pods = {uid: _pod(uid, spec) for uid, spec in config["pods"].items()}
        gates_off = frozenset(name for name, on in config.get("feature_gates", {}).items() if not on)
        topology_manager_policy = config.get("topology_manager_policy", "none")
        started_with = PolicyConfig(gates_off=gates_off, topology_manager_policy=topology_manager_policy)
        kubelet = Kubelet(_topology(config), _configured(started_with, config))
        if "state" in config:
            kubelet = evolve(kubelet, state=self._state(config["state"]))
        self._kubelet = self._before = kubelet

    def play(self, op: Entry) -> Entry:
        self._before = self._kubelet
        entry, self._kubelet = self._outcomes(self._before, op, _first_only)[0]
        return entry

    def agrees(self, op: Entry, expected: Entry, got: Entry) -> bool:
        """Whether some order of the Go maps leads to the recorded entry, and to every recorded alternative."""
        recorded = dict(expected)
        alternatives = recorded.pop("alternatives", [])
        start_alternatives = recorded.pop("start_alternatives", [])
        if op["op"] == "start":
            alternatives, start_alternatives = start_alternatives, alternatives
        outcomes = self._outcomes(self._before, op, _all_of)
        texts = [entry["error"] for entry, _ in outcomes if "error" in entry]
        allowed = self.alternatives(op)
        found = [kubelet for entry, kubelet in outcomes if entry == recorded]
        if not found or any(each not in allowed for each in alternatives):
            return False
        if any(text not in texts for text in start_alternatives):
            return False
        self._kubelet = found[0]
        return True

    def alternatives(self, op: Entry) -> list[str | Entry]:
        """All possible answers to `op`, the operation played last, as recordings list alternatives."""
        found: list[str | Entry] = []
        for outcome in self._outcomes(self._before, op, _all_of):
            if (each := self._alternative(op, outcome)) not in found:
                found.append(each)
        return found

    def _alternative(self, op: Entry, outcome: Outcome) -> str | Entry:
        entry, kubelet = outcome
        if op["op"] == "allocate":
            cpus = get_cpu_set(kubelet.state, *self._key(op["pod"], op["container"]))
            return f"error: {entry.get('error')}" if cpus is None else to_string(cpus)
        return {key: entry[key] for key in ("reserved",) if key in entry} or {"error": entry.get("error")}

    def _outcomes(self, kubelet: Kubelet, op: Entry, pick: "Pick") -> list[Outcome]:
        """What may be observed after `op`, each with the kubelet after it. `pick` takes the first outcome or all."""
        match op["op"]:
            case "set_state":
                kubelet = evolve(kubelet, state=self._state(op))
                return [({"skipped": True}, kubelet) if kubelet.hung else (self._observed(kubelet), kubelet)]
            case "new" if not kubelet.hung:
                return self._new(kubelet, pick)
            case "restart" if not kubelet.hung:
                return self._restart(kubelet, op, pick)
            case "new" | "restart" | "start" | "allocate" | "remove" | "available" | "hints" | "pod_hints":
                if kubelet.hung or kubelet.policy is None:
                    return [({"skipped": True}, kubelet)]
                return self._with_policy(kubelet, kubelet.policy, op, pick)
            case unknown:
                raise ValueError(f"'{unknown}'")

    def _with_policy(self, kubelet: Kubelet, policy: StaticPolicy, op: Entry, pick: "Pick") -> list[Outcome]:
        state, memory = kubelet.state, kubelet.memory
        match op["op"]:
            case "start":
                return self._start(kubelet, policy, pick)
            case "allocate":
                return self._allocate(kubelet, policy, op, pick)
            case "remove":
                key = self._key(op["pod"], op["container"])
                return [self._changed(kubelet, self._rules.remove_container(policy, state, memory, *key))]
            case "available":
                return [(self._available(policy, state), kubelet)]
            case "hints":
                pod = self._pods[op["pod"]]
                key = self._key(op["pod"], op["container"])
                hints = get_topology_hints(policy, state, memory, pod, op["container"], key)
            case _:
                hints = get_pod_topology_hints(policy, state, memory, self._pods[op["pod"]])
        return [({"hints": _hints(hints)}, kubelet)]

    def _new(self, kubelet: Kubelet, pick: "Pick") -> list[Outcome]:
        fresh = evolve(kubelet, policy=None, memory=EMPTY_MEMORY)
        rules, take = self._rules, self._take
        made: Iterable[StaticPolicy | Problem] = pick(
            lambda: new_static_policy(rules, take, kubelet.topology, kubelet.config),
            lambda: new_policies(rules, take, kubelet.topology, kubelet.config),
        )
        outcomes: list[Outcome] = []
        for each in made:
            if isinstance(each, StaticPolicy):
                running = evolve(fresh, policy=each)
                outcomes.append(({"reserved": to_string(each.reserved)} | self._observed(running), running))
            elif isinstance(each, Hang):
                outcomes.append(({"hang": True}, evolve(fresh, hung=True)))
            else:
                outcomes.append((_problem(each) | self._observed(fresh), fresh))
        return outcomes

    def _start(self, kubelet: Kubelet, policy: StaticPolicy, pick: "Pick") -> list[Outcome]:
        changes: Iterable[Change] = pick(
            lambda: self._rules.validate_state(policy, kubelet.state), lambda: validations(policy, kubelet.state)
        )
        outcomes: list[Outcome] = []
        for change in changes:
            error = change.error
            # Recordings of 1.14 have validateState itself, since Start panics there with a fixed text.
            if isinstance(error, GoError) and not self._by_id:
                error = self._rules.report_at_start(error)
            outcomes.append(self._changed(kubelet, evolve(change, memory=kubelet.memory, error=error)))
        return outcomes

    def _restart(self, kubelet: Kubelet, op: Entry, pick: "Pick") -> list[Outcome]:
        topology = _topology(op) if "topology" in op else kubelet.topology
        kubelet = evolve(kubelet, topology=topology, config=_configured(kubelet.config, op))
        outcomes: list[Outcome] = []
        for entry, made in self._new(kubelet, pick):
            if made.policy is None:
                outcomes.append((entry | {"stage": "new"}, made))
                continue
            for started, left in self._start(made, made.policy, pick):
                stage = {"stage": "start"} if "error" in started or "panic" in started else {}
                outcomes.append(({"reserved": entry["reserved"]} | started | stage, left))
        return outcomes

    def _allocate(self, kubelet: Kubelet, policy: StaticPolicy, op: Entry, pick: "Pick") -> list[Outcome]:
        pod, container = self._pods[op["pod"]], op["container"]
        affinity = frozenset(op["hint"]) if "hint" in op else None
        given = (kubelet.state, kubelet.memory, pod, container, affinity, f"{op['pod']}/{container}")
        changes: Iterable[Change] = pick(
            lambda: self._rules.allocate(policy, *given), lambda: allocations(policy, self._take, *given)
        )
        num_cpus = {"num_cpus": self._rules.guaranteed_cpus(pod, container)}
        outcomes: list[Outcome] = []
        for change in changes:
            if isinstance(change.error, Hang):
                outcomes.append(({"hang": True} | num_cpus, evolve(kubelet, hung=True)))
            else:
                entry, left = self._changed(kubelet, change)
                outcomes.append((num_cpus | entry, left))
        return outcomes

    def _changed(self, kubelet: Kubelet, change: Change) -> Outcome:
        left = evolve(kubelet, state=change.state, memory=change.memory)
        error = {} if change.error is None else _problem(change.error)
        return error | self._observed(left), left

    def _available(self, policy: StaticPolicy, state: CPUManagerState) -> Entry:
        allocatable = self._rules.allocatable_cpus(policy, state)
        available = to_string(get_available_cpus(policy, state))
        if allocatable is None:
            return {"available": available}
        if ALLOCATABLE_ALONE.of(self._rules):
            return {"available": to_string(allocatable)}
        entry = {"available": available, "allocatable": to_string(allocatable)}
        if KNOWS_PHYSICAL.of(self._rules):
            entry["available_physical"] = to_string(get_available_physical_cpus(policy, state))
        return entry

    def _observed(self, kubelet: Kubelet) -> Entry:
        assignments: dict[str, dict[str, str]] = {}
        for key, cpus in kubelet.state.assignments:
            pod, container = self._shown(key)
            assignments.setdefault(pod, {})[container] = to_string(cpus)
        entry: Entry = {"default": to_string(kubelet.state.default), "assignments": assignments}
        if not self._by_id and kubelet.policy is not None:
            entry["reuse"] = {pod: to_string(cpus) for pod, cpus in kubelet.memory.cpus_to_reuse}
        return entry

    def _key(self, pod: str, container: str) -> tuple[str, str]:
        return ("", f"{pod}/{container}") if self._by_id else (pod, container)

    def _shown(self, key: tuple[str, str]) -> tuple[str, str]:
        if not self._by_id:
            return key
        pod, slash, container = key[1].partition("/")
        return (pod, container) if slash else ("", pod)

    def _state(self, recorded: Entry) -> CPUManagerState:
        entries = {
            self._key(pod, container): printed(cpus)
            for pod, containers in recorded["assignments"].items()
            for container, cpus in containers.items()
        }
        return CPUManagerState(printed(recorded["default"]), sorted_assignments(entries.items()))


# Takes the one answer of the first function, or all answers of the second.
Pick = Callable[[Callable[[], Any], Callable[[], Iterable[Any]]], Iterable[Any]]


def _first_only(one: Callable[[], Any], every: Callable[[], Iterable[Any]]) -> Iterable[Any]:
    return (one(),)


def _all_of(one: Callable[[], Any], every: Callable[[], Iterable[Any]]) -> Iterable[Any]:
    return every()


def _problem(error: Problem) -> Entry:
    if isinstance(error, Hang):
        return {"hang": True}
    return {"panic" if error.panic else "error": error.text}


def _hints(hints: Hints) -> list[Entry] | None:
    return None if hints is None else [{"mask": list(hint.mask), "preferred": hint.preferred} for hint in hints]


def _topology(recorded: Entry) -> CPUTopology:
    return machine(recorded["topology"])


def _configured(config: PolicyConfig, given: Entry) -> PolicyConfig:
    """`config` with the values of `given` for the fields that `given` has."""
    if "num_reserved" in given:
        config = evolve(config, num_reserved=given["num_reserved"])
    if "reserved_cpus" in given:
        config = evolve(config, reserved_cpus=printed(given["reserved_cpus"]))
    if "options" in given:
        config = evolve(config, options=tuple(sorted(given["options"].items())))
    return config


def _pod(uid: str, spec: Entry) -> PodSpec:
    init, app = (
        tuple(ContainerSpec(each["name"], each["cpu"], each.get("restartable", False)) for each in spec[kind])
        for kind in ("init", "app")
    )
    if spec["qos"] not in ("guaranteed", "burstable"):
        raise ValueError(f"qos '{spec['qos']}'")
    return PodSpec(uid, init, app, spec["qos"] == "guaranteed")
