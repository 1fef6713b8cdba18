"""A state of scheduling-cycle in the words of its Go code: what scheduling says, what plugins hold, and who waits."""

from kubeproof.systems.scheduling import facts as scheduling
from kubeproof.systems.system import Facts
from model.systems.scheduling_cycle.records import SchedulingCycle
from model.systems.scheduling_cycle.step import VOLUMES


def facts(state: SchedulingCycle) -> Facts:
    """Those of scheduling, then the plugins' own."""
    found = scheduling.facts(state)
    found["Reserve plugins"] = tuple(
        f"plugin {each.plugin} holds something for {each.uid} on {each.node}"
        for each in state.reservations
        if each.plugin != VOLUMES
    )
    if volumes := tuple(f"{each.uid} on {each.node}" for each in state.reservations if each.plugin == VOLUMES):
        found["assumed volumes"] = volumes
    found |= _of_searches(state)
    if state.named:
        found["PreFilter"] = (f"a plugin names {', '.join(state.named)} for each pod",)
    if state.disruptions_allowed:
        found["disruption budget"] = (f"disruptionsAllowed {state.disruptions_allowed}",)
    if state.plugin_context:
        found["PluginContext"] = (f"written for {state.plugin_context}",)
    if state.evictions:
        found["victims of preemption"] = tuple(
            f"{each.victim} was deleted to nominate {each.preemptor} to {each.node}" for each in state.evictions
        )
    for each in state.waiting_pods:
        found[f"waiting pods: {each.uid}"] = (
            f"waits for {each.pending} {'plugin' if each.pending == 1 else 'plugins'}",
            *(["its goroutine listens"] if each.listening else []),
            *([_decided(each.decided)] if each.decided else []),
            *([f"sent: {each.signal}"] if each.signal else []),
        )
    for kind, goroutines in (
        ("scheduling cycle", () if state.cycle is None else (state.cycle,)),
        ("binding cycle", state.bindings),
    ):
        for goroutine in goroutines:
            held = f"{goroutine.reserved} Reserve plugins hold something" if goroutine.reserved else ""
            waits = "has to wait at Permit" if goroutine.waits else ""
            host = f"host {goroutine.host}" if goroutine.host else ""
            noted = goroutine.cycle_state
            noted = f"CycleState {f'written for {noted}' if '#' in noted else noted}" if noted else ""
            canceled = "cancelled by preemption" if goroutine.canceled else ""
            if texts := tuple(filter(None, (host, held, waits, noted, canceled))):
                found[f"{kind} has got for {goroutine.pod.uid}"] = texts
    return found


def _decided(how: str) -> str:
    return "preemption has ended its wait" if how == "preempted" else f"the plugins have {how} it"


def _of_searches(state: SchedulingCycle) -> Facts:
    """Where the next search begins, what was not examined, and how far the present search has come."""
    found: Facts = {}
    if state.searches is not None and state.searches.start:
        found["nextStartNodeIndex"] = (str(state.searches.start),)
    if state.searches is not None and state.searches.nodes:
        passed_over = zip(state.searches.nodes, state.searches.passed_over, strict=True)
        found["searches over all nodes"] = (
            f"list {', '.join(state.searches.nodes)}",
            *(f"{node} not examined by the last {number}" for node, number in passed_over if number),
        )
    search = None if state.cycle is None else state.cycle.search
    if search is not None and state.cycle is not None:
        found[f"search for {state.cycle.pod.uid}"] = (
            f"asked {', '.join(search.examined) or 'nobody yet'}",
            *([f"feasible {', '.join(search.found)}"] if search.found else []),
            *([f"refused {', '.join(search.refused)}"] if search.refused else []),
            *([f"{search.left} still to be taken from the tree"] if search.left else []),
            *(["ends early, with enough"] if search.stopped else []),
            *(["on the nominated node alone"] if search.alone else []),
        )
        if search.left:
            tree = state.cache.node_tree
            of_zones = zip(tree.zones, tree.tree, strict=True)
            found["nodeTree: cursors"] = (
                f"zoneIndex {tree.zone_index}",
                *(f"{zone} lastIndex {array.last_index}" for zone, array in of_zones),
            )
    return found
