"""The description of the system async-preemption."""

from kubeproof.systems.async_preemption.system import ASYNC_PREEMPTION as ASYNC_PREEMPTION
