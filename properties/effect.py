"""One thing that a change of rules does besides curing or breaking a property."""

from attrs import frozen


@frozen
class Effect:
    """`subject` differs in `changed` of `total` cases, which are `of` some kind; `example` shows one."""

    subject: str
    changed: int
    total: int
    example: str | None
    of: str = "trees"
