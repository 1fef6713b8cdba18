"""The static policy: recordings of the real one replay, and no rule of another release would do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from kubeproof.conform.conform import PLAYERS, replay_file
from kubeproof.conform.static_policy import StaticPolicyPlayer
from model.cpu.policy.rows import POLICY_ROWS
from model.cpu.policy.types import (
    PolicyRules,
)
from model.releases import EVERY_MINOR, Release, parse_release, rules_for
from tests.conftest import DATA, modelled

EXCERPTS = sorted(DATA.glob("static_policy-*.jsonl"))


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.cases > 0
    assert replay.divergences == []


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "cpu", "static_policy", EVERY_MINOR)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert (sum(replay.cases for replay in replays), sum(replay.operations for replay in replays)) == (20_255, 147_918)


# What no recording of the release can tell apart. The old releases' recordings have no sidecars, no options and no
# listed CPUs; those of 1.14 not what Start makes of an error; `remove_container` goes by whatever key it is given.
# Up to 1.23 what is free is recorded and nothing else, and that is what 1.21 to 1.23 report as allocatable. Before 1.32
# there is no strict reservation.
BEFORE_OPTIONS = {"pod_guaranteed_cpus", "static_policy_options", "validate_static_policy_options",
                  "smt_alignment_error", "update_cpus_to_reuse"}  # fmt: skip
# No recorded pod has resources of its own.
NOT_ASKED = {"pod_level_cpus", "pod_level_gate"}
STRICT = {"validate_state=validate_state_strictly"}
ALIKE = {
    "1.14.0-beta.1": BEFORE_OPTIONS | {"report_at_start", "reserve_cpus=reserve_cpus_or_panic",
                                       "reserved_physical_cpus", "generate_cpu_topology_hints",
                                       "allocatable_cpus=allocatable_cpus_free_now",
                                       "remove_container=remove_container_freeing_all"},
    "1.19.0-rc.1": BEFORE_OPTIONS | STRICT | {"remove_container=remove_container_by_id",
                                     "allocatable_cpus=allocatable_cpus_free_now"},
    "1.22.0": STRICT | {"pod_guaranteed_cpus", "validate_static_policy_options", "update_cpus_to_reuse",
               "remove_container=remove_container_by_id", "allocatable_cpus=allocatable_cpus_not_reported"},
    "1.23.0": STRICT | {"pod_guaranteed_cpus", "validate_static_policy_options", "update_cpus_to_reuse",
               "remove_container=remove_container_by_id", "allocatable_cpus=allocatable_cpus_not_reported"},
    "1.26.15": STRICT | {"pod_guaranteed_cpus", "update_cpus_to_reuse"},
    "1.28.14": STRICT,
    "1.31.13": STRICT | {"static_policy_options=options_of_1_32"},
}  # fmt: skip


class Replaced(StaticPolicyPlayer):
    """A player with one rule of another release."""

    rule: tuple[str, Callable[..., Any]]

    def __init__(self, release: Release, config: dict[str, Any]) -> None:
        super().__init__(release, config)
        field, rule = self.rule
        self._rules = evolve(self._rules, **{field: rule})


def other_rules(release: str) -> list[tuple[str, Callable[..., Any]]]:
    """Each rule that some release follows in place of the one that `release` does."""
    own = rules_for(PolicyRules, parse_release(release, EVERY_MINOR))
    found = {(row.field, row.rule): None for row in POLICY_ROWS if row.rule is not getattr(own, row.field)}
    return list(found)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_no_rule_of_another_release_replays_the_excerpt(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = path.stem.removeprefix("static_policy-")
    alike = ALIKE.get(release, set()) | NOT_ASKED
    survivors = set()
    for field, rule in other_rules(release):
        monkeypatch.setitem(PLAYERS, "static_policy", type("R", (Replaced,), {"rule": (field, rule)}))
        if not replay_file(path).divergences:
            survivors.add(f"{field}={rule.__name__}")
    assert {name for name in survivors if name.split("=")[0] not in alike and name not in alike} == set()
    assert len(survivors) >= len(alike)


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_recorded_alternatives_are_all_the_outcomes(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hundred repetitions have shown every outcome that the model offers, so it offers none too many."""
    compared = []

    class Comparing(StaticPolicyPlayer):
        def agrees(self, op: dict[str, Any], expected: dict[str, Any], got: dict[str, Any]) -> bool:
            if "alternatives" in expected:
                compared.append((len(self.alternatives(op)), len(expected["alternatives"])))
            return super().agrees(op, expected, got)

    monkeypatch.setitem(PLAYERS, "static_policy", Comparing)
    assert replay_file(path).divergences == []
    assert all(offered == recorded > 1 for offered, recorded in compared)
    assert compared or path.stem.removeprefix("static_policy-") not in ("1.19.0-rc.1", "1.28.14", "1.31.13")
