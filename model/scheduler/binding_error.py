"""Whether the error function is given the error of the API server as it is, when a Binding fails. Pure data.

Go: `bind` in pkg/scheduler/scheduler.go (1.24 on schedule_one.go), `RunBindPlugins` in framework.go. Only of an error
of the API server itself the error function asks whether a node was not found (`err.(APIStatus)`).
"""

from collections.abc import Callable

from attrs import frozen


def kept() -> bool:
    """To 1.17: `bind` returns what the binder returns, if it is not a Bind plugin."""
    return True


def told_as_text() -> bool:
    """1.18 on: a Bind plugin fails with a status, of which a text is left; from 1.20 on an error around the error."""
    return False


@frozen(slots=False, kw_only=True)
class BindingErrorRules:
    """What releases do differently with the error of a Binding."""

    # Whether the error function gets the error as it is.
    binding_error_is_kept: Callable[[], bool]
