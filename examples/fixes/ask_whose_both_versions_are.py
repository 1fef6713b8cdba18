"""The handler of 1.35 and later asks of both versions of a pod whose they are, as the filters up to 1.34 did."""

from model.objects import Pod
from model.scheduler.eventhandlers import each_own_version


def own_versions(old: Pod | None, new: Pod | None) -> tuple[Pod | None, Pod | None]:
    """eventhandlers.go updatePod: a version of another scheduler is, for the queue, not there."""
    return each_own_version(old, new)
