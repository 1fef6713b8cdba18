"""Fixes that are wrong only where an update decides whether a pod fits, and a right one of the same rule."""

from pathlib import Path

import pytest

from kubeproof.systems.scheduling.scopes import MAKES_ROOM, SCOPES
from kubeproof.systems.system import scope_text
from kubeproof.validate.validate import validate
from kubeproof.verdict.result import Outcome
from model.systems.scheduling import SchedulingScope
from tests.kubeproof.validate.verdicts import only

IN_FLIGHT = """
from model.scheduler.queue.state import find
from model.scheduler.queue.update import update_respecting_backoff

def queue_update(setup, queue, old, new, now):
    if not any(find(part, new.name) for part in (queue.active, queue.backoff, queue.unschedulable)):
        return {}, None
    return update_respecting_backoff(setup, queue, old, new, now)
"""
DROPPED = IN_FLIGHT.format("queue")
# If its attempt fails, the pod is tried again, as the informer has it then.
NOTED = IN_FLIGHT.format("setup.rules.note_move_request(queue)")
NO_NODE_UPDATE_MOVES = "def move_on_node_update(old, new): return ()\n"
NO_LABEL_MATTERS = """
from model.evolve import evolve

def strip_for_queue(pod):
    return evolve(pod, resource_version=0, nominated_node_name="", condition="", labels=())
"""
NO_REQUEST_MATTERS = NO_LABEL_MATTERS.replace("labels=()", "cpu_milli=0")
# Who is less important waits though there is room for both.
MOST_IMPORTANT_ONLY = """
def pods_for_move_request(queue, pre_check):
    top = max((info.pod.priority for info in queue.unschedulable), default=0)
    return tuple(info for info in queue.unschedulable if info.pod.priority == top)
"""

LABELS = SchedulingScope(pods=1, nodes=1, goroutines=1, labels=2, anti_affinity=1)
REQUESTS = SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, shrinks=1)
ALLOCATABLE = SchedulingScope(pods=1, nodes=1, goroutines=1, big=1, node_grows=1, node_shrinks=1)
CORDONS = SchedulingScope(pods=1, nodes=1, goroutines=1, cordons=2)
PRIORITIES = SchedulingScope(pods=2, high=1, nodes=1, goroutines=1, room=2, cordons=2)


def test_a_fix_is_judged_where_an_update_makes_a_pod_fit() -> None:
    """So `validate` without a scope refuses what is refused below in one of these scopes."""
    assert {LABELS, REQUESTS, ALLOCATABLE, CORDONS, PRIORITIES} <= set(MAKES_ROOM) <= set(SCOPES.fix_narrow)


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "my_fix.py"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "release", "scope"),
    [
        (DROPPED, "1.22.3", LABELS),
        (DROPPED, "1.27.0", LABELS),
        (DROPPED, "1.31.13", LABELS),
        (NO_LABEL_MATTERS, "1.27.0", LABELS),
        (NO_REQUEST_MATTERS, "1.31.13", REQUESTS),
        (NO_NODE_UPDATE_MOVES, "1.18.4", ALLOCATABLE),
        (NO_NODE_UPDATE_MOVES, "1.27.0", ALLOCATABLE),
        (NO_NODE_UPDATE_MOVES, "1.31.13", CORDONS),
        (MOST_IMPORTANT_ONLY, "1.21.0", PRIORITIES),
        (MOST_IMPORTANT_ONLY, "1.31.13", PRIORITIES),
    ],
)
def test_a_fix_that_misses_what_makes_a_pod_fit_is_refused(
    text: str, release: str, scope: SchedulingScope, tmp_path: Path
) -> None:
    verdict = validate(written(tmp_path, text), release, scope=scope_text(scope), engines=["explicit"])
    assert verdict.outcome is Outcome.VIOLATED
    (broken,) = (row for row in only(verdict).rows if row.after.property == "no-event-lost")
    assert broken.change == "broken"
    assert broken.after.trace is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "release",
    ["1.22.3", "1.27.0", "1.31.13"],
)
def test_a_fix_that_notes_the_update_of_a_pod_in_flight_breaks_nothing_in_this_scope(
    release: str, tmp_path: Path
) -> None:
    """A kept run shows what no run of this scope does: a pod that is created again is in flight by its name."""
    verdict = validate(written(tmp_path, NOTED), release, scope=scope_text(LABELS), engines=["explicit"])
    assert (verdict.outcome, verdict.reasons) == (Outcome.INCONCLUSIVE, [])
    (part,) = verdict.parts
    assert "broken" not in {row.change for row in part.rows}
    assert {each.property for each in part.brought if not each.known} == {"pending-pod-not-forgotten"}
