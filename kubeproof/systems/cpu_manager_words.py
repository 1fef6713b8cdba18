"""cpu-manager in the words of its Go code: the shared pool, who has which CPUs, what runs where, what it says."""

from collections.abc import Mapping

from model.cpu.cpuset import to_string
from model.machine import Action
from model.systems.cpu_manager import CPUManagerSystem
from properties.cpu_manager.catalogue import PROPERTIES
from properties.cpu_manager.view import checkpoint, managed, owner, placed
from properties.property import Invariant


def describe_action(action: Action) -> str:
    """One sentence: what happens in the cluster, on the machine or in the kubelet."""
    args = dict(action.args)
    pod, container = args.get("pod"), args.get("container")
    chosen = f" (it takes CPUs {args['cpus']})" if "cpus" in args and action.name != "crash_kubelet" else ""
    sentences = {
        "create_pod": f"The scheduler binds pod {pod} to the node: {_shape(str(args.get('containers', '')))}.",
        "admit": f"The kubelet admits {pod}; the CPU manager is not asked.",
        "allocate": f"Admission of {pod}: `Allocate` for its container {container}{chosen}.",
        "sources_ready": "All sources of pods have spoken: the kubelet knows its pods.",
        "start_container": f"Container {container} of {pod} is started{chosen}.",
        "exit_container": f"Container {container} of {pod} exits.",
        "complete_pod": f"The app containers of {pod} end for good: it has succeeded.",
        "delete_pod": f"Pod {pod} is deleted, its containers are gone.",
        "remove_container": f"The exited container {container} of {pod} is removed: `RemoveContainer` by its id.",
        "reconcile_state": f"The CPU manager reconciles{chosen}.",
        "stop_kubelet": "The kubelet is stopped; containers run on.",
        "start_kubelet": "The kubelet starts.",
        "crash_kubelet": _crash(args),
        "add_core": "The machine gets one more core.",
        "offline_cpu": f"CPU {args.get('cpu')} goes offline.",
        "grow_reserved": "One more CPU is to be reserved (kubelet configuration).",
        "set_policy": f"The configured CPU manager policy is now `{args.get('policy')}`.",
        "delete_state_file": "The operator deletes the file cpu_manager_state.",
    }
    return sentences.get(action.name, str(action))


def _crash(args: Mapping[str, object]) -> str:
    rest = {key: value for key, value in args.items() if key in ("pod", "container")}
    during = " ".join([f"`{args.get('during')}`", *(f"{value}" for value in rest.values())])
    return f"The kubelet dies during {during}, after write {args.get('write')} of the state file."


def _shape(shape: str) -> str:
    parts = []
    for part in shape.split(", ") if shape else []:
        kind, size = part.split(" ")
        what = {"init": "an init container", "sidecar": "a sidecar", "app": "an app container"}[kind]
        cpus = "sharing CPUs" if size == "shared" else f"with {size} exclusive CPU{'s' if size != '1' else ''}"
        parts.append(f"{what} {cpus}")
    return ", ".join(parts)


def describe_state(state: CPUManagerSystem) -> list[str]:
    """The checkpoint, then the containers that run, then the kubelet if it does not."""
    node = state.node
    lines = [f"machine: CPUs {to_string(node.cpus)}; kubelet {state.kubelet.phase}"]
    if state.kubelet.error:
        lines.append(f"the kubelet's last words: {state.kubelet.error}")
    if state.file is None:
        lines.append("cpu_manager_state: there is no file")
    else:
        entries = "; ".join(f"{'/'.join(owner(key))}: {to_string(cpus)}" for key, cpus in checkpoint(state).assignments)
        lines.append(
            f"cpu_manager_state: defaultCpuSet {to_string(state.file.state.default) or 'empty'}"
            + (f"; entries {entries}" if entries else "; no entries")
        )
    runs = [f"{each} on {to_string(each.container.cpus)}" for each in placed(state) if each.running]
    if runs:
        lines.append(f"running: {'; '.join(runs)}")
    return lines


def describe_damage(state: CPUManagerSystem) -> str | None:
    """What invariants are broken in this state, or why the kubelet does not start."""
    if state.kubelet.phase == "failed":
        return f"**The kubelet does not start**: {state.kubelet.error}"
    if not managed(state):
        return None
    broken = [p.explain(state) for p in PROPERTIES if isinstance(p, Invariant) and not p.holds(state)]
    return f"**{broken[0]}**" if broken else None
