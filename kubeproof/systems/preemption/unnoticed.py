"""Fields of the state of preemption in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {}
