"""Cases of the scheduling queue: drawn instructions become operations that the model's queue can play."""

from collections.abc import Callable, Iterator
from typing import Any

from attrs import Factory, define
from hypothesis import strategies as st

from kubeproof.conform.scheduling_queue import SchedulingQueuePlayer
from kubeproof.go.cases.case import Blind, Case
from model.releases import Release, has_rules, known_release, rules_for
from model.scheduler.queue.rules import QueueingHintRules

_NAMES = ("p1", "p2", "p3")
_NODES = ("n1", "n2")
_EVENTS = (
    "NodeAdd",
    "NodeTaintChange",
    "NodeAllocatableChange",
    "NodeLabelChange",
    "AssignedPodDelete",
    "AssignedPodUpdate",
    "PvAdd",
    "UnschedulableTimeout",
)
_PLUGINS = (
    "AlwaysQueue",
    "AlwaysSkip",
    "AlwaysImmediate",
    "ErrorHint",
    "OnNodeAdd",
    "OnPodDelete",
    "OnNodeUpdate",
    "OnPodUpdate",
    "OnPodLabel",
    "Unregistered",
    "PodTopologySpread",
)
_ONE_GOROUTINE = "a case has one goroutine"
_SYSTEMS = "only systems ask"
_NO_GATE = "up to 1.32 there is no gate SchedulerPopFromBackoffQ, without which a window is a moment"
_UP_TO_1_32 = "no rule of a release up to 1.32 reads the number of failures"
# The rules that no operation of this form can tell from each other, and why.
BLIND = (
    Blind("active_q_heads", "where several pods are first, it is left to chance which one Pop takes"),
    Blind("pop_lock", _ONE_GOROUTINE),
    Blind("move_holds", _ONE_GOROUTINE),
    Blind("update_holds_pop_lock", _ONE_GOROUTINE),
    Blind("requeue_wakes_pop", _ONE_GOROUTINE),
    Blind("queueing_hints_locked", "a case names the gate"),
    Blind("strip_for_queue", "the form of a pod has no finalizers"),
    Blind("pods_for_move_request", "no event comes with a check of the pods"),
    Blind(
        "pods_for_assigned_pod_update",
        "from 1.31 on the driver names the event of an update, and it is not that of a pod that asks for less",
        ("all_if_scaled_down", "all_by_event_if_scaled_down"),
        ("all_if_scaled_down", "all_by_event_if_scaled_down", "those_for_assigned_pod"),
    ),
    Blind(
        "pods_for_assigned_pod_update",
        "no operation hands over an event that tells of any update of a bound pod",
        ("those_for_assigned_pod", "all_if_scaled_down", "all_by_event_if_scaled_down"),
        ("all_by_event_of_scale_down",),
    ),
    Blind(
        "pods_for_assigned_pod_update",
        "no operation hands over an event that tells of any update of a bound pod",
        ("all_by_event_of_scale_down",),
        ("those_for_assigned_pod", "all_if_scaled_down", "all_by_event_if_scaled_down"),
    ),
    Blind(
        "event_of_interest",
        "some plugin of the driver waits for every event of a pod",
        ("is_event_of_interest", "is_narrow_event_of_interest"),
    ),
    Blind("count_failure", _UP_TO_1_32, ("failure_is_not_counted",), ("failure_is_counted",)),
    Blind(
        "forget_deleted",
        "up to 1.30 no pod is in two sub-queues, as nothing holds pods back",
        ("deleted_leaves_waiting",),
        ("deleted_leaves_first",),
    ),
    Blind("pending_plugins_known", _SYSTEMS),
    Blind("hint_functions_answer_errors", _SYSTEMS),
    Blind(
        "popped_record",
        "a failed pod comes with the plugins that the operation names",
        ("pop_counting_attempts", "pop_clearing_plugins"),
    ),
    Blind("popped_record", _UP_TO_1_32, ("pop_counting_attempts", "pop_clearing_plugins"), ("pop_keeping_failures",)),
    Blind(
        "backoff_time",
        _NO_GATE,
        ("backoff_time_by_attempts", "backoff_time_of_tried_pod"),
        ("backoff_time_in_window",),
    ),
    Blind(
        "backoff_time",
        "no pod backs off that was never tried, as nothing holds pods back",
        ("backoff_time_by_attempts", "backoff_time_of_tried_pod"),
    ),
    Blind(
        "nominator_add",
        "they differ in how much of the pod is kept, and only its UID is shown",
        ("add_overriding_unless_bound", "add_reference"),
    ),
    Blind(
        "hint_for_in_flight_pod",
        "they differ in what is logged",
        ("hint_after_error_or_unknown", "hint_of_rejected_pod"),
    ),
)
# The ends of a first backoff, of a second, of the longest; of a stay in unschedulableQ up to 1.23, and later.
_WAITS = (1, 1_000, 2_000, 10_000, 60_000, 300_000)
# What an update of a pod changes.
_CHANGES: tuple[dict[str, Any], ...] = (
    {"labels": {"app": "b"}},
    {"annotations": {"a": "1"}},
    {"cpu_milli": 10},
    {"cpu_milli": 100},
    {"toleration": "t"},
    {"condition": "no room"},
    {"nominated": "n1"},
    {"nominated": ""},
    {"affinity_app": "a"},
    {"node": "n2"},
    {},
)


