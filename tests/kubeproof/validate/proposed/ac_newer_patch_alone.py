"""A call in flight answers itself, and the newer PATCH stands alone. Wrong: what only the older one writes is lost."""

from model.scheduler.api_calls import PodStatusPatchCall

CURES = "API-ANSWERED-IN-FLIGHT"


def answers_call_in_flight(same_type: bool) -> bool:
    return False


def merge_patches(new: PodStatusPatchCall, old: PodStatusPatchCall) -> PodStatusPatchCall:
    return new
