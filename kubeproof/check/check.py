"""`kubeproof check`: a system, under the rules of a release or a fix, by one engine or all of them."""

import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import cattrs
from attrs import evolve, frozen

from kubeproof.bugs.beside import KEPT_RUN, NO_BOUNDS, beside
from kubeproof.bugs.known import explained
from kubeproof.check.other_scopes import elsewhere, only_sampled, scope_size, smallest, unmet
from kubeproof.engines.explicit.checkpoint import Checkpoints
from kubeproof.engines.question import Question, question
from kubeproof.engines.table import ENGINES
from kubeproof.engines.watch import Watch
from kubeproof.errors import InputError, RuleError, established, not_one_of
from kubeproof.fix.fix import Fix, opened_fix, systems_with
from kubeproof.fix.purity import hold_to_its_answers
from kubeproof.output.files import refuse_file
from kubeproof.own.system import with_properties
from kubeproof.store.digests import sources_digest
from kubeproof.store.results import kept_answer
from kubeproof.store.store import Store
from kubeproof.store.texts import digest_of
from kubeproof.systems.gates import bounds_of_gates, refuse_locked, with_gates
from kubeproof.systems.read_fields import left_out
from kubeproof.systems.registry import system_named
from kubeproof.systems.releases import release_named, release_notes
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.verdict.result import Interrupted, Outcome, Result
from kubeproof.verdict.trace import Trace
from model.releases import MINORS, Release, known_release
from model.variables import Bag, Channel, Entries, Places, Series
from properties.property import Property

# Stands where a system of a reader's file has no release.
NO_RELEASE = known_release(f"1.{MINORS[-1]}.0")


@frozen
class CheckReport:
    """What was asked, and the result for each property by each engine."""

    system: System
    release: Release
    # The scope of the first engine.
    scope: Any
    # The rules in force, those of the fix included.
    rules: Any
    fix: Fix | None
    # If the user stopped an engine, its results end with its counts so far.
    results: list[Result]
    # Lines for stderr.
    notes: tuple[str, ...] = ()
    # Whether the user stopped an engine.
    interrupted: bool = False
    # Pages of bugs that say of the release what none of their kept runs shows: an error each.
    page_errors: tuple[str, ...] = ()


def engines_named(engines: Sequence[str]) -> list[str]:
    """The engines that `--engine` names; `all` means each of them. Raises InputError."""
    for engine in engines:
        if engine != "all" and engine not in ENGINES:
            raise InputError(f"--engine: {not_one_of(engine, 'engine', [*ENGINES, 'all'])}")
    return list(ENGINES) if "all" in engines else list(dict.fromkeys(engines))


def check_system(
    system: str | System,
    release: str | None = None,
    *,
    property_files: Sequence[Path] = (),
    fix: Path | None = None,
    rules: Sequence[str] = (),
    scope: str | None = None,
    feature_gates: str | None = None,
    properties: Sequence[str] | None = None,
    engines: Sequence[str] = ("explicit",),
    distributed: str | None = None,
    checkpoint: Path | None = None,
    watch: Watch = Watch(),  # noqa: B008 frozen
) -> CheckReport:
    """Check `system` ("node-listing") as `release` (default: the newest) with a fix in place.

    A system of a reader's file, which has no release, is given itself. `property_files` have further properties of
    readers; without `properties` only these are checked.

    `feature_gates` is e.g. "SchedulerQueueingHints=false", `scope` is e.g. "nodes=4,zones=2"; without either each
    engine takes the system's default, Hypothesis a larger one. A property whose premise no state of the default scope
    meets is then asked in other scopes too, and its result names the scope. `properties` are names, default all;
    `engines` are names or "all". With a fix the explicit engine's default is the larger scope in which a wrong fix
    shows. `distributed` is the name or address of this machine for the workers of TLC's server. In the folder
    `checkpoint` the explicit engine keeps what it finds, and goes on from there. The engines share the time of
    `watch`. Raises InputError for any other input.
    """
    named = system_named(system) if isinstance(system, str) else system
    chosen = with_properties(named, property_files)
    at = NO_RELEASE if chosen.file else release_named(release, minors=chosen.minors)
    brought = chosen.properties[len(named.properties) :]
    wanted = [chosen.property_named(name) for name in properties or ()] or list(brought)
    if not (wanted or chosen.properties):
        raise InputError(f"{chosen.name}: no property: expected some in it, or --property-file")
    names = engines_named(engines)
    if distributed is not None and names != ["tlc"]:
        raise InputError(f"--distributed: not without --engine tlc, and with no other engine: got {', '.join(names)}")
    if checkpoint is not None:
        if "explicit" not in names:
            raise InputError(f"--checkpoint: not without --engine explicit: got {', '.join(names)}")
        refuse_file("--checkpoint", checkpoint)
    with opened_fix(fix, rules, [chosen]) as own:
        if own is not None:
            systems_with(own, [chosen])
        with_them = with_gates(chosen, scope, feature_gates)
        bounds = None if with_them is None else chosen.parse_scope(with_them)
        refuse_locked(at, bounds)
        asked = [
            question(chosen, at, name, fix=own, scope=bounds, properties=wanted, besides=True, watch=watch)
            for name in names
        ]
        if distributed is not None:
            asked = [evolve(each, server=distributed) for each in asked]
        if checkpoint is not None:
            asked = [evolve(each, checkpoints=_checkpoints(checkpoint, each, property_files)) for each in asked]
        report = answered(asked)
        with established(lambda: in_short(report.results)):
            if bounds is None and own is None:
                report = with_premises(asked, report)
            report = with_smallest(asked, report)
            setups = {name: value for name in chosen.scopes.setups if (value := getattr(bounds, name, 0))}
            if chosen.file is None:
                report = with_known_bugs(report, asked[0].properties, bounds_of_gates(chosen, feature_gates) | setups)
                report = evolve(report, results=[_unnamed(each, brought) for each in report.results])
            try:
                hold_to_its_answers(own, chosen, report.rules, (("", each) for each in report.results))
            except RuleError as error:
                return _established_nothing(report, str(error))
            return report


