"""Counterexamples as files: Markdown for people, ITF for viewers, a pytest that replays the run."""

import json
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.counterexample import Counterexample, ReleaseRow, joined_evidence, release_rows_of
from kubeproof.bugs.facts import facts_line
from kubeproof.bugs.further import further_runs
from kubeproof.bugs.played import played_of
from kubeproof.bugs.runs import FURTHER_RUNS, KeptRun, further_runs_text, runs_beside_page
from kubeproof.report.kept import run_of
from kubeproof.report.played import not_played, played_line
from kubeproof.report.questions import answered, itf_name, itf_text, page_parts
from kubeproof.report.releases import back_text, release_table_of, releases_text, run_rows, shown_text
from kubeproof.report.told import ToldRun
from kubeproof.report.upstream import upstream_files
from kubeproof.store.store import Store
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import bounds_text, kept_scope_text, scope_text
from kubeproof.verdict.itf import to_itf
from kubeproof.verdict.trace import ReplayError, Trace, replay
from kubeproof.verdict.violation import violation
from model.releases import BACK_PORTS, MINORS, BackPort, Release, known_release, rules_for


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
    env.globals["played_line"] = played_line
    env.filters["cell"] = lambda text: text.replace("|", "\\|")
    return env


def _code(text: str) -> Markup:
    """`text` as the inside of an HTML paragraph: code where backquotes are, another paragraph after an empty line."""
    parts = [str(escape(part)) for part in text.split("`")]
    html = "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
    return Markup(html.replace("\n\n", "</p>\n<p>"))


def counterexample_files(example: Counterexample, store: Store | None = None) -> dict[str, str]:
    """The name and the content of each kept file of a counterexample. The same input gives the same bytes.

    What `store` has is not searched again.
    """
    bug, result = example.bug, example.result
    system = system_named(bug.system)
    trace = result.trace
    assert trace is not None
    rows = release_rows_of(example, store=store)
    sound = _sound(example, rows)
    answers = [answered(bug, question, store) for question in bug.questions]
    meta = {
        "description": f"{bug.id}: {result.explanation}",
        "system": bug.system,
        "release": bug.release,
        "scope": kept_scope_text(example.scope),
        "property": bug.violates,
    }
    document = to_itf(trace, meta)
    values: dict[str, Any] = {
        "bug": bug,
        "property": system.property_named(bug.violates),
        "result": result,
        "checked": example.checked,
        "scope": scope_text(example.scope),
        "smallest": bounds_text(example.scope),
        "given": ", ".join(f"{name}={value}" for name, value in bug.given if value),
        "module": bug.folder.replace("-", "_"),
        "newest_minor": f"1.{system.minors[-1]}",
        # A system that knows other minors than most says which.
        "own_minors": "" if system.minors == MINORS else ", system.minors",
        "explanation": result.explanation,
        "run": told_example(example),
        "rows": release_table(bug, rows),
        "ports": [port for port in BACK_PORTS if _cures(example, port)],
        "cured": str(sound) if sound is not None else None,
        "later": sound is not None and sound.version > known_release(bug.release).version,
        "facts": facts_line(bug, played_of(bug, document)),
        "played": played_of(bug, document),
        "not_played": not_played(bug, document),
        "questions": page_parts(bug, answers, told_example),
        "besides": None if bug.besides is None else bug.besides.demonstrate(known_release(bug.release)),
        "besides_rows": () if bug.besides is None else release_table_of(bug.besides),
    }
    kept = [_run_of(bug, each) for each in (example, *answers)]
    having = [known_release(row.first) for row in rows if row.shows_bug]
    further = further_runs(bug, example.scope, kept, having, runs_beside_page(bug))
    env = environment()
    itf = json.dumps(document, indent=1, ensure_ascii=True) + "\n"
    asked = zip(answers, bug.questions, strict=True)
    texts = {itf_name(bug, n): itf_text(answer, question) for n, (answer, question) in enumerate(asked, start=1)}
    return {
        "README.md": env.get_template("counterexample.md.j2").render(values),
        "releases.json": releases_text(bug.id, run_rows(values["rows"])),
        f"{bug.folder}.itf.json": itf,
        f"test_{values['module']}.py": env.get_template("counterexample_test.py.j2").render(values),
        **texts,
        **({FURTHER_RUNS: further_runs_text(bug, further)} if further else {}),
        **upstream_files(bug, env, values),
    }


def _run_of(bug: Bug, example: Counterexample) -> KeptRun:
    trace = example.result.trace
    assert trace is not None
    return KeptRun(bug, bug.release, example.scope, trace.actions, trace.loop)


def told_example(example: Counterexample) -> ToldRun:
    """The run of a counterexample, told."""
    trace = example.result.trace
    assert trace is not None
    return run_of(example.bug, example.scope, trace, example.result.explanation or "")


def _cures(example: Counterexample, port: BackPort) -> bool:
    """Whether the same run violates the property in the vendor's upstream release, and not in his builds of it."""
    if port.field not in system_named(example.bug.system).rule_fields:
        return False
    upstream, build = (known_release(f"{port.upstream}{end}") for end in ("", f"-{port.vendor}.{port.since_build}"))
    return not _runs_sound(example, upstream) and _runs_sound(example, build)


def _sound(example: Counterexample, rows: list[ReleaseRow]) -> Release | None:
    """A release known from its source in which the same run exists and violates nothing, a later one if there is."""
    at = known_release(example.bug.release).version
    sound = [known_release(row.first) for row in rows if not row.violated and row.evidence != "inferred"]
    in_order = sorted(sound, key=lambda release: (release.version < at, release.version))
    return next((release for release in in_order if _runs_sound(example, release)), None)


def _runs_sound(example: Counterexample, release: Release) -> bool:
    """Whether the same run exists in `release` and violates nothing."""
    system = system_named(example.bug.system)
    property = system.property_named(example.bug.violates)
    trace = example.result.trace
    assert trace is not None
    machine = system.machine(example.scope, rules_for(system.rules_class, release))
    try:
        again = replay(machine, trace.actions)
    except ReplayError:
        return False
    round_again = trace.loop is not None and again.steps[trace.loop].state == again.last
    return violation(machine, property, Trace(again.steps, trace.loop if round_again else None)) is None


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
