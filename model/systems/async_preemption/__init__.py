"""The system async-preemption: one preemptor, whose victims are deleted after its cycle."""

from model.systems.async_preemption.machine import AsyncPreemptionMachine as AsyncPreemptionMachine
from model.systems.async_preemption.records import (
    AsyncPreempting as AsyncPreempting,
    AsyncPreemptionSystemRules as AsyncPreemptionSystemRules,
)
from model.systems.async_preemption.scope import AsyncPreemptionScope as AsyncPreemptionScope
