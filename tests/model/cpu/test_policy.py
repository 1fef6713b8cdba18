"""The static policy: which CPUs are exclusive, what is stored when, how it starts, and what pods are told."""

import pytest
from attrs import evolve, fields
from hypothesis import given, strategies as st

from model.cpu.assignment.assignment import AssignmentRules, Hang
from model.cpu.policy.choices import allocations, new_policies, validations
from model.cpu.policy.hints import get_pod_topology_hints, get_topology_hints
from model.cpu.policy.pods import ContainerSpec, PodSpec, guaranteed_cpus, guaranteed_cpus_by_app_containers, quantity
from model.cpu.policy.rows import POLICY_ROWS
from model.cpu.policy.static import PolicyTake, new_static_policy, start
from model.cpu.policy.types import (
    EMPTY_MEMORY,
    Change,
    PolicyConfig,
    PolicyMemory,
    PolicyRules,
    StaticPolicy,
    TopologyHint,
)
from model.cpu.state.state import CPUManagerState, assigned_cpus
from model.cpu.topology import CPUTopology, regular
from model.go.errors import GoError
from model.releases import EVERY_MINOR, parse_release, rules_for

EIGHT = regular(1, 1, 8, 1)


def cpus(*ids: int) -> frozenset[int]:
    return frozenset(ids)


def policy_of(release: str, topology: CPUTopology = EIGHT, config: PolicyConfig | None = None) -> StaticPolicy:
    asked = parse_release(release, EVERY_MINOR)
    take = PolicyTake(rules_for(AssignmentRules, asked))
    made = new_static_policy(rules_for(PolicyRules, asked), take, topology, config or PolicyConfig(num_reserved=1))
    assert isinstance(made, StaticPolicy)
    return made


def pod_of(uid: str = "p", init: tuple[str, ...] = (), app: tuple[str, ...] = (), sidecars: str = "") -> PodSpec:
    """Init containers i0, i1 ..., those with their number in `sidecars` restartable; app containers c0, c1 ..."""
    inits = tuple(ContainerSpec(f"i{n}", cpu, str(n) in sidecars) for n, cpu in enumerate(init))
    return PodSpec(uid, inits, tuple(ContainerSpec(f"c{n}", cpu) for n, cpu in enumerate(app)))


def started(policy: StaticPolicy) -> CPUManagerState:
    change = start(policy, CPUManagerState())
    assert change.error is None
    assert change.stores == (change.state,)
    return change.state


# --- pods ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cpu", "exclusive"),
    [("2", 2), ("2000m", 2), ("1500m", 0), ("0.5", 0), ("1e1", 10), ("3.0", 3), ("2000000u", 2), ("1k", 1000),
     ("2Ki", 2048), ("1.9999", 2), ("1.9991", 2), ("1.999", 0), ("2.0001", 0), ("100m", 0)],
)  # fmt: skip
def test_whole_numbers_of_cpus_are_exclusive(cpu: str, exclusive: int) -> None:
    assert guaranteed_cpus(pod_of(app=(cpu,)), "c0") == exclusive


@pytest.mark.parametrize("text", ["", "m", "1x", "1 ", "--1", "1e", "1mm", "٣"])
def test_what_is_no_quantity_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        quantity(text)


def test_the_qos_class_decides() -> None:
    assert guaranteed_cpus(evolve(pod_of(app=("2",)), guaranteed=False), "c0") == 0
    assert guaranteed_cpus(pod_of(app=("2", "0")), "c0") == 0
    mixed = pod_of(init=("0",), app=("2",))
    assert guaranteed_cpus(mixed, "c0") == 0
    assert guaranteed_cpus_by_app_containers(mixed, "c0") == 2


# --- what is stored when ------------------------------------------------------------------------------------------

INIT_AND_APP = pod_of(init=("2",), app=("1",))


def test_allocate_stores_the_pool_then_the_entry() -> None:
    policy = policy_of("1.31")
    state = started(policy)
    change = policy.rules.allocate(policy, state, EMPTY_MEMORY, INIT_AND_APP, "i0")
    without, entered = change.stores
    assert without == CPUManagerState(cpus(0, 3, 4, 5, 6, 7))
    assert entered == CPUManagerState(cpus(0, 3, 4, 5, 6, 7), ((("p", "i0"), cpus(1, 2)),)) == change.state
    assert change.cpus_to_reuse == (("p", cpus(1, 2)),)
    app = policy.rules.allocate(policy, change.state, change.memory, INIT_AND_APP, "c0")
    assert app.state.default == change.state.default
    assert dict(app.state.assignments)[("p", "c0")] == cpus(1)
    assert app.cpus_to_reuse == (("p", cpus(2)),)


