"""The requests that the scheduler hands to its API dispatcher: the Binding of a pod, the PATCH of its status. Pure.

Go: pkg/scheduler/framework/api_calls (1.34 on, #132886). The lock of a `PodStatusPatchCall` makes each function
atomic; the call queue calls all but `Execute` under its own lock too. Of a status there are the nominated node and the
condition PodScheduled. `util.PatchPodStatus` makes a PATCH again after an error that may pass: one request here.
"""

from attrs import frozen

from model.evolve import evolve

POD_STATUS_PATCH, POD_BINDING = "pod_status_patch", "pod_binding"
# The least relevant first.
_RELEVANCES = (POD_STATUS_PATCH, POD_BINDING)


@frozen(cache_hash=True)
class PodStatus:
    """What a PATCH of the scheduler may change of a pod's status."""

    # status.nominatedNodeName; "" for none.
    nominated_node_name: str = ""
    # The reason of the condition PodScheduled; "" without the condition; "True" stands for that of a bound pod.
    condition: str = ""


@frozen(cache_hash=True)
class PodStatusPatchCall:
    """A PATCH of the status of one pod."""

    uid: str
    # The status from which the PATCH is computed: that of the caller's pod, or one that `sync` brought since.
    pod_status: PodStatus
    # The condition to be written, or None.
    new_condition: str | None = None
    # The node to be written (ModeOverride; "" clears the field), or None (no NominatingInfo, or ModeNoop).
    nominated: str | None = None
    # Whether `Execute` has begun. What it computes does not change any more.
    executed: bool = False
    call_type: str = POD_STATUS_PATCH


@frozen(cache_hash=True)
class PodBindingCall:
    """A POST of the Binding of one pod."""

    uid: str
    node: str
    call_type: str = POD_BINDING


Call = PodStatusPatchCall | PodBindingCall


@frozen(cache_hash=True)
class Patch:
    """What a PATCH asks for; None: the field is not in the PATCH."""

    nominated: str | None = None
    condition: str | None = None
    # Whether the PATCH names the condition's status. It does not where the status before had the condition already.
    with_status: bool = True


def sync_status(status: PodStatus, condition: str | None, nominated: str | None) -> PodStatus:
    """The status with what a call wants to write (`syncStatus`)."""
    if condition is not None:
        status = evolve(status, condition=condition)
    return status if nominated is None else evolve(status, nominated_node_name=nominated)


def is_no_op(call: Call) -> bool:
    """Whether the call would change nothing in the status that it knows (`IsNoOp`)."""
    if isinstance(call, PodBindingCall):
        return False
    return sync_status(call.pod_status, call.new_condition, call.nominated) == call.pod_status


def sync(call: Call, status: PodStatus) -> tuple[Call, PodStatus]:
    """The call after it has heard of the pod's newest status, and that status as it will be (`Sync`).

    The event handlers throw the status away that they get: "this logic will be handled in the future releases".
    """
    if isinstance(call, PodBindingCall):
        return call, status
    heard = call if call.executed else evolve(call, pod_status=status)
    return heard, sync_status(status, call.new_condition, call.nominated)


def execute(call: PodStatusPatchCall) -> tuple[PodStatusPatchCall, Patch | None]:
    """The begin of `Execute`, and the PATCH; None: nothing differs, and no request is made.

    `CreateTwoWayMergePatch` compares the status that the call knows with what it is to become. What the API server has
    by now nobody asks, up to 1.36 not by a resourceVersion either.
    """
    before = call.pod_status
    after = sync_status(before, call.new_condition, call.nominated)
    if after == before:
        return evolve(call, executed=True), None
    nominated = after.nominated_node_name if after.nominated_node_name != before.nominated_node_name else None
    condition = after.condition if after.condition != before.condition else None
    return evolve(call, executed=True), Patch(nominated, condition, before.condition in ("", "True"))


def patched(status: PodStatus, patch: Patch) -> PodStatus:
    """The status that the API server has after a PATCH (a strategic merge: conditions are found by their type).

    A PATCH that does not name the condition's status leaves a bound pod's condition True, whatever the reason says.
    """
    nominated = status.nominated_node_name if patch.nominated is None else patch.nominated
    stays = patch.condition is None or (status.condition == "True" and not patch.with_status)
    return PodStatus(nominated, status.condition if stays else patch.condition or "")


def merge_patches(new: PodStatusPatchCall, old: PodStatusPatchCall) -> PodStatusPatchCall:
    """The newer PATCH with what only the older one wants to write (`Merge`)."""
    return evolve(
        new,
        nominated=old.nominated if new.nominated is None else new.nominated,
        new_condition=old.new_condition if new.new_condition is None else new.new_condition,
    )


def is_less_relevant(old: str, new: str) -> bool:
    """Whether a call of the type `new` is skipped where one of the type `old` is (`isLessRelevant`, `Relevances`)."""
    return _RELEVANCES.index(new) < _RELEVANCES.index(old)
