"""What is asked: the pod, and the kubelet with its machine, its configuration and its state file. Pure."""

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.configuration import Configuration, cpus_given
from kubeproof.advise.cpu_state.question import (
    StateQuestion,
    known_in,
    machine_given,
    question as state_question,
    reserved_in,
)
from kubeproof.advise.cpu_state.sets import FileSets
from kubeproof.advise.cpu_take.pod_files import AskedPod
from kubeproof.errors import InputError
from kubeproof.systems.releases import release_named
from model.cpu.cpuset import CPUSet
from model.cpu.policy.options import DISTRIBUTE_ACROSS_NUMA
from model.cpu.state.inspect import Inspection, inspect
from model.releases import EVERY_MINOR, Release

NO_FILE = "no state file"


@frozen
class TakeQuestion:
    """All that is asked."""

    pod: AskedPod
    # The kubelet, as cpu-state asks about it.
    kubelet: StateQuestion
    # Whether there is a state file.
    has_state: bool
    # The NUMA nodes that the topology manager wants; None: not given.
    hint: CPUSet | None


def question(
    pod: AskedPod,
    *,
    release: str | None = None,
    cpus: str | None = None,
    topology: tuple[str, str] | None = None,
    configuration: Configuration,
    state: tuple[str, bytes, Inspection] | None = None,
    hint: str | None = None,
) -> TakeQuestion:
    """The whole question. `state`: the name of a state file, its bytes, and what is in them. Raises InputError.

    The policy is static where nothing says another.
    """
    if cpus is None and topology is None:
        raise InputError(
            "--topology: missing: the machine decides: expected --topology, or --cpus if each CPU is a core"
        )
    if configuration.policy is None:
        configuration = evolve(configuration, policy="static")
    if state is not None:
        name, raw, found = state
        kubelet = state_question(
            name, raw, found, release=release, cpus=cpus, topology=topology, configuration=configuration
        )
    else:
        kubelet = _without_file(release, cpus, topology, configuration)
    if kubelet.reserved is None and kubelet.broken is None and kubelet.configuration.policy == "static":
        raise InputError(
            "--reserved-cpus: missing: the reserved CPUs decide which are free: expected --reserved-cpus, "
            "--system-reserved, --kube-reserved or --config"
        )
    _bounded(kubelet)
    wanted = None if hint is None else cpus_given(hint, "--hint")
    nodes = kubelet.machine.topology.cpu_details.numa_nodes()
    if wanted is not None and not wanted <= nodes:
        listed = ", ".join(map(str, sorted(nodes)))
        raise InputError(f"--hint: {hint}: the machine has no such NUMA node: expected some of {listed}")
    return TakeQuestion(_by_qos_of(pod, kubelet.release), kubelet, state is not None, wanted)


def _bounded(kubelet: StateQuestion) -> None:
    """Raise InputError where Go would try more sets of NUMA nodes than anybody waits for."""
    known, nodes = kubelet.configuration, kubelet.machine.topology.num_numa_nodes
    by_sets = DISTRIBUTE_ACROSS_NUMA in dict(known.options or ()) or known.topology_manager_policy is not None
    if by_sets and nodes > MAX_NODES:
        raise InputError(f"--topology: {nodes} NUMA nodes, with too many sets of them: expected at most {MAX_NODES}")


# So many NUMA nodes take some ten seconds.
MAX_NODES = 16


def _by_qos_of(pod: AskedPod, at: Release) -> AskedPod:
    """Up to 1.15 init containers do not count for the QoS class."""
    if at.minor >= _INIT_CONTAINERS_COUNT_FROM:
        return pod
    init = {each.name for each in pod.spec.init}
    blame = tuple(each for each in pod.not_guaranteed if each[0] not in init)
    return evolve(pod, spec=evolve(pod.spec, guaranteed=not blame), not_guaranteed=blame)


_INIT_CONTAINERS_COUNT_FROM = 16


def _without_file(
    release: str | None, cpus: str | None, topology: tuple[str, str] | None, configuration: Configuration
) -> StateQuestion:
    at = release_named(release, minors=EVERY_MINOR)
    known = known_in(configuration, at)
    reserved, broken = reserved_in(known, at)
    machine = machine_given(at, cpus, topology)
    assert machine is not None
    by = "the newest modelled" if release is None else "--release"
    return StateQuestion(NO_FILE, b"", inspect(b""), at, by, FileSets(None), machine, reserved, known, broken)
