"""Configurations of a scheduler for tests, and who asks `kubeproof scheduler-config` about them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_config import ConfigAnswer, analyse, question, read_files
from kubeproof.cli import app, run

GPU: dict[str, Any] = {
    "urlPrefix": "http://gpu:1",
    "filterVerb": "filter",
    "bindVerb": "bind",
    "managedResources": [{"name": "a.com/gpu"}],
}
Ask = Callable[..., ConfigAnswer]


def extender(name: str = "x", **fields: Any) -> dict[str, Any]:
    """An extender with the verb Filter."""
    return {"urlPrefix": f"http://{name}", "filterVerb": "filter"} | fields


def configuration(version: str = "v1", **fields: Any) -> dict[str, Any]:
    """A KubeSchedulerConfiguration."""
    return {"apiVersion": f"kubescheduler.config.k8s.io/{version}", "kind": "KubeSchedulerConfiguration"} | fields


def policy(**fields: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Policy"} | fields


def plugins(**points: dict[str, Any]) -> dict[str, Any]:
    """A profile with these points."""
    return {"plugins": points}


def enabled(*names: str) -> dict[str, Any]:
    return {"enabled": [{"name": name} for name in names]}


def disabled(*names: str) -> dict[str, Any]:
    return {"disabled": [{"name": name} for name in names]}


def asker(path: Path) -> Ask:
    """Asks about a document, written into a file below `path`."""

    def ask(document: Any, release: str | None = None, nodes: str | None = None) -> ConfigAnswer:
        file = path / "scheduler.json"
        file.write_text(json.dumps(document))
        given = read_files([file])
        return analyse(given, question(given, release, nodes))

    return ask


def command(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    """The exit status of the command with these arguments, and what it prints."""
    status = run(lambda: app(["scheduler-config", *args], prog_name="kubeproof", standalone_mode=False))
    return status, capsys.readouterr().out