def _checkpoints(folder: Path, asked: Question, property_files: Sequence[Path]) -> Checkpoints:
    """The checkpoints of a check in `folder`. Of what a reader's file imports nothing is known."""
    of_reader = [*([asked.system.file] if asked.system.file else []), *property_files]
    rules = "" if asked.fix is None else digest_of(asked.fix.digest, *asked.fix.choices)
    return Checkpoints(
        folder,
        {
            "system": asked.system.name,
            "release": "none" if asked.system.file else str(asked.release),
            "scope": kept_scope_text(asked.scope),
            "fix": "none" if asked.fix is None else f"{asked.fix.label} ({rules})",
            "set of properties": ", ".join(p.name for p in asked.properties),
            "digest of sources": sources_digest(of_reader),
            "Python": platform.python_version(),
        },
    )


def _unnamed(result: Result, brought: Sequence[Property]) -> Result:
    """No page of a bug names a property of a reader: that nobody knows a bug behind its violation says nothing."""
    return result.evolve(known=result.known or None) if result.property in {p.name for p in brought} else result


def _established_nothing(report: CheckReport, why: str) -> CheckReport:
    """`report` of a fix whose rules are no pure functions, so that what engines found need not happen."""
    results = [
        Result(property=each.property, engine=each.engine, outcome=Outcome.INCONCLUSIVE, reason=why, scope=each.scope)
        for each in report.results
        if each.engine != KEPT_RUN
    ]
    return evolve(report, results=results)


def in_short(results: Sequence[Result]) -> list[str]:
    """What is said of each property, a line each."""
    return [f"{result.property} by {result.engine}: {result.outcome}" for result in results]


def answered(questions: Sequence[Question], store: Store | None = None) -> CheckReport:
    """The answers to questions that differ in the engine only, and the scope that it takes.

    What `store` has no engine is asked.
    """
    first = questions[0]
    results: list[Result] = []
    interrupted = False
    try:
        with established(lambda: in_short(results)):
            for number, each in enumerate(questions):
                one_of = f" ({number + 1} of {len(questions)})" if len(questions) > 1 else ""
                watch = each.watch.share(len(questions) - number).of(f"{each.engine}{one_of}")
                watch.tell(f"{len(each.properties)} properties")
                results += kept_answer(store, evolve(each, watch=watch))
    except KeyboardInterrupt as stop:
        results += stop.results if isinstance(stop, Interrupted) else []
        interrupted = True
    notes = () if first.system.file else release_notes(first.release, first.system.fields_asked_in(first.release))
    return CheckReport(first.system, first.release, first.scope, first.rules, first.fix, results, notes, interrupted)


def with_premises(questions: Sequence[Question], report: CheckReport) -> CheckReport:
    """`report` with an answer from another scope where no state of the default scope meets a premise."""
    own = next((each for each in questions if each.engine == "explicit"), None)
    if own is None or report.interrupted:
        return report
    found: dict[str, Result] = {}
    interrupted = False
    try:
        for result in elsewhere(own, unmet(report.results)):
            found[result.property] = result
    except KeyboardInterrupt:
        interrupted = True
    results = [found.get(r.property, r) if r.engine == "explicit" else r for r in report.results]
    return evolve(report, results=results, interrupted=interrupted)


def with_smallest(questions: Sequence[Question], report: CheckReport, store: Store | None = None) -> CheckReport:
    """`report` with the explicit engine's violations of what only a sample of a larger scope violates."""
    own = next((each for each in questions if each.engine == "explicit"), None)
    if own is None or report.interrupted or not only_sampled(report.results):
        return report
    found: list[Result] = []
    try:
        for result in smallest(own, report.results, store):
            found.append(result)
    except KeyboardInterrupt:
        return evolve(report, results=[*report.results, *found], interrupted=True)
    return evolve(report, results=[*report.results, *found])


