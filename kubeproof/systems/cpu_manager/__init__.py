"""The system cpu-manager, described."""

from kubeproof.systems.cpu_manager.system import CPU_MANAGER as CPU_MANAGER
