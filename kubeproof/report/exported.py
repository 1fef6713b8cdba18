"""What `kubeproof show` makes of a kept run: an ITF trace for viewers, and a pytest that replays the run."""

import json
from typing import Any

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.counterexample import evidence_of, release_points
from kubeproof.bugs.kept import Reproduction, kept_releases, reproduce, row_of
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.runs import KeptRun, kept_run
from kubeproof.engines.explicit.shared import Shared
from kubeproof.errors import InputError
from kubeproof.report.markdown import environment
from kubeproof.report.releases import release_table_of
from kubeproof.report.run_test import ReleaseTest, as_name, run_test
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System, kept_scope_text, rules_of, scope_text
from kubeproof.verdict.itf import to_itf
from kubeproof.verdict.result import Result
from kubeproof.verdict.trace import Trace
from model.releases import Release, known_release, rules_for


def itf_text(bug: AnyBug) -> str:
    """The run of the bug's page as an ITF trace. Raises InputError for a bug that no run shows."""
    if not isinstance(bug, Bug):
        raise InputError(f"--itf: {bug.id} is shown by no run of a system: expected a bug that one shows")
    found, trace = _reproduced(bug)
    description = f"{bug.id}: {found.explanation}"
    return _itf(trace, description, bug.system, bug.release, found.scope, bug.violates)


def itf_of_result(system: System, release: Release, result: Result) -> str:
    """The run of a violation as an ITF trace. Raises InputError if a state has what ITF has no value for."""
    assert result.trace is not None
    release_text = None if system.file else str(release)
    scope = result.scope or system.scope
    try:
        return _itf(result.trace, result.explanation or "", system.name, release_text, scope, result.property)
    except TypeError as error:
        raise InputError(
            f"--itf: {system.name}: a state cannot be written ({error}): expected numbers, texts, tuples and sets"
        ) from None


def _itf(trace: Trace, description: str, system: str, release: str | None, scope: Any, property: str) -> str:
    meta = {"description": description, "system": system}
    meta |= {} if release is None else {"release": release}
    meta |= {"scope": kept_scope_text(scope), "property": property}
    return json.dumps(to_itf(trace, meta), indent=1, ensure_ascii=True) + "\n"


def pytest_text(bug: AnyBug) -> str:
    """A file for pytest: what releases show of the bug. Raises InputError for a bug that nothing shows."""
    if isinstance(bug, UnshownBug):
        raise InputError(f"--pytest: {bug.id} is shown by nothing: expected a bug that a run or components show")
    module = as_name(bug.folder)
    if isinstance(bug, ComponentBug):
        values = {"bug": bug, "module": module, "rows": release_table_of(bug.shown_by)}
        return environment().get_template("component_test.py.j2").render(values)
    found, trace = _reproduced(bug)
    system, cured = system_named(bug.system), _sound_release(kept_run(bug))
    tests = [ReleaseTest(f"{module}_in_{as_name(bug.release)}", bug.release, holds=False)]
    if cured is not None:
        said = "cured" if cured.version > known_release(bug.release).version else "not"
        tests.append(ReleaseTest(f"{module}_is_{said}_in_{as_name(str(cured))}", str(cured), holds=True))
    head = f"{bug.id}: the minimal counterexample, as code.\n\nPrinted by `kubeproof show {bug.id} --pytest`.\n"
    return run_test(head, system, system.property_named(bug.violates), scope_text(found.scope), trace, tests)


def _reproduced(bug: Bug) -> tuple[Reproduction, Trace]:
    found = reproduce(bug)
    if found.trace is None or not found.appears:
        raise InputError(f"{bug.id}: {found.explanation}: `make counterexamples` makes the run anew")
    return found, found.trace


def _sound_release(run: KeptRun) -> Release | None:
    """A release known from its source in which the same run exists and violates nothing, a later one if there is."""
    system, rows, at = system_named(run.bug.system), kept_releases(run.bug), known_release(run.release).version
    shared = Shared(rules_of(system.mutants, system.repairs))
    points = sorted(release_points(system), key=lambda point: (point[0].version < at, point[0].version))
    for first, last in points:
        row = row_of(rows, first) if run.bug.asks(first) else None
        if row is None or row.violated:
            continue
        # Which rules the run asks: how those are known.
        asked = shared.under(rules_for(system.rules_class, first))
        sound = run.is_sound(system.machine(run.scope, asked.rules))
        if sound and evidence_of(asked.fields, first, last) != "inferred":
            return first
    return None
