"""scheduling-cycle in the words of the scheduler's Go code: what each step was, and what came of it."""

from kubeproof.systems.scheduling import words as scheduling
from model.machine import Action
from model.scheduler.waiting_pods import get
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.world.api_server import place

_FAILS = {"error": "answers with an error", "unschedulable": "rejects the pod"}


def sentence(before: SchedulingCycle, action: Action, after: SchedulingCycle) -> str:
    """What happened, and what came of it."""
    args = {key: str(value) for key, value in action.args}
    pod, node = args.get("pod", ""), args.get("node", "")
    where = f" to {node}" if node else ""
    fails = _FAILS.get(args.get("fails", ""), "")
    match action.name:
        case "schedule" | "find_nodes" | "ask_node" | "call_extenders" if _search_goes_on(after):
            return _searching(action.name, pod, after)
        case "recreate_pod" if (created := after.pods[place(pod)]) is not None and created.scheduler_name:
            return f"Pod {pod} is created again, for another scheduler: the same name, another UID and schedulerName."
        case "schedule" if before.cycle is not None and after.cycle is None and before.cycle.pod.scheduler_name:
            return f"No profile has the schedulerName of {pod}: an error is logged, and the pod is dropped."
        case "ask_node":
            return scheduling.sentence(before, Action.of("find_nodes", pod=pod), after)
        case "find_nodes" if fails:
            return f"A plugin that filters or scores for {pod} {fails}, and the attempt fails."
        case "call_extenders" if "fails" in args:
            lost = "does its work for" if args["fails"] == "lost" else "is asked about"
            return f"The extender {lost} {pod}, and the scheduler gets no answer."
        case "preempt" | "post_filter" if "extender" in args:
            return f"{_extender(args['extender'])} {scheduling.sentence(before, action, after)}"
        case "delete_victims" if "answer" in args:
            return f"The API server does not answer the request about {args['victim']}, a victim of {pod}."
        case "delete_victims":
            return _victims_told(before, action, after)
        case "record_failure" | "patch_failure" | "set_nominated_node_name" if "answer" in args:
            return f"The API server does not answer the request that writes the status of {pod}."
        case "sync_budget":
            return f"The disruption controller writes {after.disruptions_allowed} into status.disruptionsAllowed."
        case "nominate_host" if "answer" in args:
            return f"The API server does not answer the request that nominates {pod} to its host."
        case "nominate_host":
            host = next((g.host for g in before.bindings if g.pod.name == pod and g.steps[0] == action.name), "")
            return f"`updatePod`: {pod} is nominated to {host}, where it is about to be bound."
        case "done_in_binding":
            return f"`Done` of {pod}: what the queue has kept for the pod goes."
        case "assume" if not node:
            return f"`assume`: {pod} counts on its node from now on."
        case "reserve":
            end = f"plugin {args['plugin']} {fails}" if fails else "every plugin holds something for the pod"
            return f"Reserve of {pod}{where}: {end}."
        case "assume_volumes":
            end = "a volume cannot be assumed, and the attempt fails" if fails else "they count as those of the pod"
            return f"The volumes of {pod} are assumed{f' on {node}' if node else ''}: {end}."
        case "unreserve":
            return f"Unreserve of {pod}: the plugins give back what they hold for the pod."
        case "permit" if fails:
            return f"Permit of {pod}: a plugin {fails}."
        case "permit":
            goroutines = (*after.bindings, *([] if after.cycle is None else [after.cycle]))
            waits = any(g.pod.name == pod and "wait_on_permit" in g.steps for g in goroutines) or any(
                g.pod.name == pod and g.waits for g in goroutines
            )
            return f"Permit of {pod}: {'the pod has to wait' if waits else 'every plugin allows the pod'}."
        case "add_waiting_pod":
            return f"The map of waiting pods has {pod} from now on."
        case "listen":
            return f"The binding's goroutine of {pod} waits for what the plugins at Permit decide."
        case "wait_on_permit":
            waiting = next((g for g in before.bindings if g.pod.name == pod and g.steps[0] == action.name), None)
            found = None if waiting is None else get(before.waiting_pods, waiting.pod.uid)
            end = "" if found is None else f": the pod is {found.signal}"
            return f"The wait of {pod} ends{end}."
        case "pre_bind" | "bind_volumes" if _is_canceled(before, pod, action.name):
            return f"PreBind of {pod} ends with an error: preemption has cancelled the binding."
        case "bind_volumes":
            return f"The volumes of {pod} are bound{': one cannot be, and the attempt fails' if fails else ''}."
        case "pre_bind":
            return f"PreBind of {pod}: {f'a plugin {fails}' if fails else 'every plugin is done'}."
        case "bind" if args.get("reply") == "node not found":
            return f"The Binding of {pod} to {node} is refused: node {node} is not found."
        case "get_node":
            end = "is gone" if before.nodes[place(node)] is None else "is there"
            return f"The error function of {pod} GETs node {node}: it {end}."
        case "remove_missing_node":
            return f"`RemoveNode` of an object that has the name {node} and nothing else."
        case "bind_by_extender":
            return _bound_by_extender(before, pod, node, args.get("reply", ""), after)
        case "move_others_after_forget":
            return f"`MoveAllToActiveOrBackoffQueue`: pods other than {pod} may be tried again."
        case "allow_waiting_pod":
            return f"A plugin allows {args['uid']}, which waits at Permit{_told(before, args['uid'], after)}."
        case "reject_waiting_pod":
            return f"A plugin rejects {args['uid']}, which waits at Permit{_told(before, args['uid'], after)}."
        case "time_out":
            return f"The time of {args['uid']} at Permit is over{_told(before, args['uid'], after)}."
    return scheduling.sentence(before, action, after)


