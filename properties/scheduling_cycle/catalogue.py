"""The properties of scheduling-cycle, and mutants."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from attrs import evolve

from model.scheduler.cycle_points import Points
from model.scheduler.preemption.candidates import Candidates, Picked
from properties.preemption.mutants import no_pod_counts
from properties.property import Property
from properties.scheduling.cache import WITHIN_CAPACITY
from properties.scheduling.catalogue import preempts_nowhere
from properties.scheduling.nominations import NOMINATED_IS_PENDING, NOMINATION_CAN_COME_TRUE
from properties.scheduling.pods import (
    ASSUMED_NOT_SCHEDULED,
    BINDS_DECIDED,
    BINDS_ONCE,
    NO_FAILURE_OF_BOUND,
    ONE_ATTEMPT,
    RUNS,
)
from properties.scheduling_cycle.binders import BINDING, MANAGED_BY_EXTENDER, ONE_BINDER_BINDS
from properties.scheduling_cycle.cycle_state import READS_ITS_OWN, changes_the_state
from properties.scheduling_cycle.node_repair import REMOVED_IS_GONE, REMOVED_LEAVES_TREE
from properties.scheduling_cycle.nominations import HARMS_LEAST, NOMINATION_ENDS
from properties.scheduling_cycle.owners import (
    ASSUMED_HAS_OWNER,
    GIVEN_BACK_IN_REVERSE,
    RESERVED_HAS_OWNER,
    RESERVED_IS_KEPT,
    VOLUMES_HAVE_OWNER,
    WAITING_HAS_WAITER,
)
from properties.scheduling_cycle.permit import (
    ALL_ALLOW,
    DECISION_ARRIVES,
    GONE_DOES_NOT_WAIT,
    GONE_IS_REJECTED,
    WAIT_ENDS,
)
from properties.scheduling_cycle.preemption import (
    EXTENDER_AGREES,
    ONE_DELETE,
    ONE_PREEMPTION,
    ONLY_VICTIMS_GO,
    PREEMPTS_FOR_PENDING,
    PREEMPTS_FOR_ROOM,
    ROOM_IS_KEPT,
    VICTIMS_ARE_TOLD,
)
from properties.scheduling_cycle.profiles import BOUND_IS_OWN, NOMINATED_IS_OWN, QUEUED_IS_OWN
from properties.scheduling_cycle.progress import FITTING_POD_IS_BOUND, ROOM_IS_OFFERED
from properties.scheduling_cycle.search import ERROR_HIDES_NO_NODE, NAMED_ARE_TRIED, first_name_alone
from properties.scheduling_cycle.searching import ASKS_EACH_ONCE, EXAMINED_IN_TURN, KEEPS_TO_SNAPSHOT

# Extenders bind pods too.
_BINDS_ONCE = evolve(BINDS_ONCE, actions=BINDING)
_BINDS_DECIDED = evolve(BINDS_DECIDED, actions=BINDING)
# What else is said of the queue is asked in scheduling.
PROPERTIES: tuple[Property, ...] = (
    RESERVED_HAS_OWNER, RESERVED_IS_KEPT, GIVEN_BACK_IN_REVERSE, ASSUMED_HAS_OWNER, WAITING_HAS_WAITER,
    DECISION_ARRIVES, GONE_DOES_NOT_WAIT, GONE_IS_REJECTED, ALL_ALLOW, ONE_ATTEMPT, _BINDS_ONCE, _BINDS_DECIDED,
    ASSUMED_NOT_SCHEDULED, RUNS, NO_FAILURE_OF_BOUND, ERROR_HIDES_NO_NODE, NAMED_ARE_TRIED, MANAGED_BY_EXTENDER,
    ASKS_EACH_ONCE, KEEPS_TO_SNAPSHOT, EXAMINED_IN_TURN, ONE_BINDER_BINDS, VOLUMES_HAVE_OWNER, REMOVED_IS_GONE,
    REMOVED_LEAVES_TREE, VICTIMS_ARE_TOLD, ONLY_VICTIMS_GO, PREEMPTS_FOR_PENDING, PREEMPTS_FOR_ROOM, ONE_PREEMPTION,
    ONE_DELETE, EXTENDER_AGREES, HARMS_LEAST, ROOM_IS_KEPT, NOMINATED_IS_PENDING, NOMINATION_CAN_COME_TRUE,
    NOMINATION_ENDS, WITHIN_CAPACITY, WAIT_ENDS, ROOM_IS_OFFERED, FITTING_POD_IS_BOUND, QUEUED_IS_OWN,
    NOMINATED_IS_OWN, BOUND_IS_OWN, READS_ITS_OWN,
)  # fmt: skip


def bind_without_waiting() -> Points:
    """A mutant: nobody waits for what the plugins at Permit decide."""
    return ("pre_bind", "bind")


def any_candidate(candidates: Candidates) -> Picked:
    """A mutant: the harm on a node does not count."""
    return tuple(candidates)


MUTANTS: Mapping[str, Sequence[Callable[..., Any]]] = {
    "points_in_binding": (bind_without_waiting,),
    "named_nodes": (first_name_alone,),
    "terminating_pod_counts": (no_pod_counts,),
    "keeps_nominated_in_state": (changes_the_state,),
    "pick_one_node": (any_candidate,),
    "preempts_with": (preempts_nowhere,),
}
