"""Operations of the CPU manager: runs of cpu-manager, those that are kept and those that Hypothesis draws."""

from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from hypothesis import strategies as st

from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_run
from kubeproof.conform.recorded_rules import rules_for
from kubeproof.go.cases.case import Blind, Case
from kubeproof.players.cpu_manager import removes_at_stop, seen_after_admission
from kubeproof.players.player import CannotPlayError
from kubeproof.players.registry import PLAYERS
from model.machine import Action
from model.releases import Release, known_release
from model.systems.cpu_manager.kubelet import CPUManagerRules
from model.systems.cpu_manager.machine import CPUManagerMachine
from model.systems.cpu_manager.scope import CPUManagerScope

SYSTEM = "cpu-manager"
MOST = 18  # operations of a case

# Machines and powers of the cases that are drawn: few powers at a time, so that they meet.
_SCOPES = (
    CPUManagerScope(cores=4, pods=3, containers=2, size=2, exits=2, restarts=1),
    CPUManagerScope(cores=3, pods=2, containers=3, size=1, init=1, sidecars=1, removals=1, exits=1, jobs=1),
    CPUManagerScope(cores=3, threads=2, pods=2, containers=2, size=3, exits=1, restarts=1),
    CPUManagerScope(cores=3, threads=2, pods=2, containers=2, size=2, init=1, restarts=1, full_pcpus=1),
    CPUManagerScope(cores=3, pods=2, containers=1, size=1, restarts=2, hotplug=1, offline=1, rereserve=1),
    CPUManagerScope(cores=3, pods=2, containers=2, size=1, restarts=2, repolicy=1, wipes=2),
    CPUManagerScope(cores=3, pods=2, containers=2, size=1, init=1, restarts=1, crashes=1),
)
# The names of an action's arguments that Go chooses, and that an operation lacks.
_CHOSEN = frozenset({"pods", "order"})

_OWN_FILE = "a kubelet reads the file that it wrote itself, and finds one form in it"
_NO_HINTS = "the driver's topology manager prefers nothing, and asks for no hints"
_NO_OPTION = "a case has no option of the policy but full-pcpus-only"
BLIND = (
    Blind("active_pods", "a case names which pods the kubelet says are active"),
    Blind("post_stop_container", "a case names whether the kubelet's hooks call RemoveContainer"),
    *(Blind(field, "no pod of a case has resources of its own") for field in ("pod_level_cpus", "pod_level_gate")),
    Blind("guaranteed_cpus", "all containers of each pod ask for as much as they may use"),
    Blind(
        "validate_state",
        "why a kubelet does not start is not compared, and no case has the option strict-cpu-reservation",
        ("validate_state", "validate_state_strictly"),
        ("validate_state", "validate_state_by_id", "validate_state_strictly"),
    ),
    Blind(
        "remove_container",
        "up to 1.17 the policy forgets the id of a container, and no newer one knows ids",
        ("remove_container_freeing_all",),
        ("remove_container_by_id",),
    ),
    Blind(
        "reserved_physical_cpus",
        "only the Allocate of 1.27 and later reads them",
        ("reserved_cpus_alone",),
        ("reserved_physical_cpus",),
    ),
    Blind(
        "manager_allocate",
        "up to 1.17 containers get their CPUs when they start: another driver",
        ("manager_allocate_as_it_is", "manager_allocate_after_cleaning", "manager_allocate_pending"),
        ("manager_allocate_nothing",),
    ),
    *(
        Blind(field, "a start that panics is a start that fails, in the model")
        for field in ("reserve_cpus", "report_at_start")
    ),
    Blind("parse_cpuset", "the state file has sets as the kubelet writes them"),
    Blind("verify_checkpoint", _OWN_FILE),
    Blind("get_checkpoint", _OWN_FILE, ("read_v1_then_v2", "read_v2_then_v1")),
    Blind(
        "migrate_checkpoint",
        _OWN_FILE,
        ("migrate_v1_checkpoint_to_v2_checkpoint", "migrate_v1_checkpoint_if_not_v2"),
    ),
    *(
        Blind(field, "why a kubelet does not start is not compared")
        for field in ("container_in_text", "not_restored_text")
    ),
    *(Blind(field, _NO_HINTS) for field in ("generate_cpu_topology_hints", "pod_guaranteed_cpus")),
    *(Blind(field, _NO_OPTION) for field in ("static_policy_options", "validate_static_policy_options")),
    Blind("take_by_topology_numa_distributed", _NO_OPTION),
    Blind(
        "take_by_topology",
        "a Go map of sockets has one order if there is one socket",
        ("take_by_topology_map_order",),
        ("take_by_topology_chained",),
    ),
    *(
        Blind("take_by_topology", "the machine has one NUMA node, and no case aligns to uncore caches", rules)
        for rules in (
            ("take_by_topology_ordered", "take_by_topology_numa_packed"),
            (
                "take_by_topology_numa_packed_counted",
                "take_by_topology_numa_packed_or_spread",
                "take_by_topology_uncore_whole_cores",
                "take_by_topology_uncore",
            ),
        )
    ),
)


