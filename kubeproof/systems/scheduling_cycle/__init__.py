"""The system scheduling-cycle, described."""

from kubeproof.systems.scheduling_cycle.system import SCHEDULING_CYCLE as SCHEDULING_CYCLE
