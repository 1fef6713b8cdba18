"""cpu-manager's properties over named bits: where they are violated, and where they speak of a state or step at all."""

from collections.abc import Callable, Mapping
from itertools import combinations
from math import ceil

from attrs import frozen

from model.machine import Action
from model.systems.cpu_manager.shapes import scheduler_request
from properties.cpu_manager.errors import NO_NEEDLESS_ERROR
from properties.cpu_manager.pods import COUNTED, GIVEN
from properties.cpu_manager.running import KEPT, OFF_EXCLUSIVE, ON_ITS_SET
from properties.cpu_manager.sets import ALLOCATABLE, APART, DISJOINT, NOT_REPORTED, PARTITION, RESERVED
from properties.cpu_manager.starts import RESTART
from properties.smt.bits import Bit, all_of, any_of, at_least, count, negate, same
from properties.smt.cpu_manager.cells import Bits, Layout
from properties.smt.cpu_manager.forms import ALLOCATABLE_CPUS

Chosen = Mapping[Action, Bit]
OfState = Callable[[Bits], Bit]
OfStep = Callable[[Bits, Chosen, Bits], Bit]


@frozen
class Judge:
    """Of a state's bits, or of those before and after a step and of which action is `chosen`."""

    layout: Layout

    def _wants(self, bits: Bits, pod: int, name: str) -> Bit:
        """The pod has that container, and it asks for exclusive CPUs."""
        shapes = (k for size, which in self.layout.sizes(name).items() if size for k in which)
        return all_of(bits[("phase", pod, "active")], any_of(*(bits[("shape", pod, k)] for k in shapes)))

    def _runs_exclusive(self, bits: Bits, pod: int, name: str) -> Bit:
        return all_of(self._wants(bits, pod, name), bits[("running", pod, name)])

    def _assigned(self, bits: Bits, cpu: int) -> Bit:
        return any_of(*(bits[("entry_cpus", p, n, cpu)] for p, n in self.layout.containers))

    def has_entries(self, bits: Bits) -> Bit:
        return all_of(bits[("up",)], any_of(*(bits[("entry", p, n)] for p, n in self.layout.containers)))

    def not_partitioned(self, bits: Bits) -> Bit:
        wrong = (same(bits[("default", cpu)], self._assigned(bits, cpu)) for cpu in self.layout.cpus)
        return all_of(bits[("up",)], any_of(*wrong))

    def not_disjoint(self, bits: Bits) -> Bit:
        clashes = [
            all_of(bits[("entry_cpus", p, n, cpu)], bits[("entry_cpus", q, m, cpu)])
            for (p, n), (q, m) in combinations(self.layout.containers, 2)
            if p != q or "i" not in (n[0], m[0])
            for cpu in self.layout.cpus
        ]
        return any_of(*clashes)

    def not_reserved(self, bits: Bits) -> Bit:
        wrong = (any_of(negate(bits[("default", cpu)]), self._assigned(bits, cpu)) for cpu in self.layout.reserved)
        return all_of(bits[("up",)], any_of(*wrong))

    def not_apart(self, bits: Bits) -> Bit:
        running = {
            each: all_of(
                self._runs_exclusive(bits, *each),
                any_of(*(bits[("entry_cpus", *each, cpu)] for cpu in self.layout.cpus)),
            )
            for each in self.layout.containers
        }
        return any_of(
            *(
                all_of(
                    running[a],
                    running[b],
                    any_of(*(all_of(bits[("cpus", *a, cpu)], bits[("cpus", *b, cpu)]) for cpu in self.layout.cpus)),
                )
                for a, b in combinations(self.layout.containers, 2)
            )
        )

    def runs_exclusive(self, bits: Bits) -> Bit:
        return all_of(bits[("up",)], any_of(*(self._runs_exclusive(bits, p, n) for p, n in self.layout.containers)))

    def not_on_its_set(self, bits: Bits) -> Bit:
        misplaced = (
            all_of(
                self._runs_exclusive(bits, p, n),
                negate(
                    all_of(
                        bits[("entry", p, n)],
                        *(same(bits[("cpus", p, n, c)], bits[("entry_cpus", p, n, c)]) for c in self.layout.cpus),
                    )
                ),
            )
            for p, n in self.layout.containers
        )
        return all_of(bits[("up",)], any_of(*misplaced))

    def not_as_counted(self, bits: Bits) -> Bit:
        """An active pod's entries together are more CPUs than the scheduler counts for it."""
        hoards = []
        for p in self.layout.pods:
            held = [any_of(*(bits[("entry_cpus", p, n, cpu)] for n in self.layout.names)) for cpu in self.layout.cpus]
            number = count(held, len(held))
            for k, spec in enumerate(self.layout.specs):
                more = at_least(number, ceil(scheduler_request(spec)) + 1)
                hoards.append(all_of(bits[("phase", p, "active")], bits[("shape", p, k)], more))
        return all_of(bits[("up",)], any_of(*hoards))

    def not_allocatable(self, bits: Bits) -> Bit:
        right = (same(bits[("allocatable", c)], c not in self.layout.reserved) for c in self.layout.cpus)
        return all_of(bits[("up",)], negate(all_of(*right)))

    def is_up(self, bits: Bits) -> Bit:
        return bits[("up",)]

    def not_kept(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        lost = (
            all_of(
                self._runs_exclusive(before, p, n),
                before[("entry", p, n)],
                after[("running", p, n)],
                negate(
                    all_of(
                        after[("entry", p, n)],
                        *(
                            same(before[("entry_cpus", p, n, cpu)], after[("entry_cpus", p, n, cpu)])
                            for cpu in self.layout.cpus
                        ),
                    )
                ),
            )
            for p, n in self.layout.containers
        )
        return any_of(*lost)

    def somebody_keeps(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        return any_of(
            *(
                all_of(
                    self._runs_exclusive(before, p, n),
                    any_of(*(before[("entry_cpus", p, n, cpu)] for cpu in self.layout.cpus)),
                )
                for p, n in self.layout.containers
            )
        )

    def _runs_shared(self, bits: Bits, pod: int, name: str) -> Bit:
        shares = (bits[("shape", pod, k)] for k in self.layout.sizes(name).get(0, ()))
        return all_of(bits[("phase", pod, "active")], any_of(*shares), bits[("running", pod, name)])

    def reconciles_shared(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        known = (any_of(negate(before[("phase", p, "active")]), before[("seen", p)]) for p in self.layout.pods)
        exclusive = any_of(*(self._assigned(after, cpu) for cpu in self.layout.cpus))
        shared = any_of(*(self._runs_shared(after, p, n) for p, n in self.layout.containers))
        return all_of(after[("up",)], before[("ready",)], *known, exclusive, shared)

    def not_off_exclusive(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        trespass = (
            all_of(self._runs_shared(after, p, n), after[("cpus", p, n, cpu)], self._assigned(after, cpu))
            for p, n in self.layout.containers
            for cpu in self.layout.cpus
        )
        return all_of(self.reconciles_shared(before, chosen, after), any_of(*trespass))

    def _asking(self, before: Bits, chosen: Chosen) -> list[tuple[int, Bit]]:
        """For each pod: one of its containers with exclusive CPUs is allocated or started.

        All pods together always fit what the scheduler counts, as none is created that does not.
        """
        found = []
        for action, bit in chosen.items():
            if action.name in GIVEN.actions:
                pod = self.layout.pod_names.index(action["pod"])
                found.append((pod, all_of(bit, before[("up",)], self._wants(before, pod, action["container"]))))
        return found

    def asks_for_counted(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        return any_of(*(asks for _, asks in self._asking(before, chosen)))

    def not_given(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        """The pod is rejected; a container that starts has its CPUs already."""
        return any_of(*(all_of(asks, after[("phase", pod, "failed")]) for pod, asks in self._asking(before, chosen)))

    def allocates(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        return all_of(
            before[("up",)], any_of(*(bit for a, bit in chosen.items() if a.name in NO_NEEDLESS_ERROR.actions))
        )

    def fails_needlessly(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        """The pod is rejected at a container that has its CPUs, shares, or asks for no more than there is."""
        unused = [before[("default", cpu)] for cpu in self.layout.cpus if cpu not in self.layout.reserved]
        free = count(unused, len(unused))
        found = []
        for action, bit in chosen.items():
            if action.name == "allocate":
                pod, name = self.layout.pod_names.index(action["pod"]), action["container"]
                enough = (
                    all_of(any_of(*(before[("shape", pod, k)] for k in which)), at_least(free, size))
                    for size, which in self.layout.sizes(name).items()
                )
                needless = any_of(before[("entry", pod, name)], *enough)
                found.append(all_of(bit, after[("phase", pod, "failed")], needless))
        return all_of(before[("up",)], any_of(*found))

    def not_restarted(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        """On its machine, which never changes here, the kubelet starts and finds its state, or an empty pool."""
        entries = [
            same(before[key], after[key])
            for p, n in self.layout.containers
            for key in (("entry", p, n), *(("entry_cpus", p, n, cpu) for cpu in self.layout.cpus))
        ]
        pool = [same(before[("default", cpu)], after[("default", cpu)]) for cpu in self.layout.cpus]
        empty = negate(any_of(*(before[("default", cpu)] for cpu in self.layout.cpus)))
        return any_of(negate(after[("up",)]), negate(any_of(empty, all_of(*entries, *pool))))

    def starts(self, before: Bits, chosen: Chosen, after: Bits) -> Bit:
        return True

    def invariants(self) -> Mapping[str, tuple[OfState, OfState]]:
        """By property: where it is violated, and its premise."""
        found = {
            PARTITION.name: (self.not_partitioned, self.has_entries),
            DISJOINT.name: (self.not_disjoint, self.has_entries),
            RESERVED.name: (self.not_reserved, self.has_entries),
            APART.name: (self.not_apart, self.runs_exclusive),
            ON_ITS_SET.name: (self.not_on_its_set, self.runs_exclusive),
            COUNTED.name: (self.not_as_counted, self.has_entries),
            ALLOCATABLE.name: (self.not_allocatable, self.is_up),
        }
        return {name: both for name, both in found.items() if name not in self.unsupported()}

    def unsupported(self) -> dict[str, str]:
        """The properties of which these rules leave nothing to judge, and why."""
        if ALLOCATABLE_CPUS.of(self.layout.machine.rules) is None:
            return {ALLOCATABLE.name: NOT_REPORTED}
        return {}

    def step_invariants(self) -> Mapping[str, tuple[OfStep, OfStep]]:
        return {
            KEPT.name: (self.not_kept, self.somebody_keeps),
            OFF_EXCLUSIVE.name: (self.not_off_exclusive, self.reconciles_shared),
            GIVEN.name: (self.not_given, self.asks_for_counted),
            RESTART.name: (self.not_restarted, self.starts),
            NO_NEEDLESS_ERROR.name: (self.fails_needlessly, self.allocates),
        }
