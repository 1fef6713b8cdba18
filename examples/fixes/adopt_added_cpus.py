"""A cure of CPU-STATE-TOPOLOGY for CPUs that were added: a starting kubelet takes them into the shared pool.

Entries are not touched, so that running exclusive containers keep their CPUs. CPUs that are in the state and no longer
in the machine are refused as before: a container may be confined to them. What it cannot tell apart: CPUs that were
added, and CPUs that a crash between two writes of the state file has lost (CPU-CRASH-BETWEEN-WRITES). It adopts both:
the kubelet starts after such a crash too, with another state than the one it had written. Try it:

    kubeproof validate examples/fixes/adopt_added_cpus.py --release 1.31.13
"""

from model.cpu.policy import validate as policy_validate
from model.cpu.policy.types import Change, StaticPolicy
from model.cpu.state.state import CPUManagerState, assigned_cpus, set_default_cpu_set

CURES = "CPU-STATE-TOPOLOGY"


def validate_state(policy: StaticPolicy, state: CPUManagerState) -> Change:
    added = policy.topology.cpus - state.default - assigned_cpus(state)
    if not state.default or not added:
        return policy_validate.validate_state(policy, state)
    adopted = set_default_cpu_set(state, state.default | added)
    checked = policy_validate.validate_state(policy, adopted)
    if checked.error is not None:
        return Change(state, error=checked.error)
    return Change(adopted, stores=(adopted,))
