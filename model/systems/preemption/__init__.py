"""preemption: one pod that fits nowhere, and what is decided and written so that the pod may fit."""

from model.systems.preemption.machine import PreemptionMachine as PreemptionMachine
from model.systems.preemption.scope import PreemptionScope as PreemptionScope
from model.systems.preemption.state import Preemption as Preemption, PreemptionSystemRules as PreemptionSystemRules
