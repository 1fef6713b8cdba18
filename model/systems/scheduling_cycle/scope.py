"""The bounds of the system scheduling-cycle: those of scheduling, and how much plugins have to say."""

from attrs import frozen

from model.scope import power, switch
from model.systems.scheduling.scope import SchedulingScope
from model.world.api_server import node_name, place


@frozen
class SchedulingCycleScope(SchedulingScope):
    """What there is, and what may happen in a run. Every bound here is 0 unless the scope names it."""

    # --- how much there is

    # Plugins at Reserve.
    reserves: int = power(4)
    # Plugins at Permit. Each may have a pod wait, as often as it likes.
    permit: int = power(4)
    # Groups of pods, the first pods in the first group. The plugin at Permit lets a pod of a group wait until every
    # other pod of the group waits or is bound (coscheduling). Then it allows all of them.
    groups: int = power(3)

    # How many nodes a PreFilter plugin names for each pod, the first ones. A Filter plugin refuses all others. 0: no
    # plugin names nodes.
    named_nodes: int = power(6)
    # For how many pods it names them, the last ones, as for those of a DaemonSet. 0: for each pod.
    named_pods: int = power(6)

    # How many feasible nodes are enough. The search of the next pod begins where this one has ended. (Go takes 100 or
    # more.) 0: every search is over all nodes.
    quota: int = power(6)
    # With `quota`: how many nodes are asked at the same time, from 1.17 on. Up to 1.16 it is one node. 0 means one.
    workers: int = power(2)
    # The plugin that scores. 1: the less of a node's CPU is requested, the higher (LeastAllocated). 2: the more, the
    # higher (MostAllocated). 0: any of the feasible nodes may have the highest total.
    scores: int = power(2)

    # How many of the pods, the last, name a second profile with the same plugins (1.18 on).
    second_profile: int = power(6)
    # How many of the pods, the last, name another scheduler in each incarnation but the first.
    unknown_profile: int = power(6)
    # Whether a plugin notes something in the CycleState of an attempt, and reads it at later points: up to 1.15 from
    # Reserve on, later from PreFilter on.
    cycle_state: int = switch()
    # Whether each pod has a claim whose volume is bound when the pod is scheduled (WaitForFirstConsumer).
    volumes: int = switch()

    # Extenders with the verb Bind. The first of them binds a pod in place of the Bind plugin.
    binder_extenders: int = power(3)
    # How many of the pods, the last, do not ask for the resource that the first of these extenders manages: it is not
    # interested in them. The others are interested in every pod.
    unmanaged: int = power(6)

    # How many pods, the last ones, a disruption budget protects, and how many of these may be disrupted at a time. The
    # disruption controller writes what is left of this some time after pods were bound or deleted.
    protected: int = power(6)
    disruptions: int = power(6)
    # How many pods, the first ones, have the preemptionPolicy Never.
    never: int = power(6)

    # Whether the scheduler goes on without an extender if the extender fails.
    ignorable: int = switch()

    # --- how often something may happen in a run

    # An extender does not answer a request with the verb Filter or Bind: nothing was done, or what was done is not
    # told.
    extender_errors: int = power()
    # An extender with the verb Preempt refuses a node, names a node without its victims, or does not answer. Else it
    # agrees. 0: there is none.
    preempt_extender: int = power()
    # The API server does not answer a request that writes a pod's status or deletes a victim, and nothing was done.
    patch_errors: int = power()

    # The API server refuses a Binding to a node that it does not have, with the error that the node is not found. It
    # takes a webhook: the API server alone does not look.
    node_not_found: int = power()

    # A plugin fails: with an error while it filters or scores; with an error or a rejection at Reserve, at Permit, at
    # PreBind; with a rejection while the pod waits.
    failures: int = power()
    # The time is over for which a plugin has a pod wait.
    timeouts: int = power()

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if self.second or self.controllers:
            raise ValueError("expected second=0 and controllers=0: scheduling alone has a second scheduler")
        if self.groups and self.permit != 1:
            raise ValueError(f"groups={self.groups} groups of pods: expected permit=1, the plugin that knows of groups")
        if self.extender_errors and not (self.extender or self.binder_extenders):
            raise ValueError(f"extender_errors={self.extender_errors}: expected extender=1 or binder_extenders=1 too")
        if self.ignorable and not (self.extender or self.binder_extenders or self.preempt_extender):
            raise ValueError("ignorable=1: expected extender=1, binder_extenders=1 or preempt_extender=1 too")
        if self.unmanaged and not self.binder_extenders:
            raise ValueError(f"unmanaged={self.unmanaged}: expected binder_extenders=1 too")
        if self.unmanaged > self.pods:
            raise ValueError(f"unmanaged={self.unmanaged} pods: there are only {self.pods} pods")
        for name in ("protected", "never", "preempt_extender"):
            if getattr(self, name) and not self.preemption:
                raise ValueError(f"{name}={getattr(self, name)}: expected preemption=1 too")
        if max(self.protected, self.never) > self.pods:
            raise ValueError(f"protected={self.protected}, never={self.never} pods: there are only {self.pods} pods")
        if self.disruptions > self.protected:
            raise ValueError(f"disruptions={self.disruptions}: the budget has only {self.protected} pods")
        if self.named_nodes > self.nodes:
            raise ValueError(
                f"named_nodes={self.named_nodes} nodes that a plugin names: there are only {self.nodes} nodes"
            )
        if self.named_pods > self.pods or (self.named_pods and not self.named_nodes):
            raise ValueError(
                f"named_pods={self.named_pods} pods whose nodes are named: there are {self.pods} pods, and a plugin "
                f"names {self.named_nodes} nodes"
            )
        if self.second_profile > self.pods:
            raise ValueError(f"second_profile={self.second_profile} pods: there are only {self.pods} pods")
        if self.unknown_profile > self.pods:
            raise ValueError(f"unknown_profile={self.unknown_profile} pods: there are only {self.pods} pods")
        if self.groups > self.pods:
            raise ValueError(f"groups={self.groups} groups of pods: there are only {self.pods} pods")


