"""How often the pod is tried, and what may happen to its requests."""

from attrs import frozen

from model.scope import amount, choice, power, switch

GATE_ON, GATE_OFF = 1, 2


@frozen
class ApiCallsScope:
    """The bounds of the system api-calls."""

    # To how many nodes the pod may be nominated or bound.
    nodes: int = amount(1, 1, 2)
    # How often the pod is tried.
    attempts: int = amount(2, 1, 4)
    # Whether SchedulerAsyncAPICalls is on (1) or off (2); 0: as the release has it where nobody sets the gate.
    asynchronous_calls: int = choice(0, GATE_ON, GATE_OFF)
    # Whether a plugin has work at PreBind. From 1.35 on the pod is nominated to its host before that.
    pre_bind: int = switch()

    # --- how often something may happen in a run

    # The API server refuses a Binding.
    refusals: int = power(3)
    # A preemption by another pod takes the nomination away.
    clears: int = power(2)
