"""The properties of preemption: what DefaultPreemption promises of its victims, of the node, and of what it writes."""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from model.machine import Action
from model.scheduler.framework.status import Code
from model.scheduler.preemption.candidates import any_node_without_victims_first
from model.scheduler.preemption.importance import by_priority, more_important_pod
from model.scheduler.preemption.node_resources_fit import fits_request
from model.scheduler.preemption.objects import PodDisruptionBudget, Pods, PreemptionNode, PreemptionPod
from model.scheduler.preemption.writes import DISRUPTION_TARGET, POD_SCHEDULED, PodStatus, fields_patched
from model.systems.preemption import Preemption
from model.systems.preemption.building import PREEMPTOR
from model.systems.preemption.state import Candidate
from model.which_rule import is_one_of
from properties.components.least_sacrifice import harm
from properties.property import Invariant, Property, SetupInvariant, StepInvariant

# The types of conditions that the scheduler writes.
OWNED_CONDITIONS = frozenset({POD_SCHEDULED, DISRUPTION_TARGET})
_WRITING = frozenset({"prepare_candidate", "record_failure"})


def preempted(state: Preemption) -> bool:
    """Whether all victims were deleted."""
    return bool(state.deleted) and not state.ended


def _victims(state: Preemption) -> Pods:
    """The pods that leave the node: those that were deleted, and the victims that terminate already."""
    terminating = {pod.name for pod in state.candidate(state.chosen).victims.pods if pod.terminating}
    node = state.cluster.node(state.chosen)
    return tuple(pod for pod in node.pods if pod.name in state.deleted or pod.name in terminating)


def _prepared(state: Preemption) -> bool:
    """Whether all requests about the victims were sent."""
    return bool(state.chosen) and state.next in ("record", "") and not state.ended


def spared(state: Preemption) -> tuple[str, ...]:
    """The victims that stay: nobody deletes them, and they do not terminate."""
    if not _prepared(state):
        return ()
    victims = state.candidate(state.chosen).victims.pods
    return tuple(pod.name for pod in victims if pod.name not in state.deleted and not pod.terminating)


def room_can_be_made(state: Preemption) -> tuple[str, ...]:
    """The nodes on which the deletion of less important pods makes room, where nobody objects."""
    cluster = state.cluster
    pod = cluster.preemptor
    if pod.preempts_never or cluster.extender is not None or cluster.pre_filter is not Code.SUCCESS:
        return ()
    if any(each.terminating for node in cluster.nodes if node.name == pod.nominated_node_name for each in node.pods):
        return ()
    return tuple(
        node.name
        for node in cluster.nodes
        if node.name not in cluster.unresolvable
        and not _fits(state, node)
        and _fits(state, _without(node, tuple(each for each in node.pods if each.priority < pod.priority)))
    )


def _without(node: PreemptionNode, pods: Pods) -> PreemptionNode:
    for pod in pods:
        node = node.without_pod(pod)
    return node


def _fits(state: Preemption, node: PreemptionNode) -> bool:
    return fits_request(state.cluster.preemptor, node).ok


# --- the victims on one node --------------------------------------------------------------------------------------


def victims_suffice(state: Preemption) -> bool:
    return not preempted(state) or _fits(state, _without(state.cluster.node(state.chosen), _victims(state)))


def could_stay(state: Preemption) -> tuple[str, ...]:
    """The victims that could stay if the others go."""
    if not preempted(state):
        return ()
    victims = _victims(state)
    left = _without(state.cluster.node(state.chosen), victims)
    return tuple(pod.name for pod in victims if _fits(state, left.with_pod(pod)))


def _times_count(machine: Any) -> bool:
    """Whether of pods of one priority the one that runs longer is the more important (`MoreImportantPod`, 1.15 on)."""
    rules = machine.rules
    priorities_alone = is_one_of(rules.order_of_lower_pods, (by_priority,))
    return not (priorities_alone or is_one_of(rules.pick_one_node, (any_node_without_victims_first,)))


