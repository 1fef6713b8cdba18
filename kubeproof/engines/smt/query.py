"""One question to Z3 within limits, and the reason if Z3 gives no answer."""

import os
from math import inf
from time import monotonic
from typing import Any

from attrs import frozen
from z3 import Solver, Z3Exception, sat, unsat

from kubeproof.errors import InputError

ENGINE = "z3"
# An environment variable: Z3's resource units for each query, in place of seconds. Then a query has the same answer on
# every machine, however busy it is.
RLIMIT = "KUBEPROOF_Z3_RLIMIT"
_NO_TIMEOUT = 2**32 - 1


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

    `timeout`: seconds; inf: none. `rlimit`: Z3's resource units for this query; None: those that the environment names,
    or no limit. A question that reaches one of the two limits has the answer unknown. Raises InputError for a number in
    the environment that is none.
    """
    solver.set("timeout", _NO_TIMEOUT if timeout == inf else max(1, int(timeout * 1000)))
    solver.set("rlimit", (rlimit_of_all() if rlimit is None else rlimit) or 0)
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


def rlimit_of_all() -> int | None:
    """The units that the environment names for each query. Raises InputError."""
    given = os.environ.get(RLIMIT)
    if given is not None and not given.isdecimal():
        raise InputError(f"{RLIMIT}={given}: not a number of Z3's resource units: expected one such as 100000000")
    return None if given is None else int(given)


def usual(seconds: float) -> float:
    """The timeout where nobody names one: so many seconds, or none if the environment names units."""
    return seconds if rlimit_of_all() is None else inf


def advice(reason: str | None) -> str:
    """What to do after an unknown."""
    if reason and "resource" in reason:
        return "raise the rlimit, or choose a smaller scope or depth"
    if reason and ("timeout" in reason or "canceled" in reason):
        return "give more time, or choose a smaller scope or depth"
    return "choose a smaller scope or depth, or ask another engine"
