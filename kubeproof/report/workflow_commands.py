"""The verdict on a fix as workflow commands of GitHub Actions: a mark at the function of the fix.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

import re
from collections.abc import Mapping
from pathlib import Path
from secrets import token_hex

from kubeproof.errors import InputError
from kubeproof.fix.fix import Fix
from kubeproof.report.verdict_lines import INDENT, block
from kubeproof.report.verdict_words import by_outcome, headline, verdict_of
from kubeproof.validate.verdict import Part, Validation
from kubeproof.verdict.result import Outcome

LEVELS = {Outcome.VIOLATED: "error", Outcome.INCONCLUSIVE: "warning", Outcome.HOLDS: "notice"}


def github_lines(validation: Validation, text: str) -> list[str]:
    """What a step prints: `text`, of which no line is obeyed as a command, then the marks.

    A mark for each system in which something speaks against the fix or is open; else one that says the verdict.
    """
    fix, parts = validation.fix, by_outcome(validation)
    what, verdict = headline(validation)
    only = parts[0] if len(parts) == 1 else None
    against = [part for part in parts if part.outcome is not Outcome.HOLDS and part is not only]
    marks = [
        _mark(fix, part, f"{part.fix.label} on {part.system.name} {part.release}", part.outcome, verdict_of(part))
        for part in against
    ]
    if not against or validation.cures_nothing or validation.open:
        marks.insert(0, _mark(fix, only, what, validation.outcome, verdict))
    token = token_hex(16)
    return [f"::stop-commands::{token}", text, f"::{token}::", *marks]


def error_line(fix: Path | None, wrong: InputError) -> str:
    """A mark for a fix that cannot be judged, at the line that the error names."""
    line = re.search(r": line (\d+): ", str(wrong))
    properties = {} if fix is None else {"file": in_repository(fix), **({"line": line[1]} if line else {})}
    return _command("error", {"title": "kubeproof", **properties}, str(wrong))


def _mark(fix: Fix, part: Part | None, where: str, outcome: Outcome, verdict: str) -> str:
    properties = {"title": f"kubeproof: {where}"}
    if fix.path is not None:
        properties |= {"file": in_repository(fix.path), **line_of(fix, part)}
    message = "\n".join([verdict, *(line.removeprefix(INDENT) for line in (block(part) if part else ()))])
    return _command(LEVELS[outcome], properties, message)


def _command(name: str, properties: Mapping[str, str], message: str) -> str:
    said = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in properties.items())
    return f"::{name} {said}::{_escaped(message)}"


def line_of(fix: Fix, part: Part | None) -> dict[str, str]:
    """Where the function begins that the verdict is about: the one that fails, else the first one that is asked."""
    found = {} if fix.stranger is None else fix.stranger.found
    asked = [name for name in found if part is None or name in part.system.rule_fields]
    failing = [name for name in asked if part and part.failure and part.failure.startswith(f"{name} ")]
    line = next((found[name].line for name in (*failing, *asked)), None)
    return {} if line is None else {"line": str(line)}


def in_repository(path: Path) -> str:
    """The path as GitHub names the file: below the folder of the repository, or else below the working directory."""
    whole = path.resolve()
    root = next((each for each in whole.parents if (each / ".git").exists()), Path.cwd())
    return whole.relative_to(root).as_posix() if whole.is_relative_to(root) else str(path)


def _escaped(text: str, further: str = "") -> str:
    """`text` as the runner reads it back; `further`: signs that end a property."""
    return "".join(f"%{ord(each):02X}" if each in f"%\r\n{further}" else each for each in text)
