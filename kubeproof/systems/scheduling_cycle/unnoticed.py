"""Fields of the state in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

from kubeproof.systems.scheduling.unnoticed import UNNOTICED as OF_SCHEDULING

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    **{field.replace("Scheduling.", "SchedulingCycle."): reason for field, reason in OF_SCHEDULING.items()},
}
