"""How many victims there are, and what may happen while they go."""

from attrs import field, frozen
from attrs.validators import ge, in_, le


def _number(most: int) -> int:
    number: int = field(default=0, validator=[ge(0), le(most)])
    return number


@frozen
class AsyncPreemptionScope:
    """The bounds of the system async-preemption."""

    # How many pods run on the one node. The preemptor needs the room of all of them.
    victims: int = field(default=1, validator=[ge(1), le(3)])
    # How many preemptions of the preemptor may run at a time. With one the preemptor is not tried before the first has
    # ended.
    goroutines: int = field(default=2, validator=[ge(1), le(3)])
    # Whether SchedulerAsyncPreemption is on (1) or off (2); 0: as the release has it where nobody sets the gate.
    asynchronous: int = field(default=0, validator=in_((0, 1, 2)))
    # Whether the scheduler's cache may know less than the informer's store; else both hear at once.
    lag: int = field(default=0, validator=in_((0, 1)))
    # How many of the victims may wait at Permit. They have the node, and are not bound.
    waiting: int = _number(3)

    # --- how often something may happen in a run

    # Somebody else deletes a victim.
    deletions: int = _number(3)
    # A request fails, and nothing was done.
    failures: int = _number(3)

    def __attrs_post_init__(self) -> None:
        if self.waiting > self.victims:
            raise ValueError(f"waiting={self.waiting} victims at Permit: there are only {self.victims} victims")
