"""The system scheduling, described."""

from kubeproof.systems.scheduling.system import SCHEDULING as SCHEDULING