def spared_instead(machine: Any, state: Preemption) -> Iterator[tuple[str, Pods]]:
    """A victim that could stay if less important pods, which no budget protects, went in its place; and those pods."""
    if not preempted(state):
        return
    victims, node, times = _victims(state), state.cluster.node(state.chosen), _times_count(machine)
    for victim in victims:
        less = tuple(
            pod
            for pod in node.pods
            if pod not in victims
            and (more_important_pod(victim, pod) if times else pod.priority < victim.priority)
            and not any(budget.protects(pod) for budget in state.cluster.budgets)
        )
        others = tuple(pod for pod in victims if pod is not victim)
        if less and _fits(state, _without(node, (*others, *less))):
            yield victim.name, less


def _explain_more_important(machine: Any, before: Preemption, action: Action, after: Preemption) -> str:
    victim, less = next(spared_instead(machine, after))
    return f"{victim} is deleted, and could stay if {' and '.join(pod.name for pod in less)} went, less important"


# --- disruption budgets -------------------------------------------------------------------------------------------


def excess(budget: PodDisruptionBudget, pods: Pods) -> int:
    """How many disruptions of these pods the budget does not allow."""
    counted = sum(budget.protects(pod) and pod.name not in budget.disrupted_pods for pod in pods)
    return max(0, counted - max(0, budget.disruptions_allowed))


def _uncounted(state: Preemption) -> Iterator[tuple[Candidate, PodDisruptionBudget]]:
    for candidate in state.candidates:
        for budget in state.cluster.budgets:
            earlier = state.cluster.earlier
            more = excess(budget, (*earlier, *candidate.victims.pods)) - excess(budget, earlier)
            if more > candidate.victims.num_pdb_violations:
                yield candidate, budget


def _explain_uncounted(state: Preemption) -> str:
    candidate, budget = next(_uncounted(state))
    names = " and ".join(pod.name for pod in candidate.victims.pods)
    if state.cluster.earlier:
        names = f"{names} (after {' and '.join(pod.name for pod in state.cluster.earlier)})"
    return (
        f"{names} would go on {candidate.node}, which budget {budget.name} does not allow, and the number of "
        f"violations is {candidate.victims.num_pdb_violations}"
    )


def _unfounded(state: Preemption) -> Iterator[Candidate]:
    """The candidates with more violations than there are even if every pod of lower priority goes."""
    for candidate in state.candidates:
        lower = tuple(
            pod for pod in state.cluster.node(candidate.node).pods if pod.priority < state.cluster.preemptor.priority
        )
        budgets, gone = state.cluster.budgets, (*state.cluster.earlier, *lower)
        if candidate.victims.num_pdb_violations > sum(excess(budget, gone) for budget in budgets):
            yield candidate


def _explain_unfounded(state: Preemption) -> str:
    candidate = next(_unfounded(state))
    return (
        f"the number of violations on {candidate.node} is {candidate.victims.num_pdb_violations}, and would be smaller "
        "if all pods of lower priority went"
    )


# --- the choice of a node -----------------------------------------------------------------------------------------


def less_harm(state: Preemption) -> str | None:
    """A candidate that harms less than the chosen node by the documented criteria in their order."""
    if not state.chosen:
        return None
    chosen = harm(state.candidate(state.chosen).victims)
    return next((each.node for each in state.candidates if harm(each.victims) < chosen), None)


def _refused_by_extender(state: Preemption) -> bool:
    extender = state.cluster.extender
    if extender is None or not state.chosen:
        return False
    return state.chosen in extender.refuses or (extender.fails and not extender.ignorable)


def waits_for_victims(state: Preemption) -> bool:
    """Whether a victim of an earlier preemption still terminates on the node to which the pod is nominated.

    A node that is too small for the pod by now is left.
    """
    preemptor = state.cluster.preemptor
    return any(
        node.name == preemptor.nominated_node_name
        and state.cluster.helps(node.name)
        and preemptor.cpu_milli <= node.cpu_milli
        and any(pod.terminating and pod.disruption_target for pod in node.pods)
        for node in state.cluster.nodes
    )


# --- what is written ----------------------------------------------------------------------------------------------


def of_others(status: PodStatus) -> PodStatus:
    """What of a status the scheduler does not write."""
    kept = tuple(each for each in status.conditions if each not in OWNED_CONDITIONS)
    return evolve(status, conditions=kept, nominated_node_name="")


