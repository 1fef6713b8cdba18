"""Which form a rule has in a language: a table for each rule field, beside the formulas that ask the table.

A form is what a formula has to know of a rule: another function, the name of an operator, a few yes or no. A rule that
no table has is from outside, or of a release that the formulas do not cover. Then the question is not applicable, and
the reason names the field.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Generic, TypeVar

from attrs import fields, frozen

from model.releases import rows_of

Rule = Callable[..., Any]
Form = TypeVar("Form", covariant=True)


class NoFormError(ValueError):
    """A rule has no form. The text is `field=function`."""

    def __init__(self, field: str, rule: object) -> None:
        super().__init__(f"{field}={rule_name(rule)}")


def rule_name(rule: object) -> str:
    """The function's name; what Python prints of a rule that has none."""
    return str(getattr(rule, "__name__", repr(rule)))


@frozen
class Forms(Generic[Form]):
    """The forms of one rule field in one language."""

    # The field of a Rules class, e.g. `list_nodes`.
    field: str
    # The form of each rule that has one.
    by_rule: Mapping[Rule, Form]

    def of(self, rules: object) -> Form:
        """The form of the rule that `rules` has in this field. Raises NoFormError."""
        rule = getattr(rules, self.field)
        if rule not in self.by_rule:
            raise NoFormError(self.field, rule)
        return self.by_rule[rule]

    def has(self, rules: object) -> bool:
        """Whether the rule that `rules` has in this field has a form."""
        return getattr(rules, self.field) in self.by_rule


@cache
def of_releases(field: str) -> frozenset[Rule]:
    """The rules that any release follows in the field."""
    return frozenset(row.rule for _, row in rows_of(field))


def without_form(rules: Any, tables: Iterable[Forms[Any]], called: Iterable[str] = ()) -> str | None:
    """The first field whose rule the formulas do not know, as `field=function`, or None.

    `tables` are those that the formulas ask. `called` are fields whose rule the formulas call: there any rule will do.
    In all other fields the rules of releases differ in nothing that the formulas say; a rule from outside might.
    """
    known = {table.field: table.by_rule.keys() for table in tables}
    any_rule = frozenset(called)
    for each in fields(type(rules)):
        rule = getattr(rules, each.name)
        if each.name not in any_rule and rule not in known.get(each.name, of_releases(each.name)):
            return str(NoFormError(each.name, rule))
    return None
