"""The mutants of a release as a table, and those that nothing names."""

from collections import Counter
from typing import Any

from attrs import asdict
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table

from kubeproof.mutants.run import Mutants
from kubeproof.visible import visible

FATES = ("refused", "named", "by recordings only", "by nothing", "undecided", "alike")


def mutants_text(found: Mutants) -> RenderableType:
    """For each field what its mutants were found out by; then the survivors, one by one."""
    table = Table(title=f"mutants of {found.system.name} in {found.release}", title_justify="left")
    table.add_column("rule")
    for name in ("mutants", *FATES):
        table.add_column(name, justify="right")
    fields = dict.fromkeys(each.field for each in found.judged)
    for field in fields:
        table.add_row(field, *map(str, _counts(found, field)))
    table.add_section()
    table.add_row("all", *map(str, _counts(found, None)))
    survivors = found.survivors
    lines: list[RenderableType] = [table, ""]
    lines.append(
        f"{found.found_out:.1%} of the mutants that behave otherwise in a scope or a recording that was looked at "
        "are refused, or an effect names them."
    )
    if found.without:
        lines.append(f"without mutants: {', '.join(found.without)}")
    if survivors:
        lines += ["", "These behave otherwise, and neither a property nor an effect says so:"]
    for each in survivors:
        lines.append(Padding(f"{each.field}: {visible(each.mutant)}{f' — {each.by}' if each.by else ''}", (0, 0, 0, 2)))
    return Group(*lines)


def _counts(found: Mutants, field: str | None) -> list[int]:
    mine = [each for each in found.judged if field in (None, each.field)]
    fates = Counter(each.fate if each.differs else "alike" for each in mine)
    return [len(mine), *(fates[name] for name in FATES)]


def mutants_json(found: Mutants) -> dict[str, Any]:
    """The document of `mutants --json`."""
    return {
        "system": found.system.name,
        "release": str(found.release),
        "found_out": found.found_out,
        "without_mutants": list(found.without),
        "mutants": [asdict(each) for each in found.judged],
    }
