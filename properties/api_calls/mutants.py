"""Rules of api-calls that are wrong on purpose. Each breaks a property that no release breaks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from model.scheduler.api_calls import POD_BINDING


def patch_goes_first(old: str, new: str) -> bool:
    """A PATCH takes the place of a Binding that waits, and no Binding that of a PATCH."""
    return old != POD_BINDING and new == POD_BINDING


MUTANTS: Mapping[str, Sequence[Callable[..., Any]]] = {"is_less_relevant": (patch_goes_first,)}
