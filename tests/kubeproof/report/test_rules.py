"""`kubeproof rules`: which rules a system goes by in a release, and how each is known."""

import json
from typing import Any

import pytest

from kubeproof.cli import app, run
from kubeproof.report.rules import rule_in_force, rules_in_force, rules_text
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System
from model.releases import parse_release, rules_for

Captured = pytest.CaptureFixture[str]


def kubeproof(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["rules", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def document(capsys: Captured, *args: str) -> Any:
    status, out, err = kubeproof(capsys, *args, "--json")
    assert (status, err) == (0, "")
    return json.loads(out)


@pytest.mark.parametrize(
    ("system", "release"),
    [
        pytest.param(system, release, id=f"{system.name}-{release}")
        for system in SYSTEMS.values()
        for release in ("1.13.0", "1.18.4", "1.24.10", "1.28.3", "1.31.0", "1.32.0")
        if int(release.split(".")[1]) in system.minors
    ],
)
def test_each_rule_that_a_system_goes_by_is_shown(capsys: Captured, system: System, release: str) -> None:
    found = document(capsys, system.name, "--release", release)
    assert (found["system"], found["release"], found["against"]) == (system.name, release, None)
    rules = rules_for(system.rules_class, parse_release(release, system.minors))
    shown = {field: each["release"]["rule"] for field, each in found["rules"].items()}
    assert shown == {field: getattr(rules, field).__name__ for field in system.fields_asked(rules)}


def test_a_rule_stands_with_its_change_its_go_function_and_where_it_was_seen(capsys: Captured) -> None:
    assert document(capsys, "node-listing", "-r", "1.19.0")["rules"]["list_nodes"]["release"] == {
        "rule": "list_from_reset_cursors",
        "since": "1.19.0",
        "change": "#93355",
        "go": "pkg/scheduler/internal/cache/cache.go updateNodeInfoSnapshotList",
        "evidence": "recorded",
        "where": ["rancher/k3s d38505b124c9"],
        "reason": None,
    }


def test_what_is_inferred_says_why() -> None:
    found = rule_in_force("extender_plugins", parse_release("1.28.5"))
    assert (found.evidence, found.where) == ("inferred", ())
    assert found.reason is not None
    assert "no tree of 1.28.5" in found.reason
    text = rules_text(rules_in_force(system_named("scheduling"), parse_release("1.28.5")))
    assert f"    inferred: {found.reason}\n" in text


def test_against_another_release_only_what_differs_is_shown(capsys: Captured) -> None:
    found = document(capsys, "scheduling", "--release", "1.28.4", "--against", "1.28.5")
    assert (found["release"], found["against"], list(found["rules"])) == ("1.28.4", "1.28.5", ["extender_plugins"])
    both = found["rules"]["extender_plugins"]
    assert [both[name]["rule"] for name in ("release", "against")] == ["extender_is_no_plugin", "extender_as_plugin"]
    total = len(system_named("scheduling").fields_asked_in(parse_release("1.28.4")))
    _, out, _ = kubeproof(capsys, "scheduling", "--release", "1.28.4", "--against", "1.28.5")
    assert out.startswith(f"scheduling 1.28.4 against 1.28.5: 1 of {total} rules differs\n\nextender_plugins\n")


def test_a_vendors_back_port_differs_from_its_upstream_release(capsys: Captured) -> None:
    found = document(capsys, "node-listing", "--release", "v1.18.4-tke.5", "--against", "v1.18.4")
    assert list(found["rules"]) == ["list_nodes"]
    ported = found["rules"]["list_nodes"]["release"]
    assert (ported["evidence"], ported["where"]) == ("inferred", [])
    assert "TKE revision history" in ported["change"]


def test_a_release_against_itself_differs_in_nothing(capsys: Captured) -> None:
    assert document(capsys, "cpu-manager", "--against", "1.36.3")["rules"] == {}
    assert kubeproof(capsys, "cpu-manager", "--against", "1.36.3")[1].endswith(" rules differ\n")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (("nodes",), "'nodes' is not a system: expected one of node-listing, cpu-manager, scheduling"),
        (("scheduling", "--release", "1.12.0"), "--release: release '1.12.0' is outside the modelled range"),
        (("scheduling", "--against", "next"), "--against: 'next' is not a Kubernetes release: expected one such as"),
    ],
)
def test_a_bad_argument_is_one_line(capsys: Captured, args: tuple[str, ...], expected: str) -> None:
    status, out, err = kubeproof(capsys, *args)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert expected in err
