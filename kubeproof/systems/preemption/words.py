"""preemption in the words of its Go code: what runs where, what is decided, what is written."""

from kubeproof.systems.system import Facts
from model.machine import Action
from model.scheduler.framework.status import Code
from model.scheduler.preemption.objects import PodDisruptionBudget, PreemptionPod
from model.scheduler.preemption.writes import PodStatus
from model.systems.preemption import Preemption
from model.systems.preemption.building import PREEMPTOR, new_budget, with_pod
from model.systems.preemption.state import Candidate, Extender

_NEXT = {
    "begin": "the pod has not come yet",
    "search": "the dry run",
    "extenders": "extenders are asked",
    "select": "the choice of a node",
    "prepare": "the victims are deleted",
    "record": "the failure is recorded",
    "": "the attempt is over",
}


def sentence(before: Preemption, action: Action, after: Preemption) -> str:
    """What happened in the cluster or in the scheduler, and what came of it."""
    match action.name:
        case "run_pod":
            pod = with_pod(before.cluster, action).nodes[-1].pods[0 if "listed" in dict(action.args) else -1]
            return f"Pod {pod.name} runs on {action['node']}: {_marks(pod)}."
        case "set_budget":
            return f"The disruption controller writes: {_budget(new_budget(action))}."
        case "fit_nowhere":
            gone = f"{', '.join(before.deleted)} is gone, and the first pod runs on {before.chosen}. A second"
            return f"{'A' if before.next else gone} pod comes, and fits nowhere: {_preemptor(after)}."
        case "find_candidates":
            found = "; ".join(map(_candidate, after.candidates))
            if found:
                return f"The dry run finds {found}."
            return f"The dry run finds no candidate: {after.ended.removesuffix('.')}."
        case "call_extenders":
            if after.panic or after.ended:
                return f"The extender is asked; this fails: {after.panic or after.ended}."
            return f"The extender is asked; left {_are(after)}."
        case "select_candidate":
            if after.panic:
                return f"The scheduler panics when it chooses a node: {after.panic}."
            return f"Node {after.chosen} is chosen." if after.chosen else "No candidate is left."
        case "prepare_candidate":
            gone = ", ".join(after.deleted) or "no pod"
            patched = before.statuses != after.statuses
            refused = dict(action.args).get("refused")
            then = f", and the request about {refused} is refused" if refused else ""
            return f"The scheduler {'patches and ' if patched else ''}deletes {gone}{then}."
        case "record_failure":
            if before.statuses == after.statuses:
                return "The scheduler computes a patch of the pod's status, and this fails."
            return "The scheduler writes into the pod's status why the pod waits."
    return str(action)


def _are(state: Preemption) -> str:
    return "is nothing" if not state.candidates else "are " + "; ".join(map(_candidate, state.candidates))


def _candidate(each: Candidate) -> str:
    names = ", ".join(pod.name for pod in each.victims.pods) or "nobody"
    return f"{each.node} (victims: {names}; violations: {each.victims.num_pdb_violations})"


def _marks(pod: PreemptionPod) -> str:
    marks = [f"priority {pod.priority}", f"CPU {pod.cpu_milli}", *(f"of budget {name}" for name, _ in pod.labels)]
    marks += ["started later"] if pod.start_time == 2 else []
    marks += ["terminating by preemption" if pod.disruption_target else "terminating"] if pod.terminating else []
    return ", ".join(marks)


def _budget(budget: PodDisruptionBudget) -> str:
    counted = f", and counts {', '.join(sorted(budget.disrupted_pods))} as disrupted" if budget.disrupted_pods else ""
    selector = "" if budget.selector else ", with an empty selector,"
    return f"budget {budget.name}{selector} allows {budget.disruptions_allowed}{counted}"


def _extender(extender: Extender) -> str:
    kind = "an ignorable extender" if extender.ignorable else "an extender"
    if extender.fails:
        return f"{kind} does not answer"
    if extender.empties:
        return f"{kind} names {' and '.join(extender.empties)} without a victim"
    return f"{kind} refuses {' and '.join(extender.refuses)}" if extender.refuses else f"{kind} agrees"


def _preemptor(state: Preemption) -> str:
    cluster, pod = state.cluster, state.cluster.preemptor
    parts = [f"priority {pod.priority}, CPU {pod.cpu_milli}"]
    parts += ["preemptionPolicy Never"] if pod.preempts_never else []
    parts += [f"nominated to {pod.nominated_node_name}"] if pod.nominated_node_name else []
    parts += ["an image pull secret has no name"] if cluster.unnamed_secret else []
    parts += [f"PreFilter says {cluster.pre_filter}"] if cluster.pre_filter is not Code.SUCCESS else []
    parts += [f"no pod that goes helps on {name}" for name in cluster.unresolvable]
    return "; ".join(parts if cluster.extender is None else [*parts, _extender(cluster.extender)])


def _status(status: PodStatus) -> str:
    conditions = ", ".join(status.conditions) or "none"
    nominated = f", nominatedNodeName {status.nominated_node_name}" if status.nominated_node_name else ""
    return f"{status.phase}, qosClass {status.qos_class}, conditions {conditions}{nominated}"


def facts(state: Preemption) -> Facts:
    """The cluster, then how far the attempt is, then what the API server has."""
    cluster = state.cluster
    found: Facts = {
        f"pods on {node.name}": tuple(f"{pod.name} ({_marks(pod)})" for pod in node.pods) for node in cluster.nodes
    }
    found |= {f"budget {budget.name}": _budget(budget) for budget in cluster.budgets}
    if cluster.earlier:
        found["gone, and not counted yet"] = tuple(pod.name for pod in cluster.earlier)
    if cluster.preemptor.name:
        found[PREEMPTOR] = _preemptor(state)
    found["attempt: next"] = _NEXT[state.next]
    found |= {f"attempt: candidate {each.node}": _candidate(each) for each in state.candidates}
    if state.chosen:
        found["attempt: node"] = state.chosen
    if state.ended:
        found["attempt: ended early"] = state.ended
    if state.panic:
        found["the scheduler"] = f"ended: {state.panic}"
    if state.nominated is not None:
        found["attempt: nominates"] = state.nominated or "no node, and takes the nomination back"
    if state.contexts:
        found["contexts left"] = str(state.contexts)
    if state.deleted:
        found["deleted"] = state.deleted
    return found | {f"status of {name}": _status(status) for name, status in state.statuses}
