"""`--feature-gates` as kube-scheduler and the kubelet take it, in the words of a scope."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import fields

from kubeproof.errors import InputError
from kubeproof.systems.system import System, scope_parts
from kubeproof.visible import shortened
from model.gates import GATES, HINTS, OF_SCOPES, Gate
from model.releases import Release

OPTION = "--feature-gates"
_VALUES = {"true": True, "false": False, "1": True, "0": False, "t": True, "f": False}


def read_gates(
    text: str, place: str = OPTION, known: Collection[str] | None = None, whose: str = ""
) -> dict[str, bool]:
    """The gates in `text`, by name. The text is as kube-scheduler takes it: A=true,B=false.

    Raises InputError, which begins with `place`, for anything else, and for a gate that is not among the `known` ones,
    which are those of `whose`. None: each gate is known.
    """
    gates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, _, value = (piece.strip() for piece in part.partition("="))
        if not name or value.lower() not in _VALUES or (known is not None and name not in known):
            of = f" of {whose}" if whose else ""
            some = f"such as {HINTS.name}=false"
            if known is not None:
                some = f"some of {', '.join(f'{gate}=false' for gate in known)}" if known else "none, as it has no gate"
            raise InputError(f"{place}: '{shortened(part)}' is not a gate{of}: expected {some}")
        gates[name] = _VALUES[value.lower()]
    return gates


def gates_in(releases: Iterable[Release], text: str | None, known: Collection[str], whose: str) -> dict[str, bool]:
    """As `read_gates`. Raises InputError also for a gate that nobody can set so in one of the releases."""
    gates = read_gates(text or "", known=known, whose=whose)
    for release in releases:
        for name, is_on in gates.items():
            refuse(GATES[name], release, is_on=is_on)
    return gates


def gates_of(system: System) -> tuple[str, ...]:
    """The gates that are bounds of the system."""
    bounds = {field.name for field in fields(system.scope_class)}
    return tuple(gate.name for gate in OF_SCOPES if gate.bound in bounds)


def bounds_of_gates(system: System, feature_gates: str | None) -> dict[str, int]:
    """The bounds that `feature_gates` sets ("SchedulerQueueingHints=false"). Raises InputError for another gate."""
    gates = read_gates(feature_gates or "", known=gates_of(system), whose=system.name)
    named = [(GATES[gate], is_on) for gate, is_on in gates.items()]
    return {gate.bound: gate.on if is_on else gate.off for gate, is_on in named}


def with_gates(system: System, scope: str | None, feature_gates: str | None) -> str | None:
    """The text of the scope, with the bounds that `feature_gates` sets.

    Raises InputError for a gate that the system does not have, and for one that the scope sets too.
    """
    parts = [] if scope is None else scope_parts(scope)
    for bound, value in bounds_of_gates(system, feature_gates).items():
        if any(part.partition("=")[0].strip() == bound for part in parts):
            raise InputError(f"{OPTION}: --scope has {bound} too: expected one of the two")
        parts.append(f"{bound}={value}")
    return ",".join(parts) if parts or scope is not None else None


def refuse_locked(release: Release, scope: Any) -> None:
    """Raise InputError if the scope switches a gate off that the release locks on, or sets one that is not there."""
    for gate in OF_SCOPES:
        value = getattr(scope, gate.bound, 0)
        if value:
            refuse(gate, release, is_on=value != gate.off)


def refuse(gate: Gate, release: Release, *, is_on: bool) -> None:
    """Raise InputError if nobody can set the gate so in the release."""
    if gate.default_in(release) is None:
        raise InputError(f"{gate.name}: {release} has no such gate: expected a release from {gate.since} on")
    if gate.is_gone(release):
        raise InputError(f"{gate.name}: {release} has no such gate any more: expected no such flag")
    if not is_on and gate.is_locked(release):
        raise InputError(
            f"{gate.name}=false: {release} does not start so: expected a release before {gate.locked_since}, from "
            "which on the gate is locked on"
        )


def gate_refused(gates: Mapping[str, bool], release: Release) -> str | None:
    """What a component of the release says, and does not start, with these gates set; None: nothing.

    Go: `Set` in staging/src/k8s.io/component-base/featuregate/feature_gate.go. Gates that are not known here pass.
    """
    for name, is_on in sorted(gates.items()):
        gate = GATES.get(name)
        if gate is None:
            continue
        default = gate.default_in(release)
        if default is None or gate.is_gone(release):
            return f"unrecognized feature gate: {name}"
        if gate.is_locked(release) and is_on != default:
            said, locked = (str(value).lower() for value in (is_on, default))
            return f"cannot set feature gate {name} to {said}, feature is locked to {locked}"
    return None


def unasked(gates: Mapping[str, bool]) -> frozenset[str]:
    """The rule fields that nobody asks with these gates."""
    named = [(GATES[name], is_on) for name, is_on in gates.items()]
    return frozenset().union(*(gate.only_off if is_on else gate.only_on for gate, is_on in named))
