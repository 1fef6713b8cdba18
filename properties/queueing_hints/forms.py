"""What the forms for Z3 say of the rules of queueing-hints."""

from typing import Any

from model.scheduler import done
from model.scheduler.queue import hints
from properties.forms import Forms

# The formulas say no more than 1.32: a later release has no form.
UP_TO_1_32: tuple[Forms[Any], ...] = (
    Forms("done_in_binding", dict.fromkeys([done.done_after_bind, done.done_after_pre_bind])),
    Forms("goes_back", dict.fromkeys([done.namesake_goes_back])),
    Forms("pop_from_backoff_q", dict.fromkeys([hints.pop_leaves_backoff_q_alone])),
)