def test_init_cpus_are_in_the_pool_and_exclusive_in_1_18_0() -> None:
    policy = policy_of("1.18.3")
    state = started(policy)
    change = policy.rules.allocate(policy, state, EMPTY_MEMORY, INIT_AND_APP, "i0")
    assert [cpus(1, 2) <= each.default for each in change.stores] == [False, False, True]
    assert dict(change.state.assignments) == {("p", "i0"): cpus(1, 2)}
    assert "overlaps" in str(start(policy, change.state).error)
    assert len(policy.rules.allocate(policy, state, EMPTY_MEMORY, INIT_AND_APP, "c0").stores) == 2


def test_init_containers_are_removed_first_in_1_16() -> None:
    policy = policy_of("1.16")
    state = started(policy)
    added = policy.rules.allocate(policy, state, EMPTY_MEMORY, INIT_AND_APP, "i0", None, "id-i0")
    assert added.memory.container_id("p", "i0") == "id-i0"
    app = policy.rules.allocate(policy, added.state, added.memory, INIT_AND_APP, "c0", None, "id-c0")
    assert [len(each.default) for each in app.stores] == [6, 8, 7, 7]
    assert dict(app.state.assignments) == {("", "id-c0"): cpus(1)}
    assert app.memory.container_map == ((("p", "c0"), "id-c0"),)
    # A kubelet that was restarted in between does not know the init container's id.
    kept = policy.rules.allocate(policy, added.state, EMPTY_MEMORY, INIT_AND_APP, "c0", None, "id-c0")
    assert dict(kept.state.assignments) == {("", "id-i0"): cpus(1, 2), ("", "id-c0"): cpus(3)}


def test_init_containers_stay_removed_when_cpus_do_not_suffice_in_1_17() -> None:
    policy = policy_of("1.17")
    pod = pod_of(init=("2",), app=("9",))
    added = policy.rules.allocate(policy, started(policy), EMPTY_MEMORY, pod, "i0", None, "id-i0")
    refused = policy.rules.allocate(policy, added.state, added.memory, pod, "c0", None, "id-c0")
    assert str(refused.error) == "not enough cpus available to satisfy request"
    assert refused.state == refused.stores[-1] == started(policy)
    assert refused.memory.container_map == ()


@pytest.mark.parametrize(("release", "freed"), [("1.18.4", cpus(1, 2)), ("1.23.0", cpus(1, 2)), ("1.24.0", cpus(2))])
def test_removing_an_init_container(release: str, freed: frozenset[int]) -> None:
    policy = policy_of(release)
    shared = CPUManagerState(cpus(0, 3, 4, 5, 6, 7), ((("p", "c0"), cpus(1)), (("p", "i0"), cpus(1, 2))))
    change = policy.rules.remove_container(policy, shared, EMPTY_MEMORY, "p", "i0")
    deleted, released = change.stores
    assert deleted == CPUManagerState(shared.default, ((("p", "c0"), cpus(1)),))
    assert released == CPUManagerState(shared.default | freed, deleted.assignments) == change.state
    assert policy.rules.remove_container(policy, shared, EMPTY_MEMORY, "p", "c9") == Change(shared)


@pytest.mark.parametrize(("release", "shares"), [("1.28.14", True), ("1.29.0", False)])
def test_a_sidecars_cpus_are_reused_up_to_1_28(release: str, shares: bool) -> None:
    policy = policy_of(release)
    pod = pod_of(init=("2",), app=("2",), sidecars="0")
    sidecar = policy.rules.allocate(policy, started(policy), EMPTY_MEMORY, pod, "i0")
    app = policy.rules.allocate(policy, sidecar.state, sidecar.memory, pod, "c0")
    first, second = (cpus_ for _, cpus_ in app.state.assignments)
    assert bool(first & second) == shares


# --- start --------------------------------------------------------------------------------------------------------


def test_the_reported_error_word_for_word() -> None:
    change = start(policy_of("1.31"), CPUManagerState(cpus(0, 1, 2, 3)))
    assert str(change.error) == 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"'
    assert change == Change(CPUManagerState(cpus(0, 1, 2, 3)), error=change.error)


def test_start_panics_up_to_1_17() -> None:
    error = start(policy_of("1.17"), CPUManagerState(cpus(0))).error
    assert error == GoError("[cpumanager] - please drain node and remove policy state file", panic=True)


