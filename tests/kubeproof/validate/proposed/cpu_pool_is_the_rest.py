"""CPU-STATE-TOPOLOGY: at its start the kubelet makes the pool anew, of all CPUs that no container has. Right.

An exclusive CPU that is no longer in the machine is refused as before.
"""

from model.cpu.policy import validate as policy_validate
from model.cpu.policy.types import Change, StaticPolicy
from model.cpu.state.state import CPUManagerState, assigned_cpus, set_default_cpu_set

CURES = "CPU-STATE-TOPOLOGY"


def validate_state(policy: StaticPolicy, state: CPUManagerState) -> Change:
    rest = policy.topology.cpus - assigned_cpus(state)
    if not state.default or not rest or state.default == rest:
        return policy_validate.validate_state(policy, state)
    made = set_default_cpu_set(state, rest)
    checked = policy_validate.validate_state(policy, made)
    return Change(state, error=checked.error) if checked.error is not None else Change(made, stores=(made,))
