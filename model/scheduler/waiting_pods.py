"""The pods that wait at Permit: the map, the pending plugins, the timers, the channel. Frozen data and pure functions.

Go: pkg/scheduler/framework/v1alpha1/waiting_pods_map.go (1.15 to 1.18), framework/runtime/waiting_pods_map.go (1.19
on), and `RunPermitPlugins`, `WaitOnPermit` in framework.go beside it. The map is guarded by `waitingPodsMap.mu`, a
waiting pod from 1.17 on by `waitingPod.mu`. A send never waits: what the channel does not take is lost.
"""

from collections.abc import Callable
from typing import Literal

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod

# What is decided of a waiting pod, by the plugins or by preemption (1.36 on); "" as long as nothing is.
Decision = Literal["", "allowed", "rejected", "preempted"]


@frozen(cache_hash=True)
class WaitingPod:
    """A pod in the map. Plugins are equal, so their number says all."""

    uid: str
    # How many of the plugins that said Wait have not said Allow.
    pending: int
    # Whether the goroutine receives from the channel.
    listening: bool = False
    # What was sent and is still in the channel, or in the hands of the goroutine that receives.
    signal: Decision = ""
    # What the plugins decided first: all have said Allow, one has said Reject, or the time is over. Go keeps no note.
    decided: Decision = ""


WaitingPods = tuple[WaitingPod, ...]


def one_allow(pending: int) -> bool:
    """1.15 and 1.16: `Allow` has no argument, and any one is enough (#82385, #83756)."""
    return True


def every_allow(pending: int) -> bool:
    """1.17 on: the last of the pending plugins."""
    return not pending


def arrives_at_listener(waiting: WaitingPod) -> bool:
    """1.15 to 1.17: the channel has no buffer, so a send before the receive is lost (#88179)."""
    return waiting.listening and not waiting.signal


def arrives_in_buffer(waiting: WaitingPod) -> bool:
    """1.18 on: the channel has room for one."""
    return not waiting.signal


def timer_of_the_wait(waiting: WaitingPod) -> bool:
    """1.15 and 1.16: one timer, which the goroutine starts when it receives, and which nobody stops."""
    return waiting.listening


def timer_of_each_plugin(waiting: WaitingPod) -> bool:
    """1.17 on: a timer for each pending plugin. Allow stops its plugin's timer, Reject stops all."""
    return bool(waiting.pending) and waiting.decided not in ("rejected", "preempted")


def one_map() -> bool:
    """To 1.17 there is one profile. From 1.31 on (#124926) all profiles have one map of waiting pods."""
    return True


def a_map_of_each_profile() -> bool:
    """1.18 to 1.30: `NewFramework` makes a map for each profile, so no plugin sees the pods of another profile wait."""
    return False


def gone_pod_waits(pod: Pod, listed: Pod | None) -> bool:
    """Nobody looks whether a pod that comes into the map is still there: only the handler of a delete does later."""
    return False


@frozen(slots=False, kw_only=True)
class WaitingPodRules:
    """What releases do differently with waiting pods."""

    # (plugins still pending after an Allow) -> whether the pod is told.
    allow_suffices: Callable[[int], bool]
    # Whether what is sent to the waiting pod now arrives.
    signal_arrives: Callable[[WaitingPod], bool]
    # Whether a plugin at Permit sees the waiting pods of all profiles.
    sees_all_profiles: Callable[[], bool]
    # Whether a timer of the waiting pod runs.
    timer_runs: Callable[[WaitingPod], bool]
    # (pod that comes into the map, the informer's pod of its name) -> whether the pod is rejected at once.
    rejects_gone_pod: Callable[[Pod, Pod | None], bool]


def get(pods: WaitingPods, uid: str) -> WaitingPod | None:
    """The waiting pod of this UID."""
    return next((each for each in pods if each.uid == uid), None)


def add(pods: WaitingPods, waiting: WaitingPod) -> WaitingPods:
    """The map with the pod, which replaces one of the same UID."""
    return tuple(sorted((*remove(pods, waiting.uid), waiting), key=_uid))


def remove(pods: WaitingPods, uid: str) -> WaitingPods:
    return tuple(each for each in pods if each.uid != uid)


def _uid(waiting: WaitingPod) -> str:
    return waiting.uid


def allow(rules: WaitingPodRules, waiting: WaitingPod) -> WaitingPod:
    """A pending plugin says Allow."""
    left = waiting.pending - 1
    decided = waiting.decided or ("allowed" if not left else "")
    waiting = evolve(waiting, pending=left, decided=decided)
    return _sent(rules, waiting, "allowed") if rules.allow_suffices(left) else waiting


def reject(rules: WaitingPodRules, waiting: WaitingPod) -> WaitingPod:
    """A plugin says Reject, a timer fires, or the pod is deleted."""
    return _sent(rules, evolve(waiting, decided=waiting.decided or "rejected"), "rejected")


def preempt(rules: WaitingPodRules, waiting: WaitingPod) -> WaitingPod:
    """`waitingPod.Preempt` (1.36 on): the wait ends with an error, and not with a rejection."""
    return _sent(rules, evolve(waiting, decided=waiting.decided or "preempted"), "preempted")


def _sent(rules: WaitingPodRules, waiting: WaitingPod, signal: Decision) -> WaitingPod:
    return evolve(waiting, signal=signal) if rules.signal_arrives(waiting) else waiting
