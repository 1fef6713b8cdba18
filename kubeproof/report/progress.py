"""Progress of a command: one line on stderr, and only on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from kubeproof.output import err
from kubeproof.visible import visible


@contextmanager
def told(doing: str) -> Iterator[Callable[[str], None]]:
    """A function that shows what is done next on a line of its own; it shows nothing if stderr is not a terminal."""
    if not err.is_terminal:
        yield lambda text: None
        return
    with err.status(doing) as status:
        yield lambda text: status.update(f"{doing}: {visible(text)}")
