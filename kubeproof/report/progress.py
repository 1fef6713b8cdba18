"""Progress of a command: one line on stderr, and only on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from kubeproof.engines.explicit import Counts
from kubeproof.output import err
from kubeproof.visible import visible


@contextmanager
def progress(console: Console) -> Iterator[Callable[[Counts], None] | None]:
    """A function that shows counts on a line of its own; None if stderr is not a terminal."""
    if not console.is_terminal:
        yield None
        return
    with console.status("exploring") as status:
        yield lambda counts: status.update(
            f"exploring: {counts.distinct:,} states, {counts.generated:,} generated, depth {counts.depth}"
        )


@contextmanager
def told(doing: str) -> Iterator[Callable[[str], None]]:
    """A function that shows what is done next on a line of its own; it shows nothing if stderr is not a terminal."""
    if not err.is_terminal:
        yield lambda text: None
        return
    with err.status(doing) as status:
        yield lambda text: status.update(f"{doing}: {visible(text)}")
