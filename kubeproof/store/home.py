"""What workers of a cluster have kept or found in their own folders comes home with their answers."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from kubeproof.processes.tasks import Each, R, T
from kubeproof.store.store import Entry, Store, noted


def bringing_home(each: Each, store: Store | None) -> Each:
    """`each`, whose tasks use folders elsewhere: what they use there is kept in `store` too. None: `each` itself."""
    if store is None:
        return each

    def taken(answer: tuple[R, list[Entry]]) -> R:
        value, entries = answer
        for entry in entries:
            store.take(entry)
        return value

    def home(function: Callable[[T], R], tasks: Iterable[T]) -> Iterator[R]:
        return map(taken, each(partial(noted, function), tasks))

    return home
