"""`--feature-gates` as kube-scheduler takes it, in the words of a scope."""

from collections.abc import Mapping
from typing import Any

from attrs import fields
from packaging.version import Version

from kubeproof.errors import InputError
from kubeproof.systems.system import System
from kubeproof.visible import shortened
from model.releases import Release, rules_for
from model.scheduler.queue.hint_rows import QUEUEING_HINT_ROWS
from model.scheduler.queue.hints import gate_is_locked

# Gate -> the bound that stands for the gate, and its value when the gate is on and when the gate is off.
BOUNDS: Mapping[str, tuple[str, int, int]] = {
    "SchedulerQueueingHints": ("gate", 1, 2),
    "SchedulerPopFromBackoffQ": ("pop_from_backoff", 0, 2),
}
# From here on kube-scheduler refuses to start with SchedulerQueueingHints off.
LOCKED_ON = next(Version(row.since) for row in QUEUEING_HINT_ROWS if row.rule is gate_is_locked)
_VALUES = {"true": True, "false": False, "1": True, "0": False, "t": True, "f": False}


def gates_of(system: System) -> tuple[str, ...]:
    """The gates that are bounds of the system."""
    bounds = {field.name for field in fields(system.scope_class)}
    return tuple(gate for gate, (bound, _, _) in BOUNDS.items() if bound in bounds)


def with_gates(system: System, scope: str | None, feature_gates: str | None) -> str | None:
    """The text of the scope, with the bounds that `feature_gates` sets ("SchedulerQueueingHints=false").

    Raises InputError for a gate that the system does not have, and for one that the scope sets too.
    """
    if feature_gates is None:
        return scope
    parts = [] if scope is None else [part.strip() for part in scope.split(",")]
    for text in filter(None, (part.strip() for part in feature_gates.split(","))):
        name, _, value = (piece.strip() for piece in text.partition("="))
        if name not in gates_of(system) or value.lower() not in _VALUES:
            known = ", ".join(f"{gate}=false" for gate in gates_of(system)) or "none"
            raise InputError(
                f"--feature-gates: '{shortened(text)}' is not a gate of {system.name}: expected some of {known}"
            )
        bound, on, off = BOUNDS[name]
        if any(part.partition("=")[0].strip() == bound for part in parts):
            raise InputError(f"--feature-gates: --scope has {bound} too: expected one of the two")
        parts.append(f"{bound}={on if _VALUES[value.lower()] else off}")
    return ",".join(parts) or None


def refuse_locked(system: System, release: Release, scope: Any) -> None:
    """Raise InputError if the scope switches a gate off that the release locks on."""
    if getattr(scope, "gate", 0) != BOUNDS["SchedulerQueueingHints"][2]:
        return
    if rules_for(system.rules_class, release).queueing_hints_locked():
        raise InputError(
            f"SchedulerQueueingHints=false: {release} does not start so: expected a release before {LOCKED_ON}, from "
            "which on the gate is locked on"
        )
