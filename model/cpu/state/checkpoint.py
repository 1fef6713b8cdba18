"""The CPU manager's state in its file: written, restored, migrated (Go: state/state_checkpoint.go). Pure functions.

A file is bytes, or None where there is none. From 1.18 on a file of version 1 is read too: its container ids become
pods and containers by a map of the containers that were on the machine when the kubelet started.

Go walks its maps in random order, so that the first error found, or the last of two entries that migrate to one
container, may be any: the functions that read give every outcome, in a fixed order.
"""

from collections.abc import Callable, Mapping
from itertools import product

from attrs import frozen

from model.cpu import cpuset
from model.cpu.cpuset import MAX_LISTED, CPUSet, CPUSetRules
from model.cpu.state.decode import unmarshal_v1, unmarshal_v2
from model.cpu.state.format import Checkpoint, CheckpointV1, CheckpointV2, marshal_checkpoint
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.go.errors import GoError
from model.go.formats import quote

FILE_NAME = "cpu_manager_state"


@frozen
class Restored:
    """The state of a kubelet after its start."""

    state: CPUManagerState
    # The version of the file that was read; None: there was no file.
    version: int | None
    # Pods that the file names without a container. Such a pod has no CPU. Go keeps these pods and writes them again;
    # `state` does not have them.
    empty_pods: tuple[str, ...] = ()


Outcome = Restored | GoError
# Container id to the pod's UID and the container's name. Go: containermap.ContainerMap.
InitialContainers = Mapping[str, ContainerKey]
# A checkpoint's entries, each CPU list still as a text.
Entries = tuple[tuple[ContainerKey, str], ...]
Verify = Callable[[Checkpoint], GoError | None]


def store_v1(policy_name: str, state: CPUManagerState) -> CheckpointV1:
    """Up to 1.17; the pod of each key is "". Go: storeState."""
    entries = tuple((container, cpuset.to_string(cpus)) for (_, container), cpus in state.assignments)
    return CheckpointV1(policy_name, cpuset.to_string(state.default), entries)


def store_v2(policy_name: str, state: CPUManagerState) -> CheckpointV2:
    """From 1.18 on. Go: storeState."""
    pods: dict[str, list[tuple[str, str]]] = {}
    for (pod, container), cpus in state.assignments:
        pods.setdefault(pod, []).append((container, cpuset.to_string(cpus)))
    entries = tuple((pod, tuple(containers)) for pod, containers in pods.items())
    return CheckpointV2(policy_name, cpuset.to_string(state.default), entries)


def read_v1(raw: bytes, verify: Verify) -> Checkpoint | GoError:
    """Up to 1.17 a file is of version 1 or in error. Go: restoreState, as far as GetCheckpoint."""
    return _get_checkpoint(unmarshal_v1(raw), verify)


def read_v1_then_v2(raw: bytes, verify: Verify) -> Checkpoint | GoError:
    """From 1.18 on a file that is not a right one of version 1, for whatever reason, is tried as version 2."""
    checkpoint = _get_checkpoint(unmarshal_v1(raw), verify)
    return _get_checkpoint(unmarshal_v2(raw), verify) if isinstance(checkpoint, GoError) else checkpoint


def read_v2_then_v1(raw: bytes, verify: Verify) -> Checkpoint | GoError:
    """From 1.36 on version 2 is tried first; of a file that is neither, the error of version 1 is told (#134768).

    With the gate PodLevelResourceManagers on, version 3 comes before; this is not modelled: the gate is off by default.
    """
    checkpoint = _get_checkpoint(unmarshal_v2(raw), verify)
    if not isinstance(checkpoint, GoError):
        return checkpoint
    return _get_checkpoint(unmarshal_v1(raw, "CPUManagerCheckpointV1"), verify)


def _get_checkpoint(checkpoint: Checkpoint | GoError, verify: Verify) -> Checkpoint | GoError:
    """Go: checkpointmanager GetCheckpoint, once the file is read and decoded."""
    if isinstance(checkpoint, GoError):
        return checkpoint
    return verify(checkpoint) or checkpoint


def not_restored_two_lines(error: str, path: str) -> str:
    """Up to 1.17. Go: NewCheckpointState."""
    return (
        f"could not restore state from checkpoint: {error}\n"
        f"Please drain this node and delete the CPU manager checkpoint file {quote(path)} before restarting Kubelet."
    )


def not_restored_one_line(error: str, path: str) -> str:
    """From 1.18 on. Go: NewCheckpointState."""
    return (
        f"could not restore state from checkpoint: {error}, please drain this node and delete the CPU manager"
        f" checkpoint file {quote(path)} before restarting Kubelet"
    )


def keep_container_ids(checkpoint: Checkpoint, initial_containers: InitialContainers) -> tuple[Entries | GoError, ...]:
    """Up to 1.17 the state is kept by container id too; the pod of each key is ""."""
    return (tuple((("", container_id), cpus) for container_id, cpus in _v1_entries(checkpoint)),)


def migrate_v1_checkpoint_to_v2_checkpoint(
    checkpoint: Checkpoint, initial_containers: InitialContainers
) -> tuple[Entries | GoError, ...]:
    """From 1.18 to 1.35: the entries by pod and container. Go: migrateV1CheckpointToV2Checkpoint."""
    return _migrate(checkpoint, initial_containers, "error migrating v1 checkpoint state to v2 checkpoint state")


def migrate_v1_checkpoint_if_not_v2(
    checkpoint: Checkpoint, initial_containers: InitialContainers
) -> tuple[Entries | GoError, ...]:
    """From 1.36 on (#134768): another text. Go: loadAndMigrateCheckpointV2."""
    return _migrate(checkpoint, initial_containers, "failed to migrate checkpoint from v1 to v2")


