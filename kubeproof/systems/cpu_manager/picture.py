"""How cpu-manager is drawn: the CPUs of the machine by core, each with its owner, and what is written down."""

from collections.abc import Mapping
from typing import Any

from kubeproof.systems.picture import Cards, Grid, Picture
from model.machine import Action
from model.systems.cpu_manager import CPUManagerSystem
from properties.cpu_manager.view import owner, placed

USERS, MACHINE, KUBELET, MANAGER, FILE = "operator and scheduler", "machine", "kubelet", "CPU manager", "state file"
# Who acts, by the first word of the place.
_BY_PLACE = {"kubelet.go": KUBELET, "the container": MACHINE, "the containers": MACHINE, "the machine": MACHINE}


def _actor(before: Any, action: Action, place: str) -> str:
    first = place.partition(" ")[0] if ".go" in place else place
    return _BY_PLACE.get(first, MANAGER if ".go" in place else USERS)


def _owner(subject: str) -> str:
    """
    >>> _owner("cpu_manager_state: p1/a1"), _owner("container p1/a1"), _owner("pod p1")
    ('state file', 'machine', 'kubelet')
    """
    owners = {"cpu_manager_state": FILE, "CPU manager": MANAGER, "container": MACHINE, "machine": MACHINE}
    return next((lane for begins, lane in owners.items() if subject.startswith(begins)), KUBELET)


def _drawn(state: CPUManagerSystem) -> Mapping[str, tuple[str, ...]]:
    """Each CPU: its core, whose it is by the state file, and the containers that run on it."""
    node, file = state.node, state.file
    entries = [] if file is None else [("/".join(owner(key)), cpus) for key, cpus in file.state.assignments]
    running = [each for each in placed(state) if each.running]
    found = {}
    for cpu in range(node.cores * node.threads):
        owners = [name for name, cpus in entries if cpu in cpus]
        if file is not None and cpu in file.state.default:
            owners.append("shared pool")
        found[f"CPU: CPU {cpu}"] = (
            f"core {cpu // node.threads}",
            " and ".join(owners) or ("nobody's" if file is not None else "no file"),
            *(["offline"] if cpu in node.offline else []),
            *(f"{each} runs" for each in running if cpu in each.container.cpus),
        )
    return found


PICTURE = Picture(
    panels=(
        Grid("CPUs by the state file", "CPU: *"),
        Cards("state file", ("cpu_manager_state", "cpu_manager_state: *")),
        Cards("pods", ("pod *", "container *")),
        Cards("kubelet", ("kubelet", "kubelet configuration", "CPU manager", "CPU manager: *")),
    ),
    lanes=(USERS, MACHINE, KUBELET, MANAGER, FILE),
    actor=_actor,
    owner=_owner,
    drawn=_drawn,
)
