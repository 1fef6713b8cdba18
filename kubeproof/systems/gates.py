"""`--feature-gates` as kube-scheduler and the kubelet take it, in the words of a scope."""

from collections.abc import Collection, Mapping
from typing import Any

from attrs import fields
from packaging.version import Version

from kubeproof.errors import InputError
from kubeproof.systems.system import System, scope_parts
from kubeproof.visible import shortened
from model.cpu.policy.pod_level import pod_level_gate_off
from model.cpu.policy.rows import POLICY_ROWS
from model.cpu.policy.types import PolicyRules
from model.releases import Release, has_rules, rules_for
from model.scheduler.queue.hints import gate_is_locked
from model.scheduler.queue.rows import QUEUE_ROWS
from model.scheduler.queue.rules import QueueingHintRules

OPTION = "--feature-gates"
HINTS_GATE = "SchedulerQueueingHints"
POD_LEVEL_GATE = "PodLevelResources"
# Gate -> the bound that stands for the gate, and its value when the gate is on and when the gate is off.
BOUNDS: Mapping[str, tuple[str, int, int]] = {
    HINTS_GATE: ("gate", 1, 2),
    "SchedulerPopFromBackoffQ": ("pop_from_backoff", 0, 2),
    "SchedulerAsyncPreemption": ("asynchronous", 1, 2),
    "SchedulerAsyncAPICalls": ("asynchronous_calls", 1, 2),
    POD_LEVEL_GATE: ("pod_level_gate", 1, 2),
}
# From here on kube-scheduler refuses to start with SchedulerQueueingHints off.
LOCKED_ON = next(Version(row.since) for row in QUEUE_ROWS if row.rule is gate_is_locked)
# From here on the kubelet has the gate PodLevelResources, and starts with the gate's name in its flag.
POD_LEVEL_SINCE = next(Version(row.since) for row in POLICY_ROWS if row.rule is pod_level_gate_off)
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
            some = f"such as {HINTS_GATE}=false"
            if known is not None:
                some = f"some of {', '.join(f'{gate}=false' for gate in known)}" if known else "none, as it has no gate"
            raise InputError(f"{place}: '{shortened(part)}' is not a gate{of}: expected {some}")
        gates[name] = _VALUES[value.lower()]
    return gates


def gates_of(system: System) -> tuple[str, ...]:
    """The gates that are bounds of the system."""
    bounds = {field.name for field in fields(system.scope_class)}
    return tuple(gate for gate, (bound, _, _) in BOUNDS.items() if bound in bounds)


def bounds_of_gates(system: System, feature_gates: str | None) -> dict[str, int]:
    """The bounds that `feature_gates` sets ("SchedulerQueueingHints=false"). Raises InputError for another gate."""
    gates = read_gates(feature_gates or "", known=gates_of(system), whose=system.name)
    named = [(BOUNDS[gate], is_on) for gate, is_on in gates.items()]
    return {bound: on if is_on else off for (bound, on, off), is_on in named}


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


def refuse_locked(system: System, release: Release, scope: Any) -> None:
    """Raise InputError if the scope switches a gate off that the release locks on, or sets one that is not there."""
    if getattr(scope, "gate", 0) == BOUNDS[HINTS_GATE][2]:
        refuse_off_if_locked(release)
    if getattr(scope, BOUNDS[POD_LEVEL_GATE][0], 0):
        refuse_pod_level_if_unknown(release)


def refuse_pod_level_if_unknown(release: Release) -> None:
    """Raise InputError if the release has no gate PodLevelResources."""
    if rules_for(PolicyRules, release).pod_level_gate() is None:
        raise InputError(f"{POD_LEVEL_GATE}: {release} has no such gate: expected a release from {POD_LEVEL_SINCE} on")


def refuse_off_if_locked(release: Release) -> None:
    """Raise InputError if nobody can switch SchedulerQueueingHints off in the release."""
    if is_locked(release):
        raise InputError(
            f"{HINTS_GATE}=false: {release} does not start so: expected a release before {LOCKED_ON}, from which on "
            "the gate is locked on"
        )


def is_locked(release: Release) -> bool:
    """Whether kube-scheduler refuses to start with another value of SchedulerQueueingHints than the default."""
    return has_rules(QueueingHintRules, release) and rules_for(QueueingHintRules, release).queueing_hints_locked()


# The rules that a queue asks with SchedulerQueueingHints on alone, and with the gate off alone.
_WITH_HINTS = frozenset(
    {field.name for field in fields(QueueingHintRules)}
    - {"queueing_hints_default", "queueing_hints_locked", "pop_from_backoff_q", "note_activation"}
    | {"assigned_pod_with_hints", "pre_check_with_hints", "fit_events_with_hints"}
)
_WITHOUT_HINTS = frozenset({"back_off_pod", "queue_for_failed_pod", "queue_update"})


def unasked(gates: Mapping[str, bool]) -> frozenset[str]:
    """The rule fields that nobody asks with these gates."""
    found: set[str] = set()
    if HINTS_GATE in gates:
        found |= _WITHOUT_HINTS if gates[HINTS_GATE] else _WITH_HINTS
    if not gates.get("SchedulerPopFromBackoffQ", True):
        found.add("pop_from_backoff_q")
    return frozenset(found)
