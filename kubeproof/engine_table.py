"""The four engines behind one call: which scope and which form of the system each of them takes."""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kubeproof.engines import explicit
from kubeproof.fix import Fix
from kubeproof.systems import System, scope_text
from kubeproof.verdict import Outcome, Result
from properties.property import Property


@frozen
class Request:
    """One check. `scope` is what was asked for, or None: then each engine takes the system's scope that suits it.

    `judging_fix`: a fix is judged, not a system looked at.
    """

    system: System
    rules: Any
    fix: Fix | None
    scope: Any | None
    judging_fix: bool
    properties: tuple[Property, ...]
    progress: Callable[[explicit.Counts], None] | None = None

    def scope_for(self, engine: str) -> Any:
        """The scope that `engine` checks in."""
        if self.scope is not None:
            return self.scope
        if engine == "hypothesis":
            return self.system.large_scope
        return self.system.fix_scope if self.judging_fix and engine == "explicit" else self.system.scope

    def machine(self, engine: str) -> Any:
        return self.system.machine(self.scope_for(engine), self.rules)


def _explicit(request: Request) -> list[Result]:
    return explicit.check(request.machine("explicit"), request.properties, progress=request.progress)


def _hypothesis(request: Request) -> list[Result]:
    from kubeproof.engines import stateful

    return stateful.check(request.machine("hypothesis"), request.properties)


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
    scope = scope_text(request.scope_for(name))
    return [result.evolve(scope=scope) for result in ENGINES[name](request)]


def not_applicable(request: Request, engine: str, reason: str) -> list[Result]:
    """The same `not-applicable` for every property: this engine cannot express the rules in force."""
    return [
        Result(property=p.name, engine=engine, outcome=Outcome.NOT_APPLICABLE, reason=reason)
        for p in request.properties
    ]
