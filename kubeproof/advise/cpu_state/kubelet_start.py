"""Would a kubelet start with a state file: the model's NewManager and Start, run on a real file and machine.

Go: cmd/kubelet/app/server.go getReservedCPUs, then pkg/kubelet/cm/cpumanager/cpu_manager.go NewManager and Start.
Pure functions. Options of the policy (full-pcpus-only and its like) are not judged: none is given.
"""

from collections.abc import Mapping

from attrs import evolve, frozen

from kubeproof.advise.cpu_state.question import Question
from model.cpu.assignment.accumulator import Hang
from model.cpu.cpuset import to_string
from model.cpu.policy.choices import validations
from model.cpu.policy.static import new_static_policy
from model.cpu.policy.take import PolicyTake
from model.cpu.policy.types import NO_CPUS, PolicyConfig, Problem, StaticPolicy
from model.cpu.state.checkpoint import Restored, new_checkpoint_state
from model.cpu.state.state import ContainerKey, CPUManagerState, sorted_assignments
from model.go.errors import GoError
from model.releases import rules_for
from model.systems.cpu_manager.kubelet import STATE_FILE, CPUManagerRules

# The list --reserved-cpus comes with 1.17 (#83592).
FIRST_WITH_RESERVED_LIST = 17
# getReservedCPUs was read from here on; before, its words are taken to be the same.
RESERVED_LIST_READ = 22
# Of so many entries each may be the one that the kubelet names first (it walks a map); of more, the first is named.
ORDERS_UP_TO = 256


@frozen
class Refusal:
    """Why the kubelet does not start, in its own words.

    `error`: the error. `panic`: up to 1.17 an invalid state ends in a panic with this text, and `logged`, the line
    before it, has the error.
    """

    error: str
    logged: str | None = None
    panic: str | None = None


@frozen
class Start:
    """How a start ends. `refusals`: every way in which it may fail, one alone as a rule; none: it starts.

    `state`: what the kubelet then holds; `policy`: the static policy as far as it was made; None: policy `none`.
    """

    refusals: tuple[Refusal, ...]
    state: CPUManagerState | None = None
    policy: StaticPolicy | None = None


def configured_policy(asked: Question) -> str:
    """The policy that the kubelet is taken to be configured with: the file's, or `static` if the file has no format.

    One that names no policy is judged as the kubelet's default, `none`.
    """
    checkpoint = asked.sets.checkpoint
    return "static" if checkpoint is None else checkpoint.policy_name or "none"


def start(asked: Question, raw: bytes | None) -> Start:
    """The kubelet starts with `raw` as its state file; None: without one."""
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


def make_policy(asked: Question, rules: CPUManagerRules) -> StaticPolicy | Problem:
    """The static policy. Releases that know no list of reserved CPUs take as many as the list has."""
    cpus = asked.reserved[1] if asked.reserved else frozenset()
    config = PolicyConfig(len(cpus), cpus)
    return new_static_policy(rules, PolicyTake(rules), asked.machine.topology, config)


def _reserved_outside(asked: Question) -> Refusal | None:
    """getReservedCPUs comes first, whatever the policy."""
    if asked.reserved is None or asked.release.minor < FIRST_WITH_RESERVED_LIST:
        return None
    text, cpus = asked.reserved
    machine = asked.machine.topology.cpus
    if cpus <= machine:
        return None
    return Refusal(f"reserved-cpus: {text} is not a subset of online-cpus: {to_string(machine)}")


def _known_containers(asked: Question) -> Mapping[str, ContainerKey]:
    """Each container id of a file of version 1 counts as known. Its pod is not in the file: a ? stands for it."""
    return {container_id: ("?", container_id) for container_id in asked.found.container_ids}


def _with_empty_pods(restored: Restored) -> CPUManagerState:
    """Go counts a pod without containers as an assignment; here it is one without CPUs, of a container without name."""
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
    """The end of the policy's `Start`: a panic after a line in the log (1.13 to 1.17), or the error itself."""
    reported = policy.rules.report_at_start(error)
    if not reported.panic:
        return Refusal(reported.text)
    return Refusal(error.text, f"[cpumanager] static policy invalid state: {error.text}", reported.text)


def _refused(problem: Problem) -> Refusal:
    if isinstance(problem, Hang):
        return Refusal(f"(no error: the start never ends, in the choice of the reserved CPUs: {problem.loop})")
    return Refusal(problem.text, panic=problem.text if problem.panic else None)