def test_two_containers_with_the_same_cpu_are_not_noticed() -> None:
    twice = CPUManagerState(cpus(0, 2, 3, 4, 5, 6, 7), ((("p", "c0"), cpus(1)), (("q", "c0"), cpus(1))))
    assert start(policy_of("1.31"), twice) == Change(twice)


def test_any_overlapping_container_may_be_named() -> None:
    state = CPUManagerState(EIGHT.cpus, ((("p", "c0"), cpus(1)), (("q", "c0"), cpus(2)), (("q", "c1"), cpus())))
    changes = validations(policy_of("1.31"), state)
    assert [str(each.error).split(" cpuset")[0] for each in changes] == [
        "pod: p, container: c0",
        "pod: q, container: c0",
    ]
    assert {each.state for each in changes} == {state}


def test_the_reserved_number_is_a_panic_up_to_1_17_and_listed_cpus_come_with_1_17() -> None:
    listed = PolicyConfig(num_reserved=1, reserved_cpus=cpus(5))
    assert [policy_of(release, config=listed).reserved for release in ("1.16", "1.17", "1.31")] == [
        cpus(0),
        cpus(5),
        cpus(5),
    ]
    for release, panic in (("1.16", True), ("1.17", True), ("1.18.0", False)):
        asked = parse_release(release)
        take = PolicyTake(rules_for(AssignmentRules, asked))
        made = new_static_policy(rules_for(PolicyRules, asked), take, EIGHT, PolicyConfig(num_reserved=9))
        text = "[cpumanager] unable to reserve the required amount of CPUs (size of  did not equal 9)"
        assert made == GoError(text, panic)


def test_of_several_faulty_options_or_reserved_cpus_any_is_named() -> None:
    newest = parse_release("1.31")
    rules, take = rules_for(PolicyRules, newest), PolicyTake(rules_for(AssignmentRules, newest))
    options = PolicyConfig(options=(("a", "1"), ("b", "1")))
    made = new_policies(rules, take, EIGHT, options)
    assert {str(each) for each in made} == {f'unknown CPU Manager Policy option: "{name}"' for name in "ab"}
    reserved = PolicyConfig(num_reserved=2, reserved_cpus=cpus(8, 9))
    made = new_policies(rules, take, EIGHT, reserved)
    assert {str(each).split(": ")[-1] for each in made} == {"8", "9"}


# --- what pods are told -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("release", "now"),
    [
        ("1.13", None),
        ("1.20", None),
        ("1.21", 5),
        ("1.23.0", 5),
        ("1.24.0", 5),
        ("1.24.17", 7),
        ("1.25.0", 5),
        ("1.25.6", 7),
        ("1.26", 7),
    ],
)
def test_allocatable_cpus_while_two_are_exclusive(release: str, now: int | None) -> None:
    policy = policy_of(release)
    state = CPUManagerState(EIGHT.cpus - cpus(1, 2), ((("p", "c0"), cpus(1, 2)),))
    told = policy.rules.allocatable_cpus(policy, state)
    assert (None if told is None else len(told)) == now


def test_full_cores_only() -> None:
    smt = regular(1, 1, 4, 2)
    config = PolicyConfig(num_reserved=1, reserved_cpus=cpus(0), options=(("full-pcpus-only", "true"),))
    texts = {
        release: [
            str(policy.rules.allocate(policy, started(policy), EMPTY_MEMORY, pod_of(app=(n,)), "c0").error)
            for policy in [policy_of(release, smt, config)]
            for n in ("3", "8")
        ]
        for release in ("1.26", "1.27")
    }
    odd = "SMT Alignment Error: requested 3 cpus not multiple cpus per core = 2"
    assert texts["1.26"] == [odd, "not enough cpus available to satisfy request"]
    few = "available physical CPUs = 6, requested CPUs = 8, CPUs per core = 2"
    assert texts["1.27"] == [odd, f"SMT Alignment Error: not enough free physical CPUs: {few}"]


def test_a_running_container_is_refused_again_when_no_core_is_free() -> None:
    """Issue #129078: the check comes before "already present", as a re-admission after a restart finds out."""
    smt = regular(1, 1, 2, 2)
    config = PolicyConfig(num_reserved=2, reserved_cpus=cpus(0, 2), options=(("full-pcpus-only", "true"),))
    policy, pod = policy_of("1.31", smt, config), pod_of(app=("2",))
    admitted = policy.rules.allocate(policy, started(policy), EMPTY_MEMORY, pod, "c0")
    assert admitted.error is None
    again = policy.rules.allocate(policy, admitted.state, EMPTY_MEMORY, pod, "c0")
    assert str(again.error) == "SMT Alignment Error: requested 2 cpus not multiple cpus per core = 2"


