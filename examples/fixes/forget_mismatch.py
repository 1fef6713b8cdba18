"""A plausible fix of CPU-STATE-TOPOLOGY that is wrong: whatever does not fit the machine is forgotten.

Pull request #84849 proposed to go on from an empty state when the file cannot be used; upstream closed it. The kubelet
does start then. But the exclusive containers that run are forgotten as well: their CPUs are in the shared pool, and the
next pod gets them. Try it:

    kubeproof validate examples/fixes/forget_mismatch.py --release 1.31.13
"""

from model.cpu.policy import validate as policy_validate
from model.cpu.policy.types import Change, StaticPolicy
from model.cpu.state.state import CPUManagerState, clear_state

CURES = "CPU-STATE-TOPOLOGY"


def validate_state(policy: StaticPolicy, state: CPUManagerState) -> Change:
    change = policy_validate.validate_state(policy, state)
    return change if change.error is None else policy_validate.validate_state(policy, clear_state())
