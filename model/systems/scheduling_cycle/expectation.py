"""The nomination of a pod to its host before the pod is bound, for whoever looks at the API (1.35 on).

Go: bindingCycle in pkg/scheduler/schedule_one.go, with the gate NominatedNodeNameForExpectation. Here a plugin at
PreBind always has work to do, so that PreBindPreFlight never answers Skip.
"""

from model.go.errors import met_error
from model.machine import Action
from model.places import Place
from model.scheduler import waiting_pods
from model.scheduler.volumes import BIND_VOLUMES
from model.systems.scheduling.step import BINDING, OwnStep
from model.systems.scheduling_cycle.records import CycleGoroutine, SchedulingCycle
from model.systems.scheduling_cycle.rules import CycleSetup, SchedulingCycleRules
from model.systems.scheduling_cycle.step import Stepped, is_unanswered, unanswered, with_answers
from model.world.api_server import patch_status
from model.world.goroutines import own_step

NOMINATE_HOST = "nominate_host"


def with_host_nominated(rules: SchedulingCycleRules, points: tuple[str, ...]) -> tuple[str, ...]:
    """The points of the binding, with the nomination before the others, if the pod may wait or PreBind has work."""
    if rules.nominates_host() and len(points) > 1:
        return (NOMINATE_HOST, *points)
    return points


def without_needless(state: SchedulingCycle, goroutine: CycleGoroutine, points: tuple[str, ...]) -> tuple[str, ...]:
    """The points of this binding. Without a wait and without PreBind the pod is bound at once, and nobody nominates."""
    waits = waiting_pods.get(state.waiting_pods, goroutine.pod.uid) is not None
    if waits or "pre_bind" in points or BIND_VOLUMES in points:
        return points
    return tuple(point for point in points if point != NOMINATE_HOST)


def nominate_host(
    setup: CycleSetup, state: SchedulingCycle, goroutine: CycleGoroutine, action: Action | None
) -> Stepped:
    """A patch of `status.nominatedNodeName`. An error is only logged."""
    if is_unanswered(action):
        return unanswered(state, "updatePod", goroutine.pod.uid), goroutine
    if goroutine.pod.nominated_node_name == goroutine.host:
        return state, goroutine
    reply = patch_status(state, goroutine.pod, nominated=goroutine.host)
    met_error("updatePod", reply.error, goroutine.pod.uid)
    return reply.state, goroutine


_NOMINATE_GO: Place = (("1.35.0", "schedule_one.go bindingCycle -> schedule_one.go updatePod"),)
STEPS: tuple[OwnStep, ...] = (
    with_answers(own_step(nominate_host, BINDING, place=_NOMINATE_GO, by_rule=True), nominate_host),
)
