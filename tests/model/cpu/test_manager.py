"""The manager around the policy, release by release, as its Go source reads: there are no recordings of it."""

import pytest

from model.cpu.cpuset import printed
from model.cpu.manager import ContainerStatus, Effect, Manager, PodView
from model.cpu.policy.pods import ContainerSpec, PodSpec
from model.cpu.state.state import CPUManagerState, get_cpu_set
from model.releases import parse_release, rules_for
from model.systems.cpu_manager.kubelet import CPUManagerRules, cpu_manager, packed
from model.systems.cpu_manager.records import Node

NODE = Node(4, 1, frozenset(), 1)
ONE = PodSpec("p1", app=(ContainerSpec("a0", "1"),))
SHARED = PodSpec("p1", app=(ContainerSpec("a0", "500m"),))
WITH_INIT = PodSpec("p1", init=(ContainerSpec("i0", "1"),), app=(ContainerSpec("a0", "1"),))
READY = Manager(sources_ready=True)
BY_ID = ("1.13.0", "1.14.0", "1.15.0", "1.16.0", "1.17.0")


def manager_of(release):
    rules = rules_for(CPUManagerRules, parse_release(release))
    return cpu_manager(rules, packed(rules), NODE)


def view(spec, *states, **flags):
    statuses = [
        ContainerStatus(each.name, "" if state == "waiting" else f"p1/{each.name}", state)
        for each, state in zip(spec.containers, states, strict=True)
    ]
    return PodView(spec, tuple(statuses), **flags)


def state_of(default, **entries):
    cpus = {key: frozenset(value) for key, value in entries.items()}
    keys = {key: ("p1", key) for key in cpus}
    return CPUManagerState(printed(default), tuple(sorted((keys[key], cpus[key]) for key in cpus)))


def by_id(default, **entries):
    items = sorted((("", f"p1/{key}"), frozenset(value)) for key, value in entries.items())
    return CPUManagerState(printed(default), tuple(items))


def reconcile(release, manager, state, *pods) -> Effect:
    cpu = manager_of(release)
    return cpu.rules.reconcile_state(cpu, manager, state, pods, 0)


@pytest.mark.parametrize("release", ["1.13.0", "1.14.0", "1.16.0", "1.17.0"])
def test_reconciling_adds_a_container_that_has_ended(release):
    """CPU-RECONCILE-READD: the status still has the old id, and its phase is Running."""
    effect = reconcile(release, READY, by_id("0-3"), view(ONE, "terminated", running=True))
    assert get_cpu_set(effect.state, "", "p1/a0") == {1}
    assert len(effect.stores) == 2


@pytest.mark.parametrize("release", ["1.18.0", "1.21.0", "1.31.0"])
def test_later_reconciling_adds_nothing(release):
    assert not reconcile(release, READY, state_of("0-3"), view(ONE, "terminated")).stores


def test_only_1_14_takes_a_running_init_containers_cpus():
    """findContainerIDByName sees app containers only, so the entry looks as if it were nobody's."""
    pod = view(WITH_INIT, "running", "waiting")
    kept = {}
    for release in ("1.13.0", "1.14.0", "1.15.0", "1.16.0", "1.17.0"):
        effect = reconcile(release, READY, by_id("0,2-3", i0={1}), pod)
        kept[release] = get_cpu_set(effect.state, "", "p1/i0")
    assert kept == {"1.13.0": {1}, "1.14.0": None, "1.15.0": {1}, "1.16.0": {1}, "1.17.0": {1}}


@pytest.mark.parametrize(("release", "wiped"), [("1.14.0", True), ("1.16.0", True), ("1.17.0", False)])
def test_reconciling_before_any_pod_is_known(release, wiped):
    """CPU-RESTART-WIPES-STATE."""
    effect = reconcile(release, Manager(), by_id("0,2-3", a0={1}))
    assert (not effect.state.assignments) == wiped


def test_1_17_removes_nothing_when_one_id_is_missing_or_no_pod_is_there():
    state = by_id("0,2-3", gone={1})
    missing = view(ONE, "waiting")
    assert reconcile("1.17.0", READY, state, missing).state == state
    assert reconcile("1.17.0", READY, state).state == state
    assert not reconcile("1.17.0", READY, state, view(SHARED, "running")).state.assignments


@pytest.mark.parametrize("release", ["1.18.0", "1.18.4", "1.31.0"])
def test_nothing_is_stale_before_the_sources_are_ready(release):
    state = state_of("0,2-3", a0={1})
    assert reconcile(release, Manager(), state).state == state
    assert not reconcile(release, READY, state).state.assignments


def test_a_terminated_container_loses_its_cpus_up_to_1_18_3_if_its_id_is_known():
    pod, state = view(ONE, "terminated", running=True), state_of("0,2-3", a0={1})
    known = READY.with_container("p1/a0", ("p1", "a0"))
    assert not reconcile("1.18.0", known, state, pod).state.assignments
    assert reconcile("1.18.0", READY, state, pod).state == state
    assert reconcile("1.18.4", known, state, pod).state == state


