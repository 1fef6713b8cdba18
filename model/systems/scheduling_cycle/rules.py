"""All rules of the system scheduling-cycle in one choice, and what the scheduler is configured with. Pure data."""

from functools import cached_property
from typing import Any

from attrs import frozen

from model.evolve import evolve
from model.objects import Pod
from model.scheduler import waiting_pods
from model.scheduler.cycle_points import CyclePointRules
from model.scheduler.error_func import BindingErrorRules
from model.scheduler.extender_preemption import ExtenderPreemptionRules
from model.scheduler.extenders import BinderRules
from model.scheduler.filtering import SearchRules
from model.scheduler.framework.cycle_state import CycleStateRules
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.preemption.waiting_victims import WaitingVictimRules
from model.scheduler.profiles import ProfileRules
from model.scheduler.queue.events import ALL, ClusterEvent, Registration
from model.scheduler.volumes import VolumeRules
from model.scheduler.waiting_pods import WaitingPodRules
from model.systems.scheduling.rules import OTHER_SCHEDULER, SchedulingRules, SchedulingSetup
from model.systems.scheduling_cycle.scope import SchedulingCycleScope, changes_scheduler

# The name under which a rejection by the plugins of a point is filed. Such plugins wait for everything.
PLUGIN = "OutOfTree"
REGISTERED = Registration(PLUGIN, ClusterEvent("*", ALL))


@frozen(slots=False, kw_only=True)
class SchedulingCycleRules(
    SchedulingRules,
    CyclePointRules,
    WaitingPodRules,
    SearchRules,
    BinderRules,
    VolumeRules,
    BindingErrorRules,
    PreemptionRules,
    ExtenderPreemptionRules,
    WaitingVictimRules,
    ProfileRules,
    CycleStateRules,
):
    """Every rule that the system follows."""


class CycleSetup(SchedulingSetup):
    """Scope and rules, and what follows from them."""

    scope: SchedulingCycleScope
    rules: SchedulingCycleRules

    @cached_property
    def node_order_is_read(self) -> bool:
        """With `quota` it matters from which node on a search goes."""
        return bool(self.scope.quota) or super().node_order_is_read

    @property
    def several_zones(self) -> bool:
        """Or with `quota`, where the order of a zone's nodes is kept too."""
        return bool(self.scope.quota) or super().several_zones

    @property
    def registered(self) -> tuple[Registration, ...]:
        return (*super().registered, REGISTERED) if self.scope.failures or self.scope.permit else super().registered

    @property
    def has_extenders(self) -> bool:
        return bool(self.scope.binder_extenders or self.scope.preempt_extender) or super().has_extenders

    def scheduler_name(self, at: int, incarnation: int) -> str:
        """Whom the incarnation of the pod names, if not this scheduler."""
        return OTHER_SCHEDULER if incarnation > 1 and changes_scheduler(self.scope, at) else ""

    def reject_waiting_pod(self, state: Any, pod: Pod, /) -> tuple[bool, Any]:
        """`RejectWaitingPod` of a pod that is deleted."""
        waiting = waiting_pods.get(state.waiting_pods, pod.uid)
        if waiting is None:
            return False, state
        told = waiting_pods.reject(self.rules, waiting)
        return True, evolve(state, waiting_pods=waiting_pods.add(state.waiting_pods, told))

    def preempt_waiting_pod(self, state: Any, uid: str, /) -> Any:
        """`Preempt` of a pod that is in the map."""
        waiting = waiting_pods.get(state.waiting_pods, uid)
        assert waiting is not None
        told = waiting_pods.preempt(self.rules, waiting)
        return evolve(state, waiting_pods=waiting_pods.add(state.waiting_pods, told))
