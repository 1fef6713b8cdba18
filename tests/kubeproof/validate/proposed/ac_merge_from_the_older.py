"""A call in flight answers itself.

Merge is written the other way round. Right: each field is the newer one's, if set.
"""

from attrs import evolve

from model.scheduler.api_calls import PodStatusPatchCall

CURES = "API-ANSWERED-IN-FLIGHT"


def answers_call_in_flight(same_type: bool) -> bool:
    return False


def merge_patches(new: PodStatusPatchCall, old: PodStatusPatchCall) -> PodStatusPatchCall:
    merged = {"nominated": old.nominated, "new_condition": old.new_condition}
    merged |= {name: value for name in merged if (value := getattr(new, name)) is not None}
    return evolve(new, **merged)
