"""How many victims there are, and what may happen while they go."""

from attrs import frozen

from model.scope import amount, choice, power, switch


@frozen
class AsyncPreemptionScope:
    """The bounds of the system async-preemption."""

    # How many pods run on the one node. The preemptor needs the room of all of them.
    victims: int = amount(1, 1, 3)
    # How many preemptions of the preemptor may run at a time. With one the preemptor is not tried before the first has
    # ended.
    goroutines: int = amount(2, 1, 3)
    # Whether SchedulerAsyncPreemption is on (1) or off (2); 0: as the release has it where nobody sets the gate.
    asynchronous: int = choice(0, 1, 2)
    # Whether the scheduler's cache may know less than the informer's store; else both hear at once.
    lag: int = switch()
    # How many of the victims may wait at Permit. They have the node, and are not bound.
    waiting: int = power(3)

    # --- how often something may happen in a run

    # Somebody else deletes a victim.
    deletions: int = power(3)
    # A request fails, and nothing was done.
    failures: int = power(3)

    def __attrs_post_init__(self) -> None:
        if self.waiting > self.victims:
            raise ValueError(f"waiting={self.waiting} victims at Permit: there are only {self.victims} victims")