def _is_canceled(before: SchedulingCycle, pod: str, step: str) -> bool:
    return any(g.canceled for g in before.bindings if g.pod.name == pod and g.steps[0] == step)


def _bound_by_extender(before: SchedulingCycle, pod: str, node: str, reply: str, after: SchedulingCycle) -> str:
    """What the extender did, and who hears of it."""
    if reply == "error":
        return f"An extender is asked to bind {pod} to {node}: it does nothing, and the scheduler gets no answer."
    done = "binds it" if before.pods != after.pods else "is refused by the API server"
    lost = ", and the scheduler gets no answer" if reply else ""
    return f"An extender is asked to bind {pod} to {node}: it {done}{lost}."


def _search_goes_on(after: SchedulingCycle) -> bool:
    """Whether the search goes on in the next action; before its first action it is no search yet."""
    cycle = after.cycle
    return cycle is not None and cycle.search is not None and cycle.steps[:1] in (("ask_node",), ("find_nodes",))


def _searching(step: str, pod: str, after: SchedulingCycle) -> str:
    assert after.cycle is not None
    assert after.cycle.search is not None
    search = after.cycle.search
    if step == "call_extenders":
        return f"The extender is asked about {pod} on its nominated node; {pod} will be tried on all nodes."
    if not search.examined:
        return f"`Schedule` {pod}: the nodes will be taken from the tree one by one."
    fits = "fits" if search.examined[-1] in search.found else "does not fit"
    return f"The search takes {search.examined[-1]} from the tree: {pod} {fits} there."


def _told(before: SchedulingCycle, uid: str, after: SchedulingCycle) -> str:
    """Whether the pod's goroutine is told of what was said."""
    old, new = get(before.waiting_pods, uid), get(after.waiting_pods, uid)
    if old is None or new is None or old.signal != new.signal or not new.decided:
        return ""
    return "; the send does not wait, and nobody receives" if not new.signal else ""


def _extender(said: str) -> str:
    """What the extender with the verb Preempt says."""
    if said == "no answer":
        return "The extender does not answer."
    if said.startswith("refuses "):
        return f"The extender {said}."
    return f"The extender names {said.removeprefix('no victims on ')} without victims."


def _victims_told(before: SchedulingCycle, action: Action, after: SchedulingCycle) -> str:
    """Who is deleted, and who is rejected at Permit in place of that."""
    waiting = [each for each in after.waiting_pods if get(before.waiting_pods, each.uid) != each]
    told = [f"{each.uid} is {each.decided or 'rejected'} at Permit" for each in waiting]
    old = {each.pod.uid for each in before.bindings if each.canceled}
    new = (each.pod.uid for each in after.bindings if each.canceled and each.pod.uid not in old)
    told += [f"the binding of {uid} is cancelled in PreBind" for uid in new]
    rejected = "".join(f" {each[0].upper()}{each[1:]}." for each in told)
    if told and before.pods == after.pods:
        return rejected.strip()
    return f"{scheduling.sentence(before, action, after)}{rejected}"
