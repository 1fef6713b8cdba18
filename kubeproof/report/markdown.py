"""Counterexamples as files: a page for people, and what programs read of the runs and releases."""

import json
import re
from typing import Any

from attrs import evolve
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kubeproof.bugs.bug import Bug, Question
from kubeproof.bugs.counterexample import (
    Counterexample,
    ReleaseRow,
    joined_evidence,
    minimal_counterexample,
    release_rows_of,
)
from kubeproof.bugs.facts import facts_line
from kubeproof.bugs.further import further_runs
from kubeproof.bugs.links import number_of
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import RUNS, KeptRun, further_kept, runs_text
from kubeproof.errors import InputError
from kubeproof.report.mermaid import sequence_diagram
from kubeproof.report.played import not_played, played_line
from kubeproof.report.releases import back_text, release_table_of, releases_text, run_rows, shown_text
from kubeproof.report.told import ToldRun, run_of
from kubeproof.report.told_above import OnPage, told_above
from kubeproof.report.upstream import upstream_files
from kubeproof.store.store import Store
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import bounds_text, scope_text
from kubeproof.verdict.trace import Trace
from model.releases import BACK_PORTS, BackPort, known_release


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
    env.filters["code"] = code
    env.filters["with_links"] = _with_links
    env.globals["played_line"] = played_line
    env.filters["cell"] = lambda text: text.replace("|", "\\|")
    return env


def code(text: str) -> Markup:
    """`text` as the inside of an HTML paragraph: code where backquotes are, another paragraph after an empty line."""
    parts = [str(escape(part)) for part in text.split("`")]
    html = "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
    return Markup(html.replace("\n\n", "</p>\n<p>"))


def _with_links(text: str, bug: AnyBug) -> Markup:
    """`text` as HTML, in which the numbers of the bug's issues and changes lead to them."""
    html = str(escape(text))
    for link in (*bug.issues, *bug.fixes):
        number = number_of(link)
        html = re.sub(rf"{re.escape(number)}(?!\d)", f'<a href="{escape(link)}">{number}</a>', html, count=1)
    return Markup(html)


def counterexample_files(example: Counterexample, store: Store | None = None) -> dict[str, str]:
    """The name and the content of each kept file of a counterexample. The same input gives the same bytes.

    What `store` has is not searched again.
    """
    bug, result = example.bug, example.result
    system = system_named(bug.system)
    rows = release_rows_of(example, store=store)
    answers = [answered(bug, question, store) for question in bug.questions]
    run, *more = (_run_of(bug, each) for each in (example, *answers))
    told = told_example(example)
    values: dict[str, Any] = {
        "bug": bug,
        "property": system.property_named(bug.violates),
        "result": result,
        "checked": example.checked,
        "scope": scope_text(example.scope),
        "smallest": bounds_text(example.scope),
        "given": ", ".join(f"{name}={value}" for name, value in bug.given if value),
        "newest_minor": f"1.{system.minors[-1]}",
        "explanation": result.explanation,
        "run": told,
        "diagram": sequence_diagram(told),
        "rows": release_table(bug, rows),
        "ports": ports_of(run),
        "facts": facts_line(bug, played_of(bug, run)),
        "played": played_of(bug, run),
        "not_played": not_played(bug, run),
        "questions": page_parts(bug, answers, OnPage("What happens", _trace(example), told)),
        "besides": None if bug.besides is None else bug.besides.demonstrate(known_release(bug.release)),
        "besides_rows": () if bug.besides is None else release_table_of(bug.besides),
    }
    having = [known_release(row.first) for row in rows if row.shows_bug]
    further = further_runs(bug, example.scope, (run, *more), having, further_kept(bug))
    env = environment()
    return {
        "README.md": env.get_template("counterexample.md.j2").render(values),
        "releases.json": releases_text(bug.id, run_rows(values["rows"])),
        RUNS: runs_text(bug, (run, *more, *further)),
        **upstream_files(bug, env, values),
    }


def _run_of(bug: Bug, example: Counterexample) -> KeptRun:
    trace = _trace(example)
    # The bug of an answer has the property of its question.
    return KeptRun(bug, example.bug.violates, bug.release, example.scope, trace.actions, trace.loop)


def told_example(example: Counterexample) -> ToldRun:
    """The run of a counterexample, told."""
    return run_of(example.bug, example.scope, _trace(example), example.result.explanation or "")


def _trace(example: Counterexample) -> Trace:
    trace = example.result.trace
    assert trace is not None
    return trace


def ports_of(run: KeptRun) -> list[BackPort]:
    """The vendors' builds that carry a cure of the bug of the run."""
    return [port for port in BACK_PORTS if _cures(run, port)]


def _cures(run: KeptRun, port: BackPort) -> bool:
    """Whether the same run violates the property in the vendor's upstream release, and not in his builds of it."""
    if port.field not in system_named(run.bug.system).rule_fields:
        return False
    upstream, build = (known_release(f"{port.upstream}{end}") for end in ("", f"-{port.vendor}.{port.since_build}"))
    return not run.is_sound(run.machine(upstream)) and run.is_sound(run.machine(build))


def release_table(bug: Bug, rows: list[ReleaseRow]) -> list[dict[str, Any]]:
    """The rows as a reader sees them; of a bug that gives bounds, releases in a row that show the same are one."""
    table: list[dict[str, Any]] = []
    for row in rows:
        entry = {
            "row": row,
            "first": row.first,
            "last": row.last,
            "shown": shown_text(row),
            "back": back_text(bug, row),
        }
        entry |= {"length": row.length or "", "evidence": row.evidence}
        same = ("shown", "back", "length")
        if bug.given and table and all(table[-1][key] == entry[key] for key in same):
            table[-1]["last"] = row.last
            table[-1]["evidence"] = joined_evidence(table[-1]["evidence"], row.evidence)
        else:
            table.append(entry)
    return table


# --- The questions of a bug's report, each answered by a minimal run of its own


def asked_alone(bug: Bug, question: Question) -> Bug:
    """The bug with this question only: what `minimal_counterexample` looks for."""
    return evolve(bug, violates=question.violates, given=question.given, questions=())


def answered(bug: Bug, question: Question, store: Store | None = None) -> Counterexample:
    """The minimal run that answers `question`. Raises InputError if none does: the model or the property has a hole."""
    example = minimal_counterexample(asked_alone(bug, question), store)
    if example is None:
        raise InputError(f"{bug.id}: {question.asked} No run answers that: the model or the property has a hole")
    return example


def page_parts(bug: Bug, examples: list[Counterexample], first: OnPage) -> list[dict[str, Any]]:
    """What the page says of each question. `first`: the run that the page has told before them."""
    system = system_named(bug.system)
    parts, runs = [], [first]
    for question, example in zip(bug.questions, examples, strict=True):
        run = OnPage(question.asked, _trace(example), told_example(example))
        parts.append(
            {
                "question": question,
                "property": system.property_named(question.violates),
                "explanation": example.result.explanation,
                "run": run.told,
                "above": told_above(run, runs),
                "scope": bounds_text(example.scope),
            }
        )
        runs.append(run)
    return parts
