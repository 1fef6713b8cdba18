"""Counterexamples as files: Markdown for people, ITF for viewers, a pytest that replays the run."""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kubeproof.counterexample import Counterexample, ReleaseRow, release_rows_of
from kubeproof.itf import to_itf
from kubeproof.systems import scope_text, system_named
from model.releases import BACK_PORTS


def environment() -> Environment:
    """The templates of this package; HTML is escaped, a missing value is an error."""
    loader = PackageLoader("kubeproof.report")
    env = Environment(
        loader=loader,
        undefined=StrictUndefined,
        autoescape=lambda name: bool(name and name.endswith(".html.j2")),
        keep_trailing_newline=True,
    )
    env.filters["pyrepr"] = lambda value: json.dumps(value) if isinstance(value, str) else repr(value)
    env.filters["code"] = _code
    return env


def _code(text: str) -> Markup:
    """`text` as HTML, with what stands in backquotes as code."""
    parts = [str(escape(part)) for part in text.split("`")]
    return Markup("".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts)))


def counterexample_files(example: Counterexample) -> dict[str, str]:
    """File name -> content, of everything that is kept of a counterexample. The same input gives the same bytes."""
    bug, result = example.bug, example.result
    system = system_named(bug.system)
    assert result.trace is not None
    rows = release_rows_of(example)
    cured = next((row.first for row in rows if not row.violated and row.evidence != "inferred"), None)
    values: dict[str, Any] = {
        "bug": bug,
        "result": result,
        "scope": scope_text(example.scope),
        "module": bug.folder.replace("-", "_"),
        "explanation": result.explanation,
        "damage": (system.describe_damage(result.trace.last) or result.property).replace("**", ""),
        "steps": [
            {
                "sentence": system.describe_action(step.action),
                "source": system.sources[step.action.name],
                "lines": system.describe_state(step.state),
                "damage": system.describe_damage(step.state),
            }
            for step in result.trace.steps
            if step.action is not None
        ],
        "rows": [{"row": row, "back": back_text(row)} for row in rows],
        "ports": [port for port in BACK_PORTS if port.rule_field in system.rule_fields],
        "cured": cured,
    }
    env = environment()
    meta = {
        "description": f"{bug.id}: {result.explanation}",
        "system": bug.system,
        "release": bug.release,
        "scope": scope_text(example.scope),
        "property": bug.violates,
    }
    itf = json.dumps(to_itf(result.trace, meta), indent=1, ensure_ascii=True) + "\n"
    return {
        "README.md": env.get_template("counterexample.md.j2").render(values),
        f"{bug.folder}.itf.json": itf,
        f"test_{values['module']}.py": env.get_template("counterexample_test.py.j2").render(values),
    }


def back_text(row: ReleaseRow) -> str:
    """When a lost node is listed again if only scheduling cycles follow; empty where nothing is lost."""
    if not row.violated:
        return ""
    if row.back_after is None:
        return "never, until a node joins or leaves"
    return "in the next cycle" if row.back_after == 1 else f"after {row.back_after} cycles"
