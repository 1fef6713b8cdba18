"""What each action of cpu-manager does: an operation of the manager, and what that means for file, kubelet and pods.

Every operation first says which states it writes (`Doing.stores`); without a crash all are written, and the last stays.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import permutations

import attrs
from attrs import define

from model.cpu.cpuset import CPUSet, printed, to_string
from model.cpu.manager import CPUManager, Effect, Manager, Pods, manager_allocate_nothing
from model.cpu.new_manager import RuntimeContainers
from model.cpu.policy.pods import PodSpec
from model.cpu.reconcile import TURNS_IN_ANY_ORDER
from model.cpu.state.state import CPUManagerState
from model.evolve import evolve
from model.go.errors import GoError
from model.machine import Action
from model.systems.cpu_manager.choices import AnyNumbering, Choices, Outcomes, sequences
from model.systems.cpu_manager.doing import Doing, Latest
from model.systems.cpu_manager.kubelet import (
    CPUManagerRules,
    Take,
    cpu_manager,
    knows_full_pcpus,
    packed,
    start_kubelet,
)
from model.systems.cpu_manager.pods import container_id, is_init, pod_names, views
from model.systems.cpu_manager.records import Container, CPUManagerSystem, Kubelet, Node, Pod
from model.systems.cpu_manager.renaming import REMEMBERED
from model.systems.cpu_manager.scope import CPUManagerScope
from model.systems.cpu_manager.shapes import pod_spec, shapes

NO_STATE = CPUManagerState()
NO_MEMORY = Manager()
RECONCILE_STATE = Action("reconcile_state")


@define(frozen=True, slots=False)
class Steps:
    """The actions' effects in a scope, under some rules. What depends on the machine alone is made once."""

    scope: CPUManagerScope
    rules: CPUManagerRules

    @cached_property
    def names(self) -> tuple[str, ...]:
        return pod_names(self.scope.pods)

    @cached_property
    def allocates_at_admission(self) -> bool:
        """From 1.18 on; before, CPUs are taken when a container starts, and containers are known by id."""
        return self.rules.manager_allocate is not manager_allocate_nothing

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        """What a pod may look like. A release that has no sidecars gets none."""
        return shapes(self.scope, self.rules.sidecars())

    @cached_property
    def take(self) -> Take:
        """How CPUs are chosen: as the release does, or as it would under any numbering of them."""
        return packed(self.rules) if self._any is None else self._any

    @cached_property
    def _any(self) -> AnyNumbering | None:
        return AnyNumbering(self.scope, packed(self.rules)) if self.scope.numbering else None

    def choices(self, state: CPUManagerSystem, action: Action) -> Iterator[Action]:
        """`action`; with `numbering` one for each choice of CPUs, which it names."""
        if self._any is None:
            yield action
            return
        for chosen in sequences(lambda chosen: self._do(state, action, 0, chosen).open):
            cpus = "; ".join(to_string(cpus) for cpus in chosen)
            yield Action.of(action.name, **dict(action.args), cpus=cpus) if chosen else action

    @cached_property
    def _operate(self) -> Callable[..., tuple[Effect, Outcomes]]:
        """Operations of the manager by their inputs, each done once: it sees little of a state."""

        @lru_cache(maxsize=REMEMBERED)
        def operate(operation: Callable[..., Effect], chosen: Choices, *inputs: object) -> tuple[Effect, Outcomes]:
            if self._any is None:
                return operation(*inputs), ()
            self._any.prescribe(chosen)
            return operation(*inputs), self._any.open

        return operate

    @cached_property
    def _managers(self) -> dict[Node, CPUManager | GoError]:
        return {}

    def cpu(self, node: Node) -> CPUManager | GoError:
        """The CPU manager of a kubelet that starts on `node`."""
        found = self._managers.get(node)
        if found is None:
            found = self._managers[node] = cpu_manager(self.rules, self.take, node)
        return found

    def running(self, state: CPUManagerSystem) -> CPUManager | None:
        """The CPU manager of the running kubelet; None while it is down or its policy is none."""
        if state.kubelet.phase != "up" or state.file is None or state.file.policy != "static":
            return None
        cpu = self.cpu(state.kubelet.started_on)
        return None if isinstance(cpu, GoError) else cpu

    @cached_property
    def initial(self) -> CPUManagerSystem:
        scope = self.scope
        full_pcpus = bool(scope.full_pcpus) and knows_full_pcpus(self.rules)
        node = Node(scope.cores, scope.threads, frozenset(), scope.reserved, full_pcpus=full_pcpus)
        down = CPUManagerSystem(node, None, Kubelet("down", Manager(), node), tuple(Pod() for _ in range(scope.pods)))
        started = self.start(down).after
        return evolve(
            started, kubelet=evolve(started.kubelet, manager=evolve(started.kubelet.manager, sources_ready=True))
        )

    # --- what an operation needs to know --------------------------------------------------------------------------

    def spec(self, state: CPUManagerSystem, index: int) -> PodSpec:
        return pod_spec(self.names[index], state.pods[index].shape)

    def specs(self, state: CPUManagerSystem) -> dict[int, PodSpec]:
        """The pods that have containers, by index."""
        return {i: self.spec(state, i) for i, pod in enumerate(state.pods) if pod.containers}

    def views(self, state: CPUManagerSystem) -> Pods:
        return views(state, self.specs(state))

    def runtime_containers(self, state: CPUManagerSystem) -> RuntimeContainers:
        """((id, (pod, name)), …) of the containers that have been started."""
        found = []
        for i, spec in self.specs(state).items():
            for each, container in zip(spec.containers, state.pods[i].containers, strict=True):
                if container.state != "waiting":
                    found.append((container_id(spec.uid, each.name, container), (spec.uid, each.name)))
        return tuple(found)

    def checkpoint(self, state: CPUManagerSystem) -> CPUManagerState:
        return NO_STATE if state.file is None else state.file.state

    # --- the effect of an operation of the manager on the rest ----------------------------------------------------

    def _manage(
        self,
        state: CPUManagerSystem,
        cpu: CPUManager,
        operation: Callable[..., Effect],
        *inputs: object,
        chosen: Choices = (),
    ) -> Doing:
        """An operation of the manager on its memory and checkpoint, and what that means for the rest."""
        effect, following = self._operate(
            operation, chosen, cpu, state.kubelet.manager, self.checkpoint(state), *inputs
        )
        done = self.apply(state, effect)
        return evolve(done, open=following) if following else done

    def apply(self, state: CPUManagerSystem, effect: Effect) -> Doing:
        """File and memory as `effect` leaves them, and running containers confined to what they were told."""
        kubelet = state.kubelet
        if effect.manager is kubelet.manager and not effect.stores and not effect.updates:
            return Doing(state, error=effect.error)
        if effect.manager is not kubelet.manager:
            kubelet = evolve(kubelet, manager=effect.manager)
        file = state.file
        if effect.stores and file is not None:
            file = evolve(file, state=effect.state)
        pods = self._updated(state, effect.updates) if effect.updates else state.pods
        return Doing(evolve(state, file=file, kubelet=kubelet, pods=pods), effect.stores, effect.error)

    def _updated(self, state: CPUManagerSystem, updates: Iterable[tuple[str, CPUSet]]) -> tuple[Pod, ...]:
        told = dict(updates)
        pods = list(state.pods)
        for i, spec in self.specs(state).items():
            for at, each in enumerate(spec.containers):
                container = pods[i].containers[at]
                if container.state == "running":
                    cpus = told.get(container_id(spec.uid, each.name, container), container.cpus)
                    if cpus != container.cpus:
                        pods[i] = pods[i].with_container(at, evolve(container, cpus=cpus))
        return tuple(pods)

    def _stopping(self, state: CPUManagerSystem, ids: Iterable[str]) -> Doing:
        """The hook of the container lifecycle for containers that have stopped or are about to."""
        cpu = self.running(state)
        doing = Doing(state)
        for each in ids if cpu is not None else ():
            assert cpu is not None
            done = self._manage(doing.after, cpu, self.rules.post_stop_container, each)
            doing = Doing(done.after, doing.stores + done.stores)
        return doing

    def _with_pod(self, state: CPUManagerSystem, index: int, pod: Pod) -> CPUManagerSystem:
        return evolve(state, pods=(*state.pods[:index], pod, *state.pods[index + 1 :]))

    # --- the kubelet ----------------------------------------------------------------------------------------------

    def start(self, state: CPUManagerSystem) -> Doing:
        """start_kubelet: it runs, or it has failed with an error. Pods are seen again by and by."""
        started = start_kubelet(
            self.rules, self.cpu(state.node), state.node, state.file, self.runtime_containers(state)
        )
        if isinstance(started, GoError):
            failed = Kubelet("failed", NO_MEMORY, state.kubelet.started_on, error=started.text)
            return Doing(evolve(state, kubelet=failed), error=started)
        up = Kubelet("up", started.manager, state.node, started.reserved_cpus)
        return Doing(evolve(state, file=started.file, kubelet=up), started.stores)

    def stop(self, state: CPUManagerSystem) -> CPUManagerSystem:
        """The kubelet is gone with its memory; containers run on."""
        pods = tuple(evolve(pod, seen="no", admitted=0) if pod.phase == "active" else pod for pod in state.pods)
        return evolve(state, kubelet=Kubelet("down", NO_MEMORY, state.kubelet.started_on), pods=pods)

    # --- pods and containers --------------------------------------------------------------------------------------

    def create(self, state: CPUManagerSystem, index: int, shape: str) -> Doing:
        count = len(pod_spec(self.names[index], shape).containers)
        pod = Pod("active", shape, containers=(Container(),) * count)
        return Doing(self._with_pod(state, index, pod))

    def admit(self, state: CPUManagerSystem, index: int) -> Doing:
        """Up to 1.17 admission leaves the CPU manager alone."""
        return Doing(self._with_pod(state, index, evolve(state.pods[index], seen="yes")))

    def allocate(self, state: CPUManagerSystem, index: int, order: int, chosen: Choices) -> Doing:
        """The next container of the pod in admission; after the last the pod is admitted, after an error rejected."""
        pod, spec = evolve(state.pods[index], seen="admitting"), self.spec(state, index)
        state = self._with_pod(state, index, pod)
        name = spec.containers[pod.admitted].name
        cpu = self.running(state)
        if cpu is None:
            doing = Doing(state)
        else:
            rule, cpu = self.rules.manager_allocate, _removing_in_order(cpu, order)
            doing = self._manage(state, cpu, rule, self.views(state), spec, name, chosen=chosen)
        if doing.error is not None:
            return self._rejected(doing, index)
        pod = doing.after.pods[index]
        done = pod.admitted + 1 == len(spec.containers)
        pod = evolve(pod, seen="yes" if done else "admitting", admitted=0 if done else pod.admitted + 1)
        return evolve(doing, after=self._with_pod(doing.after, index, pod))

    def _rejected(self, doing: Doing, index: int) -> Doing:
        """UnexpectedAdmissionError: the pod has failed, and what runs of it is killed."""
        stopped = self._stopping(doing.after, self._ids(doing.after, index, running=True))
        pod = evolve(stopped.after.pods[index], phase="failed", seen="yes", admitted=0, containers=())
        return evolve(doing, after=self._with_pod(stopped.after, index, pod), stores=doing.stores + stopped.stores)

    def _ids(self, state: CPUManagerSystem, index: int, running: bool) -> list[str]:
        """The ids of the pod's containers that have been started, or of those that run."""
        spec = self.spec(state, index)
        states = ("running",) if running else ("running", "exited")
        return [
            container_id(spec.uid, each.name, container)
            for each, container in zip(spec.containers, state.pods[index].containers, strict=True)
            if container.state in states
        ]

    def start_container(self, state: CPUManagerSystem, index: int, at: int, chosen: Choices) -> Doing:
        """syncPod: what is left of an exited app container is stopped for good, then PreStartContainer and start."""
        spec, old = self.spec(state, index), state.pods[index].containers[at]
        name = spec.containers[at].name
        stopped = Doing(state)
        if old.state == "exited":
            stopped = self._stopping(state, [container_id(spec.uid, name, old)])
        state = stopped.after
        instance = 0 if self.allocates_at_admission else old.instance + 1
        new = Container("running", frozenset(), instance)
        cpu = self.running(state)
        if cpu is None:
            # Without a policy nothing confines the container.
            new = evolve(new, cpus=state.kubelet.started_on.cpus)
            return Doing(self._with_pod(state, index, state.pods[index].with_container(at, new)), stopped.stores)
        started = self._with_pod(state, index, state.pods[index].with_container(at, new))
        started_id = container_id(spec.uid, name, new)
        rule = self.rules.manager_add_container
        doing = self._manage(started, cpu, rule, spec, name, started_id, chosen=chosen)
        if doing.error is not None:
            # It does not start.
            doing = evolve(doing, after=evolve(doing.after, pods=state.pods))
        return evolve(doing, stores=stopped.stores + doing.stores)

    def exit_container(self, state: CPUManagerSystem, index: int, at: int) -> Doing:
        """The container ends by itself. If the kubelet runs, its next syncPod stops an app container for good."""
        spec, container = self.spec(state, index), state.pods[index].containers[at]
        ended = not is_init(spec, at)
        pod = state.pods[index].with_container(at, evolve(container, state="exited", cpus=frozenset()))
        state = self._with_pod(state, index, pod)
        if ended:
            state = evolve(state, used=evolve(state.used, exits=state.used.exits + 1))
        ids = [container_id(spec.uid, spec.containers[at].name, container)] if at >= len(spec.init) else []
        return self._stopping(state, ids)

    def complete(self, state: CPUManagerSystem, index: int) -> Doing:
        """All app containers end for good: the pod has succeeded. The hook runs for each, and for sidecars killed."""
        stopped = self._stopping(state, self._ids(state, index, running=True))
        pod = evolve(stopped.after.pods[index], phase="succeeded", containers=())
        return evolve(stopped, after=self._with_pod(stopped.after, index, pod))

    def delete(self, state: CPUManagerSystem, index: int) -> Doing:
        """The pod is deleted and killed. While the kubelet is down its containers vanish, and no hook runs for them."""
        stopped = (
            self._stopping(state, self._ids(state, index, running=True))
            if state.pods[index].containers
            else Doing(state)
        )
        return evolve(stopped, after=self._with_pod(stopped.after, index, Pod("deleted")))

    def remove(self, state: CPUManagerSystem, index: int, at: int) -> Doing:
        """`RemoveContainer` for an exited init container, as the garbage collection of containers does or did."""
        cpu, spec = self.running(state), self.spec(state, index)
        if cpu is None:
            return Doing(state)
        removed = container_id(spec.uid, spec.containers[at].name, state.pods[index].containers[at])
        return self._manage(state, cpu, self.rules.manager_remove_container, removed)

    def reconcile(self, state: CPUManagerSystem, order: int, visited: str, chosen: Choices) -> Doing:
        """`visited`: the pods in the order in which they have their turn, if that is not p1, p2, …"""
        cpu = self.running(state)
        if cpu is None:
            return Doing(state)
        pods = self.views(state)
        if visited:
            turns = visited.split(", ")
            pods = tuple(sorted(pods, key=lambda pod: turns.index(pod.spec.uid)))
        return self._manage(state, cpu, self.rules.reconcile_state, pods, order, chosen=chosen)

    def reconciliations(self, state: CPUManagerSystem) -> Iterator[Action]:
        """reconcile_state, one for each order of the pods that makes a difference: Go's is its map order."""
        if self.rules.reconcile_state in TURNS_IN_ANY_ORDER:
            yield from self.choices(state, RECONCILE_STATE)
            return
        known = [name for name, pod in zip(self.names, state.pods, strict=True) if pod.containers]
        others = [Action.of("reconcile_state", pods=", ".join(turns)) for turns in list(permutations(known))[1:]]
        seen = set()
        for turn in (RECONCILE_STATE, *others):
            for action in self.choices(state, turn):
                done = self.do(state, action)
                if done not in seen:
                    seen.add(done)
                    yield action

    # --- every action ---------------------------------------------------------------------------------------------

    def do(self, state: CPUManagerSystem, action: Action, order: int = 0) -> Doing:
        """What `action` does, any but a crash. `order`: the map order of removals."""
        if self._any is None:
            return self._do(state, action, order, ())
        bare, chosen = _without_choices(action)
        return self._do(state, bare, order, chosen)

    @cached_property
    def _latest(self) -> Latest:
        return Latest()

    def _do(self, state: CPUManagerSystem, action: Action, order: int, chosen: Choices) -> Doing:
        """`chosen`: with `numbering` the CPUs that it takes, as far as there is a choice."""
        done = self._latest.done_in(state)
        key = action, order, chosen
        if key not in done:
            done[key] = self._done(state, action, order, chosen)
        return done[key]

    def _done(self, state: CPUManagerSystem, action: Action, order: int, chosen: Choices) -> Doing:
        match action.name:
            case "create_pod":
                return self.create(state, self._index(action), action["containers"])
            case "admit":
                return self.admit(state, self._index(action))
            case "allocate":
                return self.allocate(state, self._index(action), order, chosen)
            case "start_container":
                return self.start_container(state, *self._place(state, action), chosen)
            case "exit_container":
                return self.exit_container(state, *self._place(state, action))
            case "complete_pod":
                return self.complete(state, self._index(action))
            case "delete_pod":
                return self.delete(state, self._index(action))
            case "remove_container":
                return self.remove(state, *self._place(state, action))
            case "reconcile_state":
                return self.reconcile(state, order, str(dict(action.args).get("pods", "")), chosen)
            case "start_kubelet":
                return self.start(state)
        return Doing(self._environment(state, action))

    def _environment(self, state: CPUManagerSystem, action: Action) -> CPUManagerSystem:
        node, kubelet = state.node, state.kubelet
        match action.name:
            case "sources_ready":
                return evolve(state, kubelet=evolve(kubelet, manager=evolve(kubelet.manager, sources_ready=True)))
            case "stop_kubelet":
                return evolve(self.stop(state), used=evolve(state.used, restarts=state.used.restarts + 1))
            case "add_core":
                return evolve(state, node=evolve(node, cores=node.cores + 1))
            case "offline_cpu":
                return evolve(state, node=evolve(node, offline=node.offline | {action["cpu"]}))
            case "grow_reserved":
                return evolve(state, node=evolve(node, reserved=node.reserved + 1))
            case "set_policy":
                return evolve(state, node=evolve(node, policy=action["policy"]))
            case "delete_state_file":
                return evolve(state, file=None)
        raise ValueError(f"cpu-manager has no action {action.name}")

    def _index(self, action: Action) -> int:
        return self.names.index(action["pod"])

    def _place(self, state: CPUManagerSystem, action: Action) -> tuple[int, int]:
        index = self._index(action)
        names = [each.name for each in self.spec(state, index).containers]
        return index, names.index(action["container"])


@lru_cache(maxsize=256)
def _removing_in_order(cpu: CPUManager, order: int) -> CPUManager:
    """`cpu` where `Allocate` removes stale state in this map order, about which it is not asked."""
    if order == 0:
        return cpu
    remove_stale_state = cpu.rules.remove_stale_state

    def in_order(cpu: CPUManager, manager: Manager, state: CPUManagerState, pods: Pods, _: int) -> Effect:
        return remove_stale_state(cpu, manager, state, pods, order)

    return evolve(cpu, rules=attrs.evolve(cpu.rules, remove_stale_state=in_order))


@lru_cache(maxsize=REMEMBERED)
def _without_choices(action: Action) -> tuple[Action, Choices]:
    """The action, and apart from it the CPUs that it names."""
    args = dict(action.args)
    text = args.pop("cpus", None)
    chosen = () if text is None else tuple(printed(each) for each in str(text).split("; "))
    return Action(action.name, tuple(args.items())), chosen
