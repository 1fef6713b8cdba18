"""`kubeproof show RULE`: what a rule decides, how it is called, its text in a release, its rows and its mutants."""

import inspect
from typing import Any

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.mutants.sources import sources_of
from kubeproof.report.rules import RuleInForce, rule_in_force
from kubeproof.systems.releases import release_named
from kubeproof.systems.rule_text import meaning_of, rule_at, signature_of, systems_of
from kubeproof.systems.system import Rule
from model.releases import EVERY_MINOR, Release, rows_of
from model.rules import Row


@frozen
class RulePage:
    """What is shown of a rule field."""

    field: str
    release: Release
    # The systems in which some step asks the rule.
    systems: tuple[str, ...]
    meaning: str
    # How the rule is called.
    signature: str
    # Which rule the release follows, and how that is known.
    in_force: RuleInForce
    # The text of the rule and of the private functions that it calls.
    source: str
    rows: tuple[Row, ...]
    mutants: tuple[Rule, ...]


def rule_page_of(field: str, release: str | None = None) -> RulePage:
    """The page of the rule `field` in `release`, or in the newest one. Raises InputError."""
    systems = systems_of(field)
    minors = [minor for minor in EVERY_MINOR if any(minor in system.minors for system in systems)]
    at = release_named(release, minors=range(minors[0], minors[-1] + 1))
    system = next((system for system in systems if at.minor in system.minors), systems[0])
    rule = rule_at(system, field, at)
    mutants = dict.fromkeys(mutant for system in systems for mutant in system.mutants.get(field, ()))
    return RulePage(
        field,
        at,
        tuple(system.name for system in systems),
        meaning_of(field),
        signature_of(field, rule),
        rule_in_force(field, at),
        "\n\n".join(text.rstrip() for text in sources_of(rule).values()),
        tuple(row for _, row in rows_of(field)),
        tuple(mutants),
    )


def refuse_rule_function(name: str) -> None:
    """Raises InputError if `name` is no rule that a fix may replace, but a built-in function for one."""
    from kubeproof.systems.registry import SYSTEMS

    for system in SYSTEMS.values():
        for field in system.rule_fields:
            if name in system.built_in_rules(field):
                raise InputError(f"'{name}' is a function for the rule {field}: `kubeproof show {field}` has the rule")


def rule_page_markdown(page: RulePage) -> str:
    """The page in Markdown."""
    found = page.in_force
    seen = "; ".join(found.where) or found.reason or "no source of this release was at hand"
    lines = [
        f"# {page.field}",
        "",
        f"A rule of {', '.join(page.systems)}.{f' {page.meaning}' if page.meaning else ''}",
        "",
        *_code(page.signature),
        "",
        f"## In {page.release}: {found.rule}",
        "",
        f"Since {found.since}. Go: {found.go}. {found.evidence.capitalize()}: {seen}.",
        "",
        *_code(page.source),
        "",
        "## Releases",
        "",
        "| from | rule | change | Go |",
        "|---|---|---|---|",
        *(f"| {row.since} | `{row.rule.__name__}` | {_cell(row.change)} | {_cell(row.source)} |" for row in page.rows),
        "",
    ]
    if page.mutants:
        lines += ["## Mutants", "", "Wrong on purpose; `kubeproof mutants` makes others.", ""]
        lines += ["| rule | what it does |", "|---|---|"]
        lines += [f"| `{rule.__name__}` | {_cell(_sentence(rule))} |" for rule in page.mutants]
        lines += [""]
    return (
        "\n".join([*lines, "## A fix", "", *_code(f"kubeproof fix new {page.field} --release {page.release}", "")])
        + "\n"
    )


def _code(text: str, language: str = "python") -> list[str]:
    return [f"```{language}", text, "```"]


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _sentence(rule: Rule) -> str:
    """The first paragraph of a docstring, in a line."""
    return " ".join((inspect.getdoc(rule) or "").partition("\n\n")[0].split())


def rule_page_json(page: RulePage) -> dict[str, Any]:
    """The same as data."""
    return {
        "rule": page.field,
        "release": str(page.release),
        "systems": list(page.systems),
        "meaning": page.meaning,
        "signature": page.signature,
        "is": page.in_force.rule,
        "go": page.in_force.go,
        "evidence": page.in_force.evidence,
        "source": page.source,
        "rows": [
            {"since": row.since, "is": row.rule.__name__, "change": row.change, "source": row.source}
            for row in page.rows
        ],
        "mutants": [rule.__name__ for rule in page.mutants],
    }
