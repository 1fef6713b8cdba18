"""An error of the Go code: a result like any other, not an exception."""

from attrs import frozen


@frozen
class GoError:
    """`text` is what `err.Error()` answers, word for word. `panic`: the real code panics with this text instead."""

    text: str
    panic: bool = False

    def __str__(self) -> str:
        return self.text
