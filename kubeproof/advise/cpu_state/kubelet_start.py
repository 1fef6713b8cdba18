"""Whether a kubelet starts with a state file: the model's NewManager and Start on a real file and machine. Pure.

Go: ValidateKubeletConfiguration; cmd/kubelet/app/server.go run; then NewManager and Start in
pkg/kubelet/cm/cpumanager/cpu_manager.go.
"""

from collections.abc import Mapping

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.configuration import is_on
from kubeproof.advise.cpu_state.question import StateQuestion
from model.cpu.assignment.accumulator import Hang
from model.cpu.configuration import POLICY_OPTIONS_GATE, TOPOLOGY_MANAGER_GATE, ConfigurationRules
from model.cpu.policy.choices import validations
from model.cpu.policy.options import ALPHA_GATE, BETA_GATE
from model.cpu.policy.static import PolicyTake, new_static_policy
from model.cpu.policy.types import NO_CPUS, PolicyConfig, Problem, StaticPolicy
from model.cpu.state.checkpoint import Restored, new_checkpoint_state
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.gates import GATES, POD_LEVEL_RESOURCES
from model.go.errors import GoError
from model.releases import rules_for
from model.systems.cpu_manager.kubelet import STATE_FILE, CPUManagerRules

# The list --reserved-cpus comes with 1.17 (#83592), --cpu-manager-policy-options with 1.22 (#101432).
FIRST_WITH_RESERVED_LIST = 17
FIRST_WITH_OPTIONS = 22
# The kubelet walks a map, so any entry may be the one that it names first. With more entries only the first is tried.
ORDERS_UP_TO = 256


@frozen
class Refusal:
    """Why the kubelet does not start, in the kubelet's own words."""

    error: str
    # Up to 1.17 an invalid state ends in a panic: the line in the log before the panic, and the text of the panic.
    logged: str | None = None
    panic: str | None = None


@frozen
class Start:
    """How a start ends."""

    # Every way in which the start may fail; empty: the kubelet starts.
    refusals: tuple[Refusal, ...]
    # The state of the kubelet after the start.
    state: CPUManagerState | None = None
    # The static policy; None if it was not made, or if the policy is `none`.
    policy: StaticPolicy | None = None


def configured_policy(asked: StateQuestion) -> str:
    """The policy in the kubelet's configuration; where nothing says, the policy of the file.

    `static` if the file has no known format; the kubelet's default `none` if the file names no policy.
    """
    if asked.configuration.policy is not None:
        return asked.configuration.policy
    checkpoint = asked.sets.checkpoint
    return "static" if checkpoint is None else checkpoint.policy_name or "none"


def start(asked: StateQuestion, raw: bytes | None) -> Start:
    """How the kubelet starts with `raw` as its state file; None: without a state file."""
    early = refused_configuration(asked)
    if early is not None:
        return Start((Refusal(early),))
    if not asked.manager_on:
        return Start(())
    rules = rules_for(CPUManagerRules, asked.release)
    name = rules.policy_named(configured_policy(asked))
    if isinstance(name, GoError):
        return Start((Refusal(name.text),))
    policies = make_policies(asked, rules) if name == "static" else (_none_policy(asked),)
    refused = tuple(_refused(each) for each in policies if isinstance(each, GoError | Hang))
    if refused:
        return Start(refused)
    policy = next((each for each in policies if isinstance(each, StaticPolicy)), None)
    refusals: dict[Refusal, None] = {}
    state = None
    for outcome in new_checkpoint_state(rules, rules, raw, name, _known_containers(asked), STATE_FILE):
        if isinstance(outcome, GoError):
            refusals[Refusal(outcome.text)] = None
        elif policy is None:
            state = outcome.state
        else:
            state, invalid = _validate(policy, _with_empty_pods(outcome))
            refusals |= dict.fromkeys(invalid)
    return Start(tuple(refusals), state, policy)


