"""Progress of an exploration: one line on stderr, and only on a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console

from kubeproof.engines.explicit import Counts


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
