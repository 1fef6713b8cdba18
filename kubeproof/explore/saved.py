"""A run of the explorer as a file: an ITF trace for viewers, or a test for pytest."""

import json
from typing import Any

from kubeproof.errors import InputError, not_one_of
from kubeproof.explore.run import Run, going_round, violated
from kubeproof.report.run_test import ReleaseTest, as_name, run_test
from kubeproof.systems.system import kept_scope_text, scope_text
from kubeproof.verdict.itf import to_itf
from kubeproof.verdict.trace import Trace
from model.machine import Machine


def saved(run: Run, machine: Machine[Any], trace: Trace, kind: object) -> dict[str, str]:
    """The `name` and the `text` of the file of this `kind`. Raises InputError."""
    if kind not in ("itf", "pytest"):
        raise InputError(f"save: as: {not_one_of(str(kind), 'form', ('itf', 'pytest'))}")
    system, release = run.system, str(run.side.release)
    wrong = violated(system, machine, trace)
    trace = going_round(system, machine, trace)
    name = f"{as_name(system.name)}_{as_name(release)}"
    if kind == "itf":
        name_of_property, why = next(iter(wrong.items()), ("", "no property is violated at the end"))
        meta = {
            "description": why,
            "system": system.name,
            "release": f"{release} with a fix" if run.side.fix else release,
            "scope": kept_scope_text(run.scope),
            "property": name_of_property,
        }
        return {"name": f"{name}.itf.json", "text": json.dumps(to_itf(trace, meta), indent=1) + "\n"}
    if run.side.fix:
        raise InputError("save: a test knows no fix: expected a run of a release; `kubeproof validate` judges a fix")
    if not wrong:
        raise InputError("save: nothing is violated in this state, so a test could not fail: expected another state")
    property = system.property_named(next(iter(wrong)))
    if property.kind != "liveness":
        trace = Trace(trace.steps)
    tests = [ReleaseTest(f"run_in_{as_name(release)}", release, holds=False)]
    head = f"A run of {system.name} in {release} that violates {property.name}, as code.\n"
    return {"name": f"test_{name}.py", "text": run_test(head, system, property, scope_text(run.scope), trace, tests)}
