"""Who touches a field under which locks: what no step of a system shows, since a step is all that one hold does."""

from attrs import frozen


@frozen(order=True)
class Access:
    """`function`, running on `goroutine`, reads or writes `field` while it holds `locks`."""

    function: str
    goroutine: str
    field: str
    writes: bool
    locks: frozenset[str]


Accesses = tuple[Access, ...]
