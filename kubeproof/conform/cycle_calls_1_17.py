"""Plays recordings of whole cycles of 1.17 on `model.scheduler.schedule_one_1_17`."""

from typing import Any

import attrs

from kubeproof.conform.cycle_calls import CycleCallsPlayer
from kubeproof.conform.recorded_cluster import POINTS
from kubeproof.conform.recorded_rules import rules_for
from model.evolve import evolve
from model.objects import Node, Pod
from model.releases import Release
from model.scheduler.cache import cache as scheduler_cache
from model.scheduler.cache.state import find_pod_state
from model.scheduler.choose_host import ChoiceRules
from model.scheduler.event_rules import EventRules
from model.scheduler.framework.calls import Ask, Call, ErrorFuncCall, PluginCall, PodRequest, QueueCall, UpdateStatus
from model.scheduler.framework.runtime import Profile
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.queue import scheduling_queue as queue
from model.scheduler.queue.nominator import NominatorRules
from model.scheduler.queue.rules import QueueRules, QueueSetup
from model.scheduler.queue.state import QueueConfig, QueuedPodInfo
from model.scheduler.schedule_one_1_17 import Setup, schedule_one
from model.scheduler.skip import differs_only_in_stripped_fields

_ABSENT = ("PreScore",)


@attrs.define
class _Failed:
    """A pod that the error function was given (Go: `podInfo`, of which the goroutine replaces the pod)."""

    info: QueuedPodInfo
    # The scheduling cycle when the error function was called.
    cycle: int
    # The node that the API server does not know, if that is the error.
    missing_node: str


class CycleCalls117Player(CycleCallsPlayer):
    """One case: as `CycleCallsPlayer`. The store is the API's, and a written status is in it."""

    _tells_pre_check = False

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        super().__init__(release, config)
        without = config.get("without", ())
        points = {
            point: tuple(name for name in names if name not in without)
            for point, names in POINTS.items()
            if point not in _ABSENT
        }
        points["Unreserve"] = points["Reserve"]
        points["Bind"] = tuple(name for name in points["Bind"] if name == "B1")
        self._old = Setup(
            rules_for(ChoiceRules, release),
            rules_for(PreemptionRules, release),
            Profile(points),
            self._setup.extenders,
            preempts="PoF1" not in without,
        )
        self._strip_pod = rules_for(EventRules, release).strip_pod
        self._delayed = config.get("error_func") == "delayed"
        self._later: list[_Failed] = []
        # The pod of the failure that is being recorded.
        self._failed: _Failed | None = None

    def _queue_setup_of(self, release: Release, config: dict[str, Any]) -> QueueSetup:
        return QueueSetup(rules_for(QueueRules, release), rules_for(NominatorRules, release), QueueConfig())

    def _play(self, op: dict[str, Any], choice: int) -> dict[str, Any]:
        answer = super()._play(op, choice)
        for failed in self._later:
            self._error_func_runs(failed)
        self._later = []
        return answer | {"state": self._state()}

    def _begin(self, info: QueuedPodInfo) -> None:
        self._run(info, schedule_one(self._old, info.pod, self._start))

    def _answer(self, info: QueuedPodInfo, call: Call) -> Any:
        match call:
            case ErrorFuncCall():
                return self._error_func(info, call)
            case PodRequest():
                found = self._store.get(info.pod.name)
                self._log.append(["api", "get_pod", info.pod.name, call.purpose, found is not None])
                return found
            case UpdateStatus():
                return self._update_status(info, call)
            case Ask(what="nodes with pods"):
                return self._nodes_with_pods()
            case QueueCall(function="UpdateNominatedPodForNode"):
                pod, node = call.pod, call.nominated
                assert node is not None
                self._queue = queue.add_nominated_pod(self._queue_setup, self._queue, pod, node, self._store.get)
                self._log.append(["queue", call.function, pod.uid, node])
                return None
        return super()._answer(info, call)

    def _shown(self, pod: Pod, call: PluginCall) -> list[Any]:
        entry = super()._shown(pod, call)
        return [*entry[:4], list(call.nodes), *entry[4:]] if call.point == "PostFilter" else entry

    def _error_func(self, info: QueuedPodInfo, call: ErrorFuncCall) -> None:
        self._log.append(["error_func", info.pod.uid, call.text])
        self._failed = _Failed(info, self._queue.scheduling_cycle, call.missing_node)
        if self._delayed:
            self._later.append(self._failed)
        else:
            self._error_func_runs(self._failed)

    def _error_func_runs(self, failed: _Failed) -> None:
        """A missing node leaves the cache. The pod of the API goes back into the queue, if it is not bound."""
        if failed.missing_node:
            self._log.append(["api", "get_node", failed.missing_node])
            outcome, self._cache = scheduler_cache.remove_node(
                self._cache_rules, self._cache, Node(failed.missing_node)
            )
            self._log.append(["cache", "RemoveNode", failed.missing_node, outcome.error])
        name = failed.info.pod.name
        found = self._store.get(name)
        self._log.append(["api", "get_pod", name, "error_func", found is not None])
        if found is None or found.node_name:
            return
        failed.info = evolve(failed.info, pod=found)
        error, self._queue = queue.add_unschedulable_if_not_present(
            self._queue_setup, self._queue, failed.info, failed.cycle, self._now, self._store.get
        )
        self._log.append(["queue", "AddUnschedulableIfNotPresent", found.uid, error])

    def _update_status(self, info: QueuedPodInfo, call: UpdateStatus) -> str | None:
        if call.nominated is not None:
            pod = evolve(self._store[info.pod.name], nominated_node_name=call.nominated)
        else:
            assert self._failed is not None
            old = self._failed.info.pod
            pod = evolve(old, condition=f"{call.reason}\n{call.message}")
            if pod.condition == old.condition:
                return None
            self._failed.info = evolve(self._failed.info, pod=pod)
        error = "api patch error" if self._op.get("api_patch") == "error" else None
        reason, _, message = pod.condition.partition("\n")
        condition = {"message": message, "reason": reason, "status": "False", "type": "PodScheduled"}
        status = {"conditions": [condition] if pod.condition else [], "nominatedNodeName": pod.nominated_node_name}
        self._log.append(["api", "update_status", pod.name, status, error])
        if error is None and pod.name in self._store:
            self._store[pod.name] = evolve(
                self._store[pod.name], condition=pod.condition, nominated_node_name=pod.nominated_node_name
            )
        return error

    def _nodes_with_pods(self) -> list[PreemptionNode]:
        infos = [info for info in self._snapshot.listed() if info is not None and info.node is not None]
        return [
            PreemptionNode(info.name, 0, 110, tuple(PreemptionPod(pod.name, pod.priority) for pod in info.pods))
            for info in sorted(infos, key=lambda info: info.name)
        ]

    def _update(self, old: Pod, new: Pod) -> None:
        self._store[new.name] = new
        state = find_pod_state(self._cache, new.uid)
        assumed = state is not None and state.assumed
        if state is None or not assumed or not differs_only_in_stripped_fields(self._strip_pod, state.pod, new):
            self._queue = queue.update(self._queue_setup, self._queue, old, new, self._now, self._store.get)

    def _removed(self, pod: Pod) -> None:
        waiting = self._waiting.get(pod.uid)
        if waiting is not None:
            waiting.reject("", "removed")

    def _state(self) -> dict[str, Any]:
        later = ("in_flight", "in_flight_events", "next_start")
        return {name: value for name, value in super()._state().items() if name not in later}
