"""One question to Z3 within limits, and the reason if Z3 gives no answer."""

from time import monotonic
from typing import Any

from attrs import frozen
from z3 import Solver, Z3Exception, sat, unsat

ENGINE = "z3"


@frozen
class Answer:
    """What Z3 answered."""

    # sat, unsat or unknown.
    reading: str
    # Set with sat.
    model: Any = None
    # Set with unknown.
    reason: str | None = None
    seconds: float = 0.0


def ask(solver: Solver, *, timeout: float, rlimit: int | None) -> Answer:
    """Whether the assertions of `solver` can be satisfied.

    `timeout`: seconds. `rlimit`: Z3's resource units for this query; None: no such limit. A question that reaches one
    of the two limits has the answer unknown.
    """
    solver.set("timeout", max(1, int(timeout * 1000)))
    solver.set("rlimit", rlimit or 0)
    started = monotonic()
    try:
        found = solver.check()
    except Z3Exception as error:
        return Answer("unknown", reason=str(error), seconds=monotonic() - started)
    seconds = monotonic() - started
    if found == sat:
        return Answer("sat", model=solver.model(), seconds=seconds)
    if found == unsat:
        return Answer("unsat", seconds=seconds)
    return Answer("unknown", reason=solver.reason_unknown(), seconds=seconds)


def advice(reason: str | None) -> str:
    """What to do after an unknown."""
    if reason and "resource" in reason:
        return "raise the rlimit, or choose a smaller scope or depth"
    if reason and ("timeout" in reason or "canceled" in reason):
        return "give more time, or choose a smaller scope or depth"
    return "choose a smaller scope or depth, or ask another engine"
