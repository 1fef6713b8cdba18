"""What must hold in the system requeueing."""

from model.scheduler.filters import rejected_by
from model.systems.requeueing.machine import RequeueingMachine
from model.systems.requeueing.records import Requeueing
from properties.property import SetupInvariant


def _waits(state: Requeueing) -> bool:
    """Whether nothing is under way, and the pod waits in unschedulablePods."""
    return not state.handler and not state.queue.active and bool(state.queue.unschedulable)


def waits_for(state: Requeueing) -> frozenset[str]:
    """The plugins that rejected the pod in its last attempt, if nothing is under way."""
    return state.queue.unschedulable[0].unschedulable_plugins if _waits(state) else frozenset()


def _accepted(machine: RequeueingMachine, state: Requeueing) -> bool:
    """Whether all plugins together would accept the pod now."""
    return rejected_by(machine.rules.base, state.pod, state.nodes, state.assigned) is None


def no_event_lost(plugin: str) -> SetupInvariant:
    """What must hold of a pod that `plugin` rejected: hint soundness.

    The other plugins count too: an attempt that they would end in vain is none that the pod needs.
    """
    return SetupInvariant(
        name=f"no-event-lost-of-{plugin}",
        sentence=f"A pod that {plugin} rejected is told of a change after which every plugin would accept the pod.",
        broken_by=("queue_if_taint_goes", "cache_alone", "fit_events_of_allocatable"),
        actions=lambda machine: frozenset(machine.action_names),
        holds=lambda machine, before, action, after: plugin not in waits_for(after) or not _accepted(machine, after),
        premise=lambda machine, before, action, after: plugin in waits_for(after),
        explain=lambda machine, before, action, after: (
            f"nothing is under way, and {after.pod.name}, which {' and '.join(sorted(waits_for(after)))} rejected, "
            "waits in unschedulablePods, though every plugin would accept the pod: only the leftover flush, if there "
            "is one, brings the pod back"
        ),
    )
