"""The four engines behind one call: which scope and which form of the system each of them takes."""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kubeproof.engines import explicit
from kubeproof.fix import Fix
from kubeproof.systems import System
from kubeproof.verdict import Outcome, Result
from properties.property import Property


@frozen
class Request:
    """One check: `scope_given` tells whether the scope was asked for; else Hypothesis takes the larger one."""

    system: System
    rules: Any
    fix: Fix | None
    scope: Any
    scope_given: bool
    properties: tuple[Property, ...]
    progress: Callable[[explicit.Counts], None] | None = None

    @property
    def machine(self) -> Any:
        return self.system.machine(self.scope, self.rules)


def _explicit(request: Request) -> list[Result]:
    return explicit.check(request.machine, request.properties, progress=request.progress)


def _hypothesis(request: Request) -> list[Result]:
    from kubeproof.engines import stateful

    scope = request.scope if request.scope_given else request.system.large_scope
    return stateful.check(request.system.machine(scope, request.rules), request.properties)


def _z3(request: Request) -> list[Result]:
    from kubeproof.engines import smt

    return smt.check_request(request)


def _tlc(request: Request) -> list[Result]:
    from kubeproof.engines import tlc

    return tlc.check_request(request)


ENGINES: dict[str, Callable[[Request], list[Result]]] = {
    "explicit": _explicit,
    "hypothesis": _hypothesis,
    "z3": _z3,
    "tlc": _tlc,
}


def run_engine(name: str, request: Request) -> list[Result]:
    """The results of engine `name`, one for each property of the request, in its order."""
    return ENGINES[name](request)


def not_applicable(request: Request, engine: str, reason: str) -> list[Result]:
    """The same `not-applicable` for every property: this engine cannot express the rules in force."""
    return [
        Result(property=p.name, engine=engine, outcome=Outcome.NOT_APPLICABLE, reason=reason)
        for p in request.properties
    ]
