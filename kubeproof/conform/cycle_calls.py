"""Plays recordings of whole scheduling cycles, call by call, on `model.scheduler.schedule_one`."""

from collections.abc import Mapping
from typing import Any, ClassVar

from kubeproof.conform.recorded_cluster import POINTS, RecordedCluster, Waiting
from kubeproof.conform.recorded_cycles import HOUR, Action, Config, OfPod, ScheduleOne, behaviour
from kubeproof.conform.recorded_rules import rules_for
from model.evolve import evolve
from model.objects import Pod
from model.releases import Release
from model.scheduler.cache import cache as scheduler_cache
from model.scheduler.extenders import Extender
from model.scheduler.framework.calls import (
    Ask,
    CacheCall,
    Call,
    Event,
    ExtenderAnswer,
    ExtenderCall,
    PatchStatus,
    PluginAnswer,
    PluginCall,
    QueueCall,
    Steps,
)
from model.scheduler.framework.runtime import Profile
from model.scheduler.framework.status import Code, Status
from model.scheduler.queue import events as queue_events, scheduling_queue as queue
from model.scheduler.queue.state import QueuedPodInfo
from model.scheduler.schedule_one import schedule_one
from model.scheduler.scheduling_cycle import CycleCallRules, CycleSetup

_BINDER = "DefaultBinder"
_BIND_ERRORS = {
    "error": "api bind error",
    "conflict": 'Operation cannot be fulfilled on pods "{pod}": changed',
    "node_not_found": 'node "n2" not found',
    "bound_but_error": "timeout",
}


def _extender(recorded: dict[str, Any]) -> Extender:
    return Extender(
        recorded["name"],
        recorded.get("weight", 1),
        recorded.get("ignorable", False),
        not recorded.get("not_interested", False),
        recorded.get("binder", False),
    )


def _duration(ms: int) -> str:
    """As Go prints a time.Duration of less than a minute."""
    if ms == 0:
        return "0s"
    return f"{ms}ms" if ms < 1000 else f"{ms / 1000:g}s"


