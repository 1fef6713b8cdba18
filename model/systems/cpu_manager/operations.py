"""The CPU manager's operations in a state of the system: what each reads of it, and what its effect means for the rest.

Every operation first says which states it writes (`Doing.stores`); without a crash all are written, and the last stays.
"""

from collections.abc import Callable, Iterable
from functools import cached_property

from attrs import define

from model.cpu.cpuset import CPUSet
from model.cpu.manager import CPUManager, Effect, manager_allocate_nothing, post_stop_container_nothing
from model.cpu.new_manager import RuntimeContainers
from model.cpu.policy.pods import PodSpec
from model.cpu.state.state import CPUManagerState
from model.evolve import evolve
from model.go.errors import GoError
from model.systems.cpu_manager.choices import AnyNumbering, Choices
from model.systems.cpu_manager.doing import Doing
from model.systems.cpu_manager.kubelet import (
    CPUManagerRules,
    Take,
    cpu_manager,
    packed,
)
from model.systems.cpu_manager.pods import confined, ids, pod_names, states
from model.systems.cpu_manager.records import CPUManagerSystem, Node, Pod
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.shapes import pod_spec, shapes
from model.variables import Places
from model.which_rule import is_one_of, noting

NO_STATE = CPUManagerState()
# The value of `pod_level_gate` in a scope where the gate is on.
GATE_ON = 1


