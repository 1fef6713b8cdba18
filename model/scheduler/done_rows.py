"""Which release calls Done at which exit of a scheduling cycle. There is no Done before 1.28."""

from model.rules import Row
from model.scheduler import done
from model.scheduler.go_files import QUEUE_GO, SCHEDULE_ONE_GO

DONE_ROWS: tuple[Row, ...] = (
    Row("done_when_skipped", "1.28.0-beta.0", done.skipped_without_done, "", f"{SCHEDULE_ONE_GO} scheduleOne"),
    Row("done_when_skipped", "1.32.0-alpha.1", done.done_with_skipped,
        "#126962 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{SCHEDULE_ONE_GO} ScheduleOne"),
    Row("done_without_profile", "1.28.0-beta.0", done.unknown_profile_without_done, "",
        f"{SCHEDULE_ONE_GO} scheduleOne"),
    Row("done_without_profile", "1.32.0", done.done_with_unknown_profile,
        "in 1.32.0, not in 1.31.14", f"{SCHEDULE_ONE_GO} ScheduleOne"),
    Row("done_in_binding", "1.28.0-beta.0", done.done_after_bind, "", f"{SCHEDULE_ONE_GO} scheduleOne"),
    Row("done_in_binding", "1.32.0-alpha.1", done.done_after_pre_bind,
        "#120586 (release note of 1.32.0-alpha.1); in 1.32.0, not in 1.31.14", f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("done_in_binding", "1.33.0", done.done_after_wait_on_permit,
        "#130189 (release note of 1.33.0); in 1.33.0, not in 1.32.13", f"{SCHEDULE_ONE_GO} bindingCycle"),
    Row("goes_back", "1.28.0-beta.0", done.namesake_goes_back, "", f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("goes_back", "1.34.8", done.only_popped_pod_goes_back,
        "#138324 by #138435 (release note of 1.34.8); in 1.34.8, not in 1.34.7",
        f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("goes_back", "1.35.0-alpha.0", done.namesake_goes_back, "#138324 comes with 1.35.5",
        f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("goes_back", "1.35.5", done.only_popped_pod_goes_back,
        "#138324 by #138434 (release note of 1.35.5); in 1.35.5, not in 1.35.4",
        f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("goes_back", "1.36.0-alpha.0", done.namesake_goes_back, "not yet #138324",
        f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("goes_back", "1.36.0", done.only_popped_pod_goes_back,
        "#138324; in 1.36.2, and no release note of 1.36.1 or 1.36.2 has it",
        f"{SCHEDULE_ONE_GO} handleSchedulingFailure"),
    Row("done_again_after_bind_error", "1.28.0-beta.0", done.done_again_after_error, "",
        f"{SCHEDULE_ONE_GO} scheduleOne"),
    Row("done_again_after_bind_error", "1.28.0-rc.1", done.done_once_after_error,
        "#119729 (release note of 1.28.0-rc.1); in 1.28.0, not in 1.28.0-beta.0", f"{SCHEDULE_ONE_GO} scheduleOne"),
    Row("done_before_requeue", "1.28.0-beta.0", done.requeued_before_done, "",
        f"{QUEUE_GO} AddUnschedulableIfNotPresent"),
)  # fmt: skip
