"""Reads which pods the scheduler skipped, out of kubectl's events. Raises InputError only.

Go: `skipPodSchedule` in pkg/scheduler/schedule_one.go writes an event for a pod that is being deleted. Up to 1.31 the
pod is then never done (#126962).
"""

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.scheduler_memory.picture import Skipped

PREFIX = "skip schedule deleting pod: "


def read_event(item: Fields) -> Skipped | None:
    """The pod that an event says was skipped, if the event says so. The message is `note` in events.k8s.io/v1."""
    text = item.text("message") or item.text("note")
    if not text.startswith(PREFIX):
        return None
    return Skipped(item.file, text.removeprefix(PREFIX).strip()[:320])