def with_known_bugs(
    report: CheckReport, properties: Sequence[Property] = (), bounds: Mapping[str, int] = NO_BOUNDS
) -> CheckReport:
    """`report` with what the kept runs violate first, and with the documented bugs behind each violation.

    `properties`: those that were asked about, default all. `bounds`: those without which a kept run says nothing of
    what was asked. After an interrupt nobody looks for the bugs behind what engines found, which may take long.
    """
    rules = None if report.fix is None else report.rules
    names = [p.name for p in properties or report.system.properties]
    found = beside(report.system, report.release, rules, properties=names, bounds=bounds)
    report = evolve(report, results=[*found.results(names), *report.results], page_errors=found.errors)
    if report.interrupted:
        return report
    try:
        own = explained(report.system, report.release, report.results, with_fix=report.fix is not None)
    except KeyboardInterrupt:
        return evolve(report, interrupted=True)
    return evolve(report, results=own)


def report_json(report: CheckReport) -> dict[str, Any]:
    """The document of `check --json`."""
    return {
        "system": report.system.name,
        "release": None if report.system.file else str(report.release),
        "scope": cattrs.unstructure(report.scope),
        "rules": rule_names(report.system, report.rules),
        "fix": report.fix.label if report.fix else None,
        "results": [result_json(result) for result in report.results],
        "verdicts": verdicts(report.results),
        "page_errors": list(report.page_errors),
        "left_out": left_out(report.system.read_fields),
        "default_gates_left_out": report.system.default_gates_left_out(report.release),
    }


def verdicts(results: Sequence[Result]) -> dict[str, dict[str, Any]]:
    """By property: violated if an engine or a kept run says so, with the smallest scope that shows this.

    Else the best outcome. `bugs` are the documented ones behind the violations.
    """
    found = {}
    for name in dict.fromkeys(result.property for result in results):
        mine = [result for result in results if result.property == name]
        decisive = min(mine, key=lambda result: (_DECIDES.index(result.outcome), scope_size(result.scope)))
        found[name] = {
            "outcome": str(decisive.outcome),
            "engine": decisive.engine,
            "bugs": sorted({bug for result in mine for bug in result.known or ()}),
            "scope": None if decisive.scope is None else kept_scope_text(decisive.scope),
        }
    return found


_DECIDES = (Outcome.VIOLATED, Outcome.HOLDS, Outcome.INCONCLUSIVE, Outcome.NOT_APPLICABLE)


def rule_names(system: System, rules: Any) -> dict[str, str]:
    """Rule field -> name of the function in force."""
    return {field: getattr(rule := getattr(rules, field), "__name__", repr(rule)) for field in system.rule_fields}


def rules_line(system: System, rules: Any, fix: Fix | None) -> str:
    """The rules in force on one line; of a system with many only the fix's by name, the rest being the release's."""
    named = rule_names(system, rules)
    own = {field: name for field, name in named.items() if fix is not None and field in fix.rules}
    shown = named if len(named) <= 8 else own
    texts = [f"{field}={name}" for field, name in shown.items()]
    rest = len(named) - len(shown)
    return ", ".join([*texts, *([f"{rest} of the release; --json names them"] if rest else [])])


def result_json(result: Result) -> dict[str, Any]:
    """One result as JSON data. `trace[0]` is the initial state with action null; depth counts actions."""
    trace = result.trace
    return {
        "property": result.property,
        "engine": result.engine,
        "outcome": str(result.outcome),
        "claim": {"strength": str(result.claim.strength), **result.claim.details} if result.claim else None,
        "reason": result.reason,
        "explanation": result.explanation,
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "seconds": result.seconds,
        "scope": None if result.scope is None else kept_scope_text(result.scope),
        "minimal": result.minimal,
        "known": None if result.known is None else list(result.known),
        "trace": trace_json(trace),
        "loop": trace.loop if trace else None,
        "fired": result.fired,
    }


_JSON = cattrs.Converter()
# JSON has no sets; CPUs in their order are one.
_JSON.register_unstructure_hook_func(
    lambda kind: kind is frozenset or getattr(kind, "__origin__", None) is frozenset, sorted
)
# The kinds of tuples of which a state is made.
_JSON.register_unstructure_hook_func(
    lambda kind: getattr(kind, "__origin__", None) in (Bag, Channel, Entries, Places, Series),
    lambda value: [_JSON.unstructure(each) for each in value],
)


def trace_json(trace: Trace | None) -> list[dict[str, Any]] | None:
    """The lines of a trace as JSON data. The action of the first line is null."""
    if trace is None:
        return None
    return [
        {
            "action": None if step.action is None else {"name": step.action.name, "args": dict(step.action.args)},
            "state": _JSON.unstructure(step.state),
        }
        for step in trace.steps
    ]
