"""A model of one step of one pod as a state of the Python machine, which then takes the step.

So that a counterexample to induction is one of the scheduler, and not of the formulas.
"""

from attrs import evolve, fields

from model.machine import Action
from model.objects import Pod
from model.scheduler.cache import cache as cache_functions
from model.scheduler.cache.state import Cache, PodState
from model.scheduler.cycle import steps_after_failure
from model.scheduler.eventhandlers import PodNotification
from model.scheduler.queue.nominator import Nominator
from model.scheduler.queue.state import Queue, QueuedPodInfo
from model.systems.scheduling import Scheduling, SchedulingMachine
from model.systems.scheduling.records import Goroutine
from model.variables import Bag, Channel, Places
from model.world.api_server import CPU
from model.world.events import Listener, PodEvent
from properties.scheduling.view import thread_of
from properties.smt.scheduling.observed import Observed, observe
from properties.smt.scheduling.pod_steps import FOREIGN, REFUSED, Environment, PodStep

NAME, HERE, ELSEWHERE = "p1", "n1", "n2"


class DisagreementError(AssertionError):
    """The relation says another thing of a step than the Python machine does."""


def words(pod: Observed) -> str:
    """The pod in words."""
    said = [field.name.replace("_", " ") for field in fields(Observed) if getattr(pod, field.name)]
    return f"a pod that is {', '.join(said)}" if said else "a pod that is not created"


def show(environment: Environment, step: PodStep, before: Observed, after: Observed) -> str:
    """The step in words, taken by the Python machine. Raises DisagreementError if that does something else."""
    case = _Replay(environment, step, before, after)
    state = case.state()
    action = case.action(state)
    found = observe(state, NAME, case.incarnation)
    if _apart(found, before):
        raise DisagreementError(f"the state made for '{words(before)}' is '{words(found)}'")
    if action not in set(case.machine.actions(state)):
        raise DisagreementError(f"{action}, as which '{step.name}' was to be taken, is not enabled: {words(before)}")
    reached = observe(case.machine.step(state, action), NAME, case.incarnation)
    if _apart(reached, after):
        raise DisagreementError(f"{action} of {words(before)} leads to {words(reached)}, not to {words(after)}")
    return f"{words(before)}; {action}: {step.name}; then it is {words(after).removeprefix('a pod that is ')}"


def _apart(one: Observed, other: Observed) -> bool:
    """Whether two states differ; whose cycle is in hand follows from the step."""
    return evolve(one, placing=False) != evolve(other, placing=False)


