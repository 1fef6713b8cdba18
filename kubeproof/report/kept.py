"""A kept run, told: how the bug's counterexample reads on its page and for `kubeproof reproduce`."""

from typing import Any

from attrs import evolve

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.kept import Reproduction
from kubeproof.report.told import ToldRun, actions_text, check_line, told_run
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import scope_text
from kubeproof.verdict.trace import Trace
from model.releases import known_release


def run_of(bug: Bug, scope: Any, trace: Trace, broke: str) -> ToldRun:
    """The run of `bug` in `scope`, at whose end `broke` is wrong."""
    system, release = system_named(bug.system), known_release(bug.release)
    given = ", ".join(f"{name}={value}" for name, value in bug.given if value)
    smallest = f"the smallest in which this can happen{f' with {given}' if given else ''}"
    claim = (
        f"Kubernetes {release}, after {actions_text(trace.length)}: no shorter run does this in the scope "
        f"{scope_text(scope)}, {smallest}"
    )
    again = check_line(system, release, scope_text(scope), bug.violates)
    return told_run(system, release, system.property_named(bug.violates), trace, broke, claim, again)


def kept_run(found: Reproduction) -> ToldRun:
    """The kept run of a bug as it was played again."""
    assert found.trace is not None
    told = run_of(found.bug, found.scope, found.trace, found.explanation)
    if not found.gates:
        return told
    actions = actions_text(found.trace.length)
    return evolve(told, claim=f"Kubernetes {found.bug.release} with {found.gates}, after {actions}: those of the page")
