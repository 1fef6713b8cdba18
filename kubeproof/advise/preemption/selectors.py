"""Selectors of labels and of nodes, as Kubernetes evaluates them. Pure functions.

Go: labels.Requirement.Matches in k8s.io/apimachinery, nodeaffinity.NodeSelector.Match in k8s.io/component-helpers.
"""

import re
from collections.abc import Mapping
from typing import Any

from attrs import frozen

from kubeproof.advise.pod_events.fields import Fields

LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS = (*LABEL_OPERATORS, "Gt", "Lt")
_NUMBER = re.compile(r"[+-]?\d{1,20}", re.ASCII)


@frozen
class Requirement:
    """A label that must have, or must not have, some value."""

    key: str
    # One of `NODE_OPERATORS`.
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet the requirement. NotIn is met too where there is no such label."""
        has = self.key in labels
        match self.operator:
            case "In":
                return has and labels[self.key] in self.values
            case "NotIn":
                return not has or labels[self.key] not in self.values
            case "Exists":
                return has
            case "DoesNotExist":
                return not has
        value, bound = labels.get(self.key, ""), next(iter(self.values), "")
        if not _NUMBER.fullmatch(value) or not _NUMBER.fullmatch(bound):
            return False
        return int(value) > int(bound) if self.operator == "Gt" else int(value) < int(bound)


# All must be met. Empty: whoever asks knows what an empty selector selects.
Selector = tuple[Requirement, ...]


@frozen
class NodeTerm:
    """A term of a node selector: all requirements must be met. A term without requirements selects no node."""

    labels: Selector
    # Requirements of metadata.name.
    names: Selector

    def matches(self, name: str, labels: Mapping[str, str]) -> bool:
        """Whether the term selects the node."""
        if not self.labels and not self.names:
            return False
        return all(each.matches(labels) for each in self.labels) and all(
            each.matches({"metadata.name": name}) for each in self.names
        )


def label_selector(of: Fields, key: str) -> Selector | None:
    """The LabelSelector in a field; None: the field is missing. Raises InputError."""
    if of.value.get(key) is None:
        return None
    selector = of.map(key)
    labels = tuple(
        Requirement(name, "In", frozenset((value,))) for name, value in sorted(selector.texts("matchLabels").items())
    )
    return (*labels, *_requirements(selector, "matchExpressions", LABEL_OPERATORS))


def node_terms(affinity: Fields) -> tuple[NodeTerm, ...] | None:
    """The required terms of a nodeAffinity, of which one must match; None: none is required. Raises InputError."""
    key = "requiredDuringSchedulingIgnoredDuringExecution"
    if affinity.value.get(key) is None:
        return None
    return tuple(
        NodeTerm(
            _requirements(term, "matchExpressions", NODE_OPERATORS), _requirements(term, "matchFields", NODE_OPERATORS)
        )
        for term in affinity.map(key).maps("nodeSelectorTerms")
    )


def _requirements(of: Fields, key: str, operators: tuple[str, ...]) -> Selector:
    found = []
    for each in of.maps(key):
        operator = each.text("operator")
        if operator not in operators:
            raise each.refuse("operator", f"one of {', '.join(operators)}", operator or "nothing")
        found.append(Requirement(each.name("key"), operator, frozenset(_values(each))))
    return tuple(found)


def _values(of: Fields) -> list[str]:
    values: Any = of.value.get("values") or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise of.refuse("values", "a list of strings", values)
    return values
