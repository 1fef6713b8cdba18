"""The mutants of rules as a table, and those that nothing names."""

from collections import Counter
from typing import Any

from attrs import asdict
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from kubeproof.mutants.kept import Mutants, kept_in_tree, reason_for, reasons
from kubeproof.mutants.sources import WATCHED
from kubeproof.visible import visible

NO_REASON = "no reason is known"
FATES = ("refused", "named", "by recordings only", "by nothing", "undecided", "alike")


def mutants_text(found: Mutants) -> RenderableType:
    """For each field what its mutants were found out by; then the survivors, one by one."""
    of = "all rules" if found.release is None else str(found.release)
    counts = counts_by_field(found)
    names = ("all", *FATES)
    total = [sum(numbers[place] for numbers in counts.values()) for place in range(len(names))]
    # A fate that no mutant has needs no column.
    kept = [place for place, number in enumerate(total) if number or not place]
    title = f"mutants of {found.system.name}: {of}"
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("rule", no_wrap=True)
    for place in kept:
        table.add_column(names[place], justify="right", overflow="fold")
    for field, numbers in [*((field, mine) for field, mine in counts.items() if mine[0]), ("all", total)]:
        table.add_row(field, *(str(numbers[place]) for place in kept))
    lines: list[RenderableType] = [table, "", found_out_text(found)]
    without = [field for field, numbers in counts.items() if not numbers[0]]
    if without:
        lines.append(f"without mutants: {', '.join(without)}")
    if found.survivors:
        lines += ["", "These behave otherwise, and neither a property nor an effect says so:"]
    for rule, each in found.survivors:
        text = f"{rule.field}: {visible(each.mutant)}{f' — {each.by}' if each.by else ''}"
        lines.append(Padding(text, (0, 0, 0, 2)))
    return Group(*lines)


def found_out_text(found: Mutants) -> str:
    """How many mutants of those that differ are found out, in a sentence."""
    return (
        f"{found.found_out:.1%} of the mutants that behave otherwise in a scope or a recording that was looked at are "
        "refused, or an effect names them."
    )


def counts_by_field(found: Mutants) -> dict[str, list[int]]:
    """For each field: the number of mutants, then how many have each of FATES."""
    counts: dict[str, list[int]] = {}
    for field in dict.fromkeys(rule.field for rule in found.rules):
        mine = [rule for rule in found.rules if rule.field == field]
        fates = Counter(each.fate if each.differs else "alike" for rule in mine for each in rule.open)
        fates.update(refused=sum(rule.refused for rule in mine), named=sum(rule.named for rule in mine))
        counts[field] = [sum(rule.count for rule in mine), *(fates[name] for name in FATES)]
    return counts


def mutants_told(system: str) -> dict[str, Any]:
    """What the report says of the mutants of all rules of `system`, as kept in the project: nothing is judged."""
    found, known = kept_in_tree(system), reasons()
    counts = counts_by_field(found)
    return {
        "fates": FATES,
        "watched": WATCHED,
        "rows": [(field, _of_field(found, field), numbers) for field, numbers in counts.items() if numbers[0]],
        "all": [sum(column) for column in zip(*counts.values(), strict=True)],
        "rules": len(found.rules),
        "text": found_out_text(found),
        "without": ", ".join(f"{rule.field}={rule.rule}" for rule in found.rules if not rule.count),
        "survivors": [
            (rule, each, reason_for(known, system, rule, each) or NO_REASON) for rule, each in found.survivors
        ],
    }


def _of_field(found: Mutants, field: str) -> str:
    return ", ".join(f"{rule.rule} ({rule.release})" for rule in found.rules if rule.field == field and rule.count)


def mutants_json(found: Mutants) -> dict[str, Any]:
    """The document of `mutants --json`."""
    return {
        "system": found.system.name,
        "release": None if found.release is None else str(found.release),
        "found_out": found.found_out,
        "without_mutants": [field for field, numbers in counts_by_field(found).items() if not numbers[0]],
        "rules": [
            {"field": rule.field, "rule": rule.rule, "count": rule.count, "refused": rule.refused, "named": rule.named}
            for rule in found.rules
        ],
        "mutants": [{"field": rule.field, "rule": rule.rule, **asdict(each)} for rule, each in found.open],
    }
