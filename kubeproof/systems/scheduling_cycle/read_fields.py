"""The fields of pods and nodes that the rules read: those of scheduling, where pods may name another scheduler."""

from kubeproof.systems.read_fields import ReadField
from kubeproof.systems.scheduling.read_fields import READ_FIELDS as OF_SCHEDULING

_OF_ANOTHER_SCHEDULER = ReadField("Pod.spec.schedulerName", ("unknown_profile",))
READ_FIELDS = tuple(
    _OF_ANOTHER_SCHEDULER if each.name == _OF_ANOTHER_SCHEDULER.name else each for each in OF_SCHEDULING
)
