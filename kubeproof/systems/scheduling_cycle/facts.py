"""A state of scheduling-cycle in the words of its Go code: what scheduling says, what plugins hold, and who waits."""

from kubeproof.systems.scheduling import facts as scheduling
from kubeproof.systems.system import Facts
from model.systems.scheduling_cycle.records import SchedulingCycle


def facts(state: SchedulingCycle) -> Facts:
    """Those of scheduling, then the plugins' own."""
    found = scheduling.facts(state)
    found["Reserve plugins"] = tuple(
        f"plugin {each.plugin} holds something for {each.uid} on {each.node}" for each in state.reservations
    )
    if state.named:
        found["PreFilter"] = (f"a plugin names {', '.join(state.named)} for each pod",)
    for each in state.waiting_pods:
        found[f"waiting pods: {each.uid}"] = (
            f"waits for {each.pending} {'plugin' if each.pending == 1 else 'plugins'}",
            *(["its goroutine listens"] if each.listening else []),
            *([f"the plugins have {each.decided} it"] if each.decided else []),
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
            if texts := tuple(filter(None, (host, held, waits))):
                found[f"{kind} has got for {goroutine.pod.uid}"] = texts
    return found
