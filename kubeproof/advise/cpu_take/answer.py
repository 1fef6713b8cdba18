"""Which CPUs the pod gets, or why the kubelet refuses it: the answer as data. `rendering` makes text of the answer."""

from collections.abc import Iterator

from attrs import frozen

from kubeproof.advise.cpu_state.kubelet_start import Start, start
from kubeproof.advise.cpu_take.question import TakeQuestion
from kubeproof.advise.cpu_take.taking import WAYS_UP_TO, Taken, Way, problem_text, ways
from kubeproof.systems.releases import release_notes
from model.cpu.assignment.accumulator import Hang
from model.cpu.configuration import TOPOLOGY_MANAGER_POLICIES
from model.cpu.cpuset import CPUSet, to_string
from model.cpu.policy.pods import quantity
from model.cpu.topology import CPUTopology

# The rules that this answer depends on.
_RULES = frozenset(
    {"guaranteed_cpus", "pod_level_cpus", "static_policy_options", "validate_static_policy_options", "reserve_cpus"}
    | {"reserved_physical_cpus", "validate_state", "smt_alignment_error", "update_cpus_to_reuse", "allocate"}
    | {"generate_cpu_topology_hints", "take_by_topology", "take_by_topology_numa_distributed", "discover"}
    | {"check_reserved_cpus", "check_options"}
)


@frozen
class OnCore:
    """CPUs of one core."""

    core: int
    cpus: str
    # Whether these are all CPUs of the core.
    whole: bool


@frozen
class OnNode:
    """CPUs on one NUMA node."""

    node: int
    sockets: tuple[int, ...]
    # The L3 caches that the node's CPUs do not all share, from 1.32 on; empty: they share one, or it is not known.
    uncore_caches: tuple[int, ...]
    cpus: str
    cores: tuple[OnCore, ...]


@frozen
class ContainerTaken:
    """What a container gets."""

    container: str
    # How many exclusive CPUs it asks for; 0: it runs in the shared pool.
    asked: int
    cpus: str
    nodes: tuple[OnNode, ...]
    # Why it runs in the shared pool, or None.
    shared_because: str | None
    # Whether the state file has these CPUs for it already.
    present: bool
    # The CPUs that were free before; and those among the given ones that were not, as they are reserved or of another.
    free: str
    not_free: str
    # The NUMA nodes of the topology manager's hint; None: there is none.
    hint: tuple[int, ...] | None
    # The hints of the CPU manager: the NUMA nodes, and whether the hint is preferred.
    hints: tuple[tuple[tuple[int, ...], bool], ...]
    # Why the kubelet refuses the pod, in its own words, and the reason in the pod's status from 1.18 on.
    error: str | None
    reason: str | None


@frozen
class Outcome:
    """One way in which the pod may get its CPUs, and the shared pool after it."""

    containers: tuple[ContainerTaken, ...]
    pool: str
    refused: bool


@frozen
class TakeAnswer:
    """The answer. Its fields are the keys of `--json`, which keep their names from version to version."""

    pod: str
    release: str
    judged_as: str
    release_by: str
    # Why the kubelet does not start; empty if it starts.
    refusals: tuple[str, ...]
    # The configured policy, and its options as NAME=VALUE.
    policy: str
    policy_options: tuple[str, ...]
    topology_manager_policy: str | None
    cpus: str
    cpus_by: str | None
    sockets: int
    numa_nodes: int
    cores: int
    reserved: str
    # The file with the state before; None: the kubelet begins without a file.
    state: str | None
    # The shared pool before, reserved CPUs included.
    pool: str
    # Every way that Go's maps leave open; one is the rule. Empty if the kubelet does not start.
    outcomes: tuple[Outcome, ...]
    # Whether there are more ways than are told.
    more: bool
    # The ids of documented bugs that this fits.
    fits: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def admitted(self) -> bool:
        """Whether the kubelet starts, and takes the pod in every way."""
        return not self.refusals and not any(each.refused for each in self.outcomes)


def analyse(asked: TakeQuestion) -> TakeAnswer:
    """The whole answer."""
    kubelet = asked.kubelet
    begun = start(kubelet, kubelet.raw if asked.has_state else None)
    known, topology = kubelet.configuration, kubelet.machine.topology
    policy = known.policy or "static"
    found = () if begun.refusals else ways(asked, begun)
    outcomes = tuple(_outcome(asked, begun, way) for way in found)
    if not outcomes and not begun.refusals:
        outcomes = (_all_shared(asked, policy),)
    return TakeAnswer(
        pod=asked.pod.name,
        release=str(kubelet.release),
        judged_as=kubelet.release.upstream,
        release_by=kubelet.release_by,
        refusals=tuple(each.error for each in begun.refusals),
        policy=policy,
        policy_options=tuple(f"{name}={value}" for name, value in known.options or ()),
        topology_manager_policy=known.topology_manager_policy,
        cpus=to_string(topology.cpus),
        cpus_by=kubelet.machine.given_by,
        sockets=topology.num_sockets,
        numa_nodes=topology.num_numa_nodes,
        cores=topology.num_cores,
        reserved="" if begun.policy is None else to_string(begun.policy.reserved),
        state=kubelet.file if asked.has_state else None,
        pool="" if begun.state is None else to_string(begun.state.default),
        outcomes=outcomes,
        more=len(outcomes) >= WAYS_UP_TO,
        fits=tuple(dict.fromkeys(bug for way in found for each in way.taken for bug in _fits(each))),
        notes=tuple(_notes(asked, outcomes)),
    )