def named_nodes(scope: SchedulingCycleScope) -> tuple[str, ...]:
    """The nodes that a PreFilter plugin names for each pod; () if no plugin names nodes."""
    return tuple(node_name(at) for at in range(scope.named_nodes))


def names_nodes(scope: SchedulingCycleScope, at: int) -> bool:
    """Whether a PreFilter plugin names nodes for the pod at this place."""
    return bool(scope.named_nodes) and (not scope.named_pods or at >= scope.pods - scope.named_pods)


def nodes_named_for(scope: SchedulingCycleScope, pod: str) -> tuple[str, ...]:
    """The nodes that a PreFilter plugin names for the pod of this name; () if no plugin names nodes for the pod."""
    return named_nodes(scope) if names_nodes(scope, place(pod)) else ()


def group_of(scope: SchedulingCycleScope, at: int) -> int:
    """The group of the pod at this place; groups are as large as each other, or the first ones larger by one."""
    return at * scope.groups // scope.pods


def in_second_profile(scope: SchedulingCycleScope, at: int) -> bool:
    """Whether the pod at this place names the second profile."""
    return at >= scope.pods - scope.second_profile


def changes_scheduler(scope: SchedulingCycleScope, at: int) -> bool:
    """Whether the pod at this place names another scheduler in every incarnation but the first."""
    return at >= scope.pods - scope.unknown_profile


def interested_binders(scope: SchedulingCycleScope, at: int) -> tuple[bool, ...]:
    """Of each extender with the verb Bind whether it is interested in the pod at this place."""
    return tuple(extender > 0 or at < scope.pods - scope.unmanaged for extender in range(scope.binder_extenders))


def is_protected(scope: SchedulingCycleScope, pod: str) -> bool:
    """Whether the disruption budget is of the pod of this name."""
    return place(pod) >= scope.pods - scope.protected
