"""A proposal of upstream: with SchedulerAsyncAPICalls a pod that failed goes back to the queue after its PATCH.

https://github.com/kubernetes/kubernetes/pull/141745, open. It is to end retries while the API client is throttled. The
nomination in memory begins with the failure here, as it does today; the description of the change does not say when.
Try it:

    kubeproof validate examples/fixes/requeue_after_the_patch.py --release 1.36.2 --engine explicit
"""

CURES = "API-LATE-PATCH"


def requeues_after_patch() -> bool:
    """schedule_one.go handleSchedulingFailure: `AddUnschedulablePodIfNotPresent` after `WaitOnFinish`."""
    return True
