"""The table of feature gates, `feature_gates.csv`: stage and default by release. All else that says these derives it.

Where the table comes from stands at its top.
"""

import csv
from collections.abc import Callable, Mapping
from importlib.resources import files
from typing import Any

from attrs import frozen
from packaging.version import Version

from model.rules import Row

FEATURES_GO = "pkg/features/kube_features.go"
# In 1.32 alone.
VERSIONED_FEATURES_GO = "pkg/features/versioned_kube_features.go"
# The first release whose table of gates has a line for each version, and the first that has one table again.
_VERSIONED, _ONE_TABLE = Version("1.32.0-rc.0"), Version("1.33.0-rc.0")


@frozen
class Stage:
    """A gate from a release on."""

    since: str
    # alpha, beta, GA, or "gone": there is no such flag, and the release behaves as by the default.
    stage: str
    # Whether the gate is on where nobody sets it.
    on: bool
    # Whether no other value than the default can be set.
    locked: bool
    # Whether the gate is on, and on in all later stages.
    on_for_good: bool
    # How it is known where a release other than the first of a minor brings the change.
    change: str

    @property
    def version(self) -> Version:
        return Version(self.since)

    @property
    def fixed(self) -> bool:
        """Whether nobody can set the gate to another value than the default."""
        return self.locked or self.stage == "gone"


def _read() -> dict[str, tuple[Stage, ...]]:
    text = files("model").joinpath("feature_gates.csv").read_text("utf-8")
    found: dict[str, tuple[Stage, ...]] = {}
    lines = [*csv.reader(line for line in text.splitlines() if not line.startswith("#"))]
    for gate, since, stage, on, locked, change in reversed(lines):
        later = found.get(gate, ())
        for_good = on == "on" and all(each.on for each in later)
        found[gate] = (Stage(since, stage, on == "on", locked == "locked", for_good, change), *later)
    return found


# Gate -> its stages, oldest first.
STAGES: Mapping[str, tuple[Stage, ...]] = _read()


def stage_in(gate: str, version: Version) -> Stage | None:
    """The stage of the gate in an upstream release; None: no such gate yet. Raises KeyError for an unknown gate."""
    return next((each for each in reversed(STAGES[gate]) if each.version <= version), None)


def rows_of_gate(field: str, gate: str, rule: Callable[[Stage], Callable[..., Any]]) -> tuple[Row, ...]:
    """The rows of a field whose rule the gate's stage decides: one where another rule follows."""
    rows: list[Row] = []
    for each in STAGES[gate]:
        if not rows or rows[-1].rule is not rule(each):
            rows.append(Row(field, each.since, rule(each), each.change, _place(each.version)))
    return tuple(rows)


def _place(version: Version) -> str:
    """Where the gates stand in the sources of a release."""
    if version < _VERSIONED:
        return f"{FEATURES_GO} defaultKubernetesFeatureGates"
    file = VERSIONED_FEATURES_GO if version < _ONE_TABLE else FEATURES_GO
    return f"{file} defaultVersionedKubernetesFeatureGates"