class CycleCallsPlayer(RecordedCluster):
    """One case: a scheduler with its queue, cache and nominations, an informer's store, plugins and extenders."""

    CONFIG: ClassVar[type] = Config
    OPERATIONS: ClassVar[Mapping[str, type]] = {
        **dict.fromkeys(("add_pod", "cache_add", "assumed_before"), OfPod),
        "schedule_one": ScheduleOne,
        "action": Action,
    }

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        super().__init__(release, config)
        without = config.get("without", ())
        points = {point: tuple(name for name in names if name not in without) for point, names in POINTS.items()}
        self._extenders = {each["name"]: each for each in config.get("extenders", ())}
        self._setup = CycleSetup(
            rules_for(CycleCallRules, release), Profile(points), [_extender(each) for each in self._extenders.values()]
        )
        self._op: dict[str, Any] = {}
        self._hooked: set[str] = set()
        # The nodes among which an operation has chosen, and which of them is taken; the operations with their choices.
        self._options: tuple[str, ...] = ()
        self._choice = 0
        self._played: list[tuple[dict[str, Any], int]] = []

    def play(self, op: dict[str, Any]) -> dict[str, Any]:
        return self._play(op, 0)

    def _play(self, op: dict[str, Any], choice: int) -> dict[str, Any]:
        """`choice`: which of the nodes is taken among which Go chooses at random."""
        self._choice = choice
        self._played.append((op, self._choice))
        self._now += 1
        self._log, self._op, self._hooked, self._options = [], op, set(), ()
        skipped: dict[str, Any] = {}
        match op["op"]:
            case "add_pod":
                pod = self._pod(op["pod"])
                self._queue = queue.add(self._queue_setup, self._queue, pod, self._now, self._store.get)
            case "cache_add":
                _, self._cache = scheduler_cache.add_pod(self._cache_rules, self._cache, self._pod(op["pod"]))
            case "assumed_before":
                pod = self._pod(op["pod"], listed=False)
                _, self._cache = scheduler_cache.assume_pod(self._cache_rules, self._cache, pod)
            case "action":
                self._act(op)
                self._go_on()
            case "schedule_one":
                skipped = self._schedule_one()
            case unknown:
                raise ValueError(f"'{unknown}'")
        return {"log": self._log, "state": self._state(), **skipped}

    def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
        """Whether another node of those among which Go chooses at random leads to the recorded answer."""
        before = self._played[:-1]
        for choice in range(1, len(self._options)):
            # A cycle that waits cannot be copied: the case is played from its beginning.
            again = type(self)(self._release, self._config)
            for earlier, chosen in before:
                again._play(earlier, chosen)
            if again._play(op, choice) == expected:
                vars(self).update(vars(again))
                return True
        return False

    # --- a cycle ------------------------------------------------------------------------------------------------------

    def _schedule_one(self) -> dict[str, Any]:
        self._queue = queue.discard_before_pop(self._queue_setup, self._queue)
        if not self._queue.active:
            return {"skipped": True}
        info, self._queue = queue.pop(self._queue_setup, self._queue)
        self._begin(info)
        for action in self._op.get("while_waiting", ()):
            self._act(action)
            self._go_on()
        if "resolve" in self._op:
            for waiting in list(self._waiting.values()):
                self._act({"do": self._op["resolve"], "pod": waiting.info.pod.name, "arg": "P1"})
                self._go_on()
        if not self._op.get("leave_waiting"):
            self._time_out()
        return {}

    def _begin(self, info: QueuedPodInfo) -> None:
        self._run(info, schedule_one(self._setup, info.pod, self._start, info.pod.name not in self._strangers))

    def _run(self, info: QueuedPodInfo, steps: Steps[int], answer: Any = None) -> None:
        """Drives a cycle to its end, or to a wait at Permit."""
        try:
            call = next(steps) if answer is None else steps.send(answer)
            while True:
                if isinstance(call, Ask) and call.what == "permit":
                    self._waiting[info.pod.uid] = Waiting(info, steps, dict(call.waiting))
                    return
                call = steps.send(self._answer(info, call))
        except StopIteration as end:
            self._start = end.value

    def _go_on(self) -> None:
        """The binding cycles whose wait has ended go on."""
        for uid, waiting in list(self._waiting.items()):
            if waiting.decided is not None:
                del self._waiting[uid]
                self._run(waiting.info, waiting.steps, waiting.decided)

    def _time_out(self) -> None:
        """Who waits for less than an hour is rejected by the plugin with the shortest timeout."""
        for waiting in list(self._waiting.values()):
            plugin, timeout = min(waiting.pending.items(), key=lambda entry: entry[1], default=("", HOUR))
            if timeout < HOUR and waiting.decided is None:
                waiting.reject(plugin, f"rejected due to timeout after waiting {_duration(timeout)} at plugin {plugin}")
        self._go_on()

    # --- what a cycle asks --------------------------------------------------------------------------------------------

    def _answer(self, info: QueuedPodInfo, call: Call) -> Any:
        """The answer to a call, which the log has from now on; the actions of a hook come with it."""
        pod = info.pod
        match call:
            case PluginCall():
                return self._plugin(pod, call)
            case ExtenderCall():
                return self._extender(pod, call)
            case CacheCall():
                return self._call_cache(call)
            case QueueCall():
                return self._call_queue(info, call)
            case Event():
                self._log.append(["event", pod.name, call.type, call.reason, call.action, call.text])
                return None
            case PatchStatus():
                return self._patch(pod, call)
            case Ask():
                return self._ask(pod, call)

    def _ask(self, pod: Pod, call: Ask) -> Any:
        match call.what:
            case "snapshot":
                (update,) = scheduler_cache.update_snapshot(self._cache_rules, self._cache, self._snapshot)
                self._cache, self._snapshot = update.cache, update.snapshot
                return update.snapshot.node_info_list
            case "assumed":
                return scheduler_cache.is_assumed_pod(self._cache, pod)
            case "pod":
                return self._store.get(pod.name)
            case "nominated":
                nominated = queue.nominated_pods_for_node(self._queue_setup, self._queue, call.node)
                return any(each.priority >= pod.priority and each.uid != pod.uid for each in nominated)
            case "host":
                self._options = call.nodes
                return call.nodes[min(self._choice, len(call.nodes) - 1)]
            case what:
                raise ValueError(f"nobody answers '{what}'")

    def _plugin(self, pod: Pod, call: PluginCall) -> PluginAnswer:
        if call.plugin == _BINDER:
            return self._bind(pod, call.node)
        self._log.append(self._shown(pod, call))
        place = f"{call.plugin}.{call.point}"
        if place not in self._hooked:
            self._hooked.add(place)
            for action in self._op.get("hooks", {}).get(place, ()):
                self._act(action)
        return behaviour(call, self._op.get("plugins", {}).get(call.plugin))

    def _shown(self, pod: Pod, call: PluginCall) -> list[Any]:
        """The call as the log has it."""
        entry: list[Any] = ["plugin", call.plugin, call.point, pod.name]
        if call.point == "PostFilter":
            entry.append({node: str(code) for node, code in call.statuses})
        elif call.node:
            entry.append(call.node)
        return entry

    def _bind(self, pod: Pod, node: str) -> PluginAnswer:
        """The default binder asks the API server."""
        kind = self._op.get("api_bind")
        error = None if kind is None else _BIND_ERRORS[kind].format(pod=pod.name)
        if kind == "bound_but_error":
            self._store[pod.name] = evolve(pod, node_name=node)
        self._log.append(["api", "bind", pod.name, node, error])
        missing = "n2" if kind == "node_not_found" else None
        return PluginAnswer(Status() if error is None else Status(Code.ERROR, (error,)), nominated=missing)

    def _extender(self, pod: Pod, call: ExtenderCall) -> ExtenderAnswer:
        name, recorded = call.extender, self._extenders[call.extender]
        if call.verb == "Bind":
            error = f"{name} bind error" if recorded.get("bind_error") else None
            self._log.append(["extender", name, "Bind", pod.name, call.nodes[0], error])
            return ExtenderAnswer(error)
        self._log.append(["extender", name, call.verb, list(call.nodes)])
        if call.verb == "Prioritize":
            failed = recorded.get("prioritize_error")
            return ExtenderAnswer("error" if failed else None, scores=tuple(recorded.get("scores", {}).items()))
        if recorded.get("filter_error"):
            return ExtenderAnswer(f"{name} filter error")
        for_good = [node for node in recorded.get("reject_unresolvable", ()) if node in call.nodes]
        refused = [node for node in recorded.get("reject", ()) if node in call.nodes and node not in for_good]
        return ExtenderAnswer(
            None,
            tuple((node, f"{name} rejects") for node in refused),
            tuple((node, f"{name} rejects for good") for node in for_good),
        )

    def _call_cache(self, call: CacheCall) -> str | None:
        assert call.pod is not None
        rules, cache, pod = self._cache_rules, self._cache, call.pod
        match call.function:
            case "AssumePod":
                outcome, self._cache = scheduler_cache.assume_pod(rules, cache, pod)
            case "FinishBinding":
                outcome, self._cache = scheduler_cache.finish_binding(rules, cache, pod, self._now)
            case "ForgetPod":
                outcome, self._cache = scheduler_cache.forget_pod(rules, cache, pod)
            case function:
                raise ValueError(f"nobody answers '{function}'")
        node = [call.node] if call.function == "AssumePod" else []
        self._log.append(["cache", call.function, pod.uid, *node, outcome.error])
        return outcome.error

    def _call_queue(self, info: QueuedPodInfo, call: QueueCall) -> str | None:
        setup, state, pod = self._queue_setup, self._queue, call.pod
        match call.function:
            case "AddUnschedulableIfNotPresent":
                return self._put_back(info, call)
            case "Done":
                self._queue = queue.done(setup, state, pod.uid)
                self._log.append(["queue", "Done", pod.uid])
            case "DeleteNominatedPodIfExists":
                self._queue = queue.delete_nominated_pod_if_exists(setup, state, pod)
                self._log.append(["queue", call.function, pod.uid])
            case "AddNominatedPod":
                mode = "noop" if call.nominated is None else "override"
                self._queue = queue.add_nominated_pod(setup, state, pod, call.nominated, self._store.get)
                self._log.append(["queue", call.function, pod.uid, mode, call.nominated])
            case "MoveAllToActiveOrBackoffQueue":
                check = (lambda other: other.uid != pod.uid) if call.not_itself else None
                self._move(queue_events.ASSIGNED_POD_DELETE, check)
        return None

    def _put_back(self, info: QueuedPodInfo, call: QueueCall) -> str | None:
        rejected = info.unschedulable_plugins if call.unschedulable_plugins is None else call.unschedulable_plugins
        pending = info.pending_plugins if call.pending_plugins is None else call.pending_plugins
        back = evolve(info, pod=call.pod, unschedulable_plugins=rejected, pending_plugins=pending)
        error, self._queue = queue.add_unschedulable_if_not_present(
            self._queue_setup, self._queue, back, self._queue.scheduling_cycle, self._now, self._store.get
        )
        shown = sorted(pending) if self._release.minor > 28 else None
        self._log.append(["queue", call.function, call.pod.uid, sorted(rejected), shown, error])
        return error

    def _patch(self, pod: Pod, call: PatchStatus) -> str | None:
        error = "api patch error" if self._op.get("api_patch") == "error" else None
        condition = {"message": call.message, "reason": call.reason, "status": "False", "type": "PodScheduled"}
        patch: dict[str, Any] = {"conditions": [condition]}
        if call.nominated is not None:
            patch["nominatedNodeName"] = call.nominated or None
        self._log.append(["api", "patch_status", pod.name, patch, error])
        return error
