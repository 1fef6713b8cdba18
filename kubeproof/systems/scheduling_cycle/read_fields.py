"""The fields of pods and nodes that the rules read: those of scheduling."""

from kubeproof.systems.scheduling.read_fields import READ_FIELDS as READ_FIELDS
