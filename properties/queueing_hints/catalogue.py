"""The properties of queueing-hints."""

from properties.property import Property
from properties.queueing_hints.backoff import IN_TIME
from properties.queueing_hints.in_flight import (
    BEGINS_WITH_POD,
    DONE_BEFORE_BIND,
    ENDS_WITH_CYCLE,
    NOTHING_RETAINED,
    ONE_DONE,
    ONE_ELEMENT,
    RETAINED,
    SEES_EVENTS,
    SINCE_POP,
)
from properties.queueing_hints.pods import NOT_FORGOTTEN, ONE_PLACE, QUEUED_IS_CURRENT
from properties.queueing_hints.progress import (
    ACCEPTED_IS_BOUND,
    ACTIVE_IS_POPPED,
    ERROR_IS_TRIED,
    EVENTS_RELEASED,
    NO_EVENT_LOST,
)

PROPERTIES: tuple[Property, ...] = (
    ONE_ELEMENT, ENDS_WITH_CYCLE, SINCE_POP, ONE_DONE, NOTHING_RETAINED, BEGINS_WITH_POD, RETAINED, DONE_BEFORE_BIND,
    SEES_EVENTS, ONE_PLACE, NOT_FORGOTTEN, QUEUED_IS_CURRENT, IN_TIME, NO_EVENT_LOST, ERROR_IS_TRIED,
    EVENTS_RELEASED, ACTIVE_IS_POPPED, ACCEPTED_IS_BOUND,
)  # fmt: skip
