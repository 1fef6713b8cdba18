"""`--feature-gates` sets bounds of queueing-hints, and a gate that a release locks is refused."""

import pytest

from kubeproof.check.check import check_system
from kubeproof.check.gates import with_gates
from kubeproof.errors import InputError
from kubeproof.systems.registry import SYSTEMS

HINTS = SYSTEMS["queueing-hints"]


@pytest.mark.parametrize(
    ("scope", "gates", "text"),
    [
        (None, None, None), ("pods=2", None, "pods=2"), (None, "SchedulerQueueingHints=false", "gate=2"),
        ("0,pods=1,goroutines=1", "SchedulerQueueingHints=True", "0,pods=1,goroutines=1,gate=1"),
        ("pods=1", "SchedulerPopFromBackoffQ=false, SchedulerQueueingHints=true",
         "pods=1,pop_from_backoff=2,gate=1"),
    ],
)  # fmt: skip
def test_gates_are_bounds_of_the_scope(scope: str | None, gates: str | None, text: str | None) -> None:
    assert with_gates(HINTS, scope, gates) == text


@pytest.mark.parametrize(
    ("system", "scope", "gates", "says"),
    [
        ("queueing-hints", None, "SchedulerAsyncPreemption=true", "is not a gate of queueing-hints: expected some of"),
        ("queueing-hints", None, "SchedulerQueueingHints", "is not a gate of queueing-hints"),
        ("queueing-hints", None, "SchedulerQueueingHints=off", "is not a gate of queueing-hints"),
        ("queueing-hints", "gate=1", "SchedulerQueueingHints=false", "--scope has gate too"),
        ("node-listing", None, "SchedulerQueueingHints=false", "is not a gate of node-listing: expected some of none"),
    ],
)
def test_what_is_no_gate_is_refused_in_one_line(system: str, scope: str | None, gates: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as refused:
        with_gates(SYSTEMS[system], scope, gates)
    assert "\n" not in str(refused.value)


def test_a_gate_that_the_release_locks_is_refused() -> None:
    scope = "0,pods=1,goroutines=1"
    off = "SchedulerQueueingHints=false"
    for release in ("1.34.0", "1.36.2"):
        with pytest.raises(InputError, match=f"{off}: {release} does not start so"):
            check_system("queueing-hints", release, scope=scope, feature_gates=off)
    with pytest.raises(InputError, match="the gate is locked on"):
        check_system("queueing-hints", "1.35.0", scope=f"{scope},gate=2")
    report = check_system("queueing-hints", "1.33.13", scope=scope, feature_gates=off)
    assert report.scope.gate == 2
