"""The scopes of queueing-hints. In all the gate SchedulerQueueingHints is on, whatever the release's default."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.queueing_hints import QueueingHintsScope
from model.systems.queueing_hints.scope import GATE_OFF, GATE_ON

# A pod that is updated while it is scheduled, an event, and two bindings at a time.
_DEFAULT = QueueingHintsScope(pods=1, plugins=1, goroutines=2, gate=GATE_ON, changes=1, updates=1)
# With `fine` goes the clock: without it no pod backs off, and Pop would find a failed pod in activeQ while whoever
# hands the pod back still keeps the lock of the queue.
_NARROW = (
    QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=3),
    QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, deletes=1, graceful=1, uninteresting=1),
    QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, bind_errors=2),
    QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, bind_errors=2, clock=1, fine=1),
    QueueingHintsScope(pods=1, gate=GATE_ON, errors=1, uninteresting=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, unknown_profiles=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, deletes=1, recreates=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, permits=1, lost_replies=1),
    QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=2, clock=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, gates=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, claims=1, pending=1),
    QueueingHintsScope(pods=1, gate=GATE_ON, pending=2, clock=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, gates=1, clock=1),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, updates=1, errors=1, clock=1),
    QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1, activations=1),
    QueueingHintsScope(pods=1, gate=GATE_ON, tolerations=1, clock=1),
    QueueingHintsScope(pods=1, gate=GATE_ON, assigned=2),
    QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, hint_errors=1),
    QueueingHintsScope(pods=1, plugins=3, gate=GATE_ON, changes=3, pre_check=1),
    QueueingHintsScope(pods=1, gate=GATE_ON, deletes=1, recreates=1, relists=1),
)
# A mutant is judged in many scopes: two pods have fewer events here.
_MUTANTS = (
    _DEFAULT, *_NARROW[2:8], *_NARROW[9:], QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1),
    QueueingHintsScope(pods=1, plugins=3, gate=GATE_OFF, changes=3, pre_check=1),
    QueueingHintsScope(pods=2, gate=GATE_ON, assigned=1, permits=1),
)  # fmt: skip
SCOPES = Scopes(
    default=_DEFAULT,
    besides=(QueueingHintsScope(pods=1, plugins=1, clock=1, changes=1),),
    fix=_DEFAULT,
    fix_narrow=_NARROW,
    large=QueueingHintsScope(
        pods=3, plugins=2, goroutines=2, gate=GATE_ON, changes=3, events=2, uninteresting=2, updates=2, deletes=1,
        recreates=1, errors=1, permits=1, bind_errors=2, lost_replies=1, graceful=1, clock=1,
    ),
    searched=("pods", "plugins"),
    least={"goroutines": 1, "gate": GATE_ON},
    report=_DEFAULT,
    # Rules of two releases need not go together: where a pod comes again and again, their list may have no end.
    told_apart=(_DEFAULT, _NARROW[2], _NARROW[7]),
    mutants=_MUTANTS,
    comes_with={
        "hint_errors": {"changes": 1}, "recreates": {"deletes": 1}, "graceful": {"deletes": 1}, "flush": {"clock": 1},
    },
    finer={"turned": ("recreates",), "together": ("updates", "tolerations", "gates"), "fine": ()},
    grains=("fine", "together", "turned"),
    grain_needs={"fine": "clock"},
)  # fmt: skip

# The switch of the gate decides, and what the release has.
_BY_RELEASE = QueueingHintsScope(pods=1, plugins=1, goroutines=2, changes=1, updates=1, errors=1)
COUNTED = Counted(
    releases=(
        *("1.28.0-beta.0", "1.28.0", "1.28.2", "1.28.3", "1.29.0", "1.30.0", "1.31.0-alpha.2", "1.31.0", "1.32.0"),
        *("1.33.0", "1.36.2"),
    ),
    small=(_DEFAULT,),
    large=(
        (_BY_RELEASE, "1.28.3", "1.28.5", "1.31.14", "1.32.0"),
        (QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, bind_errors=2), "1.28.0-beta.0", "1.28.0", "1.32.0"),
        (
            QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, deletes=1, graceful=1, uninteresting=1),
            "1.28.3",
            "1.30.14",
        ),
        (
            QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, deletes=1, recreates=1, unknown_profiles=1),
            "1.28.0",
            "1.32.0",
            "1.34.1",
            "1.36.2",
        ),
        (
            QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, permits=1, lost_replies=1),
            "1.28.0",
            "1.31.14",
        ),
        (QueueingHintsScope(pods=1, plugins=2, gate=GATE_ON, changes=1, listeners=1, resyncs=1), "1.29.0"),
        (QueueingHintsScope(pods=1, plugins=3, gate=GATE_ON, events=2, relists=1, deletes=1), "1.32.0"),
        (QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=2), "1.28.0", "1.31.14"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, gates=1, claims=1, pending=1), "1.28.3", "1.30.2", "1.33.0"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, gates=1, claims=1, pending=1, clock=1, flush=1), "1.34.1"),
        (QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, updates=1, clock=1, flush=1), "1.31.14"),
        (QueueingHintsScope(pods=2, gate=GATE_ON, activations=1), "1.32.0"),
        (QueueingHintsScope(pods=2, gate=GATE_ON, deletes=1, stale_binds=1), "1.28.3"),
        (
            QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, tolerations=1, clock=1),
            "1.28.3",
            "1.31.14",
            "1.32.0",
            "1.36.2",
        ),
        (QueueingHintsScope(pods=1, gate=GATE_ON, assigned=2), "1.28.0", "1.30.14", "1.31.14", "1.32.0", "1.36.2"),
        (QueueingHintsScope(pods=2, gate=GATE_OFF, assigned=1), "1.30.14"),
        (QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, hint_errors=1), "1.29.0"),
        (QueueingHintsScope(pods=1, plugins=3, gate=GATE_ON, changes=2, pre_check=1), "1.28.3", "1.32.0"),
        (QueueingHintsScope(pods=2, gate=GATE_ON, permits=1), "1.31.14"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, deletes=1, recreates=1, relists=1), "1.36.2"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, listeners=1, updates=1), "1.36.2"),
        # An update that brings two changes.
        (QueueingHintsScope(pods=1, gate=GATE_ON, gates=1, tolerations=1, relists=1), "1.28.3", "1.31.14", "1.32.0"),
        # Pop takes pods from the backoff queue, but none that met an error.
        (QueueingHintsScope(pods=2, plugins=1, gate=GATE_ON, changes=1, clock=1), "1.33.0", "1.36.2"),
        (
            QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, errors=1, clock=1, flush=1),
            "1.32.0",
            "1.33.0",
            "1.36.2",
        ),
        # Releases that differ in what is between two holds of a lock.
        (
            QueueingHintsScope(pods=1, plugins=1, gate=GATE_ON, changes=1, updates=1, clock=1, fine=1),
            *("1.28.0", "1.28.3", "1.30.14", "1.31.0", "1.32.0", "1.33.0", "1.34.1", "1.36.2"),
        ),
        # A move leaves the lock of Pop between two pods.
        (QueueingHintsScope(pods=2, gate=GATE_ON, assigned=1, fine=1), "1.31.0"),
        (
            QueueingHintsScope(pods=1, goroutines=2, gate=GATE_ON, bind_errors=2, clock=1, fine=1),
            *("1.28.0-beta.0", "1.28.3", "1.32.0"),
        ),
        (QueueingHintsScope(pods=1, gate=GATE_ON, assigned=1, clock=1, fine=1), "1.30.14", "1.31.0", "1.36.2"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, gates=1, claims=1, pending=1, fine=1), "1.31.0"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, updates=1, resyncs=1, listeners=1, clock=1, fine=1), "1.34.1"),
        (QueueingHintsScope(pods=1, gate=GATE_ON, deletes=1, recreates=1, relists=1, clock=1, fine=1), "1.36.2"),
    ),
)