@define
class _Script:
    """The operations so far, and what they may name next."""

    player: SchedulingQueuePlayer
    ops: list[dict[str, Any]] = Factory(list)
    # By name: the pod as the API server has it, and how many pods of this name there were.
    pods: dict[str, dict[str, Any]] = Factory(dict)
    made: dict[str, int] = Factory(dict)
    # By uid: the cycle of the pod's last Pop, and the pod then.
    popped: dict[str, tuple[int, dict[str, Any]]] = Factory(dict)
    versions: int = 0
    # The uids in activeQ.
    active: list[str] = Factory(list)
    now: int = 0
    # When the next pod's backoff ends.
    backoff_end: int = 0
    # Whether Pop finds a pod. A Pop that discards all that it finds ends the case.
    may_pop: bool = False

    def do(self, op: str, **fields: Any) -> None:
        operation = {"op": op, **fields}
        seen = self.player.play(operation)
        self.ops.append(operation)
        if op == "pop" and seen["popped"] is not None:
            uid = seen["popped"]
            pod = self.pods.get(uid.partition("#")[0])
            self.popped[uid] = seen["cycle"], pod if pod is not None and pod["uid"] == uid else {"uid": uid}
        self.active, self.now, self.may_pop = seen["active"], seen["now"], self.player.may_pop
        if seen["backoff"]:
            self.backoff_end = seen["backoff"][0][1]

    def wait_until(self, time: int, flush: str) -> None:
        """Let a flush come at this time; each operation takes a millisecond."""
        self.do("advance", ms=time - self.now - 2)
        self.do(flush)

    def new_pod(self, name: str, **fields: Any) -> dict[str, Any]:
        self.made[name] = self.made.get(name, 0) + 1
        self.versions += 1
        pod = {"uid": f"{name}#{self.made[name]}", "cpu_milli": 30, "resource_version": self.versions, **fields}
        self.pods[name] = pod
        return pod


def _add(script: _Script, name: str, priority: int, nominated: str, affinity: bool) -> None:
    if name not in script.pods:
        more: dict[str, Any] = {"priority": priority}
        if nominated:
            more["nominated"] = nominated
        if affinity:
            more["affinity_app"] = "a"
        script.do("add", pod=script.new_pod(name, **more))


def _add_again(script: _Script, name: str) -> None:
    """The informer adds a pod that it added before; it does so when its watch begins anew."""
    if name in script.pods:
        script.do("add", pod=script.pods[name])


def _pop(script: _Script) -> None:
    if script.may_pop:
        script.do("pop")


