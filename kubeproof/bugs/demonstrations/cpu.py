"""The runs of CPU manager components behind bugs that components show, each under the rules of any release.

Nothing is decided here: what happens is what the model's functions answer.
"""

from collections.abc import Sequence

from kubeproof.bugs.component import Demonstration, Under
from model.cpu.assignment.assignment import AssignmentRules
from model.cpu.cpuset import CPUSet, CPUSetRules, to_string
from model.cpu.manager import CPUManager, Manager, ManagerRules, PodView
from model.cpu.policy.hints import HintRules, Hints, get_topology_hints
from model.cpu.policy.pods import ContainerSpec, PodSpec
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
from model.cpu.state.checkpoint import CheckpointRules, InitialContainers, Outcome, new_checkpoint_state, store_state
from model.cpu.state.state import CPUManagerState, get_cpu_set
from model.cpu.topology import CPUTopology, regular
from model.go.errors import GoError
from model.releases import parse_release

V1_WRITER = Under(parse_release("1.17"))  # the last that writes the checkpoint's version 1
FILE = "/var/lib/kubelet/cpu_manager_state"


# --- CPU-CHECKPOINT-V1-CHECKSUM -----------------------------------------------------------------------------------


def checkpoint_of_1_17(under: Under, name: str = "") -> Demonstration:
    """The file of one exclusive container goes from 1.17 to the release, and back; and again with the container gone.

    `name`: of the rules, "" for the release's.
    """
    name = name or str(under.release)
    busy = CPUManagerState(frozenset({0, 2, 3}), ((("", "id1"), frozenset({1})),))
    known = {"id1": ("p1", "a0")}
    lines: list[str] = []
    shown: list[str] = []
    for state, words in ((busy, ""), (CPUManagerState(frozenset(range(4))), " of an idle node")):
        file = store_state(V1_WRITER.rules(CheckpointRules), "static", state)
        upgraded = _read(under, file, known)
        lines += [f"{V1_WRITER.release} writes {file}", f"{name} reads the file: {_read_text(upgraded)}"]
        if isinstance(upgraded, GoError):
            shown.append(f"upgrade from 1.17{words}")
            continue
        if state.assignments:
            gone = _read(under, file, {})
            lines.append(f"{name} reads the file when the runtime has no container id1: {_read_text(gone)}")
            if isinstance(gone, GoError):
                shown.append("upgrade from 1.17 with a container gone")
        back = store_state(under.rules(CheckpointRules), "static", upgraded.state)
        returned = _read(V1_WRITER, back, known)
        lines += [f"{name} writes {back}", f"{V1_WRITER.release} reads the file: {_read_text(returned)}"]
        if isinstance(returned, GoError):
            shown.append(f"downgrade to 1.17{words}")
    return Demonstration(tuple(shown), tuple(lines))


def _read(under: Under, file: str, known: InitialContainers) -> Outcome:
    rules, of_cpuset = under.rules(CheckpointRules), under.rules(CPUSetRules)
    (outcome,) = new_checkpoint_state(rules, of_cpuset, file.encode(), "static", known, FILE)
    return outcome


def _read_text(outcome: Outcome) -> str:
    if isinstance(outcome, GoError):
        return " ".join(outcome.text.split("\n"))
    return f"{_state_text(outcome.state)} (version {outcome.version})"


# --- CPU-HINTS ----------------------------------------------------------------------------------------------------


def hints(under: Under) -> Demonstration:
    """A container of another size, an app container after an init container, and one that has to span two sockets."""
    parts = (_hints_of_another_size(under), _hints_after_init(under), _hints_over_sockets(under))
    return Demonstration(
        tuple(words for part in parts for words in part.shown), tuple(line for part in parts for line in part.lines)
    )


def _hints_of_another_size(under: Under) -> Demonstration:
    policy = _policy(under, regular(2, 1, 2, 1))
    before = _allocate(policy, _started(policy), EMPTY_MEMORY, _pod("p1", "1"), "a0", None).state
    answer = _hints(under, policy, before, EMPTY_MEMORY, _pod("p1", "2"), "a0")
    lines = (
        f"another size: {_machine_text(policy)}",
        f"p1/a0 with 1 CPU is in the state: {_state_text(before)}",
        f"hints of p1/a0 when the container asks for 2: {_hints_text(answer)}",
    )
    return Demonstration(("another size: no hint at all",) if answer == () else (), lines)


