"""The scopes of scheduling-cycle."""

from kubeproof.systems.scheduling.scopes import COMES_WITH, FINER
from kubeproof.systems.scopes import Counted, Scopes
from model.systems.scheduling_cycle import SchedulingCycleScope

# Two pods for one place, two plugins at each point, of which one may fail.
_DEFAULT = SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=2, permit=2, failures=1)
# A wait at Permit may also end by time. From 1.34 on this takes longer than a user waits.
_TIMES = SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=2, permit=2, failures=1, timeouts=1)
_ONE_POD = SchedulingCycleScope(pods=1, nodes=2, goroutines=1, reserves=2, permit=2, failures=1, timeouts=1)
_NARROW = (
    SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=1, failures=1),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, permit=1, deletes=1),
    SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1),
    SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1, second_profile=1),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=1, bind_errors=1),
    SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=1, failures=1, cycle_state=1),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, late_nodes=1, deletes=1, recreates=1, unknown_profile=1),
    SchedulingCycleScope(pods=1, nodes=1, room=2, goroutines=2, reserves=1, updates=1),
    SchedulingCycleScope(pods=1, nodes=2, goroutines=1, named_nodes=2, node_deletes=1),
    SchedulingCycleScope(pods=1, nodes=2, goroutines=1, named_nodes=1, node_deletes=1),
    SchedulingCycleScope(pods=1, nodes=1, node_zones=1, goroutines=1, node_deletes=1, node_adds=1, node_not_found=1),
    SchedulingCycleScope(pods=1, nodes=1, goroutines=1, volumes=1, reserves=1, permit=1, failures=1),
    SchedulingCycleScope(
        pods=1, nodes=1, goroutines=1, binder_extenders=2, unmanaged=1, ignorable=1, extender_errors=1
    ),
    SchedulingCycleScope(pods=3, nodes=3, room=3, goroutines=1, quota=1, named_nodes=1, named_pods=1),
    SchedulingCycleScope(pods=1, nodes=3, node_zones=2, late_nodes=1, node_adds=1, goroutines=1, quota=3),
)
# A victim may wait at Permit.
_PREEMPTING = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, permit=1)
# A victim may be deleted by others, and a pod of its name created.
_NAMESAKES = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, deletes=1, recreates=1)
# A pod is tried while another one is nominated.
_NOMINATED = SchedulingCycleScope(pods=3, nodes=1, high=1, goroutines=1, preemption=1, cycle_state=1)
_NAMED = SchedulingCycleScope(pods=1, nodes=2, goroutines=1, named_nodes=2, node_deletes=1)
_DELETED = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=1, permit=1, deletes=1)
_BINDERS = SchedulingCycleScope(
    pods=2, nodes=1, room=2, goroutines=1, binder_extenders=2, unmanaged=1, extender_errors=1, ignorable=1
)
# A victim waits at Permit, or terminates.
_WAITING_VICTIM = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, permit=1, graceful=1)
_DELETED_VICTIM = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, graceful=1, deletes=1)
_REFUSED = SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, preempt_extender=1, patch_errors=1)
_NO_HELP = SchedulingCycleScope(pods=2, nodes=2, high=1, goroutines=1, preemption=1, named_nodes=1, cordons=1)
_BUDGET = SchedulingCycleScope(pods=3, nodes=2, high=1, goroutines=1, preemption=1, protected=1)
_VOLUMES = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, volumes=1, reserves=1, permit=1, failures=1)
_MISSING_NODE = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, node_deletes=1, node_adds=1, node_not_found=1)
_PROFILES = SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1, second_profile=1)
_NAMED_FOR_ONE = SchedulingCycleScope(pods=2, nodes=2, room=2, goroutines=1, named_nodes=1, named_pods=1, scores=2)
_QUOTA = SchedulingCycleScope(pods=2, nodes=2, goroutines=1, quota=1, named_nodes=1, named_pods=1)
# A pod that is created again names another scheduler, while an attempt of the pod before it goes on.
_OTHERS = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, late_nodes=1, deletes=1, recreates=1, unknown_profile=1)
_WORKERS = SchedulingCycleScope(pods=2, nodes=3, room=2, goroutines=1, quota=1, workers=2, named_nodes=1, named_pods=1)
_CYCLE_STATE = SchedulingCycleScope(pods=2, high=1, nodes=1, goroutines=1, reserves=1, failures=1, cycle_state=1)
# Each hold of a lock is an action.
_HOLDS = SchedulingCycleScope(pods=1, nodes=1, goroutines=1, updates=1, deletes=1, node_grows=1, permit=1, fine=1)
_BACKOFFS = SchedulingCycleScope(pods=2, nodes=1, goroutines=1, reserves=1, bind_errors=1, clock=1, flush=1)
SCOPES = Scopes(
    default=_DEFAULT,
    besides=(
        _DELETED,
        SchedulingCycleScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, permit=1, cycle_state=1),
        _NAMED,
        _VOLUMES,
        SchedulingCycleScope(
            pods=1, nodes=1, goroutines=1, binder_extenders=2, unmanaged=1, ignorable=1, extender_errors=1
        ),
        _QUOTA,
        _OTHERS,
        _MISSING_NODE,
        SchedulingCycleScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, preempt_extender=1, patch_errors=1),
        SchedulingCycleScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, graceful=1, deletes=1),
        _BUDGET,
        _ONE_POD,
    ),
    fix=_ONE_POD,
    fix_narrow=_NARROW,
    large=SchedulingCycleScope(
        pods=3, nodes=2, high=1, preemption=1, deletes=1, lost_replies=1, bind_errors=1, reserves=2, permit=2,
        failures=2, timeouts=1, protected=2, disruptions=1, preempt_extender=1, patch_errors=1, graceful=1,
    ),
    searched=("pods", "nodes", "reserves"),
    least={"room": 1, "goroutines": 1},
    report=_ONE_POD,
    told_apart=(_ONE_POD, *_NARROW[:2]),
    comes_with={
        **COMES_WITH,
        "groups": {"permit": 1},
        "timeouts": {"permit": 1},
        "named_pods": {"named_nodes": 1},
        "unmanaged": {"binder_extenders": 1},
        "ignorable": {"extender": 1},
        "extender_errors": {"extender": 1},
        "never": dict.fromkeys(("preemption",), 1),
        "protected": dict.fromkeys(("preemption", "high"), 1),
        "disruptions": dict.fromkeys(("protected", "preemption", "high"), 1),
        "preempt_extender": dict.fromkeys(("preemption", "high"), 1),
        "node_not_found": {"node_deletes": 1},
    },
    finer=FINER,
    grains=("attempts", "fine", "together", "turned"),
    mutants=(_ONE_POD, *_NARROW, _PREEMPTING, _NAMESAKES, _NOMINATED),
    few_powers=(
        SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, failures=1),
        SchedulingCycleScope(pods=1, nodes=1, goroutines=1, permit=2),
        SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1),
        SchedulingCycleScope(pods=4, nodes=2, room=1, goroutines=1, permit=1, groups=2),
    ),
)  # fmt: skip
COUNTED = Counted(
    # The first of each choice of rules from Reserve to Bind, and of what a search does with nodes that are named.
    releases=(
        *("1.13.4", "1.14.0", "1.15.0", "1.16.0", "1.17.10", "1.18.4", "1.19.0-rc.4", "1.19.0", "1.23.6", "1.24.0"),
        *("1.26.0", "1.28.0", "1.28.10", "1.29.0", "1.30.2", "1.31.0", "1.32.0", "1.34.0", "1.36.0"),
    ),
    small=(SchedulingCycleScope(pods=1, nodes=1, goroutines=1, reserves=2, permit=2, failures=1, timeouts=1),),
    large=(
        (_TIMES, "1.17.10"),
        (_TIMES, "1.28.0"),
        *((SchedulingCycleScope(pods=1, nodes=2, goroutines=1, reserves=1, bind_errors=1), each)
          for each in ("1.15.0", "1.18.4", "1.23.6")),
        *((_DELETED, release) for release in ("1.16.0", "1.17.10", "1.23.6")),
        *((_NAMED, release) for release in ("1.17.10", "1.24.0", "1.28.10", "1.30.2")),
        (SchedulingCycleScope(pods=2, nodes=1, room=2, goroutines=1, permit=1, groups=1), "1.17.10"),
        (SchedulingCycleScope(pods=3, nodes=1, room=3, goroutines=1, reserves=1, permit=1, groups=2), "1.24.0"),
        (SchedulingCycleScope(pods=1, nodes=1, goroutines=1, extender=1, extender_errors=1, failures=1), "1.17.10"),
        (SchedulingCycleScope(pods=1, nodes=1, goroutines=1, extender=1, extender_errors=1, ignorable=1), "1.30.2"),
        *((_BINDERS, release) for release in ("1.15.0", "1.30.2")),
        *((SchedulingCycleScope(pods=2, nodes=1, high=1, preemption=1, goroutines=1, reserves=1), each)
          for each in ("1.17.10", "1.18.4")),
        *((_WAITING_VICTIM, release) for release in ("1.19.0", "1.22.3", "1.26.0", "1.31.0")),
        (_DELETED_VICTIM, "1.27.1"),
        (_REFUSED, "1.24.0"),
        *((_NO_HELP, release) for release in ("1.28.4", "1.30.7")),
        (_BUDGET, "1.24.0"),
        *((_VOLUMES, release) for release in ("1.13.4", "1.15.0", "1.17.10", "1.19.0")),
        *((_MISSING_NODE, release) for release in ("1.13.4", "1.15.0", "1.18.4")),
        (_PROFILES, "1.18.4"),
        *((_QUOTA, release) for release in ("1.24.0", "1.30.2")),
        (_NAMED_FOR_ONE, "1.24.0"),
        # Who is asked whose pod it is, and where a pod is looked up after a failure.
        *((_OTHERS, release) for release in ("1.17.10", "1.18.4", "1.19.0", "1.24.0")),
        # As of quota: where a search begins changes in 1.30.2, and in 1.22 a nominated node is asked first.
        *((_WORKERS, release) for release in ("1.17.10", "1.24.0", "1.30.2")),
        *((_CYCLE_STATE, release) for release in ("1.14.0", "1.15.0")),
        # What a handler looks up, whom it tells of a pod that goes, and what the update of a node moves.
        *((_HOLDS, release) for release in ("1.13.4", "1.17.10", "1.23.6", "1.30.2", "1.31.0")),
        # A move takes pod by pod from 1.31 on.
        (SchedulingCycleScope(pods=2, nodes=1, goroutines=1, bind_errors=1, fine=1), "1.31.0"),
        (SchedulingCycleScope(pods=2, nodes=1, high=1, preemption=1, goroutines=1, fine=1), "1.24.0"),
        *((_BACKOFFS, release) for release in ("1.17.10", "1.23.6", "1.31.0")),
        # A pod that waits is in flight, while another one is flushed again and again.
        (SchedulingCycleScope(pods=2, nodes=1, goroutines=1, permit=1, clock=1, flush=1), "1.33.0", "1.36.0"),
        # Where Done is called, who is nominated before the binding, and how a victim at Permit or in PreBind ends.
        *((SchedulingCycleScope(pods=2, nodes=1, goroutines=1, permit=1, volumes=1), release)
          for release in ("1.32.0", "1.34.0", "1.36.0")),
        *((_WAITING_VICTIM, release) for release in ("1.34.0", "1.36.0")),
        (SchedulingCycleScope(pods=2, nodes=1, high=1, goroutines=1, preemption=1, volumes=1), "1.36.0"),
    ),
)  # fmt: skip
