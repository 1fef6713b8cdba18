"""Rules of async-preemption that are wrong on purpose. Each breaks a property that no release breaks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from properties.preemption.mutants import nobody_is_deleted

MUTANTS: Mapping[str, Sequence[Callable[..., Any]]] = {"victims_to_delete": (nobody_is_deleted,)}
