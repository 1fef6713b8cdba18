"""A fix of API-CLEAR-OVERTAKEN: a PATCH behind one in flight is computed from the status that the first one writes.

The pod that the newer call has does not know yet what the call in flight writes, so a field that both have empty is in
neither PATCH. If the request in flight fails, the newer PATCH is computed from a status that never was. Try it:

    kubeproof validate examples/fixes/compute_from_the_patch_in_flight.py --release 1.36.2 --engine explicit
"""

from attrs import evolve

from model.scheduler.api_calls import PodStatusPatchCall, merge_patches as merge_as_released, sync_status

CURES = "API-CLEAR-OVERTAKEN"


def merge_patches(new: PodStatusPatchCall, old: PodStatusPatchCall) -> PodStatusPatchCall:
    """pod_status_patch.go Merge: if `oldPsuc.executed`, `podStatus` is that of the older call after `syncStatus`."""
    merged = merge_as_released(new, old)
    if not old.executed:
        return merged
    return evolve(merged, pod_status=sync_status(old.pod_status, old.new_condition, old.nominated))
