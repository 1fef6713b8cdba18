"""The scopes of api-calls. In all but one the gate SchedulerAsyncAPICalls is on or off, whatever the release has."""

from kubeproof.systems.scopes import Counted, Scopes
from model.systems.api_calls import ApiCallsScope
from model.systems.api_calls.scope import GATE_OFF, GATE_ON

_DEFAULT = ApiCallsScope(asynchronous_calls=GATE_ON, refusals=1, clears=1, pre_bind=1)
_FEW_POWERS = (
    ApiCallsScope(asynchronous_calls=GATE_ON),
    ApiCallsScope(asynchronous_calls=GATE_ON, refusals=1),
    ApiCallsScope(asynchronous_calls=GATE_ON, clears=1),
    ApiCallsScope(asynchronous_calls=GATE_ON, pre_bind=1),
    ApiCallsScope(asynchronous_calls=GATE_ON, nodes=2),
    ApiCallsScope(asynchronous_calls=GATE_ON, attempts=3),
)
# With the gate off most of the bugs are there too, in shorter runs: a hunt would not know them by their pages.
_EITHER_GATE = (
    *_FEW_POWERS,
    ApiCallsScope(asynchronous_calls=GATE_OFF, refusals=1, clears=1),
    ApiCallsScope(attempts=1),
)
SCOPES = Scopes(
    default=_DEFAULT,
    fix=_DEFAULT,
    fix_narrow=_FEW_POWERS,
    large=ApiCallsScope(asynchronous_calls=GATE_ON, nodes=2, attempts=4, refusals=2, clears=2, pre_bind=1),
    report=_DEFAULT,
    searched=("attempts",),
    least={"nodes": 1, "asynchronous_calls": GATE_ON},
    few_powers=_FEW_POWERS,
    told_apart=_EITHER_GATE,
    mutants=_EITHER_GATE,
)
# Nothing is counted as long as TLC does not take the system.
COUNTED = Counted(small=(), large=())