def _fail(script: _Script, place: int, rejected_by: list[str], pending: list[str], newest: bool) -> None:
    if script.popped:
        uid = list(script.popped)[place % len(script.popped)]
        cycle, pod = script.popped[uid]
        listed = script.pods.get(uid.partition("#")[0])
        if newest and listed is not None and listed["uid"] == uid:
            pod = listed
        more = {"pending_plugins": sorted(set(pending) - set(rejected_by))} if pending else {}
        script.do("add_unschedulable", pod=pod, cycle=cycle, unschedulable_plugins=sorted(rejected_by), **more)


def _reject(script: _Script, name: str, nominated: str, affinity: bool, rejected_by: list[str]) -> None:
    """A new pod fails in its first attempt."""
    _add(script, name, 0, nominated, affinity)
    if script.active and script.active[0] == script.pods[name]["uid"]:
        _pop(script)
        _fail(script, list(script.popped).index(script.pods[name]["uid"]), rejected_by, [], newest=True)


def _recreate(script: _Script, name: str, nominated: str) -> None:
    _delete(script, name)
    _add(script, name, 0, nominated, affinity=False)


def _wait(script: _Script, ms: int, flush: str) -> None:
    script.do("advance", ms=ms)
    script.do(flush)


def _update(script: _Script, name: str, change: dict[str, Any]) -> None:
    old = script.pods.get(name)
    if old is not None:
        script.versions += 1
        new = {**old, **change, "resource_version": script.versions}
        script.pods[name] = new
        script.do("update", old=old, new=new)


def _replace(script: _Script, name: str, nominated: str) -> None:
    """The informer missed that a pod was deleted and created again: it tells of an update to another UID."""
    old = script.pods.get(name)
    if old is not None:
        new = script.new_pod(name, **({"nominated": nominated} if nominated else {}))
        script.do("update", old=old, new=new)
        script.do("nominated_pods_for_node", node="n1")


def _delete(script: _Script, name: str) -> None:
    if name in script.pods:
        script.do("delete", pod=script.pods.pop(name))


def _nominate(script: _Script, name: str, node: str) -> None:
    if name in script.pods:
        script.do("nominate", pod=script.pods[name], node=node)
        script.do("nominated_pods_for_node", node="n1")


def _nominate_popped(script: _Script, place: int, node: str) -> None:
    """A pod is nominated as it was when it was popped, whatever became of it since."""
    if script.popped:
        _, pod = list(script.popped.values())[place % len(script.popped)]
        script.do("nominate", pod=pod, node=node)
        script.do("nominated_pods_for_node", node="n1")


def _clear(script: _Script, name: str) -> None:
    if name in script.pods:
        script.do("delete_nominated", pod=script.pods[name])


def _activate(script: _Script, name: str) -> None:
    if name in script.pods:
        script.do("activate", pod=script.pods[name])


def _done(script: _Script, place: int) -> None:
    if script.popped:
        uid = list(script.popped)[place % len(script.popped)]
        script.do("done", pod={"uid": uid})


def _bound(script: _Script, app: str) -> None:
    pod = script.new_pod("b1", node="n1", **({"labels": {"app": app}} if app else {}))
    script.do("assigned_pod_added", pod=pod)


def _bound_changes(script: _Script, change: dict[str, Any]) -> None:
    old = script.pods.get("b1")
    if old is not None:
        script.versions += 1
        new = {**old, **change, "resource_version": script.versions}
        script.pods["b1"] = new
        script.do("assigned_pod_updated", old=old, new=new)


_name, _node = st.sampled_from(_NAMES), st.sampled_from((*_NODES, ""))
_plugins = st.one_of(
    st.lists(st.sampled_from(_PLUGINS), max_size=2, unique=True),
    st.just(["AlwaysQueue", "PodTopologySpread"]),
)
_Instruction = tuple[Callable[..., None], tuple[Any, ...]]