def test_hints_count_reusable_cpus_from_1_19_0_rc_3_on() -> None:
    two_nodes = regular(1, 2, 2, 1)
    pod = pod_of(init=("2",), app=("2",))
    memory = PolicyMemory((("p", cpus(2, 3)),))
    state = CPUManagerState(cpus(0, 1), ((("p", "i0"), cpus(2, 3)),))
    with_reuse = (TopologyHint((1,), True), TopologyHint((0, 1), False))
    # No hint at all is a refusal: CPU 1 is the only one free.
    for release, expected in (("1.19.0-rc.2", ()), ("1.19.0", with_reuse), ("1.15", None)):
        assert get_topology_hints(policy_of(release, two_nodes), state, memory, pod, "c0") == expected
    policy = policy_of("1.31", two_nodes)
    assert get_topology_hints(policy, state, memory, pod, "i0") == with_reuse
    assert get_topology_hints(policy, state, memory, pod_of(init=("1",), app=("2",)), "i0") == ()
    assert get_pod_topology_hints(policy, state, memory, pod) == with_reuse


def test_hints_prefer_nodes_not_sockets_from_1_19_9_on() -> None:
    # Nodes 0 and 1 on socket 0, node 2 on socket 1 and half as large: the two larger ones need no second socket.
    rows = [(cpu, cpu, 0, cpu // 2) for cpu in range(4)] + [(4, 4, 1, 2)]
    state = CPUManagerState(cpus(0, 2, 3, 4))
    preferred = {}
    for release in ("1.19.8", "1.19.9"):
        policy = policy_of(release, CPUTopology.of(rows), PolicyConfig(num_reserved=1, reserved_cpus=cpus(0)))
        hints = get_topology_hints(policy, state, EMPTY_MEMORY, pod_of(app=("3",)), "c0")
        preferred[release] = [hint.mask for hint in hints or () if hint.preferred]
    assert preferred["1.19.8"] == []
    assert preferred["1.19.9"] == [(1, 2)]


# --- all releases -------------------------------------------------------------------------------------------------


@st.composite
def runs(draw: st.DrawFn) -> list[tuple[str, PodSpec, str]]:
    pods = [
        pod_of(
            uid, tuple(draw(st.lists(st.sampled_from("123"), max_size=1))), (draw(st.sampled_from("1234")),), "0" * n
        )
        for n, uid in enumerate(("p", "q"))
    ]
    containers = [(pod, each.name) for pod in pods for each in pod.containers]
    steps = draw(st.lists(st.tuples(st.sampled_from(["allocate", "remove"]), st.sampled_from(containers)), max_size=8))
    return [(what, pod, name) for what, (pod, name) in steps]


@pytest.mark.slow
@given(
    st.sampled_from(
        [
            "1.13",
            "1.15",
            "1.16",
            "1.17",
            "1.18.0",
            "1.18.4",
            "1.23.0",
            "1.24",
            "1.28.14",
            "1.31",
            "1.34",
            "1.35",
            "1.36",
        ]
    ),
    runs(),
)
def test_whatever_happens_the_reserved_cpu_stays_shared_and_no_cpu_is_lost(
    release: str, run: list[tuple[str, PodSpec, str]]
) -> None:
    policy = policy_of(release, regular(1, 2, 2, 2), PolicyConfig(num_reserved=1))
    state, memory = started(policy), EMPTY_MEMORY
    for what, pod, name in run:
        by_id = release < "1.18"
        if what == "allocate":
            changes = allocations(policy, _take(policy), state, memory, pod, name, None, f"{pod.uid}/{name}")
            change = policy.rules.allocate(policy, state, memory, pod, name, None, f"{pod.uid}/{name}")
            assert change in changes
        else:
            key = ("", f"{pod.uid}/{name}") if by_id else (pod.uid, name)
            change = policy.rules.remove_container(policy, state, memory, *key)
        assert change.error is None or not isinstance(change.error, Hang)
        assert change.state == (change.stores[-1] if change.stores else state)
        state, memory = change.state, change.memory
        assert policy.reserved <= state.default
        assert state.default | assigned_cpus(state) == policy.topology.cpus


def _take(policy: StaticPolicy) -> PolicyTake:
    assert isinstance(policy.take, PolicyTake)
    return policy.take


def test_each_rule_has_a_row_from_the_oldest_release_on() -> None:
    oldest = {row.field for row in POLICY_ROWS if row.since == "1.13.0"}
    assert oldest == {field.name for field in fields(PolicyRules)}