def _migrate(
    checkpoint: Checkpoint, initial_containers: InitialContainers, failed: str
) -> tuple[Entries | GoError, ...]:
    if checkpoint.version == 2:
        pods = checkpoint.entries or ()
        return (tuple(((pod, name), cpus) for pod, containers in pods for name, cpus in containers or ()),)
    candidates: dict[ContainerKey, list[str]] = {}
    missing = []
    for container_id, cpus in _v1_entries(checkpoint):
        if container_id in initial_containers:
            candidates.setdefault(initial_containers[container_id], []).append(cpus)
        else:
            missing.append(container_id)
    if missing:
        return tuple(
            GoError(f"{failed}: containerID '{container_id}' not found in initial containers list")
            for container_id in missing
        )
    return tuple(tuple(zip(candidates, choice, strict=True)) for choice in product(*candidates.values()))


def _v1_entries(checkpoint: Checkpoint) -> tuple[tuple[str, str], ...]:
    return checkpoint.entries or () if checkpoint.version == 1 else ()


def named_by_id(key: ContainerKey) -> str:
    """How the texts up to 1.17 name a container."""
    return f"container id {quote(key[1])}"


def named_in_pod(key: ContainerKey) -> str:
    """How the texts from 1.18 on name a container."""
    return f"container {quote(key[1])} in pod {quote(key[0])}"


@frozen(slots=False, kw_only=True)
class CheckpointRules:
    """How a release writes the file, reads it, verifies and migrates it, and words its refusal."""

    store_checkpoint: Callable[[str, CPUManagerState], Checkpoint]
    get_checkpoint: Callable[[bytes, Verify], Checkpoint | GoError]
    verify_checkpoint: Verify
    migrate_checkpoint: Callable[[Checkpoint, InitialContainers], tuple[Entries | GoError, ...]]
    container_in_text: Callable[[ContainerKey], str]
    not_restored_text: Callable[[str, str], str]


def store_state(rules: CheckpointRules, policy_name: str, state: CPUManagerState) -> str:
    """The content of the file that the kubelet writes for `state`. Go: storeState, CreateCheckpoint."""
    return marshal_checkpoint(rules.store_checkpoint(policy_name, state))


def new_checkpoint_state(
    rules: CheckpointRules,
    cpuset_rules: CPUSetRules,
    raw: bytes | None,
    policy_name: str,
    initial_containers: InitialContainers,
    path: str,
) -> tuple[Outcome, ...]:
    """Every outcome of a kubelet's start with `raw` as the file at `path` and `policy_name` configured.

    Raises TooManyCPUs when the file names more than cpuset.MAX_LISTED CPUs in all. Go: NewCheckpointState.
    """
    return tuple(
        GoError(rules.not_restored_text(outcome.text, path)) if isinstance(outcome, GoError) else outcome
        for outcome in restore_state(rules, cpuset_rules, raw, policy_name, initial_containers)
    )


def restore_state(
    rules: CheckpointRules,
    cpuset_rules: CPUSetRules,
    raw: bytes | None,
    policy_name: str,
    initial_containers: InitialContainers,
) -> tuple[Outcome, ...]:
    """As `new_checkpoint_state`, with the bare error texts. Go: restoreState, under the state's mutex."""
    if raw is None:
        return (Restored(CPUManagerState(), None),)
    checkpoint = rules.get_checkpoint(raw, rules.verify_checkpoint)
    if isinstance(checkpoint, GoError):
        return (checkpoint,)
    outcomes: dict[Outcome, None] = {}
    for entries in rules.migrate_checkpoint(checkpoint, initial_containers):
        if isinstance(entries, GoError):
            outcomes[entries] = None
        else:
            outcomes |= dict.fromkeys(_parse_state(rules, cpuset_rules, policy_name, checkpoint, entries))
    return tuple(outcomes)


def _parse_state(
    rules: CheckpointRules, cpuset_rules: CPUSetRules, policy_name: str, checkpoint: Checkpoint, entries: Entries
) -> tuple[Outcome, ...]:
    """The rest of restoreState: the policy's name, then the default set, then the entries in any order."""
    if policy_name != checkpoint.policy_name:
        differs = f"differs from state checkpoint policy {quote(checkpoint.policy_name)}"
        return (GoError(f"configured policy {quote(policy_name)} {differs}"),)
    default = cpuset.parse(checkpoint.default_cpu_set, cpuset_rules)
    if isinstance(default, GoError):
        text = f"could not parse default cpu set {quote(checkpoint.default_cpu_set)}: {default}"
        return (GoError(text),)
    # All lists are read before the first is expanded, so that a file of many long ranges costs no more than one.
    errors = []
    for key, cpus in entries:
        ranges = cpuset_rules.parse_cpuset(cpus)
        if isinstance(ranges, GoError):
            text = f"could not parse cpuset {quote(cpus)} for {rules.container_in_text(key)}: {ranges}"
            errors.append(GoError(text))
    if errors:
        return tuple(errors)
    return (_expand(cpuset_rules, default, checkpoint, entries),)


def _expand(cpuset_rules: CPUSetRules, default: CPUSet, checkpoint: Checkpoint, entries: Entries) -> Restored:
    left = MAX_LISTED - len(default)
    assignments: dict[ContainerKey, CPUSet] = {}
    for key, text in entries:
        cpus = cpuset.parse(text, cpuset_rules, left)
        if not isinstance(cpus, GoError):
            assignments[key] = cpus
            left -= len(cpus)
    pods = checkpoint.entries or () if checkpoint.version == 2 else ()
    empty_pods = tuple(pod for pod, containers in pods if not containers)
    return Restored(CPUManagerState(default, sorted_assignments(assignments.items())), checkpoint.version, empty_pods)