def _hints_after_init(under: Under) -> Demonstration:
    policy = _policy(under, regular(2, 1, 2, 1))
    pod = PodSpec("p1", (ContainerSpec("i0", "2"),), (ContainerSpec("a0", "2"),))
    state, memory = _started(policy), EMPTY_MEMORY
    early = _takes_at_admission(under, policy)
    first = _hints(under, policy, state, memory, pod, "i0")
    lines = [f"init: {_machine_text(policy)}; p1: init container i0 with 2 CPUs, then a0 with 2 CPUs"]
    lines.append(f"hints of p1/i0 at admission: {_hints_text(first)}")
    if early:
        change = _allocate(policy, state, memory, pod, "i0", _best(first))
        state, memory = change.state, change.memory
        lines.append(f"p1/i0 takes its CPUs: {_state_text(state)}; to be reused: {to_string(memory.reusable('p1'))}")
    second = _hints(under, policy, state, memory, pod, "a0")
    lines.append(f"hints of p1/a0 at admission: {_hints_text(second)}")
    missing = _best(first) is not None and _best(second) is None
    return Demonstration(("init: its CPUs are left out",) if missing else (), tuple(lines))


def _hints_over_sockets(under: Under) -> Demonstration:
    policy = _policy(under, regular(2, 2, 1, 1))
    last = TopologyHint((3,), True)
    state = _allocate(policy, _started(policy), EMPTY_MEMORY, _pod("p0", "1"), "a0", last).state
    answer = _hints(under, policy, state, EMPTY_MEMORY, _pod("p1", "2"), "a0")
    lines = (
        f"sockets: {_machine_text(policy)}; NUMA nodes 0 and 1 on one socket, 2 and 3 on the other",
        f"state: {_state_text(state)}; p1/a0 asks for 2 CPUs, so for two NUMA nodes",
        f"its hints: {_hints_text(answer)}",
    )
    missing = bool(answer) and _best(answer) is None
    return Demonstration(("sockets: the fewest NUMA nodes are not preferred",) if missing else (), lines)


# --- CPU-LATE-ALLOC -----------------------------------------------------------------------------------------------


def late_allocation(under: Under) -> Demonstration:
    """Two pods of 2 CPUs are admitted, then start, on the smallest machines where the second's CPUs lie wrong.

    With 3 CPUs on each of two NUMA nodes, one reserved, it is the smallest on which the scheduler puts both.
    """
    parts = [_two_pods(under, per_node) for per_node in (3, 4)]
    shown = dict.fromkeys(words for part in parts for words in part.shown)
    return Demonstration(tuple(shown), tuple(line for part in parts for line in part.lines))


def _two_pods(under: Under, per_node: int) -> Demonstration:
    policy = _policy(under, regular(2, 1, per_node, 1))
    state, memory = _started(policy), EMPTY_MEMORY
    early = _takes_at_admission(under, policy)
    pods = [_pod(uid, "2") for uid in ("p1", "p2")]
    lines, shown, best = [f"{_machine_text(policy)}; p1 and p2 with 2 CPUs each"], [], {}
    for pod in pods:
        answer = _hints(under, policy, state, memory, pod, "a0")
        best[pod.uid] = _best(answer)
        lines.append(f"admission of {pod.uid}: hints {_hints_text(answer)}")
        if early:
            change = _allocate(policy, state, memory, pod, "a0", best[pod.uid])
            state, memory = change.state, change.memory
            lines.append(f"  and takes its CPUs: {_state_text(state)}")
    for pod in pods:
        if not early:
            change = _allocate(policy, state, memory, pod, "a0", best[pod.uid])
            state, memory = change.state, change.memory
            lines.append(f"start of {pod.uid}/a0: {change.error or _state_text(state)}")
            if change.error is not None:
                shown.append("no CPUs at the container's start")
        hint = best[pod.uid]
        cpus = get_cpu_set(state, pod.uid, "a0") or get_cpu_set(state, "", _container_id(pod, "a0")) or frozenset()
        nodes = policy.topology.cpu_details.keep_only(cpus).numa_nodes()
        if hint is not None and not nodes <= set(hint.mask):
            shown.append("on another NUMA node than the hint's" if len(nodes) == 1 else "spread over NUMA nodes")
            lines.append(f"{pod.uid}/a0 was admitted for {_nodes_text(hint.mask)} and is on {_nodes_text(nodes)}")
    return Demonstration(tuple(shown), tuple(lines))