def operation(action: Action) -> dict[str, Any]:
    """An action of the system as an operation."""
    return {"op": action.name, **{name: value for name, value in action.args if name not in _CHOSEN}}


def config(scope: CPUManagerScope, rules: CPUManagerRules) -> dict[str, Any]:
    """The machine of a scope, in what a release has around the package."""
    return {
        "cores": scope.cores,
        "threads": scope.threads,
        "reserved": scope.reserved,
        "full_pcpus": bool(scope.full_pcpus),
        "active_after_admission": seen_after_admission(rules),
        "removes_at_stop": removes_at_stop(rules),
    }


def kept_runs() -> Iterator[Case]:
    """(config, operations) of each kept run that the driver can play."""
    for bug in BUGS:
        if bug.system == SYSTEM and bug.violates:
            run = kept_run(bug)
            rules = rules_for(CPUManagerRules, known_release(run.release))
            # A case cannot name this option: the driver records trees too that refuse it.
            if _playable(run.actions) and not run.scope.strict_reservation:
                yield config(run.scope, rules), [operation(action) for action in run.actions]


def _playable(actions: Iterable[Action]) -> bool:
    try:
        for action in actions:
            PLAYERS[SYSTEM].call(action, None)
    except CannotPlayError:
        return False
    return True


def _walk(machine: CPUManagerMachine, length: int, choose: Callable[[list[Any]], Any]) -> Case:
    """A run of the machine; `choose` takes one of a list."""
    state, ops = machine.initial_states()[0], []
    for _ in range(length):
        enabled = [action for action in machine.actions(state) if _playable([action])]
        # So that an action of many forms, such as create_pod, does not crowd out the others.
        name = choose(sorted({action.name for action in enabled}))
        action = choose([each for each in enabled if each.name == name])
        ops.append(operation(action))
        state = machine.step(state, action)
    return config(machine.scope, machine.rules), ops


def _machine(release: Release, scope: CPUManagerScope) -> CPUManagerMachine:
    return CPUManagerMachine(scope, rules_for(CPUManagerRules, release))


@st.composite
def cases(draw: st.DrawFn, release: Release) -> Case:
    """A run of the system under the rules of `release`."""
    machine = _machine(release, draw(st.sampled_from(_SCOPES)))
    return _walk(machine, draw(st.integers(1, MOST)), lambda several: draw(st.sampled_from(several)))


# The releases whose rules say which actions a long run may take.
_LONG = ("1.31.13", "1.29.0", "1.22.0", "1.18.2")


def long_runs() -> Iterator[Case]:
    """Long runs of each machine under the rules of a few releases, by chance: nothing was looked for in them."""
    for number, scope in enumerate(_SCOPES):
        for name in _LONG:
            chance = Random(f"{number} {name}")
            yield _walk(_machine(known_release(name), scope), MOST, chance.choice)