@define(frozen=True, slots=False)
class Operations:
    """The manager's operations in a scope, under some rules. What depends on the machine alone is made once."""

    scope: CPUManagerScope
    rules: CPUManagerRules

    @cached_property
    def names(self) -> tuple[str, ...]:
        return pod_names(self.scope.pods)

    @cached_property
    def allocates_at_admission(self) -> bool:
        """From 1.18 on; before, CPUs are taken when a container starts, and containers are known by id."""
        return not is_one_of(self.rules.manager_allocate, (manager_allocate_nothing,))

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """What a pod may look like. A release that has no sidecars gets none, nor one that knows no spec.resources."""
        return shapes(self.scope, self.rules.sidecars(), self._knows_pod_level)

    @cached_property
    def _knows_pod_level(self) -> bool:
        """Whether the release has the gate PodLevelResources. Where no pod has such resources nobody asks."""
        return bool(self.scope.pod_level) and self.rules.pod_level_gate() is not None

    @cached_property
    def pod_level_resources(self) -> bool:
        """Whether this gate is on."""
        if self._knows_pod_level and self.scope.pod_level_gate:
            return self.scope.pod_level_gate == GATE_ON
        return self._knows_pod_level and bool(self.rules.pod_level_gate())

    @cached_property
    def take(self) -> Take:
        """How CPUs are chosen: as the release does, or as it would under any numbering of them."""
        return packed(self.rules) if self.any_numbering is None else self.any_numbering

    @cached_property
    def any_numbering(self) -> AnyNumbering | None:
        return AnyNumbering(self.scope, self.rules) if self.scope.numbering else None

    @cached_property
    def _managers(self) -> dict[Node, tuple[CPUManager | GoError, tuple[str, ...]]]:
        """The CPU manager on each node, and the rules that making it looks up, in order."""
        return {}

    def cpu(self, node: Node) -> CPUManager | GoError:
        """The CPU manager of a kubelet that starts on `node`."""
        known = self._managers.get(node)
        if known is None:
            looked_up: dict[str, None] = {}
            rules = noting(self.rules, looked_up.setdefault)
            cpu_manager(rules, packed(rules), node, self.pod_level_resources)
            made = cpu_manager(self.rules, self.take, node, self.pod_level_resources)
            self._managers[node] = made, tuple(looked_up)
            return made
        for field in known[1]:
            # Whoever shares steps between several rules notes it again.
            getattr(self.rules, field)
        return known[0]

    def running(self, state: CPUManagerSystem) -> CPUManager | None:
        """The CPU manager of the running kubelet; None while it is down or its policy is none."""
        if state.kubelet.phase != "up" or state.file is None or state.file.policy != "static":
            return None
        cpu = self.cpu(state.kubelet.started_on)
        return None if isinstance(cpu, GoError) else cpu

    # --- what an operation needs to know --------------------------------------------------------------------------

    def spec(self, state: CPUManagerSystem, index: int) -> PodSpec:
        return pod_spec(self.names[index], state.pods[index].shape)

    def specs(self, state: CPUManagerSystem) -> dict[int, PodSpec]:
        """The pods that have containers, by index."""
        return {i: self.spec(state, i) for i, pod in enumerate(state.pods) if pod.containers}

    def runtime_containers(self, state: CPUManagerSystem) -> RuntimeContainers:
        """((id, (pod, name)), …) of the containers that have been started."""
        found = []
        for i, spec in self.specs(state).items():
            pod = state.pods[i]
            for each, id_, is_ in zip(spec.containers, ids(pod, spec), states(pod), strict=True):
                if is_ != "waiting":
                    found.append((id_, (spec.uid, each.name)))
        return tuple(found)

    def checkpoint(self, state: CPUManagerSystem) -> CPUManagerState:
        return NO_STATE if state.file is None else state.file.state

    # --- the effect of an operation of the manager on the rest ----------------------------------------------------

    def manage(
        self,
        state: CPUManagerSystem,
        cpu: CPUManager,
        operation: Callable[..., Effect],
        *inputs: object,
        chosen: Choices = (),
    ) -> Doing:
        """An operation of the manager on its memory and checkpoint, and what that means for the rest."""
        if self.any_numbering is not None:
            self.any_numbering.prescribe(chosen)
        effect = operation(cpu, state.kubelet.manager, self.checkpoint(state), *inputs)
        done = self.apply(state, effect)
        following = () if self.any_numbering is None else self.any_numbering.open
        return evolve(done, open=following) if following else done

    def apply(self, state: CPUManagerSystem, effect: Effect) -> Doing:
        """File and memory as `effect` leaves them, and running containers confined to what they were told."""
        after, kubelet = state, state.kubelet
        if effect.manager is not kubelet.manager:
            after = evolve(after, kubelet=evolve(kubelet, manager=effect.manager))
        if effect.stores and state.file is not None:
            after = evolve(after, file=evolve(state.file, state=effect.state))
        if effect.updates:
            after = evolve(after, pods=self._updated(state, effect.updates))
        return Doing(after, effect.stores, effect.error, effect.logged, effect.updates)

    def _updated(self, state: CPUManagerSystem, updates: Iterable[tuple[str, CPUSet]]) -> Places[Pod]:
        told: dict[str, dict[str, CPUSet]] = {}
        for id_, cpus in updates:
            told.setdefault(id_.partition("/")[0], {})[id_] = cpus
        pods = state.pods
        for i, name in enumerate(self.names):
            if name in told and pods[i].containers:
                pods = pods.put(i, confined(pods[i], self.spec(state, i), tuple(told[name].items())))
        return pods

    def stopping(self, state: CPUManagerSystem, ids_of: Callable[[], Iterable[str]]) -> Doing:
        """The hook of the container lifecycle for containers that have stopped or are about to."""
        if is_one_of(self.rules.post_stop_container, (post_stop_container_nothing,)):
            return Doing(state)
        cpu = self.running(state)
        doing = Doing(state)
        for each in ids_of() if cpu is not None else ():
            assert cpu is not None
            done = self.manage(doing.after, cpu, self.rules.post_stop_container, each)
            own = () if done.error is None else (done.error,)
            doing = Doing(done.after, doing.stores + done.stores, logged=(*doing.logged, *own, *done.logged))
        return doing

    def with_pod(self, state: CPUManagerSystem, index: int, pod: Pod) -> CPUManagerSystem:
        return evolve(state, pods=state.pods.put(index, pod))