def refused_configuration(asked: StateQuestion) -> str | None:
    """Why the kubelet refuses its configuration before it makes a CPU manager, or None."""
    if asked.broken is not None:
        return asked.broken
    known, at = asked.configuration, asked.release
    asks = rules_for(ConfigurationRules, at)
    reserved = asked.reserved
    if known.options and at.minor < FIRST_WITH_OPTIONS:
        return "unknown flag: --cpu-manager-policy-options"
    error, gate = None, is_on(GATES[TOPOLOGY_MANAGER_GATE], known.gates, at)
    if known.topology_manager_policy is not None:
        error = asks.check_topology_manager(known.topology_manager_policy, gate)
    if error is None and known.reserved_cpus and known.reserved_cgroup and asks.reserved_and_cgroup():
        return asks.reserved_and_cgroup()
    if error is None and reserved is not None and reserved.cpus:
        error = asks.check_reserved_cpus(reserved.text, reserved.cpus, asked.machine.topology)
    if error is None and asked.manager_on:
        error = asks.check_options(known.options or (), is_on(GATES[POLICY_OPTIONS_GATE], known.gates, at))
    if error is None and known.topology_manager_policy is not None and gate:
        error = asks.check_numa_nodes(known.topology_manager_policy, asked.machine.topology.num_numa_nodes)
    return None if error is None else error.text


def _none_policy(asked: StateQuestion) -> GoError | None:
    return rules_for(ConfigurationRules, asked.release).new_none_policy(asked.configuration.options or ())


def make_policies(asked: StateQuestion, rules: CPUManagerRules) -> tuple[StaticPolicy | Problem, ...]:
    """The static policy, or each way in which it may be refused: Go walks the options in any order.

    A release without a list of reserved CPUs reserves as many CPUs as the list has.
    """
    known, reserved = asked.configuration, asked.reserved
    if reserved is not None and reserved.number == 0:
        return (GoError("[cpumanager] unable to determine reserved CPU resources for static policy"),)
    options = known.options or ()
    config = PolicyConfig(
        0 if reserved is None else reserved.number,
        frozenset() if reserved is None else reserved.cpus,
        gates_off=frozenset(
            name for name in (ALPHA_GATE, BETA_GATE) if not is_on(GATES[name], known.gates, asked.release)
        ),
        topology_manager_policy=known.topology_manager_policy or "none",
        pod_level_resources=is_on(POD_LEVEL_RESOURCES, known.gates, asked.release),
    )
    orders = [(*options[i:], *options[:i]) for i in range(max(1, len(options)))]
    take, topology = PolicyTake(rules), asked.machine.topology
    made = (new_static_policy(rules, take, topology, evolve(config, options=order)) for order in orders)
    return tuple(dict.fromkeys(_as_new_manager_says(each) for each in made))


def _as_new_manager_says(made: StaticPolicy | Problem) -> StaticPolicy | Problem:
    """From 1.18 on, where an error is no panic, `NewManager` says what it was about."""
    if not isinstance(made, GoError) or made.panic:
        return made
    return GoError(f"new static policy error: {made.text}")


def _known_containers(asked: StateQuestion) -> Mapping[str, ContainerKey]:
    """The container ids of a file of version 1, all taken as known. "?" stands for the pod: the file has no pods."""
    return {container_id: ("?", container_id) for container_id in asked.found.container_ids}


def _with_empty_pods(restored: Restored) -> CPUManagerState:
    """The state with an assignment without CPUs for each pod without containers, since Go counts such a pod too."""
    empty = (((pod, ""), NO_CPUS) for pod in restored.empty_pods)
    return evolve(restored.state, assignments=sorted_assignments((*restored.state.assignments, *empty)))


def _validate(policy: StaticPolicy, state: CPUManagerState) -> tuple[CPUManagerState, tuple[Refusal, ...]]:
    few = len(state.assignments) <= ORDERS_UP_TO
    changes = validations(policy, state) if few else (policy.rules.validate_state(policy, state),)
    invalid = []
    for change in changes:
        if isinstance(change.error, GoError):
            invalid.append(_invalid(policy, change.error))
    return changes[0].state, tuple(invalid)


def _invalid(policy: StaticPolicy, error: GoError) -> Refusal:
    """How the policy's `Start` ends: a panic after a line in the log (1.13 to 1.17), or the error itself."""
    reported = policy.rules.report_at_start(error)
    if not reported.panic:
        return Refusal(reported.text)
    return Refusal(error.text, f"[cpumanager] static policy invalid state: {error.text}", reported.text)


def _refused(problem: Problem) -> Refusal:
    if isinstance(problem, Hang):
        return Refusal(f"(no error: the start never ends, in the choice of the reserved CPUs: {problem.loop})")
    return Refusal(problem.text, panic=problem.text if problem.panic else None)
