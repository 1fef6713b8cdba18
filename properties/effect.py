"""What a change of rules does besides curing or breaking a property."""

from attrs import frozen

# What was compared where rules were asked alone, and not in what a system reaches.
ALONE = "calls of rules alone"


@frozen
class Effect:
    """One answer that differs under the two choices of rules."""

    # What differs, in the words of Kubernetes.
    subject: str
    # How many of the compared answers differ, and how many were compared.
    changed: int
    total: int
    # One difference in words; None if nothing differs.
    example: str | None
    # What was compared, in the plural.
    of: str = "trees"