# --- what they share ----------------------------------------------------------------------------------------------


def _policy(under: Under, topology: CPUTopology) -> StaticPolicy:
    take = PolicyTake(under.rules(AssignmentRules))
    policy = new_static_policy(under.rules(PolicyRules), take, topology, PolicyConfig(num_reserved=1))
    assert isinstance(policy, StaticPolicy)
    return policy


def _started(policy: StaticPolicy) -> CPUManagerState:
    return start(policy, CPUManagerState()).state


def _pod(uid: str, cpu: str) -> PodSpec:
    return PodSpec(uid, (), (ContainerSpec("a0", cpu),))


def _takes_at_admission(under: Under, policy: StaticPolicy) -> bool:
    """Whether the manager's `Allocate` takes CPUs: asked of a pod of its own, on a machine that is empty."""
    cpu = CPUManager(policy, under.rules(ManagerRules))
    state, pod = _started(policy), _pod("p0", "1")
    pods = (PodView(pod, (), admitting=True),)
    return cpu.rules.manager_allocate(cpu, Manager(), state, pods, pod, "a0").state != state


def _container_id(pod: PodSpec, container: str) -> str:
    return f"id-{pod.uid}-{container}"


def _hints(
    under: Under, policy: StaticPolicy, state: CPUManagerState, memory: PolicyMemory, pod: PodSpec, container: str
) -> Hints:
    """`GetTopologyHints`, which looks at the entry that the release's does; None where there are no hints."""
    if policy.rules.generate_cpu_topology_hints(policy, policy.topology.cpus, frozenset(), 1) is None:
        return None
    key = under.rules(HintRules).hinted_entry(pod.uid, container, _container_id(pod, container))
    return get_topology_hints(policy, state, memory, pod, container, key)


def _allocate(
    policy: StaticPolicy,
    state: CPUManagerState,
    memory: PolicyMemory,
    pod: PodSpec,
    container: str,
    hint: TopologyHint | None,
) -> Change:
    affinity = None if hint is None else frozenset(hint.mask)
    return policy.rules.allocate(policy, state, memory, pod, container, affinity, _container_id(pod, container))


def _best(answer: Hints) -> TopologyHint | None:
    """The hint that the topology manager takes if nobody else has any: preferred, then narrow, then low nodes."""
    preferred = [hint for hint in answer or () if hint.preferred]
    return min(preferred, key=lambda hint: (len(hint.mask), sum(1 << node for node in hint.mask)), default=None)


def _machine_text(policy: StaticPolicy) -> str:
    details = policy.topology.cpu_details
    nodes = [
        f"NUMA node {node}: {to_string(details.cpus_in_numa_nodes(node))}" for node in sorted(details.numa_nodes())
    ]
    return f"CPUs on {', '.join(nodes)}; reserved: {to_string(policy.reserved)}"


def _state_text(state: CPUManagerState) -> str:
    entries = [f"{'/'.join(part for part in key if part)}: {to_string(cpus)}" for key, cpus in state.assignments]
    return f"defaultCpuSet {to_string(state.default)}; entries {', '.join(entries) or 'none'}"


def _hints_text(answer: Hints) -> str:
    if not answer:
        return "none asked for" if answer is None else "an empty list: refused"
    return ", ".join(f"{_nodes_text(hint.mask)}{' preferred' if hint.preferred else ''}" for hint in answer)


def _nodes_text(nodes: Sequence[int] | CPUSet) -> str:
    return "NUMA " + "+".join(str(node) for node in sorted(nodes))