def _outcome(asked: TakeQuestion, begun: Start, way: Way) -> Outcome:
    return Outcome(
        tuple(_container(asked, begun, each) for each in way.taken), to_string(way.state.default), way.refused
    )


def _all_shared(asked: TakeQuestion, policy: str) -> Outcome:
    why = f"the policy is {policy}" if asked.kubelet.manager_on else "the gate CPUManager is off"
    containers = (_shared(each.name, why) for each in asked.pod.spec.containers)
    return Outcome(tuple(containers), "", False)


def _shared(container: str, why: str) -> ContainerTaken:
    return ContainerTaken(container, 0, "", (), why, False, "", "", None, (), None, None)


def _container(asked: TakeQuestion, begun: Start, taken: Taken) -> ContainerTaken:
    if taken.asked == 0:
        return _shared(taken.container, _why_shared(asked, begun, taken.container))
    error = None if taken.error is None else problem_text(taken.error)
    return ContainerTaken(
        container=taken.container,
        asked=taken.asked,
        cpus=to_string(taken.cpus),
        nodes=tuple(_on_nodes(asked.kubelet.machine.topology, taken.cpus)),
        shared_because=None,
        present=taken.present,
        free=to_string(taken.free),
        not_free="" if taken.present else to_string(taken.cpus - taken.free),
        hint=taken.hint,
        hints=tuple((hint.mask, hint.preferred) for hint in taken.hints),
        error=error,
        reason=None if error is None else _reason(asked, error),
    )


def _why_shared(asked: TakeQuestion, begun: Start, container: str) -> str:
    pod = asked.pod
    if pod.spec.pod_level is not None and begun.policy is not None and begun.policy.pod_level_resources:
        return "the pod has resources of its own (spec.resources)"
    if pod.not_guaranteed:
        name, why = pod.not_guaranteed[0]
        return f"the pod is not Guaranteed: container {name} has {why}"
    request = pod.spec.container(container).cpu
    number = quantity(request)
    return f"its request {request} is not a whole number of CPUs" if number.denominator > 1 else "it asks for no CPU"


def _reason(asked: TakeQuestion, error: str) -> str | None:
    """The reason in the pod's status. Up to 1.17 the pod is admitted, and its container does not start."""
    if asked.kubelet.release.minor < _ADMISSION_SINCE:
        return None
    if error.startswith("SMT Alignment Error"):
        return "SMTAlignmentError"
    return "TopologyAffinityError" if "Topology locality" in error else "UnexpectedAdmissionError"


_ADMISSION_SINCE = 18


def _fits(taken: Taken) -> Iterator[str]:
    if taken.present and taken.error is not None:
        yield "CPU-FULL-PCPUS-READMIT"
    elif not taken.present and not taken.cpus <= taken.free:
        yield "CPU-OFFLINE-SIBLING"
    if isinstance(taken.error, Hang):
        yield "CPU-DISTRIBUTE-HANG"


def _on_nodes(topology: CPUTopology, cpus: CPUSet) -> Iterator[OnNode]:
    details = topology.cpu_details.keep_only(cpus)
    caches = topology.cpu_details.index.uncore_caches if topology.uncore else {}
    for node in sorted(details.numa_nodes()):
        here = details.cpus_in_numa_nodes(node)
        cores = sorted({topology.cpu_details[cpu].core_id for cpu in here})
        yield OnNode(
            node,
            tuple(sorted({topology.cpu_details[cpu].socket_id for cpu in here})),
            tuple(cache for cache, members in sorted(caches.items()) if members & here),
            to_string(here),
            tuple(_on_core(topology, core, here) for core in cores),
        )


def _on_core(topology: CPUTopology, core: int, cpus: CPUSet) -> OnCore:
    members = topology.cpu_details.cpus_in_cores(core)
    return OnCore(core, to_string(members & cpus), members <= cpus)


def _notes(asked: TakeQuestion, outcomes: tuple[Outcome, ...]) -> Iterator[str]:
    kubelet, known = asked.kubelet, asked.kubelet.configuration
    yield from release_notes(kubelet.release, sorted(_RULES))
    yield from known.notes
    if kubelet.machine.given_by == "--cpus":
        yield "--cpus: each CPU is taken for a core of one NUMA node; --topology would tell"
    chosen = any(each.hints for outcome in outcomes for each in outcome.containers)
    if asked.hint is None and chosen and known.topology_manager_policy in TOPOLOGY_MANAGER_POLICIES[1:]:
        yield (
            "the hint is the one that the topology manager chooses if the CPU manager alone has hints; with devices, "
            "memory or another scope it may be another one: --hint"
        )
