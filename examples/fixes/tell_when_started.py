"""A cure of CPU-STALE-LAST-UPDATE: a container that starts in the shared pool is noted with the CPUs it starts on.

From 1.22 on `AddContainer` notes in `lastUpdateState` only what exclusive containers start on. A shared container that
restarts has the note of its last instance, and if the pool is as it was then, reconciling never tells it. Try it:

    kubeproof validate examples/fixes/tell_when_started.py --release 1.31.13
"""

from attrs import evolve

from model.cpu.manager import CPUManager, Effect, Manager, manager_add_container_noting
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState, get_cpu_set_or_default

CURES = "CPU-STALE-LAST-UPDATE"


def manager_add_container(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pod: PodSpec, container: str, container_id: str
) -> Effect:
    effect = manager_add_container_noting(cpu, manager, state, pod, container, container_id)
    cpus = get_cpu_set_or_default(state, pod.uid, container)
    return evolve(effect, manager=effect.manager.telling((pod.uid, container), cpus))
