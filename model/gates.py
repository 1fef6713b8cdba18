"""The feature gates that a model or the advice knows, each with what the gate decides there.

Stage and default by release: `model/feature_gates.csv`. A gate with rows decides what some rules of the release table
do.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import fields, frozen
from packaging.version import Version

from model.cpu.configuration import POLICY_OPTIONS_GATE, TOPOLOGY_MANAGER_GATE
from model.cpu.policy.options import ALPHA_GATE, BETA_GATE
from model.feature_gates import STAGES, stage_in
from model.releases import Release
from model.scheduler.api_dispatcher import ApiDispatcherRules
from model.scheduler.preemption.async_preemption import AsyncPreemptionRules
from model.scheduler.queue.rules import QueueingHintRules


@frozen(slots=False)
class Gate:
    """A feature gate of kube-scheduler or of the kubelet."""

    name: str
    # The bound of a scope that stands for the gate, and its values for on and off. 0: as the release has the gate.
    bound: str = ""
    on: int = 1
    off: int = 2
    # The rules on which the gate decides; and those that are asked with the gate on alone, and with the gate off alone.
    rows: frozenset[str] = frozenset()
    only_on: frozenset[str] = frozenset()
    only_off: frozenset[str] = frozenset()

    @property
    def since(self) -> str:
        """The first release with the gate."""
        return STAGES[self.name][0].since

    @property
    def first(self) -> Version:
        return STAGES[self.name][0].version

    @property
    def on_from(self) -> str | None:
        """The first release with the gate on by default for good."""
        return next((stage.since for stage in STAGES[self.name] if stage.on_for_good), None)

    @property
    def locked_since(self) -> Version | None:
        """The first release in which nobody can set the gate to another value than its default."""
        return next((stage.version for stage in STAGES[self.name] if stage.fixed), None)

    def default_in(self, release: Release) -> bool | None:
        """Whether the gate is on where nobody sets it; None: there is none yet."""
        stage = stage_in(self.name, release.version)
        return None if stage is None else stage.on

    def is_on(self, release: Release, given: Mapping[str, bool] | None = None) -> bool:
        """Whether the gate is on in this release; `given`: the gates that are set."""
        default = self.default_in(release)
        return default is not None and (given or {}).get(self.name, default)

    def is_gone(self, release: Release) -> bool:
        """Whether a component of this release no longer knows the flag, and behaves as by the last default."""
        stage = stage_in(self.name, release.version)
        return stage is not None and stage.stage == "gone"

    def is_locked(self, release: Release) -> bool:
        """Whether a component of this release refuses to start with another value of the gate than the default."""
        stage = stage_in(self.name, release.version)
        return stage is not None and stage.fixed


def _fields(rules_class: type[Any], *without: str) -> frozenset[str]:
    return frozenset(field.name for field in fields(rules_class)) - {*without}


_NOT_OF_HINTS = ("queueing_hints_default", "queueing_hints_locked", "pop_from_backoff_q", "note_activation")
_WITH_HINTS = _fields(QueueingHintRules, *_NOT_OF_HINTS) | {
    "assigned_pod_with_hints", "pre_check_with_hints", "fit_events_with_hints",
}  # fmt: skip
_WITHOUT_HINTS = frozenset({"back_off_pod", "queue_for_failed_pod", "queue_update"})
HINTS = Gate(
    "SchedulerQueueingHints", bound="gate", rows=_WITH_HINTS | _WITHOUT_HINTS, only_on=_WITH_HINTS,
    only_off=_WITHOUT_HINTS,
)  # fmt: skip
POP_FROM_BACKOFF_Q = Gate(
    "SchedulerPopFromBackoffQ", bound="pop_from_backoff", on=0, rows=frozenset({"pop_from_backoff_q"}),
    only_on=frozenset({"pop_from_backoff_q"}),
)  # fmt: skip
ASYNC_PREEMPTION = Gate(
    "SchedulerAsyncPreemption", bound="asynchronous", rows=_fields(AsyncPreemptionRules, "async_preemption_default")
)
ASYNC_API_CALLS = Gate(
    "SchedulerAsyncAPICalls", bound="asynchronous_calls", rows=_fields(ApiDispatcherRules, "async_api_calls_default")
)
POD_LEVEL_RESOURCES = Gate("PodLevelResources", bound="pod_level_gate", rows=frozenset({"pod_level_cpus"}))
_WITH_ROWS = (
    HINTS,
    POP_FROM_BACKOFF_Q,
    ASYNC_PREEMPTION,
    ASYNC_API_CALLS,
    POD_LEVEL_RESOURCES,
    Gate(TOPOLOGY_MANAGER_GATE, rows=frozenset({"check_topology_manager"})),
    Gate(POLICY_OPTIONS_GATE, rows=frozenset({"check_options"})),
    Gate(ALPHA_GATE, rows=frozenset({"static_policy_options"})),
    Gate(BETA_GATE, rows=frozenset({"static_policy_options"})),
)
GATES: Mapping[str, Gate] = {name: Gate(name) for name in STAGES} | {gate.name: gate for gate in _WITH_ROWS}
# The gates that are bounds of some system.
OF_SCOPES = tuple(gate for gate in GATES.values() if gate.bound)


def switched_on(given: Iterable[tuple[str, int]]) -> tuple[Gate, ...]:
    """The gates that these bounds switch on."""
    bounds = dict(given)
    return tuple(gate for gate in OF_SCOPES if gate.on and bounds.get(gate.bound) == gate.on)
