"""The system preemption, described."""

from kubeproof.systems.preemption.system import PREEMPTION as PREEMPTION
