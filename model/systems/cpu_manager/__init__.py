"""cpu-manager: pods come and go while the kubelet reconciles, restarts and crashes and its machine changes."""

from model.systems.cpu_manager.kubelet import CPUManagerRules
from model.systems.cpu_manager.machine import CPUManagerMachine
from model.systems.cpu_manager.records import CPUManagerSystem
from model.systems.cpu_manager.scope import CPUManagerScope

__all__ = ["CPUManagerMachine", "CPUManagerRules", "CPUManagerScope", "CPUManagerSystem"]
