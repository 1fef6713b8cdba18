"""The scopes of async-preemption."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.async_preemption import AsyncPreemptionScope

# Each has few powers, so that what a release does wrong under one of them hides nothing that a fix does under another.
_FEW_POWERS = (
    AsyncPreemptionScope(victims=1),
    AsyncPreemptionScope(victims=1, lag=1),
    AsyncPreemptionScope(victims=1, deletions=1),
    AsyncPreemptionScope(victims=1, waiting=1),
    AsyncPreemptionScope(victims=1, failures=1),
    AsyncPreemptionScope(victims=2, goroutines=1),
    AsyncPreemptionScope(victims=2, goroutines=1, deletions=1),
    AsyncPreemptionScope(victims=2, goroutines=1, waiting=1),
    AsyncPreemptionScope(victims=2, goroutines=1, failures=1),
    AsyncPreemptionScope(victims=2),
)
SCOPES = Scopes(
    default=AsyncPreemptionScope(victims=2, lag=1, deletions=1, waiting=1, failures=1),
    fix=AsyncPreemptionScope(victims=2, lag=1, deletions=1, waiting=1, failures=1),
    fix_narrow=_FEW_POWERS,
    large=AsyncPreemptionScope(victims=3, goroutines=3, lag=1, deletions=2, waiting=1, failures=2),
    report=AsyncPreemptionScope(victims=2, lag=1, deletions=1),
    searched=("victims",),
    least={"goroutines": 1},
    few_powers=_FEW_POWERS,
    told_apart=_FEW_POWERS,
    mutants=_FEW_POWERS,
)
# Nothing is counted as long as TLC does not take the system.
COUNTED = Counted(small=(), large=())
