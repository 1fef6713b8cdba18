"""The feature gates that a model or the advice knows: one entry each, with all that differs from gate to gate.

Go: pkg/features/kube_features.go. A gate with rows decides what some rules of the release table do. One without rows
decides which plugins a release has by default; those were read of every patch release at hand of 1.13 to 1.36, and
within a minor they do not differ.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from attrs import fields, frozen
from packaging.version import Version

from model.cpu.policy.options import ALPHA_GATE, BETA_GATE
from model.releases import Release, row_in, rows_of
from model.scheduler.api_dispatcher import ApiDispatcherRules
from model.scheduler.preemption.async_preemption import AsyncPreemptionRules
from model.scheduler.queue.rules import QueueingHintRules

_EVER = 99


@frozen(slots=False)
class Gate:
    """A feature gate of kube-scheduler or of the kubelet."""

    name: str
    # The first release with the gate.
    since: str
    # The last minor in which the gate can be set.
    until: int = _EVER
    # The first minor with the gate on where nobody sets it; or the rule that answers this, None where no gate is there.
    default: int | str = _EVER
    # The rule that answers whether the gate cannot be set; "": it always can.
    locked: str = ""
    # The bound of a scope that stands for the gate, and its values for on and off. 0: as the release has the gate.
    bound: str = ""
    on: int = 1
    off: int = 2
    # The rules on which the gate decides; and those that are asked with the gate on alone, and with the gate off alone.
    rows: frozenset[str] = frozenset()
    only_on: frozenset[str] = frozenset()
    only_off: frozenset[str] = frozenset()

    @property
    def first(self) -> Version:
        return Version(self.since)

    @cached_property
    def locked_since(self) -> Version | None:
        """The first release that locks the gate."""
        return next((since for since, row in rows_of(self.locked) if row.rule()), None) if self.locked else None

    def default_in(self, release: Release) -> bool | None:
        """Whether the gate is on where nobody sets it; None: there is none. Before the first row this one holds."""
        if isinstance(self.default, int):
            return release.minor >= self.default
        answer: bool | None = row_in(self.default, release).rule()
        return answer

    def is_locked(self, release: Release) -> bool:
        """Whether a component of this release refuses to start with another value of the gate than the default."""
        return bool(self.locked) and bool(row_in(self.locked, release).rule())


def _fields(rules_class: type[Any], *without: str) -> frozenset[str]:
    return frozenset(field.name for field in fields(rules_class)) - {*without}


_NOT_OF_HINTS = ("queueing_hints_default", "queueing_hints_locked", "pop_from_backoff_q", "note_activation")
_WITH_HINTS = _fields(QueueingHintRules, *_NOT_OF_HINTS) | {
    "assigned_pod_with_hints", "pre_check_with_hints", "fit_events_with_hints",
}  # fmt: skip
_WITHOUT_HINTS = frozenset({"back_off_pod", "queue_for_failed_pod", "queue_update"})
HINTS = Gate(
    "SchedulerQueueingHints", "1.28.0-beta.0", default="queueing_hints_default", locked="queueing_hints_locked",
    bound="gate", rows=_WITH_HINTS | _WITHOUT_HINTS, only_on=_WITH_HINTS, only_off=_WITHOUT_HINTS,
)  # fmt: skip
POP_FROM_BACKOFF_Q = Gate(
    "SchedulerPopFromBackoffQ", "1.33.0", default="pop_from_backoff_q", bound="pop_from_backoff", on=0,
    rows=frozenset({"pop_from_backoff_q"}), only_on=frozenset({"pop_from_backoff_q"}),
)  # fmt: skip
ASYNC_PREEMPTION = Gate(
    "SchedulerAsyncPreemption", "1.32.0-rc.0", default="async_preemption_default", bound="asynchronous",
    rows=_fields(AsyncPreemptionRules, "async_preemption_default"),
)  # fmt: skip
ASYNC_API_CALLS = Gate(
    "SchedulerAsyncAPICalls", "1.34.0-rc.0", default="async_api_calls_default", bound="asynchronous_calls",
    rows=_fields(ApiDispatcherRules, "async_api_calls_default"),
)  # fmt: skip
POD_LEVEL_RESOURCES = Gate(
    "PodLevelResources", "1.32.0", default="pod_level_gate", bound="pod_level_gate", rows=frozenset({"pod_level_cpus"})
)
GATES: Mapping[str, Gate] = {
    gate.name: gate
    for gate in (
        HINTS,
        POP_FROM_BACKOFF_Q,
        ASYNC_PREEMPTION,
        ASYNC_API_CALLS,
        POD_LEVEL_RESOURCES,
        Gate(ALPHA_GATE, "1.23.0-alpha.4", rows=frozenset({"static_policy_options"})),
        Gate(BETA_GATE, "1.23.0-alpha.4", default=23, rows=frozenset({"static_policy_options"})),
        Gate("EvenPodsSpread", "1.18.0", until=18, default=18),
        # Off: SelectorSpread scores too.
        Gate("DefaultPodTopologySpread", "1.19.0", until=23, default=20),
        Gate("PreferNominatedNode", "1.21.0", until=23, default=22),
        Gate("VolumeCapacityPriority", "1.21.0", until=32),
        Gate("StorageCapacityScoring", "1.33.0"),
        Gate("PodSchedulingReadiness", "1.26.0", until=29, default=27),
        Gate("DynamicResourceAllocation", "1.26.0", until=34, default=34),
        Gate("NodeDeclaredFeatures", "1.35.0", default=36),
        Gate("GangScheduling", "1.35.0"),
        Gate("TopologyAwareWorkloadScheduling", "1.36.0"),
    )
}
# The gates that are bounds of some system.
OF_SCOPES = tuple(gate for gate in GATES.values() if gate.bound)


def switched_on(given: Iterable[tuple[str, int]]) -> tuple[Gate, ...]:
    """The gates that these bounds switch on."""
    bounds = dict(given)
    return tuple(gate for gate in OF_SCOPES if gate.on and bounds.get(gate.bound) == gate.on)
