"""A proposal for CPU-LAST-POD-NOT-RECLAIMED: after `Allocate` no pod is noted as pending admission.

The idea of pull request #107732, closed unmerged: since 1.23 `GetActivePods` names pods in admission itself (#104577),
so that the note is needed no longer than the call. Try it:

    kubeproof validate examples/fixes/reset_pending_admission.py --release 1.31.13
"""

from attrs import evolve

from model.cpu.manager import CPUManager, Effect, Manager, Pods, manager_allocate_pending
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState

CURES = "CPU-LAST-POD-NOT-RECLAIMED"


def manager_allocate(
    cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, pod: PodSpec, container: str
) -> Effect:
    effect = manager_allocate_pending(cpu, manager, state, pods, pod, container)
    return evolve(effect, manager=evolve(effect.manager, pending_admission_pod=None))
