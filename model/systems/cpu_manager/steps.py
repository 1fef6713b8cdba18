"""What each action of cpu-manager does: the kubelet's start, stop and reconcile loop, the machine, and all by name."""

from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import permutations

from attrs import define

from model.cpu.cpuset import printed, to_string
from model.cpu.manager import Manager
from model.cpu.reconcile import TURNS_IN_ANY_ORDER
from model.cpu.state.state import CPUManagerState
from model.evolve import evolve
from model.go.errors import GoError
from model.machine import Action
from model.systems.cpu_manager.choices import Choices, sequences
from model.systems.cpu_manager.doing import Doing, Latest
from model.systems.cpu_manager.kubelet import (
    knows_full_pcpus,
    knows_strict_reservation,
    start_kubelet,
)
from model.systems.cpu_manager.pod_steps import PodSteps
from model.systems.cpu_manager.pods import views
from model.systems.cpu_manager.records import CPUManagerSystem, Kubelet, Node, Pod
from model.systems.cpu_manager.renaming import REMEMBERED
from model.variables import Places, whole
from model.which_rule import is_one_of

NO_MEMORY = Manager()
RECONCILE_STATE = Action("reconcile_state")
# No action of the system: a part of reconcile_state.
REMOVE_STALE_STATE = Action("remove_stale_state")


@define(frozen=True, slots=False)
class Steps(PodSteps):
    """The actions' effects in a scope, under some rules."""

    def initial(self) -> CPUManagerSystem:
        scope = self.scope
        full_pcpus = bool(scope.full_pcpus) and knows_full_pcpus(self.rules)
        strict = bool(scope.strict_reservation) and knows_strict_reservation(self.rules)
        node = Node(
            scope.cores, scope.threads, frozenset(), scope.reserved, full_pcpus=full_pcpus, strict_reservation=strict
        )
        down = CPUManagerSystem(node, None, Kubelet("down", Manager(), node), Places(Pod() for _ in range(scope.pods)))
        started = self.start(down).after
        return evolve(
            started, kubelet=evolve(started.kubelet, manager=evolve(started.kubelet.manager, sources_ready=True))
        )

    def choices(self, state: CPUManagerSystem, action: Action) -> Iterator[Action]:
        """`action`; with `numbering` one for each choice of CPUs, which it names."""
        if self.any_numbering is None:
            yield action
            return
        writing = self._writing(action)
        for chosen in sequences(lambda chosen: self._do(state, writing, 0, chosen).open):
            cpus = "; ".join(to_string(cpus) for cpus in chosen)
            yield Action.of(action.name, **dict(action.args), cpus=cpus) if chosen else action

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
        pods = state.pods
        for at, pod in enumerate(state.pods):
            if pod.phase == "active":
                pods = pods.put(at, evolve(pod, seen="no", admitted=0))
        return evolve(state, kubelet=Kubelet("down", NO_MEMORY, state.kubelet.started_on), pods=pods)

    def reconcile(self, state: CPUManagerSystem, order: int, visited: str, chosen: Choices) -> Doing:
        """`visited`: the pods in the order in which they have their turn, if that is not p1, p2, …"""
        cpu = self.running(state)
        if cpu is None:
            return Doing(state)
        pods = views(state)
        if visited:
            turns = visited.split(", ")
            pods = tuple(sorted(pods, key=lambda pod: turns.index(pod.spec.uid)))
        return self.manage(state, cpu, self.rules.reconcile_state, pods, order, chosen=chosen)

    def reconciliations(self, state: CPUManagerSystem) -> Iterator[Action]:
        """reconcile_state, one for each order of the pods that makes a difference: Go's is its map order."""
        if is_one_of(self.rules.reconcile_state, TURNS_IN_ANY_ORDER):
            yield from self.choices(state, RECONCILE_STATE)
            return
        known = [name for name, pod in zip(self.names, state.pods, strict=True) if pod.containers]
        others = [Action.of("reconcile_state", pods=", ".join(turns)) for turns in list(permutations(known))[1:]]
        seen = set()
        for turn in (RECONCILE_STATE, *others):
            for action in self.choices(state, turn):
                done = self.do(state, action)
                after = done.after
                # All that reconciling changes.
                changed = after.file, whole(after.kubelet), whole(after.pods), done.stores, done.error
                if changed not in seen:
                    seen.add(changed)
                    yield action

    def stores(self, state: CPUManagerSystem, action: Action, order: int = 0) -> tuple[CPUManagerState, ...]:
        """What `do` writes to the file. No more of the state is read than it takes."""
        return self.do(state, self._writing(action), order).stores

    def _writing(self, action: Action) -> Action:
        """The part of `action` that takes CPUs and writes: the turns of such a reconciliation do neither."""
        if action.name == "reconcile_state" and is_one_of(self.rules.reconcile_state, TURNS_IN_ANY_ORDER):
            return REMOVE_STALE_STATE
        return action

    def remove_stale_state(self, state: CPUManagerSystem, order: int, chosen: Choices) -> Doing:
        """What reconcile_state begins with."""
        cpu = self.running(state)
        if cpu is None:
            return Doing(state)
        return self.manage(state, cpu, self.rules.remove_stale_state, views(state), order, chosen=chosen)

    def do(self, state: CPUManagerSystem, action: Action, order: int = 0) -> Doing:
        """What `action` does, any but a crash. `order`: the map order of removals."""
        if self.any_numbering is None:
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
            case "remove_stale_state":
                return self.remove_stale_state(state, order, chosen)
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


@lru_cache(maxsize=REMEMBERED)
def _without_choices(action: Action) -> tuple[Action, Choices]:
    """The action, and apart from it the CPUs that it names."""
    args = dict(action.args)
    text = args.pop("cpus", None)
    chosen = () if text is None else tuple(printed(each) for each in str(text).split("; "))
    return Action(action.name, tuple(args.items())), chosen
