"""Pods with resources of their own: what the static policy of each release gives to their containers."""

import pytest
from attrs import evolve

from model.cpu.assignment.assignment import AssignmentRules
from model.cpu.policy.hints import get_pod_topology_hints, get_topology_hints
from model.cpu.policy.pod_level import exclusive_cpus
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.policy.static import PolicyTake, new_static_policy, start
from model.cpu.policy.types import EMPTY_MEMORY, PolicyConfig, PolicyRules, StaticPolicy
from model.cpu.state.state import CPUManagerState
from model.releases import EVERY_MINOR, parse_release, rules_for
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerRules, CPUManagerScope, CPUManagerSystem
from model.systems.cpu_manager.shapes import POD_LEVEL, pod_spec, scheduler_request, shapes
from tests.model.cpu.test_topology import regular

# Of the containers, two ask for whole CPUs, one for half a CPU, and one has no request.
POD = PodSpec("p", (ContainerSpec("i", "1"),), (ContainerSpec("a", "2"), ContainerSpec("b", "500m")), pod_level=True)
UNASKED = evolve(POD, app=(*POD.app, ContainerSpec("c", "0")), guaranteed=False)
BY_CONTAINERS = {"i": 1, "a": 2, "b": 0}
NOTHING = dict.fromkeys(BY_CONTAINERS, 0)


def policy_of(release: str, gate: bool) -> StaticPolicy:
    asked = parse_release(release, EVERY_MINOR)
    config = PolicyConfig(num_reserved=1, pod_level_resources=gate)
    rules = rules_for(PolicyRules, asked)
    made = new_static_policy(rules, PolicyTake(rules_for(AssignmentRules, asked)), regular(1, 1, 8, 1), config)
    assert isinstance(made, StaticPolicy)
    return made


def given(policy: StaticPolicy, pod: PodSpec) -> dict[str, int]:
    """How many CPUs `Allocate` gives to each container, where each is the first to ask."""
    begun = start(policy, CPUManagerState()).state
    found = {}
    for each in pod.containers:
        change = policy.rules.allocate(policy, begun, EMPTY_MEMORY, pod, each.name)
        assert change.error is None
        cpus = dict(change.state.assignments).get((pod.uid, each.name), frozenset())
        assert len(cpus) == exclusive_cpus(policy, pod, each.name)
        assert (change.state == begun) is (not cpus)
        found[each.name] = len(cpus)
    return found


@pytest.mark.parametrize(
    ("release", "gate", "limits", "none"),
    [
        # `GetPodQOS` looks at containers alone: that of a pod without limits in its containers is Burstable.
        *((release, gate, BY_CONTAINERS, NOTHING) for release in ("1.29.0", "1.31.13") for gate in (False, True)),
        # `ComputePodQOS` takes the pod's resources if the gate is on, and `guaranteedCPUs` the container's request.
        *((release, False, BY_CONTAINERS, NOTHING) for release in ("1.32.0", "1.33.1")),
        *((release, True, BY_CONTAINERS, BY_CONTAINERS) for release in ("1.32.0", "1.33.1")),
        # `Allocate` returns before it takes CPUs: Enabled(PodLevelResources) && IsPodLevelResourcesSet(pod).
        *((release, False, BY_CONTAINERS, NOTHING) for release in ("1.34.1", "1.35.0")),
        *((release, True, NOTHING, NOTHING) for release in ("1.34.1", "1.35.0")),
        # The same unless both gates are on, of which PodLevelResourceManagers is off.
        *(("1.36.2", gate, NOTHING, NOTHING) for gate in (False, True)),
    ],
)
def test_what_allocate_gives(release: str, gate: bool, limits: dict[str, int], none: dict[str, int]) -> None:
    """`limits`: where each container has limits that equal its requests; `none`: where no container has limits."""
    policy = policy_of(release, gate)
    assert given(policy, POD) == limits
    assert given(policy, evolve(POD, guaranteed=False)) == none
    # A pod without resources of its own is no other one than before, whatever the gate.
    assert given(policy, evolve(POD, pod_level=None)) == BY_CONTAINERS
    assert given(policy, evolve(POD, pod_level=None, guaranteed=False)) == NOTHING


def test_in_1_32_a_container_without_request_does_not_matter_to_the_class_of_the_pod() -> None:
    policy = policy_of("1.32.0", gate=True)
    assert given(policy, UNASKED) == {**BY_CONTAINERS, "c": 0}
    assert given(policy, evolve(UNASKED, pod_level=None, guaranteed=True)) == {**NOTHING, "c": 0}


@pytest.mark.parametrize("release", ["1.32.0", "1.33.1"])
def test_a_pod_whose_own_requests_differ_from_its_limits_is_burstable(release: str) -> None:
    """Even if its containers alone would make it Guaranteed."""
    assert given(policy_of(release, gate=True), evolve(POD, pod_level=False)) == NOTHING
    assert given(policy_of(release, gate=False), evolve(POD, pod_level=False)) == BY_CONTAINERS


