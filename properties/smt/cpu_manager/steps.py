"""cpu-manager's actions as formulas over named bits. Twin of model/systems/cpu_manager/enabled.py and steps.py."""

from collections.abc import Iterator
from functools import cached_property

from attrs import define

from model.cpu.reconcile import TURNS_IN_ANY_ORDER
from model.machine import Action
from model.systems.cpu_manager.pods import is_init
from model.systems.cpu_manager.shapes import scheduler_request
from properties.smt.bits import Bit, all_of, any_of, increment, negate, same
from properties.smt.cpu_manager.cells import Bits, Change, Key, Layout
from properties.smt.cpu_manager.kubelet import Kubelet

SECOND_POD_FIRST = Action.of("reconcile_state", pods="p2, p1")


@define(frozen=True, slots=False)
class Steps:
    """Every action instance of a scope, when it is enabled, and what it writes."""

    layout: Layout

    @cached_property
    def kubelet(self) -> Kubelet:
        return Kubelet(self.layout)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        return tuple(self._actions())

    def _actions(self) -> Iterator[Action]:
        scope = self.layout.machine.scope
        for pod in self.layout.pod_names:
            yield from (Action.of("create_pod", pod=pod, containers=shape) for shape in self.layout.shapes)
            for container in self.layout.names:
                yield Action.of("allocate", pod=pod, container=container)
                yield Action.of("start_container", pod=pod, container=container)
                if container[0] == "i" or scope.exits:
                    yield Action.of("exit_container", pod=pod, container=container)
                if container[0] == "i" and scope.removals:
                    yield Action.of("remove_container", pod=pod, container=container)
            if scope.jobs:
                yield Action.of("complete_pod", pod=pod)
            yield Action.of("delete_pod", pod=pod)
        yield Action("reconcile_state")
        if self._turns_matter:
            yield SECOND_POD_FIRST
        if scope.restarts:
            yield from (Action("sources_ready"), Action("stop_kubelet"), Action("start_kubelet"))

    @cached_property
    def _turns_matter(self) -> bool:
        """Which of two pods has its turn first when reconciling may make a difference."""
        return len(self.layout.pods) == 2 and self.layout.machine.rules.reconcile_state not in TURNS_IN_ANY_ORDER

    # --- what a state says ----------------------------------------------------------------------------------------

    def _at(self, bits: Bits, pod: int, place: int, name: str) -> Bit:
        """The pod's container at that place of its spec is called `name`."""
        fitting = (
            k
            for k, spec in enumerate(self.layout.specs)
            if place < len(spec.containers) and spec.containers[place].name == name
        )
        return any_of(*(bits[("shape", pod, k)] for k in fitting))

    def _counted(self, bits: Bits, most: int) -> list[Bit]:
        """The half CPUs that the scheduler counts for all active pods, one-hot; more than `most` is `most`."""
        total: list[Bit] = [True, *[False] * most]
        for p in self.layout.pods:
            by_request: dict[int, list[Bit]] = {}
            for k, spec in enumerate(self.layout.specs):
                halves = int(scheduler_request(spec) * 2)
                by_request.setdefault(halves, []).append(all_of(bits[("phase", p, "active")], bits[("shape", p, k)]))
            grown: list[list[Bit]] = [[] for _ in total]
            none = negate(any_of(*(bit for counted in by_request.values() for bit in counted)))
            for value, bit in enumerate(total):
                grown[value].append(all_of(bit, none))
                for halves, counted in by_request.items():
                    grown[min(most, value + halves)].append(all_of(bit, any_of(*counted)))
            total = [any_of(*ways) for ways in grown]
        return total

    def _startable(self, bits: Bits, pod: int, name: str) -> Bit:
        """`syncPod` may start the container now."""
        ways: list[Bit] = []
        for k, spec in enumerate(self.layout.specs):
            names = [each.name for each in spec.containers]
            if name not in names:
                continue
            place = names.index(name)
            parts: list[Bit] = [bits[("shape", pod, k)], negate(bits[("running", pod, name)])]
            for at, before in enumerate(names[:place]):
                started = any_of(bits[("running", pod, before)], bits[("exited", pod, before)])
                if at < len(spec.init):
                    parts.append(bits[("exited", pod, before)] if is_init(spec, at) else started)
            if is_init(spec, place):
                parts.append(negate(bits[("exited", pod, name)]))
            ways.append(all_of(*parts))
        return any_of(*ways)

    # --- enabled --------------------------------------------------------------------------------------------------

    def enabled(self, bits: Bits, action: Action) -> Bit:
        scope, up = self.layout.machine.scope, bits[("up",)]
        match action.name:
            case "reconcile_state":
                return all_of(up, self._differs(bits)) if action == SECOND_POD_FIRST else up
            case "sources_ready":
                known = (any_of(negate(bits[("phase", p, "active")]), bits[("seen", p)]) for p in self.layout.pods)
                return all_of(up, negate(bits[("ready",)]), *known)
            case "stop_kubelet":
                return all_of(up, negate(bits[("restarts", scope.restarts)]))
            case "start_kubelet":
                return negate(up)
        pod = self.layout.pod_names.index(action["pod"])
        active = bits[("phase", pod, "active")]
        match action.name:
            case "create_pod":
                return self._fits(bits, pod, self.layout.shapes.index(action["containers"]))
            case "delete_pod":
                through = any_of(bits[("phase", pod, "succeeded")], bits[("phase", pod, "failed")])
                return any_of(through, all_of(active, negate(bits[("admitting", pod)])))
            case "complete_pod":
                apps = (
                    all_of(bits[("shape", pod, k)], *(bits[("running", pod, app.name)] for app in spec.app))
                    for k, spec in enumerate(self.layout.specs)
                )
                return all_of(active, negate(bits[("admitting", pod)]), any_of(*apps))
        name = action["container"]
        match action.name:
            case "allocate":
                in_hand = (bits[("admitting", other)] for other in self.layout.pods if other != pod)
                free = any_of(bits[("admitting", pod)], negate(any_of(*in_hand)))
                here = any_of(
                    *(all_of(bits[("admitted", pod, i)], self._at(bits, pod, i, name)) for i in range(scope.containers))
                )
                return all_of(up, active, negate(bits[("seen", pod)]), free, here)
            case "start_container":
                return all_of(up, active, bits[("seen", pod)], self._startable(bits, pod, name))
            case "exit_container":
                may = True if name[0] == "i" else negate(bits[("exits", scope.exits)])
                return all_of(active, bits[("running", pod, name)], may)
            case "remove_container":
                return all_of(up, active, bits[("exited", pod, name)])
        raise ValueError(f"no formula for {action}")

    def _fits(self, bits: Bits, pod: int, shape: int) -> Bit:
        absent = negate(
            any_of(*(bits[("phase", pod, phase)] for phase in ("active", "succeeded", "failed", "deleted")))
        )
        room = 2 * (len(self.layout.cpus) - len(self.layout.reserved))
        request = int(scheduler_request(self.layout.specs[shape]) * 2)
        return all_of(absent, any_of(*self._counted(bits, room + 1)[: room - request + 1]))

    # --- effects --------------------------------------------------------------------------------------------------

    def writes(self, bits: Bits, action: Action) -> dict[Key, Bit]:
        """The bits that the action writes, where it is enabled."""
        change = Change(self.layout, bits)
        match action.name:
            case "reconcile_state":
                self._reconcile(change, action == SECOND_POD_FIRST)
            case "sources_ready":
                change.put(("ready",), True)
            case "stop_kubelet":
                self.kubelet.stop(change)
                for p in self.layout.pods:
                    active = bits[("phase", p, "active")]
                    change.put(("seen", p), False, active)
                    change.put(("admitting", p), False, active)
                    change.put_number(("admitted", p), 0, self.layout.machine.scope.containers, active)
                self._use(change, "restarts")
            case "start_kubelet":
                self.kubelet.start(change)
            case _:
                self._of_pod(change, action, self.layout.pod_names.index(action["pod"]))
        return change.written

    def _reconcile(self, change: Change, second_first: bool) -> list[Bit]:
        places = (
            (p, n, self._at(change.before, p, i, n))
            for p in (reversed(self.layout.pods) if second_first else self.layout.pods)
            for i in range(self.layout.machine.scope.containers)
            for n in self.layout.names
        )
        return self.kubelet.reconcile(change, [each for each in places if each[2] is not False])

    def _differs(self, bits: Bits) -> Bit:
        """The second pod's turn before the first's leaves another state, or writes others on the way."""
        first, second = Change(self.layout, bits), Change(self.layout, bits)
        removed = self._reconcile(first, False)
        self._reconcile(second, True)
        keys = {**first.written, **second.written}
        other = any_of(*(negate(same(first[key], second[key])) for key in keys))
        return all_of(*(bits[("phase", p, "active")] for p in self.layout.pods), any_of(all_of(*removed), other))

    def _of_pod(self, change: Change, action: Action, pod: int) -> None:
        match action.name:
            case "create_pod":
                change.put(("phase", pod, "active"), True)
                change.put(("shape", pod, self.layout.shapes.index(action["containers"])), True)
            case "complete_pod":
                self._end(change, pod, "succeeded", True)
            case "delete_pod":
                for phase in ("succeeded", "failed"):
                    change.put(("phase", pod, phase), False)
                self._end(change, pod, "deleted", True)
                for k in range(len(self.layout.shapes)):
                    change.put(("shape", pod, k), False)
                change.put(("seen", pod), False)
                change.put(("admitting", pod), False)
                change.put_number(("admitted", pod), 0, self.layout.machine.scope.containers)
            case "allocate":
                self._allocate(change, pod, action["container"])
            case "start_container":
                name = action["container"]
                self.kubelet.post_stop(change, pod, name, change[("exited", pod, name)])
                change.put(("exited", pod, name), False)
                change.put(("running", pod, name), True)
                self.kubelet.add_container(change, pod, name)
            case "exit_container":
                name = action["container"]
                change.put(("running", pod, name), False)
                change.put(("exited", pod, name), True)
                change.put_set(("cpus", pod, name), [False] * len(self.layout.cpus))
                if name[0] != "i":
                    self._use(change, "exits")
                if name[0] == "a":
                    self.kubelet.post_stop(change, pod, name, True)
            case "remove_container":
                self.kubelet.remove_by_id(change, pod, action["container"], True)

    def _allocate(self, change: Change, pod: int, name: str) -> None:
        """The next container of a pod in admission; after the last it is admitted, after an error rejected."""
        count = self.layout.machine.scope.containers
        change.put(("admitting", pod), True)
        fails = self.kubelet.allocate(change, pod, name)
        bits, at = change.before, [change[("admitted", pod, i)] for i in range(count)]
        last = any_of(
            *(all_of(bits[("shape", pod, k)], at[len(spec.containers) - 1]) for k, spec in enumerate(self.layout.specs))
        )
        done = any_of(fails, last)
        for i, bit in enumerate([False, *at[:-1]]):
            change.put(("admitted", pod, i), any_of(done, bit) if i == 0 else all_of(negate(done), bit))
        change.put(("seen", pod), True, done)
        change.put(("admitting", pod), False, done)
        self._end(change, pod, "failed", fails)

    def _end(self, change: Change, pod: int, phase: str, where: Bit) -> None:
        """The pod's containers are killed, and the hook runs for each; the pod is in `phase`."""
        for name in self.layout.names:
            self.kubelet.post_stop(change, pod, name, all_of(where, change[("running", pod, name)]))
        for name in self.layout.names:
            change.put(("running", pod, name), False, where)
            change.put(("exited", pod, name), False, where)
            change.put_set(("cpus", pod, name), [False] * len(self.layout.cpus), where)
        change.put(("phase", pod, "active"), False, where)
        change.put(("phase", pod, phase), True, where)

    def _use(self, change: Change, power: str) -> None:
        """One more of the scope's exits or restarts is used."""
        most = {"exits": self.layout.machine.scope.exits, "restarts": self.layout.machine.scope.restarts}[power]
        for i, bit in enumerate(increment([change[(power, i)] for i in range(most + 1)], True)):
            change.put((power, i), bit)
