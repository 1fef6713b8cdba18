"""What the running CPU manager does to a state of bits: allocate, remove, clean up, tell. Twin of model/cpu/manager.py.

Each function writes into a `Change` where its condition is true. The rules that it asks for are the Python ones.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from attrs import define

from model.cpu import manager, reconcile, stale
from model.cpu.policy import allocate as policy_allocate
from model.cpu.policy import remove as policy_remove
from model.cpu.policy import validate as policy_validate
from model.cpu.policy.types import StaticPolicyOptions
from model.go.errors import GoError
from model.systems.cpu_manager import CPUManagerRules
from model.systems.cpu_manager.kubelet import packed, topology_of
from properties.smt.bits import Bit, all_of, any_of, choose_each, negate, same
from properties.smt.cpu_manager.cells import Change, Layout

CPUBits = list[Bit]

# What the functions below know, by the field of the rules.
KNOWN: dict[str, tuple[Callable[..., object], ...]] = {
    "active_pods": (manager.active_pods_not_terminal, manager.active_pods_with_workers),
    "manager_allocate": (
        manager.manager_allocate_as_it_is,
        manager.manager_allocate_after_cleaning,
        manager.manager_allocate_pending,
    ),
    "manager_add_container": (
        manager.manager_add_container_updating,
        manager.manager_add_container_mapping,
        manager.manager_add_container_noting,
    ),
    "manager_remove_container": (manager.manager_remove_container_by_id,),
    "post_stop_container": (manager.post_stop_container_removing, manager.post_stop_container_nothing),
    "remove_stale_state": (stale.remove_stale_assignments, stale.remove_stale_assignments_and_ids),
    "reconcile_state": (
        reconcile.reconcile_state_removing_terminated,
        reconcile.reconcile_state_telling_all,
        reconcile.reconcile_state_telling_changes,
    ),
    "allocate": (policy_allocate.allocate, policy_allocate.allocate_returning_init_cpus),
    "update_cpus_to_reuse": (
        policy_allocate.update_cpus_to_reuse,
        policy_allocate.update_cpus_to_reuse_of_sidecars,
    ),
    "remove_container": (policy_remove.remove_container, policy_remove.remove_container_freeing_all),
    "validate_state": (policy_validate.validate_state,),
    "allocatable_cpus": (
        policy_allocate.allocatable_cpus,
        policy_allocate.allocatable_cpus_free_now,
        policy_allocate.allocatable_cpus_not_reported,
    ),
}


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
        topology = topology_of(self.layout.machine.steps.initial.node)
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
        if self.rules.remove_container is policy_remove.remove_container:
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
        if self.rules.post_stop_container is manager.post_stop_container_removing:
            self.remove_by_id(change, pod, name, all_of(where, change[("up",)]))

    def active(self, change: Change, pod: int) -> Bit:
        """The pod is one of `GetActivePods`: the kubelet knows it, and it is not through."""
        seen: Bit = change[("seen", pod)]
        if self.rules.active_pods is manager.active_pods_not_terminal:
            seen = any_of(seen, change[("admitting", pod)])
        return all_of(change[("phase", pod, "active")], seen)

    def remove_stale_state(self, change: Change, where: Bit) -> None:
        ready = all_of(where, change[("ready",)])
        stale_pod = [
            all_of(ready, negate(self.active(change, p)), negate(change[("pending", p)])) for p in self.layout.pods
        ]
        by_entry = [change[("entry", p, n)] for p, n in self.layout.containers]
        for (p, n), entry in zip(self.layout.containers, by_entry, strict=True):
            self.remove_by_ref(change, p, n, all_of(stale_pod[p], entry))
        if self.rules.remove_stale_state is stale.remove_stale_assignments_and_ids:
            by_id = [change[("mapped", p, n)] for p, n in self.layout.containers]
            for (p, n), mapped in zip(self.layout.containers, by_id, strict=True):
                self.remove_by_ref(change, p, n, all_of(stale_pod[p], mapped))

    # --- allocating -----------------------------------------------------------------------------------------------

    def allocate(self, change: Change, pod: int, name: str) -> Bit:
        """`Allocate` of the manager, as the only thing that happens; gives whether it fails."""
        if self.rules.manager_allocate is manager.manager_allocate_pending:
            for other in self.layout.pods:
                change.put(("pending", other), other == pod)
            for k in range(len(self.layout.shapes)):
                change.put(("pending_shape", k), change[("shape", pod, k)])
        if self.rules.manager_allocate is not manager.manager_allocate_as_it_is:
            self.remove_stale_state(change, True)
        remembers = self.rules.allocate is policy_allocate.allocate
        present = change[("entry", pod, name)]
        own = masked(change[("reuse_of", pod)], change.cpu_set("reuse"))
        available = without(change.cpu_set("default"), self.reserved)
        if remembers:
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
        if self.rules.allocate is policy_allocate.allocate_returning_init_cpus and name[0] in "is":
            default = either(default, taken)
        change.put_set(("default",), default, new)
        change.put(("entry", pod, name), True, new)
        change.put_set(("entry_cpus", pod, name), taken, new)
        if remembers:
            self._remember(change, pod, name, own, all_of(asked, any_of(present, new)))
        return all_of(asked, negate(present), negate(met))

    def _remember(self, change: Change, pod: int, name: str, own: CPUBits, where: Bit) -> None:
        cpus = change.cpu_set("entry_cpus", pod, name)
        sidecars = self.rules.update_cpus_to_reuse is policy_allocate.update_cpus_to_reuse_of_sidecars
        comes_in = name[0] == "i" or (name[0] == "s" and sidecars)
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
        if self.rules.manager_add_container is not manager.manager_add_container_updating:
            change.put(("mapped", pod, name), True)
        if self.rules.manager_add_container is manager.manager_add_container_noting:
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
        rule = self.rules.reconcile_state
        for p, n, here in places:
            at = all_of(active[p], here)
            running = all_of(at, change[("running", p, n)])
            if rule is reconcile.reconcile_state_removing_terminated:
                ended = all_of(at, change[("exited", p, n)])
                removed[p] = any_of(removed[p], all_of(ended, change[("mapped", p, n)], change[("entry", p, n)]))
                self.remove_by_id(change, p, n, ended)
            change.put(("mapped", p, n), True, running)
            cpus = self.cpus_or_default(change, p, n)
            tells = all_of(running, any_of(*cpus))
            if rule is reconcile.reconcile_state_telling_changes:
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
        rule = self.rules.allocatable_cpus
        if rule is not policy_allocate.allocatable_cpus_not_reported:
            free_now = rule is policy_allocate.allocatable_cpus_free_now
            allocatable = without(change.cpu_set("default") if free_now else [True] * len(default), self.reserved)
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
