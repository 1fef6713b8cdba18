"""Whether a kubelet starts with a state file: the model's NewManager and Start on a real file and machine. Pure.

Go: cmd/kubelet/app/server.go getReservedCPUs, then pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager and Start.
Policy options such as full-pcpus-only are not judged.
"""

from collections.abc import Mapping

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.question import StateQuestion
from model.cpu.assignment.accumulator import Hang
from model.cpu.cpuset import to_string
from model.cpu.policy.choices import validations
from model.cpu.policy.static import PolicyTake, new_static_policy
from model.cpu.policy.types import NO_CPUS, PolicyConfig, Problem, StaticPolicy
from model.cpu.state.checkpoint import Restored, new_checkpoint_state
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.go.errors import GoError
from model.releases import rules_for
from model.systems.cpu_manager.kubelet import STATE_FILE, CPUManagerRules

# The list --reserved-cpus comes with 1.17 (#83592).
FIRST_WITH_RESERVED_LIST = 17
# getReservedCPUs was read in the Go source from 1.22 on. Older releases are taken to have the same text.
RESERVED_LIST_READ = 22
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
    """The policy in the kubelet's configuration, as far as is known: the policy of the file.

    `static` if the file has no known format; the kubelet's default `none` if the file names no policy.
    """
    checkpoint = asked.sets.checkpoint
    return "static" if checkpoint is None else checkpoint.policy_name or "none"


def start(asked: StateQuestion, raw: bytes | None) -> Start:
    """How the kubelet starts with `raw` as its state file; None: without a state file."""
    rules = rules_for(CPUManagerRules, asked.release)
    early = _reserved_outside(asked)
    if early is not None:
        return Start((early,))
    name = rules.policy_named(configured_policy(asked))
    if isinstance(name, GoError):
        return Start((Refusal(name.text),))
    policy = make_policy(asked, rules) if name == "static" else None
    if isinstance(policy, GoError | Hang):
        return Start((_refused(policy),))
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


def make_policy(asked: StateQuestion, rules: CPUManagerRules) -> StaticPolicy | Problem:
    """The static policy. A release without a list of reserved CPUs reserves as many CPUs as the list has."""
    cpus = asked.reserved[1] if asked.reserved else frozenset()
    config = PolicyConfig(len(cpus), cpus)
    return new_static_policy(rules, PolicyTake(rules), asked.machine.topology, config)


def _reserved_outside(asked: StateQuestion) -> Refusal | None:
    """The error of getReservedCPUs, which the kubelet calls first, whatever the policy."""
    if asked.reserved is None or asked.release.minor < FIRST_WITH_RESERVED_LIST:
        return None
    text, cpus = asked.reserved
    machine = asked.machine.topology.cpus
    if cpus <= machine:
        return None
    return Refusal(f"reserved-cpus: {text} is not a subset of online-cpus: {to_string(machine)}")


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