def overwritten(before: Preemption, after: Preemption) -> tuple[str, ...]:
    """The pods of which fields change that the scheduler does not own."""
    return tuple(name for name, status in after.statuses if of_others(status) != of_others(before.status(name)))


def _value(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else " ".join(value) or "none"


def _explain_overwritten(before: Preemption, action: Action, after: Preemption) -> str:
    name = overwritten(before, after)[0]
    old, new = of_others(before.status(name)), of_others(after.status(name))
    told = ", ".join(
        f"{field} from {_value(getattr(old, field))} to {_value(getattr(new, field))}"
        for field in fields_patched(old, new)
    )
    return f"the scheduler changes what others own in the status of {name}: {told}"


def _unmarked(machine: Any, after: Preemption) -> tuple[str, ...]:
    """The pods that were deleted and that the release does not take for victims while they terminate."""
    return tuple(
        name
        for name in after.deleted
        if not machine.rules.terminating_pod_counts(
            PreemptionPod(name, terminating=True, disruption_target=DISRUPTION_TARGET in after.status(name).conditions)
        )
    )


def over(state: Preemption) -> bool:
    """Whether the attempt has come to its end without a panic."""
    return not state.next and not state.panic


def recorded(state: Preemption) -> bool:
    """Whether the pod's status says that it was not scheduled, and to which node it is nominated."""
    if not over(state):
        return True
    status = state.status(PREEMPTOR)
    return POD_SCHEDULED in status.conditions and state.nominated in (None, status.nominated_node_name)


PROPERTIES: tuple[Property, ...] = (
    Invariant(
        name="victims-suffice",
        sentence="When the victims have gone, the preemptor fits on the node.",
        broken_by=("the_last_is_forgotten",),
        holds=victims_suffice,
        premise=preempted,
        explain=lambda state: f"without {', '.join(state.deleted)} the preemptor does not fit on {state.chosen}",
    ),
    Invariant(
        name="each-victim-goes",
        sentence="Each victim is deleted, unless it terminates already or a request is refused.",
        broken_by=("nobody_is_deleted",),
        holds=lambda state: not spared(state),
        premise=_prepared,
        explain=lambda state: f"{spared(state)[0]} is a victim, and nobody deletes it",
    ),
    Invariant(
        name="preempts-if-that-makes-room",
        sentence="If the deletion of less important pods makes room on a node, and nobody objects, a node is chosen.",
        broken_by=("helps_nowhere",),
        holds=lambda state: not over(state) or bool(state.chosen) or not room_can_be_made(state),
        premise=lambda state: over(state) and bool(room_can_be_made(state)),
        explain=lambda state: f"no node is chosen, and room can be made on {room_can_be_made(state)[0]}",
    ),
    Invariant(
        name="no-victim-could-stay",
        sentence="No victim could stay if the other victims go.",
        broken_by=("everybody_goes",),
        holds=lambda state: not could_stay(state),
        premise=preempted,
        explain=lambda state: f"{could_stay(state)[0]} is deleted, and could stay if the other victims go",
    ),
    SetupInvariant(
        name="least-important-go-first",
        sentence="No victim could stay if less important pods, which no disruption budget protects, went in its place.",
        broken_by=("the_less_important_first",),
        actions=lambda machine: frozenset({"prepare_candidate"}),
        holds=lambda machine, before, action, after: next(spared_instead(machine, after), None) is None,
        premise=lambda machine, before, action, after: preempted(after),
        explain=_explain_more_important,
    ),
    Invariant(
        name="violations-are-counted",
        sentence="The number of violations of a candidate is at least what each budget does not allow of its victims.",
        broken_by=("budgets_stay_as_they_are", "no_violations"),
        holds=lambda state: next(_uncounted(state), None) is None,
        premise=lambda state: bool(state.candidates and state.cluster.budgets),
        explain=_explain_uncounted,
    ),
    Invariant(
        name="violations-are-founded",
        sentence="No more violations are counted than the budgets would have if all pods of lower priority went.",
        broken_by=("budgets_stay_as_they_are", "victims_use_budgets_up", "disrupted_pods_take_too"),
        holds=lambda state: next(_unfounded(state), None) is None,
        premise=lambda state: bool(state.candidates and state.cluster.budgets),
        explain=_explain_unfounded,
    ),
    Invariant(
        name="node-harms-least",
        sentence="No candidate harms less than the chosen node by the documented criteria in their order.",
        broken_by=("as_refused",),
        holds=lambda state: less_harm(state) is None,
        premise=lambda state: bool(state.chosen) and len(state.candidates) > 1,
        explain=lambda state: f"{state.chosen} is chosen, and {less_harm(state)} harms less",
    ),
    Invariant(
        name="preempts-where-it-helps",
        sentence="No pod is deleted on a node of which a plugin says that no pod that goes helps.",
        broken_by=("no_node_has_a_status",),
        holds=lambda state: not preempted(state) or state.cluster.helps(state.chosen),
        premise=lambda state: bool(state.cluster.unresolvable) or state.cluster.pre_filter is not Code.SUCCESS,
        explain=lambda state: f"{', '.join(state.deleted)} goes for nothing: a plugin says that this does not help",
    ),
    Invariant(
        name="extenders-agree",
        sentence="No pod is deleted on a node that an extender with the verb Preempt refuses.",
        broken_by=("extenders_are_not_known",),
        holds=lambda state: not _refused_by_extender(state),
        premise=lambda state: state.cluster.extender is not None,
        explain=lambda state: f"{state.chosen} is chosen, and the extender does not agree",
    ),
    Invariant(
        name="waits-for-its-victims",
        sentence="A pod does not preempt again while a victim of its preemption still terminates.",
        broken_by=("no_pod_counts",),
        holds=lambda state: not (preempted(state) and waits_for_victims(state)),
        premise=waits_for_victims,
        explain=lambda state: f"{', '.join(state.deleted)} is deleted while an earlier victim terminates",
    ),
    StepInvariant(
        name="only-owned-fields-are-written",
        sentence="The scheduler changes no field of a status that others own.",
        broken_by=("from_preemptor",),
        actions=_WRITING,
        holds=lambda before, action, after: not overwritten(before, after),
        premise=lambda before, action, after: before.statuses != after.statuses,
        explain=_explain_overwritten,
    ),
    SetupInvariant(
        name="victims-are-known",
        sentence="A pod that preemption deletes counts as a victim of preemption as long as the pod terminates.",
        broken_by=("not_written", "no_pod_counts"),
        actions=lambda machine: frozenset({"prepare_candidate"}),
        holds=lambda machine, before, action, after: not _unmarked(machine, after),
        premise=lambda machine, before, action, after: bool(after.deleted),
        explain=lambda machine, before, action, after: (
            f"{_unmarked(machine, after)[0]} terminates, and does not count as a victim"
        ),
    ),
    Invariant(
        name="room-is-kept",
        sentence="If pods were deleted, the preemptor is nominated to their node when the attempt is over.",
        broken_by=("nominated_when_victims_are_gone",),
        holds=lambda state: not (over(state) and state.deleted) or state.nominated == state.chosen,
        premise=lambda state: over(state) and bool(state.deleted),
        explain=lambda state: f"{', '.join(state.deleted)} is deleted, and nobody is nominated to {state.chosen}",
    ),
    Invariant(
        name="failure-is-recorded",
        sentence="After the attempt the pod's status says why the pod waits, and to which node it is nominated.",
        broken_by=("patch_of_whole_pod",),
        holds=recorded,
        premise=over,
        explain=lambda state: "nothing is written into the status of the preemptor",
    ),
    Invariant(
        name="no-context-is-left",
        sentence="An attempt leaves no context behind.",
        broken_by=("context_stays_unless_cancelled",),
        holds=lambda state: not state.contexts,
        premise=lambda state: state.next not in ("begin", "search"),
        explain=lambda state: f"contexts that nobody cancels: {state.contexts}",
    ),
    Invariant(
        name="no-panic",
        sentence="The scheduler does not panic.",
        broken_by=("no_node_without_victims",),
        holds=lambda state: not state.panic,
        premise=lambda state: state.next not in ("begin", "search"),
        explain=lambda state: f"the scheduler ends: {state.panic}",
    ),
)  # fmt: skip
