"""What a rule says on the way to its answer: the errors that Go meets, and the cluster events that come.

Nothing that a step does depends on either, but properties ask for both. A rule of a file runs in another process, where
nobody asks: so what the rule says travels with the answer.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from model.go.errors import MetErrors, meet_again, with_errors_met
from model.scheduler.queue.events import event_came, with_events_that_came

if TYPE_CHECKING:
    from model.scheduler.queue.events import ClusterEvent

T = TypeVar("T")

# The errors and the events, in the order in which a rule said them.
Notes = tuple[MetErrors, tuple["ClusterEvent", ...]]


def with_notes(call: Callable[[], T]) -> tuple[T, Notes]:
    """What `call` answers, and what it says on the way."""
    (answer, met), came = with_events_that_came(lambda: with_errors_met(call))
    return answer, (met, came)


def note_again(notes: Notes) -> None:
    """Pass on what was said in a call, to whoever asks about the whole step."""
    met, came = notes
    meet_again(met)
    for event in came:
        event_came(event)


def are_notes(value: Any, error: type, event: type) -> bool:
    """Whether a value from the process of a fix is what `with_notes` makes. `error`, `event`: the classes of each."""
    if not (isinstance(value, tuple) and len(value) == 2 and all(isinstance(part, tuple) for part in value)):
        return False
    return all(isinstance(each, of) for part, of in zip(value, (error, event), strict=True) for each in part)
