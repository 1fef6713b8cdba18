"""The nomination of the older PATCH is kept, since API-CLEAR-LEAVES-MEMORY loses it. The run of that page ends well."""

from model.evolve import evolve
from model.scheduler.api_calls import PodStatusPatchCall


def merge_patches(new: PodStatusPatchCall, old: PodStatusPatchCall) -> PodStatusPatchCall:
    return evolve(
        new,
        nominated=new.nominated if old.nominated is None else old.nominated,
        new_condition=old.new_condition if new.new_condition is None else new.new_condition,
    )
