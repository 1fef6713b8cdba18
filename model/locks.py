"""Which function reads or writes a field under which locks. No step of a system shows this: a step is a whole hold."""

from attrs import frozen


@frozen(order=True)
class Access:
    """A function reads or writes a field."""

    # The Go function, and the goroutine that runs the function.
    function: str
    goroutine: str
    field: str
    # Whether the function writes the field.
    writes: bool
    # The locks that the function holds.
    locks: frozenset[str]


Accesses = tuple[Access, ...]
