"""What operations cannot show."""

from attrs import frozen


@frozen
class Blind:
    """Rules for one field in whose place no operation of a component shows others."""

    field: str
    why: str
    # The names of rules that releases follow; (): all that there are.
    rules: tuple[str, ...] = ()
    # The names of rules in their place; (): the same.
    others: tuple[str, ...] = ()

    def covers(self, field: str, rule: str, other: str) -> bool:
        """Whether `other` in the place of `rule` is not seen."""
        if field != self.field or not self.rules:
            return field == self.field
        return rule in self.rules and other in (self.others or self.rules)