class _Replay:
    """One pod name and two nodes; the observed incarnation is the first, or the second where an older one is listed."""

    def __init__(self, environment: Environment, step: PodStep, before: Observed, after: Observed) -> None:
        self.step, self.before, self.after = step, before, after
        scope = evolve(environment.scope, pods=1, high=0, nodes=2, late_nodes=0, room=9, fine=1, listeners=1)
        self.machine = SchedulingMachine(evolve(scope, preemption=1), environment.rules)
        namesake = bool(before.namesake_pending) or bool(before.namesake_bound) or step.name == FOREIGN
        self.incarnation = 2 if namesake and not before.gone else 1
        self.namesake = _pod(3 - self.incarnation) if namesake else None
        self.pending = _pod(self.incarnation)
        self.bound = evolve(self.pending, node_name=HERE)
        self.name = next(iter(sorted(step.actions)))

    def action(self, state: Scheduling) -> Action:
        """The machine's action that takes the step in `state`."""
        name = self.name
        if name in ("bind", "forget_pod"):
            return self._of_binding(state)
        if name in ("cleanup_assumed_pods", "handle_assigned", "handle_unassigned", "handle_pod", "relist_pods"):
            return Action(name)
        if name in ("assume", "bind_elsewhere"):
            return Action.of(name, pod=NAME, node=HERE)
        return Action.of(name, pod=NAME)

    def _of_binding(self, state: Scheduling) -> Action:
        """The action of the goroutine that has the observed incarnation, or of the other goroutine."""
        of_other = self.step.name == FOREIGN
        reply = "lost" if "lost" in self.step.name else None
        if self.step.name == REFUSED and self.before.pending and not self.before.terminating:
            reply = "refused"
        for action in self.machine.actions(state):
            if action.name == self.name and dict(action.args).get("reply") == reply:
                goroutine = thread_of(state, action)
                if goroutine is not None and (goroutine.pod.uid != self.pending.uid) == of_other:
                    return action
        raise DisagreementError(f"no goroutine can do '{self.step.name}'")

    def state(self) -> Scheduling:
        before, (state,) = self.before, self.machine.initial_states()
        listed = self._listed()
        live = self._kept() if before.pending else self.bound if before.bound else self._other_live()
        coming = (PodNotification(None, self.pending),) if before.coming else ()
        left = None if before.listed_gone else self.bound
        leaving = (PodNotification(self.pending, left),) if before.leaving else ()
        hears, idle = Listener(Channel((*coming, *leaving))), Listener()
        one = self.machine.rules.one_pod_handler()
        return evolve(
            state,
            pods=Places((live,)),
            lister=Places((listed,)),
            incarnations=Places((max(self.incarnation if before.created else 0, 2 if self._second_exists() else 0),)),
            pod_watch=self._watch(listed, live),
            unassigned=idle if one else hears,
            handler=hears if one else idle,
            queue=evolve(self._queue(state.queue), nominator=self._nominator()),
            cache=self._cache(state.cache),
            cycle=self._cycle(),
            bindings=self._bindings(),
            retries=self._retries(),
        )

    def _kept(self) -> Pod:
        """The API server's pending object."""
        return evolve(self.pending, terminating=True, finalizers=("f",)) if self.before.terminating else self.pending

    def _queue(self, queue: Queue) -> Queue:
        """The queue: of a pod whose cycle takes the step it knows that the pod is in flight, if it knows of such."""
        setup = self.machine.setup.queue
        if setup.hints is None or self._cycle() is None:
            return queue
        return setup.hints.note_popped(queue, self.pending.uid)

    def _second_exists(self) -> bool:
        return self.namesake is not None and (self.incarnation == 1 or bool(self.before.created))

    def _listed(self) -> Pod | None:
        before = self.before
        if before.listed_pending:
            return evolve(self.pending, nominated_node_name=HERE) if self._by_status() else self.pending
        if before.listed_bound:
            return self.bound
        if before.namesake_pending:
            return self.namesake
        return evolve(self.namesake, node_name=HERE) if before.namesake_bound and self.namesake else None

    def _other_live(self) -> Pod | None:
        return self._listed() if self.before.namesake_pending or self.before.namesake_bound else None

    def _watch(self, listed: Pod | None, live: Pod | None) -> Channel[PodEvent]:
        """What brings the store from `listed` to the API server's object."""
        before = self.before
        events: list[PodEvent] = []
        if listed is not None and listed != live and listed is self.namesake:
            events.append(PodEvent("delete", listed))
        if before.created and not before.listed:
            events.append(PodEvent("add", self.pending))
        if before.bound and not before.listed_bound:
            events.append(PodEvent("update", self.bound))
        if before.gone and not before.listed_gone:
            events.append(PodEvent("delete", self.bound if before.listed_bound else self.pending))
        return Channel(events)

    def _nominator(self) -> Nominator:
        before, pods = self.before, (self.pending,)
        lists = ((HERE, pods),) * bool(before.there) + ((ELSEWHERE, pods),) * bool(before.elsewhere)
        return Nominator(lists, ((self.pending.uid, HERE),) if before.filed else ())

    def _cache(self, cache: Cache) -> Cache:
        rules = self.machine.rules
        if self.before.added:
            return cache_functions.add_pod(rules, cache, self.bound)[1]
        if not self.before.assumed:
            return cache
        cache = cache_functions.assume_pod(rules, cache, self.bound)[1]
        if self.name != "cleanup_assumed_pods":
            return cache
        expired = tuple(PodState(s.key, s.pod, True, True, -1) for s in cache.pod_states)
        return Cache(cache.nodes, expired, cache.node_tree, cache.generation)

    def _by_status(self) -> bool:
        """The step nominates the pod, where its status says."""
        return self.name in ("requeue", "add_unschedulable") and bool(self.after.filed)

    def _cycle(self) -> Goroutine | None:
        """The goroutine that takes the step, if it is the cycle's."""
        info, rules = QueuedPodInfo(self.pending), self.machine.rules
        node = HERE if self.after.filed else None
        match self.name:
            case "nominate" | "add_nominated_pod" | "requeue":
                own = rules.error_func().own_goroutine
                steps = steps_after_failure(rules.error_func(), rules.preempts_first, no_node_fits=own)
                return Goroutine(steps[steps.index(self.name) :], info, node)
            case "set_nominated_node_name" | "delete_nominated_pod":
                return Goroutine((self.name,), info, HERE)
            case "schedule":
                # Another version than the one that is assumed, where releases compare the two.
                return Goroutine(("schedule",), QueuedPodInfo(evolve(self.pending, labels=(("app", "1"),))))
            case "assume":
                return Goroutine(("assume", "delete_nominated_pod"), info, candidates=(HERE,))
        return None

    def _bindings(self) -> Bag[Goroutine]:
        before, info = self.before, QueuedPodInfo(self.bound)
        binding = Goroutine(("bind",), info, HERE)
        undoing = Goroutine(self.machine.rules.after_bind_error(), info, HERE)
        one = 1 if self.name == "delete_nominated_pod" else 0
        found = [binding] * (int(bool(before.binds)) + int(bool(before.second_bind)) - one)
        found += [undoing] * (int(bool(before.undoes)) + int(bool(before.second_undo)))
        if self.step.name == FOREIGN and self.namesake is not None:
            other = QueuedPodInfo(evolve(self.namesake, node_name=HERE))
            found.append(Goroutine(("bind",), other, HERE))
        return Bag.of(*found)

    def _retries(self) -> Bag[Goroutine]:
        if self.name != "add_unschedulable":
            return Bag()
        pod = evolve(self.pending, nominated_node_name=HERE) if self._by_status() else self.pending
        return Bag.of(Goroutine(("add_unschedulable",), QueuedPodInfo(pod)))


def _pod(incarnation: int) -> Pod:
    return Pod(NAME, f"{NAME}#{incarnation}", cpu_milli=CPU)
