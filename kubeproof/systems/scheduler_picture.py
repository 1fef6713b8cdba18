"""How a scheduler is drawn, for every system that has the facts of component_facts.py."""

from collections.abc import Iterator
from typing import Any

from kubeproof.systems.picture import Cards, Columns, Panel, Picture, Places
from model.machine import Action

USERS, CLOCK, API_SERVER, INFORMER, HANDLERS = "users and others", "clock", "API server", "informer", "handlers"
QUEUE, CACHE, CYCLE, PLUGINS, PERMIT = "queue", "cache", "scheduling cycle", "plugins", "waiting pods"
BINDING, ERROR_FUNC = "binding of", "error func of"
LANES = (USERS, CLOCK, API_SERVER, INFORMER, HANDLERS, QUEUE, CYCLE, CACHE, PLUGINS, PERMIT, BINDING, ERROR_FUNC)

# Who acts in a Go file, where no goroutine of a pod does.
_BY_FILE = {
    "client-go": INFORMER,
    "eventhandlers.go": HANDLERS,
    "scheduling_queue.go": QUEUE,
    "cache.go": CACHE,
    "waiting_pods_map.go": PLUGINS,
}
# The first words of a subject -> whose it is.
_OWNERS = {
    "API server": API_SERVER,
    "missing ResourceClaims": API_SERVER,
    "disruption budget": API_SERVER,
    "informers": INFORMER,
    "handler of": HANDLERS,
    "queue": QUEUE,
    "cache": CACHE,
    "scheduling cycle": CYCLE,
    "search": CYCLE,
    "nextStartNodeIndex": CYCLE,
    "scheduler": CYCLE,
    "Reserve plugins": PLUGINS,
    "assumed volumes": PLUGINS,
    "plugins that accept": PLUGINS,
    "PreFilter": PLUGINS,
    "waiting pods": PERMIT,
}
# The first words of a subject that ends with a pod -> the lane that this pod has.
_OF_PODS = {
    "binding goroutine: ": BINDING,
    "binding cycle has got for ": BINDING,
    "error func's goroutine: ": ERROR_FUNC,
}


def owner(subject: str) -> str:
    """
    >>> owner("queue: activeQ"), owner("binding goroutine: p1 (2)")
    ('queue', 'binding of p1')
    """
    for begins, lane in _OF_PODS.items():
        if subject.startswith(begins):
            return f"{lane} {subject.removeprefix(begins).partition(' ')[0].partition('#')[0]}"
    return next((lane for begins, lane in _OWNERS.items() if subject.startswith(begins)), "")


def _goroutines(state: Any) -> Iterator[tuple[str, Any]]:
    """The goroutines that have a pod, each with its lane."""
    if state.cycle is not None:
        yield CYCLE, state.cycle
    yield from ((f"{BINDING} {each.pod.name}", each) for each in state.bindings)
    yield from ((f"{ERROR_FUNC} {each.pod.name}", each) for each in getattr(state, "retries", ()))


def actor(before: Any, action: Action, place: str) -> str:
    """The goroutine whose next step the action is; else by the Go file, or a user."""
    pod = dict(action.args).get("pod")
    for lane, goroutine in _goroutines(before):
        if goroutine.pod.name == pod and goroutine.steps[:1] == (action.name,):
            return lane
    if ".go" not in place:
        return CLOCK if place == "the clock" else USERS
    # The handlers stand in factory.go in 1.13, and so does the error function up to 1.23.
    by_name = {"pop": CYCLE, "deliver_pod": INFORMER, "deliver_node": INFORMER}
    by_name |= dict.fromkeys(("handle_pod", "handle_assigned", "handle_unassigned"), HANDLERS)
    return by_name.get(action.name) or _BY_FILE.get(place.partition(" ")[0], CYCLE)


def drawn(state: Any) -> dict[str, tuple[str, ...]]:
    """The room of each node, as the scheduler's cache counts it."""
    return {
        f"room of {info.name}": (f"{info.requested_cpu}m of {info.node.cpu_milli}m CPU",)
        for info in state.cache.nodes
        if info.node is not None
    }


def panels(who: str = "") -> tuple[Panel, ...]:
    """The panels of one scheduler; `who`: what its facts begin with, e.g. "second "."""
    return (
        Columns(
            f"{who}scheduling queue",
            (f"{who}queue: activeQ", f"{who}queue: backoffQ", f"{who}queue: unschedulableQ"),
            whole=not who,
        ),
        Columns(f"{who}nominated pods", (f"{who}queue: nominated to *",)),
        Columns(f"{who}pods in flight", (f"{who}queue: inFlightPods", f"{who}queue: inFlightEvents")),
        Places(f"{who}cache: nodes", f"{who}cache: nodes", f"{who}cache: *#*", note=f"{who}room of *"),
        Cards(
            f"{who}goroutines",
            (f"{who}scheduling cycle: *", f"{who}binding goroutine: *", f"{who}error func's goroutine: *"),
        ),
        Columns(
            f"{who}events on their way",
            (
                f"{who}informers: on the way",
                f"{who}handler of pods",
                f"{who}handler of assigned pods",
                f"{who}handler of unassigned pods",
                f"{who}handler of nodes",
            ),
        ),
    )


SERVER = Places("API server", "API server: nodes", "API server: p*")
PICTURE = Picture((SERVER, *panels()), LANES, actor, owner, drawn)
