"""How often the pod is tried, and what may happen to its requests."""

from attrs import field, frozen
from attrs.validators import ge, in_, le

GATE_ON, GATE_OFF = 1, 2


def _number(most: int) -> int:
    number: int = field(default=0, validator=[ge(0), le(most)])
    return number


@frozen
class ApiCallsScope:
    """The bounds of the system api-calls."""

    # To how many nodes the pod may be nominated or bound.
    nodes: int = field(default=1, validator=[ge(1), le(2)])
    # How often the pod is tried.
    attempts: int = field(default=2, validator=[ge(1), le(4)])
    # Whether SchedulerAsyncAPICalls is on (1) or off (2); 0: as the release has it where nobody sets the gate.
    asynchronous_calls: int = field(default=0, validator=in_((0, GATE_ON, GATE_OFF)))
    # Whether a plugin has work at PreBind. From 1.35 on the pod is nominated to its host before that.
    pre_bind: int = field(default=0, validator=in_((0, 1)))

    # --- how often something may happen in a run

    # The API server refuses a Binding.
    refusals: int = _number(3)
    # A preemption by another pod takes the nomination away.
    clears: int = _number(2)
