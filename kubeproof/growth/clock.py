"""The clock of a run: what is to happen, in order of time and then in the order in which somebody asked for it."""

from collections.abc import Callable
from heapq import heappop, heappush

Action = Callable[[], None]


class Clock:
    """Simulated time in ms, which starts at 0 and passes only from action to action."""

    def __init__(self) -> None:
        self.now = 0
        self._asked = 0
        self._due: list[tuple[int, int, Action]] = []

    def after(self, ms: int, action: Action) -> None:
        """Do `action` in `ms` from now."""
        self._asked += 1
        heappush(self._due, (self.now + ms, self._asked, action))

    def every(self, ms: int, action: Action) -> None:
        """Do `action` every `ms` from now on, for ever."""

        def again() -> None:
            action()
            self.after(ms, again)

        self.after(ms, again)

    def step(self) -> bool:
        """Do what comes next. False if there is nothing to do any more."""
        if not self._due:
            return False
        self.now, _, action = heappop(self._due)
        action()
        return True
