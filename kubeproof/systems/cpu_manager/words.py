"""cpu-manager in the words of its Go code: what happened, the state file, who runs where, the kubelet's memory."""

from collections.abc import Mapping

from kubeproof.systems.system import Facts
from model.cpu.cpuset import to_string
from model.machine import Action
from model.systems.cpu_manager import CPUManagerSystem
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.shapes import POD_LEVEL
from properties.cpu_manager.view import owner, placed

# How a pod's phase reads. A pod that is not yet created or is deleted is no fact.
_PHASES = {"active": "active", "succeeded": "Succeeded", "failed": "Failed"}
_SEEN = {"no": "not seen by the kubelet", "admitting": "in admission", "yes": "admitted"}


def sentence(before: CPUManagerSystem, action: Action, after: CPUManagerSystem) -> str:
    """What happened in the cluster, on the machine or in the kubelet, and what came of it."""
    args = dict(action.args)
    pod, container = args.get("pod"), args.get("container")
    chosen = f" (with CPUs {args['cpus']})" if "cpus" in args and action.name != "crash_kubelet" else ""
    match action.name:
        case "create_pod":
            return f"The scheduler binds pod {pod} to the node: {_shape(str(args.get('containers', '')))}."
        case "admit":
            return f"The kubelet admits {pod}; the CPU manager is not asked."
        case "allocate":
            return f"Admission of {pod}: `Allocate`{chosen} {_allocated(before, str(pod), str(container), after)}."
        case "sources_ready":
            return "All sources of pods have spoken: the kubelet knows its pods."
        case "start_container":
            return f"Container {container} of {pod} is started{chosen}{_started(str(pod), str(container), after)}."
        case "exit_container":
            return f"Container {container} of {pod} exits."
        case "complete_pod":
            return f"The app containers of {pod} end for good: the pod has succeeded."
        case "delete_pod":
            return f"Pod {pod} is deleted, its containers are gone."
        case "remove_container":
            return f"The exited container {container} of {pod} is removed: `RemoveContainer` by its id."
        case "reconcile_state":
            return f"The CPU manager reconciles{chosen}{', and changes nothing' if before == after else ''}."
        case "stop_kubelet":
            return "The kubelet is stopped; containers run on."
        case "start_kubelet":
            failed = after.kubelet.phase == "failed"
            return f"The kubelet starts, and fails: {after.kubelet.error}." if failed else "The kubelet starts."
        case "crash_kubelet":
            return _crash(args)
        case "add_core":
            return "The machine gets one more core."
        case "offline_cpu":
            return f"CPU {args.get('cpu')} goes offline."
        case "grow_reserved":
            return "One more CPU is to be reserved (kubelet configuration)."
        case "set_policy":
            return f"The configured CPU manager policy is now `{args.get('policy')}`."
        case "delete_state_file":
            return "The operator deletes the file cpu_manager_state."
    return str(action)


def _entries(state: CPUManagerSystem) -> dict[tuple[str, str], str]:
    """(pod, container) -> the CPUs of its entry in the file."""
    if state.file is None:
        return {}
    return {owner(key): to_string(cpus) for key, cpus in state.file.state.assignments}


def _allocated(before: CPUManagerSystem, pod: str, container: str, after: CPUManagerSystem) -> str:
    """What came of an allocation: exclusive CPUs, nothing, or a pod that is not admitted."""
    at = int(pod[1:]) - 1
    if after.pods[at].phase == "failed" and before.pods[at].phase != "failed":
        return f"fails for its container {container}: the pod is rejected"
    cpus = _entries(after).get((pod, container))
    if cpus is None:
        return f"gives its container {container} no CPU of its own"
    verb = "leaves" if cpus == _entries(before).get((pod, container)) else "gives"
    return f"{verb} its container {container} CPU {cpus}"


def _started(pod: str, container: str, after: CPUManagerSystem) -> str:
    """Where the container runs, or that it does not."""
    found = next((each for each in placed(after) if (each.pod, each.name) == (pod, container)), None)
    if found is None or not found.running:
        return ", and does not start"
    cpus = to_string(found.container.cpus)
    return f" on CPU {cpus}" if cpus else ""


def _crash(args: Mapping[str, object]) -> str:
    rest = {key: value for key, value in args.items() if key in ("pod", "container")}
    during = " ".join([f"`{args.get('during')}`", *(f"{value}" for value in rest.values())])
    return f"The kubelet dies during {during}, after write {args.get('write')} of the state file."