def test_a_pod_in_admission_is_stale_in_1_22_0_only():
    """CPU-STALE-DURING-ADMISSION: the second container's Allocate removes what the first was given."""
    two = PodSpec("p1", app=(ContainerSpec("a0", "1"), ContainerSpec("a1", "1")))
    entries = {}
    for release in ("1.21.0", "1.22.0", "1.22.1", "1.23.0"):
        cpu, pods = manager_of(release), (view(two, "waiting", "waiting", admitting=True),)
        effect = cpu.rules.manager_allocate(cpu, READY, state_of("0,2-3", a0={1}), pods, two, "a1")
        entries[release] = [key[1] for key, _ in effect.state.assignments]
    assert entries == {r: ["a1"] if r == "1.22.0" else ["a0", "a1"] for r in entries}


def test_the_pod_last_admitted_is_never_stale_from_1_22_1_on():
    """CPU-LAST-POD-NOT-RECLAIMED: nothing takes the note back."""
    for release, kept in (("1.22.0", False), ("1.22.1", True), ("1.31.0", True)):
        cpu = manager_of(release)
        admitted = cpu.rules.manager_allocate(cpu, READY, state_of("0-3"), (view(ONE, "waiting"),), ONE, "a0")
        gone = cpu.rules.reconcile_state(cpu, admitted.manager, admitted.state, (), 0)
        assert bool(gone.state.assignments) == kept


def test_from_1_22_on_a_container_is_told_only_what_is_new():
    pod = view(SHARED, "running")
    for release, silent in (("1.21.0", False), ("1.22.0", True), ("1.31.0", True)):
        first = reconcile(release, READY, state_of("0-3"), pod)
        assert first.updates == (("p1/a0", frozenset(range(4))),)
        again = reconcile(release, first.manager, state_of("0-3"), pod)
        assert (not again.updates) == silent


def test_a_restarted_shared_container_is_still_taken_for_told():
    """`AddContainer` notes exclusive CPUs only: what the former instance was told stays (1.22 to 1.31)."""
    other = PodSpec("p2", app=(ContainerSpec("a0", "1"),))
    pods = (view(SHARED, "running"), PodView(other, (ContainerStatus("a0", "p2/a0", "running"),)))
    small = CPUManagerState(printed("0,2-3"), ((("p2", "a0"), frozenset({1})),))
    for release, silent in (("1.21.0", False), ("1.22.0", True), ("1.31.0", True)):
        cpu = manager_of(release)
        told = reconcile(release, READY, small, *pods)
        assert ("p1/a0", frozenset({0, 2, 3})) in told.updates
        started = cpu.rules.manager_add_container(cpu, told.manager, state_of("0-3"), SHARED, "a0", "p1/a0")
        assert started.updates == (("p1/a0", frozenset(range(4))),)
        after = reconcile(release, started.manager, small, *pods)
        assert after.state == small
        assert ("p1/a0" not in dict(after.updates)) == silent


@pytest.mark.parametrize(
    ("release", "forgets"), [("1.18.4", False), ("1.24.0", False), ("1.24.10", True), ("1.25.0", True)]
)
def test_ids_of_gone_shared_containers(release, forgets):
    """CPU-CONTAINERMAP-LEAK."""
    known = READY.with_container("p1/a0", ("p1", "a0"))
    assert (not reconcile(release, known, state_of("0-3")).manager.container_map) == forgets


@pytest.mark.parametrize(
    ("release", "frees"), [("1.17.0", True), ("1.18.3", True), ("1.18.4", False), ("1.31.0", False)]
)
def test_the_hook_frees_cpus_up_to_1_18_3(release, frees):
    cpu = manager_of(release)
    state = by_id("0,2-3", a0={1}) if release in BY_ID else state_of("0,2-3", a0={1})
    known = READY if release in BY_ID else READY.with_container("p1/a0", ("p1", "a0"))
    effect = cpu.rules.post_stop_container(cpu, known, state, "p1/a0")
    assert (not effect.state.assignments) == frees


def test_several_removals_are_stored_one_after_the_other_in_any_order():
    """What a crash in between leaves is one of these; up to 1.23 it may have a CPU in both sets."""
    state = state_of("0,3", a0={1}, i0={1, 2})
    for release, torn in (("1.23.0", True), ("1.24.0", False)):
        cpu = manager_of(release)
        seen = set()
        for order in range(2):
            effect = cpu.rules.remove_stale_state(cpu, READY, state, (), order)
            assert len(effect.stores) == 4
            assert effect.state == CPUManagerState(printed("0-3"))
            seen |= {
                bool(each.default & frozenset().union(*(c for _, c in each.assignments))) for each in effect.stores
            }
        assert (True in seen) == torn