@pytest.mark.parametrize(
    ("release", "hinted"), [("1.32.0", True), ("1.33.1", True), ("1.34.1", False), ("1.35.0", False), ("1.36.2", False)]
)
def test_hints_pass_over_the_pods_that_allocate_passes_over(release: str, hinted: bool) -> None:
    policy = policy_of(release, gate=True)
    state = start(policy, CPUManagerState()).state
    assert (get_topology_hints(policy, state, EMPTY_MEMORY, POD, "a") is not None) is hinted
    assert (get_pod_topology_hints(policy, state, EMPTY_MEMORY, POD) is not None) is hinted
    assert get_topology_hints(policy, state, EMPTY_MEMORY, POD, "b") is None


@pytest.mark.parametrize("release", ["1.34.1", "1.35.0", "1.36.2"])
def test_what_an_older_kubelet_gave_stays_until_the_container_is_removed(release: str) -> None:
    """A kubelet of 1.33 with the gate on is upgraded: `Allocate` leaves the entry alone, and so do hints."""
    old, new = policy_of("1.33.1", gate=True), policy_of(release, gate=True)
    begun = start(old, CPUManagerState()).state
    held = old.rules.allocate(old, begun, EMPTY_MEMORY, POD, "a").state
    again = new.rules.allocate(new, start(new, held).state, EMPTY_MEMORY, POD, "a")
    assert (again.state, again.stores, again.memory) == (held, (), EMPTY_MEMORY)
    assert get_topology_hints(new, held, EMPTY_MEMORY, POD, "a") is None
    assert new.rules.remove_container(new, held, EMPTY_MEMORY, "p", "a").state == begun


@pytest.mark.parametrize(
    ("release", "gate"),
    [("1.13.0", None), ("1.31.13", None), ("1.32.0", False), ("1.33.1", False), ("1.34.1", True), ("1.36.2", True)],
)
def test_the_gate_by_default(release: str, gate: bool | None) -> None:
    assert rules_for(PolicyRules, parse_release(release, EVERY_MINOR)).pod_level_gate() is gate


# --- the system ---------------------------------------------------------------------------------------------------


def machine(release: str, **bounds: int) -> CPUManagerMachine:
    scope = CPUManagerScope(cores=3, pods=1, containers=1, size=1, **bounds)
    return CPUManagerMachine(scope, rules_for(CPUManagerRules, parse_release(release, EVERY_MINOR)))


def reached(m: CPUManagerMachine) -> set[CPUManagerSystem]:
    found, todo = set(m.initial_states()), list(m.initial_states())
    while todo:
        state = todo.pop()
        for action in m.actions(state):
            after = m.step(state, action)
            if after not in found:
                found.add(after)
                todo.append(after)
    return found


@pytest.mark.parametrize(
    ("release", "gate", "exclusive"),
    [
        ("1.32.0", 0, False), ("1.32.0", 1, True), ("1.32.0", 2, False), ("1.33.1", 0, False), ("1.33.1", 1, True),
        ("1.34.1", 0, False), ("1.34.1", 1, False), ("1.34.1", 2, False), ("1.35.0", 0, False), ("1.36.2", 0, False),
        ("1.36.2", 1, False), ("1.36.2", 2, False),
    ],
)  # fmt: skip
def test_where_a_pod_with_resources_of_its_own_ever_gets_cpus(release: str, gate: int, exclusive: bool) -> None:
    states = reached(machine(release, pod_level=1, pod_level_gate=gate))
    own = [state for state in states if state.pods[0].shape == f"{POD_LEVEL}app 1"]
    assert any(pod.state == "running" for state in own for pod in state.pods[0].containers)
    assert any(state.file is not None and state.file.state.assignments for state in own) is exclusive
    # Without a violation the entry is of the container that runs on its CPU; else it runs on the shared pool.
    sizes = {len(each.cpus) for state in own for each in state.pods[0].containers if each.state == "running"}
    assert sizes == ({1} if exclusive else {3})


def test_a_release_without_the_gate_has_no_such_pods() -> None:
    plain = machine("1.31.13").steps.shapes
    assert machine("1.31.13", pod_level=1).steps.shapes == plain
    assert machine("1.32.0").steps.shapes == plain
    assert machine("1.32.0", pod_level=1).steps.shapes == (*plain, *(f"{POD_LEVEL}{shape}" for shape in plain))


def test_a_shape_of_a_pod_with_resources_of_its_own() -> None:
    own, plain = (pod_spec("p", f"{prefix}init 2, app shared") for prefix in (POD_LEVEL, ""))
    assert (own.pod_level, own.guaranteed, plain.pod_level, plain.guaranteed) == (True, False, None, True)
    assert (own.containers, scheduler_request(own)) == (plain.containers, scheduler_request(plain))
    scope = CPUManagerScope(cores=3, pods=1, containers=1, size=1, pod_level=1)
    assert len(shapes(scope, False, True)) == 2 * len(shapes(scope, False, False))