def _each(function: Callable[..., None], *arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[_Instruction]:
    return st.tuples(st.just(function), st.tuples(*arguments))


_instructions = st.lists(
    st.one_of(
        _each(_add, _name, st.integers(0, 1), st.sampled_from(("", "n1")), st.booleans()),
        _each(_pop),
        _each(_fail, st.integers(0, 2), _plugins, _plugins, st.booleans()),
        _each(lambda script, event: script.do("move_all", event=event), st.sampled_from(_EVENTS)),
        _each(_wait, st.sampled_from(_WAITS), st.sampled_from(("flush_backoff", "flush_unschedulable"))),
        _each(_reject, _name, st.sampled_from(("", "n1")), st.booleans(), _plugins),
        _each(_recreate, _name, st.sampled_from(("", "n1"))),
        _each(_add_again, _name),
        _each(_nominate_popped, st.integers(0, 2), _node),
        _each(_update, _name, st.sampled_from(_CHANGES)),
        _each(_delete, _name),
        _each(_done, st.integers(0, 2)),
        _each(_nominate, st.sampled_from((*_NAMES, "b1")), _node),
        _each(_replace, _name, st.sampled_from(("", "n1"))),
        _each(_clear, _name),
        _each(_activate, _name),
        _each(_bound, st.sampled_from(("", "a"))),
        _each(_bound_changes, st.sampled_from(_CHANGES[:4])),
    ),
    min_size=3,
    max_size=16,
)


# Times in unschedulablePods and in backoff are compared with limits: one millisecond less, the limit, and one more.
_OFF = (-1, 0, 1)
# The limit up to 1.23, and later.
_LIMITS = (60_000, 300_000)
# A sixth attempt backs off no longer than a fifth.
_ATTEMPTS = 6


def more() -> Iterator[Case]:
    """Cases that are not drawn often enough to be found."""
    yield from at_limits()
    # Up to 1.28 a failed pod backs off because of a move request in its cycle. The flush comes when the backoff ends.
    script = _Script(SchedulingQueuePlayer(known_release("1.22.6"), {}))
    _add(script, "p1", 0, "", affinity=False)
    _pop(script)
    script.do("move_all", event="NodeAdd")
    _fail(script, 0, [], [], newest=True)
    script.wait_until(script.backoff_end, "flush_backoff")
    yield {"kind": "at_limit"}, script.ops
    # An event that tells of any update, and a plugin that waits for one kind of update.
    config = {"queueing_hints": True}
    script = _Script(SchedulingQueuePlayer(known_release("1.31.13"), config))
    _reject(script, "p1", "", False, ["OnPodLabel"])
    script.do("move_all", event="AssignedPodUpdate")
    yield {**config, "kind": "any_update"}, script.ops


def at_limits() -> Iterator[Case]:
    """Cases in which a flush comes right when a pod's time is over, and a millisecond before and after."""
    release, config = known_release("1.31.13"), {"queueing_hints": True}
    for off in _OFF:
        for limit in _LIMITS:
            script = _Script(SchedulingQueuePlayer(release, config))
            _reject(script, "p1", "", False, ["Unregistered"])
            script.wait_until(script.now + limit + off, "flush_unschedulable")
            yield {**config, "kind": "at_limit"}, script.ops
        for attempts in range(1, _ATTEMPTS + 1):
            script = _Script(SchedulingQueuePlayer(release, config))
            _add(script, "p1", 0, "", affinity=False)
            for attempt in range(1, attempts + 1):
                _pop(script)
                # A pod that no plugin rejected backs off.
                _fail(script, 0, [], [], newest=True)
                late = off if attempt == attempts else 1
                script.wait_until(script.backoff_end + late, "flush_backoff")
            yield {**config, "kind": "at_limit"}, script.ops


def cases(release: Release) -> st.SearchStrategy[Case]:
    """Cases that the model can play in `release`."""
    gates: st.SearchStrategy[dict[str, Any]] = st.just({})
    if has_rules(QueueingHintRules, release):
        rules = rules_for(QueueingHintRules, release)
        hints = st.just(True) if rules.queueing_hints_locked() else st.booleans()
        pops = {"pop_from_backoff_q": st.booleans()} if rules.pop_from_backoff_q() else {}
        gates = st.fixed_dictionaries({"queueing_hints": hints, **pops})

    def case(config: dict[str, Any], instructions: list[_Instruction]) -> Case:
        script = _Script(SchedulingQueuePlayer(release, config))
        for function, arguments in instructions:
            function(script, *arguments)
        return config, script.ops

    return st.builds(case, gates, _instructions)
