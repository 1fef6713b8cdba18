"""States of specs/SchedulingCycle.tla, read into those of model.systems.scheduling_cycle. Pure."""

from collections.abc import Mapping
from typing import Any

from attrs import fields

from model.evolve import evolve
from model.scheduler.calls import FUNCTIONS, Call, Component, move_all
from model.scheduler.node_handlers import UNKNOWN
from model.scheduler.queue.events import (
    ASSIGNED_POD_DELETE,
    ASSIGNED_POD_OTHER_UPDATE,
    ASSIGNED_POD_UPDATE,
    NODE_ADD,
    NODE_ALLOCATABLE_CHANGE,
    NODE_SPEC_UNSCHEDULABLE_CHANGE,
    POD_LABEL_CHANGE,
    ClusterEvent,
)
from model.scheduler.queue.hints import gate_stays_on
from model.scheduler.waiting_pods import WaitingPod
from model.systems.scheduling.records import Goroutine, Scheduling
from model.systems.scheduling_cycle.extender_binding import BIND_BY_EXTENDER, asked
from model.systems.scheduling_cycle.records import (
    CycleGoroutine,
    Eviction,
    Reservation,
    SchedulingCycle,
    Search,
    Searches,
)
from model.systems.scheduling_cycle.rules import CycleSetup
from model.systems.scheduling_cycle.scope import named_nodes
from model.world.api_server import place
from properties.tla.objects import NONE, items, node_or_none, uid_of
from properties.tla.scheduling.states import Decoder, HintedDecoder


def decode(setup: CycleSetup, variables: Mapping[str, Any]) -> SchedulingCycle:
    """The machine's state of a TLA+ state, in which uids, ranks and sums are not spelt out."""
    with_hints = setup.rules.hints_stay_on is gate_stays_on
    decoder = _HintedCycleDecoder(setup) if with_hints else _CycleDecoder(setup)
    state = decoder.state(variables)
    calls = {handler: tuple(map(decoder.call, those)) for handler, those in variables["calls"].items()}
    state = evolve(
        state,
        assigned=evolve(state.assigned, calls=calls["assigned"]),
        unassigned=evolve(state.unassigned, calls=calls["unassigned"]),
        node_calls=calls["nodes"],
    )
    held = (Reservation(each["plugin"], uid_of(each["uid"]), each["node"]) for each in variables["reservations"])
    waiting = (
        WaitingPod(uid_of(uid), each["pending"], each["listening"], each["signal"], each["decided"])
        for uid, each in items(variables["waitingPods"])
    )
    searches = variables["searches"]
    evictions = (
        Eviction(uid_of(each["preemptor"]), uid_of(each["victim"]), node_or_none(each["node"]) or "")
        for each in variables["evictions"]
    )
    return SchedulingCycle(
        **{field.name: getattr(state, field.name) for field in fields(Scheduling)},
        reservations=tuple(sorted(held, key=repr)),
        waiting_pods=tuple(sorted(waiting, key=lambda each: each.uid)),
        named=named_nodes(setup.scope),
        disruptions_allowed=variables["disruptionsAllowed"],
        plugin_context="" if variables["pluginContext"] == NONE else uid_of(variables["pluginContext"]),
        evictions=tuple(sorted(evictions, key=repr)),
        searches=None if searches == NONE else Searches(searches["start"], searches["nodes"], searches["passedOver"]),
    )


# By the names of the modules.
EVENTS: Mapping[str, ClusterEvent] = {
    "any": UNKNOWN,
    "AssignedPodUpdate": ASSIGNED_POD_UPDATE,
    "AssignedPodLabelChange": POD_LABEL_CHANGE,
    "AssignedPodOtherUpdate": ASSIGNED_POD_OTHER_UPDATE,
    "pod deleted": ASSIGNED_POD_DELETE,
    "node added": NODE_ADD,
    "uncordoned": NODE_SPEC_UNSCHEDULABLE_CHANGE,
    "allocatable": NODE_ALLOCATABLE_CHANGE,
}


class _CycleDecoder(Decoder):
    """Reads goroutines with what their pods have got."""

    setup: CycleSetup

    def scheduler_name(self, name: str, incarnation: int) -> str:
        return self.setup.scheduler_name(place(name), incarnation)

    def call(self, value: Mapping[str, Any]) -> Call:
        """A call of CycleHolds.tla."""
        function, args = value["f"], value["a"]
        match function:
            case "add_node":
                return Call("cache", function, (self.node(*args),))
            case "update_node":
                return Call("cache", function, (self.node(args[0], args[1]), self.node(args[0], args[2])))
            case "num_unschedulable_pods":
                return Call("queue", function, (self.node(args[0], args[1]), self.node(args[0], args[2])))
            case "go_on_moving":
                move = self.call({"f": "move_pods", "a": args})
                return Call("queue", function, (move.component, move.function, move.args))
            case "move_pods":
                checked = {} if args[1] == NONE else {args[1]: args[2]}
                return move_all(EVENTS[args[0]], next(self.node_infos(checked, lambda there: 0), None))
            case "assigned_pod_updated":
                return Call("queue", function, (self.pod(args[0]), EVENTS[args[1]]))
            case "reject_waiting_pod":
                return Call("waiting_pods", function, (self.pod(args[0]),))
        component: Component = "cache" if function in FUNCTIONS["cache"] else "queue"
        return Call(component, function, tuple(map(self.pod, args)))

    def goroutine(self, value: Mapping[str, Any]) -> Goroutine:
        read = super().goroutine(value)
        # A retry of the error function has nothing of a cycle.
        if "host" not in value:
            return read
        known = {field.name: getattr(read, field.name) for field in fields(Goroutine)}
        host = node_or_none(value["host"]) or ""
        search = None if value["search"] == NONE else Search(**value["search"])
        found = CycleGoroutine(
            **known,
            host=host,
            reserved=value["reserved"],
            waits=value["waits"],
            cycle_state=_noted(value["cycleState"]),
            canceled=value["canceled"],
            search=search,
        )
        if "bind" not in found.steps:
            return found
        # CyclePoints.tla keeps the steps alone.
        places = asked(self.setup, found.pod)
        return evolve(found, asked=places[: len(places) - found.steps.count(BIND_BY_EXTENDER)])


class _HintedCycleDecoder(_CycleDecoder, HintedDecoder):
    """And pods in flight."""


def _noted(state: Any) -> str:
    """What a CycleState has: the uid of a pod, or words."""
    if state == NONE:
        return ""
    return uid_of(state) if len(state) > 1 else str(state[0])
