"""The state of cpu-manager as named bits: which there are in a scope, and those of a Python state.

A bit is named by a tuple: what it says, of which pod (by index), container (by name), CPU or number. A CPU set is a bit
for each CPU. What follows from the rest has no bit: the node never changes here, the error of a kubelet that has failed
follows from the file, and a pod has containers while it is active.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from attrs import define

from model.cpu.cpuset import CPUSet
from model.cpu.policy.pods import PodSpec
from model.systems.cpu_manager import CPUManagerMachine, CPUManagerSystem
from model.systems.cpu_manager.pods import pod_names
from model.systems.cpu_manager.shapes import pod_spec
from properties.smt.bits import Bit, any_of, choose

Key = tuple[str | int, ...]
Bits = Mapping[Key, Bit]
PHASES = ("active", "succeeded", "failed", "deleted")


@define(frozen=True, slots=False)
class Layout:
    """What the scope of a machine has: pods by index, shapes by index, container names, CPUs."""

    machine: CPUManagerMachine

    @cached_property
    def pods(self) -> range:
        return range(self.machine.scope.pods)

    @cached_property
    def pod_names(self) -> tuple[str, ...]:
        return pod_names(self.machine.scope.pods)

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        return self.machine.steps.shapes

    @cached_property
    def specs(self) -> tuple[PodSpec, ...]:
        """The containers of each shape."""
        return tuple(pod_spec("p", shape) for shape in self.shapes)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every container name, ascending, as entries are sorted."""
        return tuple(sorted({each.name for spec in self.specs for each in spec.containers}))

    @cached_property
    def containers(self) -> tuple[tuple[int, str], ...]:
        return tuple((p, n) for p in self.pods for n in self.names)

    @cached_property
    def cpus(self) -> range:
        return range(self.machine.scope.cores * self.machine.scope.threads)

    @cached_property
    def reserved(self) -> CPUSet:
        return self.machine.steps.initial().kubelet.reserved_cpus

    def sizes(self, name: str) -> Mapping[int, tuple[int, ...]]:
        """The shapes that have the container, by how many exclusive CPUs it asks for; 0: it shares."""
        found: dict[int, tuple[int, ...]] = {}
        for k, spec in enumerate(self.specs):
            if any(each.name == name for each in spec.containers):
                cpus = self.machine.rules.guaranteed_cpus(spec, name)
                found[cpus] = (*found.get(cpus, ()), k)
        return found

    @cached_property
    def keys(self) -> tuple[Key, ...]:
        """Every bit of a state, in a fixed order."""
        return tuple(self._keys())

    def _keys(self) -> Iterator[Key]:
        scope = self.machine.scope
        for p in self.pods:
            yield from (("phase", p, phase) for phase in PHASES)
            yield from (("shape", p, k) for k in range(len(self.shapes)))
            yield from (("admitting", p), ("seen", p), ("reuse_of", p), ("pending", p))
            yield from (("admitted", p, i) for i in range(scope.containers))
        for p, n in self.containers:
            for of in ("running", "exited", "entry", "mapped", "told"):
                yield (of, p, n)
            for of in ("cpus", "entry_cpus", "told_cpus"):
                yield from ((of, p, n, cpu) for cpu in self.cpus)
        for of in ("default", "reuse", "allocatable"):
            yield from ((of, cpu) for cpu in self.cpus)
        yield from (("pending_shape", k) for k in range(len(self.shapes)))
        yield from (("up",), ("failed",), ("ready",))
        yield from (("exits", i) for i in range(scope.exits + 1))
        yield from (("restarts", i) for i in range(scope.restarts + 1))

    def constant(self, state: CPUManagerSystem) -> dict[Key, bool]:
        """The bits of a Python state."""
        true = set(self._true(state))
        unknown = true - set(self.keys)
        assert not unknown, f"the scope has no {sorted(map(str, unknown))}"
        return {key: key in true for key in self.keys}

    def _true(self, state: CPUManagerSystem) -> Iterator[Key]:
        manager = state.kubelet.manager
        assert state.file is not None
        for p, pod in enumerate(state.pods):
            if pod.phase != "absent":
                yield ("phase", p, pod.phase)
            if pod.shape:
                yield ("shape", p, self.shapes.index(pod.shape))
            if pod.seen != "no":
                yield ({"admitting": "admitting", "yes": "seen"}[pod.seen], p)
            yield ("admitted", p, pod.admitted)
            for each, container in zip(pod_spec("p", pod.shape).containers if pod.containers else (), pod.containers,
                                       strict=True):  # fmt: skip
                if container.state != "waiting":
                    yield (container.state, p, each.name)
                yield from (("cpus", p, each.name, cpu) for cpu in container.cpus)
        for of, entries in (("entry", state.file.state.assignments), ("told", manager.last_update_state)):
            for (pod_name, name), cpus in entries:
                p = self.pod_names.index(pod_name)
                yield (of, p, name)
                yield from ((f"{of}_cpus", p, name, cpu) for cpu in cpus)
        yield from (("default", cpu) for cpu in state.file.state.default)
        for pod_name, cpus in manager.memory.cpus_to_reuse:
            yield ("reuse_of", self.pod_names.index(pod_name))
            yield from (("reuse", cpu) for cpu in cpus)
        yield from (("mapped", self.pod_names.index(ref[0]), ref[1]) for _, ref in manager.container_map)
        pending = manager.pending_admission_pod
        if pending is not None:
            yield ("pending", self.pod_names.index(pending.uid))
            yield from (
                ("pending_shape", k) for k, shape in enumerate(self.shapes) if pod_spec(pending.uid, shape) == pending
            )
        yield from (("allocatable", cpu) for cpu in manager.allocatable_cpus or ())
        if state.kubelet.phase != "down":
            yield (state.kubelet.phase,)
        if manager.sources_ready:
            yield ("ready",)
        yield ("exits", state.used.exits)
        yield ("restarts", state.used.restarts)


class Change:
    """A state in the making: reads see what was written before."""

    def __init__(self, layout: Layout, before: Bits) -> None:
        self.layout, self.before = layout, before
        self.written: dict[Key, Bit] = {}

    def __getitem__(self, key: Key) -> Bit:
        return self.written.get(key, self.before[key])

    def put(self, key: Key, bit: Bit, where: Bit = True) -> None:
        """The bit is `bit` from now on, where `where` is true."""
        self.written[key] = choose(where, bit, self[key])

    def cpu_set(self, *key: str | int) -> list[Bit]:
        """The set of that name: a bit for each CPU."""
        return [self[(*key, cpu)] for cpu in self.layout.cpus]

    def put_set(self, key: Key, bits: Sequence[Bit], where: Bit = True) -> None:
        for cpu, bit in zip(self.layout.cpus, bits, strict=True):
            self.put((*key, cpu), bit, where)

    def put_number(self, of: Key, number: int, count: int, where: Bit = True) -> None:
        """The one-hot value `of` is `number` of `count`."""
        for i in range(count):
            self.put((*of, i), i == number, where)

    def shaped(self, pod: int, shapes: Sequence[int]) -> Bit:
        """The pod has one of these shapes."""
        return any_of(*(self[("shape", pod, k)] for k in shapes))
