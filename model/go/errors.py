"""Errors of the Go code: an error that is a result like any other, and the errors that a step met."""

from collections.abc import Callable
from contextvars import ContextVar
from typing import TypeVar

from attrs import frozen


@frozen
class GoError:
    """An error of the Go code."""

    # What `err.Error()` answers, word for word.
    text: str
    # Whether the Go code panics with this text and returns no error.
    panic: bool = False

    def __str__(self) -> str:
        return self.text


NIL_POINTER = GoError("runtime error: invalid memory address or nil pointer dereference", panic=True)


@frozen
class MetError:
    """An error that a Go function returned or logged in a step."""

    # The Go function.
    function: str
    # The text of the error. Where Go's text depends on more than is modelled, what it says.
    text: str
    # What the call was about: the UID of a pod, the name of a node; "" for a call that was about everything.
    about: str = ""

    def __str__(self) -> str:
        return f"{self.function}: {self.text}"


MetErrors = tuple[MetError, ...]

_MET: ContextVar[list[MetError] | None] = ContextVar("errors met", default=None)


def met_error(function: str, text: str | None, about: str = "") -> None:
    """Say that the Go function `function` returned or logged the error `text`. None is no error.

    `about`: see `MetError`.

    Nothing that a step does depends on this. The errors are for whoever asks: see `errors_met`.
    """
    met = _MET.get()
    if met is not None and text is not None:
        met.append(MetError(function, text, about))


def meet_again(errors: MetErrors) -> None:
    """Pass on errors that were met in a call, to whoever asks for the errors of the whole step."""
    for error in errors:
        met_error(error.function, error.text, error.about)


T = TypeVar("T")


def with_errors_met(step: Callable[[], T]) -> tuple[T, MetErrors]:
    """What `step` answers when it is called, and the errors that it meets, in order."""
    met: list[MetError] = []
    token = _MET.set(met)
    try:
        answer = step()
    finally:
        _MET.reset(token)
    return answer, tuple(met)


def errors_met(step: Callable[[], object]) -> MetErrors:
    """The errors that `step` meets when it is called, in order."""
    return with_errors_met(step)[1]
