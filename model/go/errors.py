"""An error of the Go code: a result like any other, not an exception."""

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
