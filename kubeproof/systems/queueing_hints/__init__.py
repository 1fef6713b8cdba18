"""The system queueing-hints, described."""

from kubeproof.systems.queueing_hints.system import QUEUEING_HINTS as QUEUEING_HINTS