def _shape(shape: str) -> str:
    """The containers in words. What a container of a pod with resources of its own is given, the release decides."""
    pod_level = shape.startswith(POD_LEVEL)
    parts = ["resources of the pod as a whole"] if pod_level else []
    for part in shape.removeprefix(POD_LEVEL).split(", ") if shape else []:
        kind, size = part.split(" ")
        what = {"init": "an init container", "sidecar": "a sidecar"}.get(kind, "an app container")
        plural = "s" if size != "1" else ""
        asks = f"asking for {size} CPU{plural}" if pod_level else f"with {size} exclusive CPU{plural}"
        cpus = "sharing CPUs" if size == "shared" else asks
        parts.append(f"{what} {cpus}")
    return ", ".join(parts)


def facts(state: CPUManagerSystem) -> Facts:
    """The machine, the kubelet, the state file with its entries, pods and containers, the manager's memory."""
    node, kubelet = state.node, state.kubelet
    found: Facts = {
        "machine": (f"CPUs {to_string(node.cpus)}", *([f"offline {to_string(node.offline)}"] if node.offline else [])),
        "kubelet configuration": (
            f"policy {node.policy}",
            f"{node.reserved} CPU{'' if node.reserved == 1 else 's'} reserved",
            *(["full-pcpus-only"] if node.full_pcpus else []),
            *(["strict-cpu-reservation"] if node.strict_reservation else []),
        ),
        "kubelet": _kubelet(state),
    }
    if state.file is None:
        found["cpu_manager_state"] = "there is no file"
    else:
        default = to_string(state.file.state.default) or "empty"
        found["cpu_manager_state"] = (f"policy {state.file.policy}", f"defaultCpuSet {default}")
        for (pod, container), cpus in _entries(state).items():
            found[f"cpu_manager_state: {pod}/{container}"] = f"CPUs {cpus or 'none'}"
    for name, each in zip(pod_names(len(state.pods)), state.pods, strict=True):
        if each.phase in _PHASES:
            seen = f"{_SEEN[each.seen]} after container {each.admitted}" if each.admitted else _SEEN[each.seen]
            found[f"pod {name}"] = (_PHASES[each.phase], *([seen] if each.phase == "active" else []))
    for container_ in placed(state):
        if container_.running:
            found[f"container {container_}"] = f"runs on CPUs {to_string(container_.container.cpus) or 'none'}"
        elif container_.container.state == "exited":
            found[f"container {container_}"] = "exited"
    if kubelet.phase == "up":
        found |= _memory(state)
    return found


def _kubelet(state: CPUManagerSystem) -> str:
    kubelet = state.kubelet
    return f"does not start: {kubelet.error}" if kubelet.phase == "failed" else kubelet.phase


def _memory(state: CPUManagerSystem) -> Facts:
    """What the running CPU manager knows since its start; and what it remembers, under the name of the Go field."""
    kubelet = state.kubelet
    manager, seen = kubelet.manager, kubelet.started_on
    refs = [ref for _, ref in manager.container_map] or [ref for ref, _ in manager.memory.container_map]
    known = [f"reserves CPUs {to_string(kubelet.reserved_cpus)}"] if kubelet.reserved_cpus else []
    if manager.allocatable_cpus is not None:
        known.append(f"allocatable CPUs {to_string(manager.allocatable_cpus)}")
    if seen != state.node:
        known.append(f"started on CPUs {to_string(seen.cpus)} with policy {seen.policy}")
    if manager.sources_ready:
        known.append("sources ready")
    if manager.pending_admission_pod is not None:
        known.append(f"pendingAdmissionPod {manager.pending_admission_pod.uid}")
    memory: Facts = {
        "CPU manager": tuple(known),
        "CPU manager: containerMap": tuple(f"{pod}/{name}" for pod, name in refs),
        "CPU manager: lastUpdateState": tuple(
            f"{pod}/{name} on {to_string(cpus) or 'no CPU'}" for (pod, name), cpus in manager.last_update_state
        ),
        "CPU manager: cpusToReuse": tuple(
            f"{to_string(cpus) or 'none'} by {pod}" for pod, cpus in manager.memory.cpus_to_reuse
        ),
    }
    return {subject: fact for subject, fact in memory.items() if fact}
