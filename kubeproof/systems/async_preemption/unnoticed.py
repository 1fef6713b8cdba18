"""Fields of the state of async-preemption in which no property notices a wrong value in a step, and why none has to."""

from collections.abc import Mapping

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {}
