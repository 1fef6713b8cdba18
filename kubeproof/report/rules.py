"""Which rules a system goes by in a release, where they stand in Go, and how each is known."""

from collections.abc import Iterator
from typing import Any

import cattrs
from attrs import frozen

from kubeproof.systems.gates import gates_in, gates_of, unasked
from kubeproof.systems.system import System
from model.evidence import cell
from model.releases import Release
from model.unseen import reason_unseen


@frozen
class RuleInForce:
    """A field's rule in one release."""

    # The function of the models.
    rule: str
    # The first release from which on the rule holds without a break.
    since: str
    # The pull request, release note or source that brings the rule. Empty for the oldest rule.
    change: str
    # `FILE FUNCTION[, FUNCTION]` in the Go sources of this release.
    go: str
    # `recorded`, `read` or `inferred`.
    evidence: str
    # Where the Go file was seen: repository and ref. Empty for what is inferred.
    where: tuple[str, ...]
    # Why the rule could only be inferred, where this is known.
    reason: str | None


def rule_in_force(field: str, release: Release) -> RuleInForce:
    """The field's rule in `release`. Raises KeyError for a field that no row has."""
    found = cell(field, release)
    row = found.row
    return RuleInForce(
        rule=row.rule.__name__,
        since=row.since,
        change=row.change,
        go=found.place,
        evidence=found.evidence,
        where=found.where,
        reason=reason_unseen(field, release),
    )


@frozen
class RulesInForce:
    """The answer to `kubeproof rules`."""

    system: str
    release: Release
    # The release to compare with, or None.
    against: Release | None
    # How many rules some step of the system asks in these releases.
    fields: int
    # Field -> its rule in `release`, and in `against` if there is one; then only fields whose rules differ.
    rules: dict[str, tuple[RuleInForce, ...]]
    # The gates that were given, and the fields whose rules nobody asks with these gates. They are not in `rules`.
    gates: dict[str, bool]
    unasked: tuple[str, ...]


def rules_in_force(
    system: System, release: Release, against: Release | None = None, feature_gates: str | None = None
) -> RulesInForce:
    """The rules of `system` in `release`, or what differs from `against`.

    `feature_gates` is e.g. "SchedulerQueueingHints=false": then rules that nobody asks so are left out. Raises
    InputError for a gate that the system or a release does not have, or that a release locks.
    """
    releases = (release,) if against is None else (release, against)
    gates = gates_in(releases, feature_gates, gates_of(system), system.name)
    left_out = unasked(gates)
    asked = {field for each in releases for field in system.fields_asked_in(each)}
    table = {
        field: tuple(rule_in_force(field, each) for each in releases)
        for field in system.rule_fields
        if field in asked and field not in left_out
    }
    if against is not None:
        table = {field: both for field, both in table.items() if both[0].rule != both[1].rule}
    nobody = tuple(field for field in system.rule_fields if field in asked and field in left_out)
    return RulesInForce(system.name, release, against, len(asked), table, gates, nobody)


def rules_json(found: RulesInForce) -> dict[str, Any]:
    """The document of `rules --json`."""
    names = ("release",) if found.against is None else ("release", "against")
    return {
        "system": found.system,
        "release": str(found.release),
        "against": None if found.against is None else str(found.against),
        "feature_gates": found.gates,
        "unasked": list(found.unasked),
        "rules": {
            field: dict(zip(names, cattrs.unstructure(each), strict=True)) for field, each in found.rules.items()
        },
    }


def rules_text(found: RulesInForce) -> str:
    """The same for people: each field with its rule, a block for each release."""
    if found.against is None:
        lines = [f"{found.system} {found.release}: {found.fields} rules"]
    else:
        count = len(found.rules)
        verb = "differs" if count == 1 else "differ"
        lines = [f"{found.system} {found.release} against {found.against}: {count} of {found.fields} rules {verb}"]
    if found.gates:
        given = ",".join(f"{gate}={str(is_on).lower()}" for gate, is_on in found.gates.items())
        lines.append(
            f"with {given} nobody asks {len(found.unasked)} of the rules: {', '.join(found.unasked) or 'none'}"
        )
    for field, each in found.rules.items():
        lines += ["", field]
        for release, rule in zip((found.release, found.against), each, strict=False):
            lines += _block(rule, "" if found.against is None else f"{release}: ")
    return "\n".join(lines)


def _block(rule: RuleInForce, release: str) -> Iterator[str]:
    yield f"  {release}{rule.rule}, since {rule.since}"
    if rule.change:
        yield f"    change: {rule.change}"
    yield f"    Go: {rule.go}"
    yield f"    {rule.evidence}: {'; '.join(rule.where) or rule.reason or 'no source of this release was at hand'}"
