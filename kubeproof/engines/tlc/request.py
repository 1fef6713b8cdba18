"""The TLC engine behind the command line's request: finds the system's TLA+ form, and the operators of a fix."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kubeproof.engines.tlc.engine import ENGINE, check
from kubeproof.engines.tlc.traces import DisagreementError
from kubeproof.errors import RuleError
from kubeproof.verdict import Outcome, Result
from properties.tla.form import TlaForm

if TYPE_CHECKING:
    from kubeproof.engine_table import Request


def form_for(system: str, scope: Any, rules: Any, operators: dict[str, Path]) -> TlaForm:
    """The form that `properties.tla.<system>` gives; `operators` are .tla files by rule field."""
    module = import_module(f"properties.tla.{system.replace('-', '_')}")
    form: TlaForm = module.form(scope, rules, operators)
    return form


def check_request(request: "Request") -> list[Result]:
    """One Result for each property of the request. A fix `FIX.py` brings its operators in `FIX.tla` beside it.

    Where these say something else than its Python rules, the result is inconclusive; with built-in rules
    such a disagreement is an error of ours, and raised.
    """
    fix = request.fix
    operators: dict[str, Path] = {}
    if fix is not None and fix.path is not None:
        beside = fix.path.with_suffix(".tla")
        if beside.is_file():
            operators = dict.fromkeys(fix.rules, beside)
    form = form_for(request.system.name, request.scope_for(ENGINE), request.rules, operators)
    machine = request.machine(ENGINE)
    results = []
    for wanted in request.properties:
        try:
            results += check(machine, form, [wanted])
        except (DisagreementError, RuleError, OSError, UnicodeDecodeError) as error:
            if not form.extra_modules:
                raise
            reason = f"{form.extra_modules[0].name} and the Python rule must say the same: {error}"
            results.append(Result(property=wanted.name, engine=ENGINE, outcome=Outcome.INCONCLUSIVE, reason=reason))
    return results
