"""Properties of the kubelet's start."""

from model.machine import Action
from model.systems.cpu_manager.records import CPUManagerSystem
from properties.cpu_manager.view import NO_CPUS
from properties.property import Invariant, Liveness, StepInvariant

State = CPUManagerSystem


def starts_unchanged(before: State, action: Action, after: State) -> bool:
    """Whether the kubelet starts on the machine and with the configuration of its last start."""
    return before.node == before.kubelet.started_on


def restart_succeeds(before: State, action: Action, after: State) -> bool:
    if not starts_unchanged(before, action, after):
        return True
    if after.kubelet.phase != "up" or after.file is None:
        return False
    return before.file is None or after.file.state == before.file.state or before.file.state.default == NO_CPUS


def _explain_restart(before: State, action: Action, after: State) -> str:
    if after.kubelet.phase != "up":
        return f"nothing changed, and the kubelet does not start: {after.kubelet.error}"
    return "what the kubelet restored is not what it had written"


def comes_up(state: State, node: str) -> bool:
    """Whether the kubelet runs, or is configured with a policy that does not exist."""
    return state.kubelet.phase == "up" or state.node.policy not in ("static", "none")


def is_down(state: State, node: str) -> bool:
    return state.kubelet.phase != "up"


def _explain_down(state: State, node: str) -> str:
    return f"the kubelet does not start, however often it tries: {state.kubelet.error}"


def runs_configured_policy(state: State) -> bool:
    return state.kubelet.phase != "up" or state.file is None or state.file.policy == state.kubelet.started_on.policy


def is_up(state: State) -> bool:
    return state.kubelet.phase == "up"


def _explain_policy(state: State) -> str:
    running = state.file.policy if state.file else ""
    return f"the configured policy is {state.kubelet.started_on.policy}, and the kubelet runs {running}"


_STARTS = frozenset({"start_kubelet"})

RESTART = StepInvariant(
    name="restart-unchanged",
    sentence="On an unchanged machine the kubelet starts again, after a crash too, and restores what it had written.",
    broken_by=("allocate", "allocate_returning_init_cpus", "remove_container_freeing_all"),
    actions=_STARTS,
    holds=restart_succeeds,
    premise=starts_unchanged,
    explain=_explain_restart,
)
POLICY = Invariant(
    name="runs-configured-policy",
    sentence="A running kubelet runs the CPU manager policy that it is configured with.",
    broken_by=("fall_back_to_none",),
    holds=runs_configured_policy,
    premise=is_up,
    explain=_explain_policy,
)
COMES_UP = Liveness(
    name="kubelet-comes-up",
    sentence="A kubelet that is down comes up without an operator, also after CPUs, reserve or policy have changed.",
    broken_by=("validate_state", "validate_state_by_id"),
    sorts=("node",),
    goal=comes_up,
    premise=is_down,
    explain=_explain_down,
    fair=frozenset({"start_kubelet"}),
    recurring=frozenset({"start_kubelet"}),
)
