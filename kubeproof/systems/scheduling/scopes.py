"""The scopes of scheduling."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.scheduling import SchedulingScope

_REPORTED = SchedulingScope(pods=1, nodes=2, extender=1, preemption=1)
# Each lets an update decide whether a pod fits: of the pod's labels, requests or finalizers; of a node. Each has few
# powers, so that what a release does wrong under one of them hides nothing that a fix does under another.
MAKES_ROOM = (
    SchedulingScope(pods=1, nodes=1, goroutines=1, labels=2, anti_affinity=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, shrinks=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, finalizers=1, deletes=1, blocked_deletes=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, node_grows=1, node_shrinks=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, cordons=2),
    # Room for both: who moves a part of the pods that wait leaves the other one.
    SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, room=2, cordons=2),
    SchedulingScope(pods=2, nodes=1, goroutines=1, room=2, big=1, deletes=1),
)
# Here every node must be listed once, in several zones. A snapshot of each cycle is updated from the last one.
ZONES = SchedulingScope(pods=2, nodes=3, goroutines=1, node_zones=2, late_nodes=1, keep_snapshot=1)
# Small ones first, each with the powers that some rules need to show what they do: a mutant is asked in all of them how
# it answers, and only where it answers otherwise it is searched for what it breaks.
_MUTANTS = (
    SchedulingScope(pods=1, nodes=2, goroutines=1, extender=1, preemption=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, shrinks=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, cordons=2, clock=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, cordons=1, node_grows=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, node_deletes=1, node_adds=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, late_nodes=1, clock=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, labels=2, anti_affinity=1, clock=1),
    SchedulingScope(pods=2, nodes=1, goroutines=1, clock=1, expiry=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, listeners=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, node_grows=1, node_shrinks=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, finalizers=1, labels=1, resyncs=1),
    SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, lost_replies=1, bind_errors=1, clock=1, flush=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, deletes=1, relists=1, graceful=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, finalizers=1, deletes=1, blocked_deletes=1),
    SchedulingScope(pods=1, nodes=2, goroutines=1, deletes=1, recreates=1, other_binders=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, bind_errors=1),
    ZONES,
    SchedulingScope(pods=2, nodes=2, goroutines=1, node_deletes=1, keep_snapshot=1),
    SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, node_deletes=1),
    SchedulingScope(pods=1, nodes=2, goroutines=1, late_nodes=1, node_deletes=1, updates=1),
    SchedulingScope(pods=2, big=1, nodes=1, goroutines=1, room=2, deletes=1),
    SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, graceful=1),
    SchedulingScope(pods=2, nodes=1, goroutines=1, listeners=1, bound_at_start=1),
    SchedulingScope(pods=1, nodes=1, goroutines=1, resizes=1),
)
COMES_WITH = {
    # Three priorities: with one pod above the others there are two, whether it is of the highest or not.
    "top": {"high": 2},
    "bound_at_start": {"listeners": 1},
    "shrinks": {"big": 1},
    "recreates": {"deletes": 1},
    "node_adds": {"node_deletes": 1},
    "flush": {"clock": 1},
    "expiry": {"clock": 1},
    "graceful": {"deletes": 1},
    "blocked_deletes": {"deletes": 1, "finalizers": 1},
}
FINER = {
    "turned": ("recreates", "high", "big"),
    "together": ("updates", "labels", "finalizers", "node_grows", "node_shrinks", "cordons"),
    "fine": (),
}
SCOPES = Scopes(
    default=_REPORTED,
    besides=(
        SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, preemption=1, deletes=1),
        SchedulingScope(pods=1, nodes=1, goroutines=1, bind_errors=1, clock=1, flush=1),
        SchedulingScope(pods=2, nodes=1, goroutines=1, bind_errors=1, clock=1),
    ),
    fix=SchedulingScope(pods=2, high=1, nodes=1, preemption=1, recreates=1, goroutines=1),
    fix_narrow=(
        _REPORTED,
        SchedulingScope(pods=1, nodes=1, updates=1, listeners=1),
        SchedulingScope(pods=1, nodes=1, updates=1, bind_errors=1),
        SchedulingScope(pods=2, nodes=1, deletes=1),
        SchedulingScope(pods=2, nodes=1, clock=1, goroutines=1),
        SchedulingScope(pods=2, nodes=1, deletes=1, bind_errors=1, goroutines=1),
        SchedulingScope(pods=2, nodes=2, node_deletes=1, keep_snapshot=1, goroutines=1),
        SchedulingScope(pods=2, high=1, nodes=1, preemption=1, goroutines=1),
        *MAKES_ROOM,
        ZONES,
    ),
    large=SchedulingScope(
        pods=3, nodes=2, high=1, extender=1, preemption=1, updates=1, deletes=1, recreates=1, node_deletes=1,
        node_adds=1, lost_replies=1, clock=1, flush=1,
    ),
    searched=("pods", "nodes"),
    least={"room": 1, "goroutines": 1},
    report=_REPORTED,
    told_apart=(
        _REPORTED,
        SchedulingScope(pods=1, nodes=1, updates=1, bind_errors=1),
        SchedulingScope(pods=1, nodes=1, deletes=1, recreates=1, lost_replies=1),
        SchedulingScope(pods=1, nodes=1, node_deletes=1, node_adds=1),
    ),
    comes_with=COMES_WITH,
    finer=FINER,
    grains=("attempts", "fine", "together", "turned"),
    setups=("second", "controllers"),
    mutants=_MUTANTS,
    few_powers=(
        SchedulingScope(pods=1, nodes=1, room=1, goroutines=1, labels=1, finalizers=1, resyncs=1),
        SchedulingScope(pods=1, nodes=1, room=1, goroutines=1, lost_replies=1, bind_errors=1, clock=1, flush=1),
        SchedulingScope(pods=1, nodes=1, room=1, goroutines=1, deletes=1, relists=1, graceful=1),
        SchedulingScope(pods=1, nodes=2, room=1, goroutines=1, updates=1, extender=1, preemption=1),
        SchedulingScope(pods=1, nodes=2, room=1, goroutines=1, late_nodes=1, node_deletes=1, updates=1),
        SchedulingScope(pods=1, nodes=2, room=1, goroutines=1, deletes=1, recreates=1, relists=1, other_binders=1),
        SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, deletes=1),
        SchedulingScope(pods=1, nodes=2, room=1, goroutines=1, extender=1, preemption=1, bind_errors=1, deletes=1),
        SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, high=1, preemption=1, node_deletes=1),
        SchedulingScope(pods=3, nodes=1, room=1, goroutines=1, high=1, preemption=1),
        SchedulingScope(pods=3, nodes=1, room=1, goroutines=1, high=2, top=1, preemption=1),
        SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, clock=1, expiry=1),
        SchedulingScope(pods=2, nodes=1, room=2, goroutines=1, late_nodes=1),
        SchedulingScope(pods=2, nodes=1, room=2, goroutines=1, node_deletes=1, updates=1),
        SchedulingScope(pods=2, nodes=2, room=1, goroutines=1, node_deletes=1, keep_snapshot=1),
        SchedulingScope(pods=1, nodes=1, room=1, goroutines=1, labels=2, anti_affinity=1, bind_errors=1),
        SchedulingScope(pods=2, nodes=1, room=1, goroutines=1, deletes=1, cordons=2),
    ),
)  # fmt: skip

EXTENDED = SchedulingScope(pods=1, nodes=2, goroutines=1, updates=1, extender=1, preemption=1)
_NAMESAKES = SchedulingScope(pods=1, nodes=2, goroutines=1, deletes=1, recreates=1, resyncs=1, relists=1)
_NODE_CHURN = SchedulingScope(pods=1, nodes=2, goroutines=1, late_nodes=1, node_deletes=1, node_adds=1, other_binders=1)
_HEARTBEATS = SchedulingScope(room=2, goroutines=1, labels=1, heartbeats=1)
_LATE_REPLIES = SchedulingScope(
    pods=1, nodes=2, goroutines=1, finalizers=1, deletes=1, lost_replies=1, bind_errors=1, graceful=1, listeners=1
)
_BACKOFFS = SchedulingScope(goroutines=1, updates=1, clock=1, flush=1)
COUNTED = Counted(
    releases=(
        *("1.13.0", "1.14.0", "1.15.0", "1.17.0", "1.18.0", "1.18.4", "1.19.0", "1.20.0", "1.21.14", "1.22.3"),
        *("1.23.3", "1.24.0", "1.26.0", "1.30.0", "1.31.0", "1.32.0", "1.34.0", "1.36.0"),
    ),
    small=(SchedulingScope(high=1, goroutines=1, preemption=1),),
    large=(
        *((EXTENDED, release) for release in ("1.14.0", "1.22.3", "1.24.0", "1.36.0")),
        *((_NAMESAKES, release) for release in ("1.17.0", "1.20.0", "1.23.3", "1.36.0")),
        *((_NODE_CHURN, release) for release in ("1.13.0", "1.18.0", "1.24.0", "1.30.0", "1.34.0")),
        *((_HEARTBEATS, release) for release in ("1.13.0", "1.21.14")),
        (SchedulingScope(pods=3, high=1, room=2, goroutines=1, preemption=1), "1.26.0"),
        (_LATE_REPLIES, "1.15.0"),
        (SchedulingScope(pods=1, nodes=1, goroutines=1, updates=1, bind_errors=1), "1.32.0", "1.34.0", "1.36.0"),
        (SchedulingScope(pods=2, nodes=1, goroutines=1, deletes=1, listeners=1), "1.32.0", "1.36.0"),
        (_LATE_REPLIES, "1.36.0"),
        # A backoff of a name, which is kept for longer from 1.17.3 on, then one of a record; what an update ends.
        *((_BACKOFFS, release) for release in ("1.13.4", "1.14.0", "1.17.10", "1.18.4", "1.21.14", "1.31.0")),
        # In windows from 1.33 on, where Pop takes from the backoff queue; by failures from 1.34 on.
        (SchedulingScope(pods=2, nodes=1, goroutines=1, bind_errors=1, clock=1, flush=1), "1.32.0", "1.33.0", "1.36.0"),
    ),
)
