"""Which release has how many handlers of pods."""

from model.rules import Row
from model.scheduler import pod_handlers
from model.scheduler.go_files import HANDLERS_GO

POD_HANDLER_ROWS: tuple[Row, ...] = (
    Row("one_pod_handler", "1.13.0", pod_handlers.pods_have_two_handlers, "",
        f"{HANDLERS_GO} addAllEventHandlers"),
    Row("one_pod_handler", "1.35.0", pod_handlers.pods_have_one_handler, "#134157; in 1.35.0, not in 1.34.9",
        f"{HANDLERS_GO} addPod, updatePod, deletePod"),
    Row("forgets_deleted_assumed_pod", "1.13.0", pod_handlers.assumed_pod_stays, "",
        "pkg/scheduler/factory/factory.go deletePodFromSchedulingQueue"),
    Row("forgets_deleted_assumed_pod", "1.35.0", pod_handlers.assumed_pod_is_forgotten,
        "in 1.35.0, not in 1.34.9", f"{HANDLERS_GO} handleAssumedPodDeletion"),
)  # fmt: skip
