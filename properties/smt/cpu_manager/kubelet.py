"""What the running CPU manager does to a state of bits: allocate, remove, clean up, tell. Twin of model/cpu/manager.py.

Each function writes into a `Change` where its condition is true. What it asks of a rule stands in `forms`.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

from attrs import define

from model.cpu.policy.types import StaticPolicyOptions
from model.go.errors import GoError
from model.systems.cpu_manager import CPUManagerRules
from model.systems.cpu_manager.kubelet import packed, topology_of
from properties.smt.bits import Bit, all_of, any_of, choose_each, negate, same
from properties.smt.cpu_manager import forms
from properties.smt.cpu_manager.cells import Change, Layout
from properties.smt.cpu_manager.forms import CPUBits


def both(left: CPUBits, right: CPUBits) -> CPUBits:
    return [all_of(a, b) for a, b in zip(left, right, strict=True)]


def either(left: CPUBits, right: CPUBits) -> CPUBits:
    return [any_of(a, b) for a, b in zip(left, right, strict=True)]


def without(left: CPUBits, right: CPUBits) -> CPUBits:
    return [all_of(a, negate(b)) for a, b in zip(left, right, strict=True)]


def masked(where: Bit, cpus: CPUBits) -> CPUBits:
    return [all_of(where, bit) for bit in cpus]


@define(frozen=True, slots=False)
class Kubelet:
    """The manager's operations under the rules of the layout's machine."""

    layout: Layout

    @property
    def rules(self) -> CPUManagerRules:
        return self.layout.machine.rules

    @cached_property
    def reserved(self) -> CPUBits:
        return [cpu in self.layout.reserved for cpu in self.layout.cpus]

    @cached_property
    def _rows(self) -> dict[int, list[tuple[list[bool], list[bool] | None]]]:
        """For each number of CPUs: each set of available CPUs, and what the release takes of it; None is an error."""
        take, cpus = packed(self.rules), self.layout.cpus
        topology = topology_of(self.layout.machine.steps.initial().node)
        rows: dict[int, list[tuple[list[bool], list[bool] | None]]] = {}
        for number in sorted({size for name in self.layout.names for size in self.layout.sizes(name) if size}):
            rows[number] = []
            for mask in range(1 << len(cpus)):
                available = frozenset(cpu for cpu in cpus if mask >> cpu & 1)
                taken = take(topology, available, number, StaticPolicyOptions())
                chosen = None if isinstance(taken, GoError) else [cpu in taken for cpu in cpus]
                rows[number].append(([cpu in available for cpu in cpus], chosen))
        return rows

    def take(self, available: CPUBits, number: int) -> tuple[Bit, CPUBits]:
        """Whether the release's packing can take `number` of `available`, and what: its algorithm as a table."""
        met: list[Bit] = []
        chosen: list[list[Bit]] = [[] for _ in self.layout.cpus]
        for row, taken in self._rows[number]:
            if taken is None:
                continue
            here = all_of(*map(same, available, row))
            met.append(here)
            for cpu, is_taken in zip(self.layout.cpus, taken, strict=True):
                if is_taken:
                    chosen[cpu].append(here)
        return any_of(*met), [any_of(*bits) for bits in chosen]

    # --- removing -------------------------------------------------------------------------------------------------

    def remove_by_ref(self, change: Change, pod: int, name: str, where: Bit) -> None:
        """`policyRemoveContainerByRef`."""
        gone = all_of(where, change[("entry", pod, name)])
        released = change.cpu_set("entry_cpus", pod, name)
        if forms.REMOVE_CONTAINER.of(self.rules):
            for other in self.layout.names:
                if other != name:
                    released = without(released, change.cpu_set("entry_cpus", pod, other))
        change.put_set(("default",), either(change.cpu_set("default"), released), gone)
        for of in ("entry", "told"):
            change.put((of, pod, name), False, where)
            change.put_set((f"{of}_cpus", pod, name), [False] * len(self.layout.cpus), where)
        change.put(("mapped", pod, name), False, where)

    def remove_by_id(self, change: Change, pod: int, name: str, where: Bit) -> None:
        """`RemoveContainer`: an id that the containerMap does not know removes nothing."""
        self.remove_by_ref(change, pod, name, all_of(where, change[("mapped", pod, name)]))

    def post_stop(self, change: Change, pod: int, name: str, where: Bit) -> None:
        """`PostStopContainer`, if a kubelet runs."""
        if forms.POST_STOP_CONTAINER.of(self.rules):
            self.remove_by_id(change, pod, name, all_of(where, change[("up",)]))

    def active(self, change: Change, pod: int) -> Bit:
        """The pod is one of `GetActivePods`: the kubelet knows it, and it is not through."""
        known = any_of(*(change[(of, pod)] for of in forms.ACTIVE_PODS.of(self.rules)))
        return all_of(change[("phase", pod, "active")], known)

    def remove_stale_state(self, change: Change, where: Bit) -> None:
        ready = all_of(where, change[("ready",)])
        stale_pod = [
            all_of(ready, negate(self.active(change, p)), negate(change[("pending", p)])) for p in self.layout.pods
        ]
        for of in forms.REMOVE_STALE_STATE.of(self.rules):
            found = [change[(of, p, n)] for p, n in self.layout.containers]
            for (p, n), here in zip(self.layout.containers, found, strict=True):
                self.remove_by_ref(change, p, n, all_of(stale_pod[p], here))

    # --- allocating -----------------------------------------------------------------------------------------------

    def allocate(self, change: Change, pod: int, name: str) -> Bit:
        """`Allocate` of the manager, as the only thing that happens; gives whether it fails."""
        of_manager, of_policy = forms.MANAGER_ALLOCATE.of(self.rules), forms.ALLOCATE.of(self.rules)
        if of_manager.notes:
            for other in self.layout.pods:
                change.put(("pending", other), other == pod)
            for k in range(len(self.layout.shapes)):
                change.put(("pending_shape", k), change[("shape", pod, k)])
        if of_manager.cleans:
            self.remove_stale_state(change, True)
        present = change[("entry", pod, name)]
        own = masked(change[("reuse_of", pod)], change.cpu_set("reuse"))
        available = without(change.cpu_set("default"), self.reserved)
        if of_policy.reuses:
            available = either(available, own)
        met: Bit = False
        asked: Bit = False
        taken: CPUBits = [False] * len(self.layout.cpus)
        for number, shapes in self.layout.sizes(name).items():
            if number:
                here = change.shaped(pod, shapes)
                can, chosen = self.take(available, number)
                asked = any_of(asked, here)
                met = any_of(met, all_of(here, can))
                taken = either(taken, masked(here, chosen))
        new = all_of(asked, negate(present), met)
        default = without(change.cpu_set("default"), taken)
        if of_policy.returns_init and name[0] in "is":
            default = either(default, taken)
        change.put_set(("default",), default, new)
        change.put(("entry", pod, name), True, new)
        change.put_set(("entry_cpus", pod, name), taken, new)
        if of_policy.reuses:
            self._remember(change, pod, name, own, all_of(asked, any_of(present, new)))
        return all_of(asked, negate(present), negate(met))

    def _remember(self, change: Change, pod: int, name: str, own: CPUBits, where: Bit) -> None:
        cpus = change.cpu_set("entry_cpus", pod, name)
        comes_in = name[0] in forms.UPDATE_CPUS_TO_REUSE.of(self.rules)
        change.put_set(("reuse",), either(own, cpus) if comes_in else without(own, cpus), where)
        for other in self.layout.pods:
            change.put(("reuse_of", other), other == pod, where)

    # --- telling containers their CPUs ----------------------------------------------------------------------------

    def cpus_or_default(self, change: Change, pod: int, name: str) -> CPUBits:
        entry = change.cpu_set("entry_cpus", pod, name)
        return choose_each(change[("entry", pod, name)], entry, change.cpu_set("default"))

    def add_container(self, change: Change, pod: int, name: str) -> None:
        """`AddContainer`, as the container starts."""
        change.put_set(("cpus", pod, name), self.cpus_or_default(change, pod, name))
        form = forms.MANAGER_ADD_CONTAINER.of(self.rules)
        if form.maps:
            change.put(("mapped", pod, name), True)
        if form.notes:
            entry = change[("entry", pod, name)]
            change.put(("told", pod, name), True, entry)
            change.put_set(("told_cpus", pod, name), change.cpu_set("entry_cpus", pod, name), entry)

    def reconcile(self, change: Change, places: Iterable[tuple[int, str, Bit]]) -> list[Bit]:
        """`reconcileState`. `places`: containers in the order of their pods' specs, and where they are at that place.

        Gives for each pod whether an entry of a terminated container of it was removed.
        """
        removed: list[Bit] = [False for _ in self.layout.pods]
        active = [self.active(change, p) for p in self.layout.pods]
        self.remove_stale_state(change, True)
        form = forms.RECONCILE_STATE.of(self.rules)
        for p, n, here in places:
            at = all_of(active[p], here)
            running = all_of(at, change[("running", p, n)])
            if form.removes_ended:
                ended = all_of(at, change[("exited", p, n)])
                removed[p] = any_of(removed[p], all_of(ended, change[("mapped", p, n)], change[("entry", p, n)]))
                self.remove_by_id(change, p, n, ended)
            change.put(("mapped", p, n), True, running)
            cpus = self.cpus_or_default(change, p, n)
            tells = all_of(running, any_of(*cpus))
            if form.tells_changes:
                tells = all_of(tells, negate(all_of(*map(same, cpus, change.cpu_set("told_cpus", p, n)))))
                change.put(("told", p, n), True, tells)
                change.put_set(("told_cpus", p, n), cpus, tells)
            change.put_set(("cpus", p, n), cpus, tells)
        return removed

    # --- starting -------------------------------------------------------------------------------------------------

    def start(self, change: Change) -> None:
        """A kubelet that is down starts on its machine: it runs, or has failed."""
        default = change.cpu_set("default")
        entries = [change[("entry", p, n)] for p, n in self.layout.containers]
        assigned: CPUBits = [
            any_of(*(change[("entry_cpus", p, n, cpu)] for p, n in self.layout.containers)) for cpu in self.layout.cpus
        ]
        fresh = negate(any_of(*default, *entries))
        reserved = all_of(*(bit for bit, is_reserved in zip(default, self.reserved, strict=True) if is_reserved))
        whole = all_of(*either(default, assigned))
        checked = all_of(any_of(*default), reserved, whole, negate(any_of(*both(default, assigned))))
        up = any_of(fresh, checked)
        for cpu in self.layout.cpus:
            change.put(("default", cpu), True, fresh)
        change.put(("up",), up)
        change.put(("failed",), negate(up))
        for p, n in self.layout.containers:
            change.put(("mapped", p, n), all_of(up, any_of(change[("running", p, n)], change[("exited", p, n)])))
        reported = forms.ALLOCATABLE_CPUS.of(self.rules)
        if reported is not None:
            allocatable = without(reported(change.cpu_set("default")), self.reserved)
            change.put_set(("allocatable",), masked(up, allocatable))

    def stop(self, change: Change) -> None:
        """The kubelet is gone with its memory."""
        for key in self._memory():
            change.put(key, False)

    def _memory(self) -> Iterator[tuple[str | int, ...]]:
        yield from (("up",), ("failed",), ("ready",))
        yield from (("pending_shape", k) for k in range(len(self.layout.shapes)))
        for p in self.layout.pods:
            yield from (("reuse_of", p), ("pending", p))
        for cpu in self.layout.cpus:
            yield from (("reuse", cpu), ("allocatable", cpu))
        for p, n in self.layout.containers:
            yield from (("mapped", p, n), ("told", p, n))
            yield from (("told_cpus", p, n, cpu) for cpu in self.layout.cpus)
