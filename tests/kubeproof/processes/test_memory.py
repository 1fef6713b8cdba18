"""How much memory a search may take is said by the machine."""

from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

from kubeproof.engines import explicit
from kubeproof.engines.explicit import search
from kubeproof.processes import memory
from kubeproof.processes.memory import short_of_memory
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Outcome
from model.releases import known_release, rules_for

MIB = 1 << 20


@pytest.fixture(autouse=True)
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of 4,000 MiB on a machine with much memory, without cgroups."""
    taken = SimpleNamespace(rss=4_000 * MIB, vms=5_000 * MIB)
    monkeypatch.setattr(psutil, "Process", lambda: SimpleNamespace(memory_info=lambda: taken))
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64_000 * MIB, available=60_000 * MIB))
    monkeypatch.setattr(memory, "_cgroups", lambda: iter(()))


def test_a_machine_with_little_memory_left(monkeypatch: pytest.MonkeyPatch) -> None:
    assert short_of_memory() is None
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=64_000 * MIB, available=200 * MIB))
    assert short_of_memory() == "the machine's memory of 64,000 MiB"
    # It is others that take so much.
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=90_000 * MIB, available=200 * MIB))
    assert short_of_memory() is None
    # A small machine never has that much.
    monkeypatch.setattr(psutil, "virtual_memory", lambda: SimpleNamespace(total=2_000 * MIB, available=200 * MIB))
    assert short_of_memory() is None


@pytest.mark.parametrize(
    ("limit", "taken", "of_files"),
    [
        ("memory.max", "memory.current", "active_file"),
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ],
)
def test_a_container_with_little_memory_left(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, limit: str, taken: str, of_files: str
) -> None:
    monkeypatch.setattr(memory, "_cgroups", lambda: iter([tmp_path / "nowhere", tmp_path]))
    (tmp_path / limit).write_text(f"{1_000 * MIB}\n")
    (tmp_path / taken).write_text(f"{990 * MIB}\n")
    # Pages of files are given back when they are needed.
    (tmp_path / "memory.stat").write_text(f"anon 1\n{of_files} {500 * MIB}\n")
    assert short_of_memory() is None
    (tmp_path / "memory.stat").write_text(f"anon 1\n{of_files} {5 * MIB}\n")
    assert short_of_memory() == "the memory limit of the cgroup of 1,000 MiB"
    (tmp_path / limit).write_text("max\n")
    assert short_of_memory() is None


def test_the_cgroups_of_a_process_end_at_the_top(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert all(folder.is_relative_to("/sys/fs/cgroup") for folder in memory._cgroups())


def test_a_search_that_gets_no_memory_says_what_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    system = SYSTEMS["node-listing"]
    machine = system.machine(system.scope, rules_for(system.rules_class, known_release("1.18.4")))
    monkeypatch.setattr(search, "short_of_memory", lambda: "the machine's memory of 1 MiB")
    monkeypatch.setattr(search, "_LOOK_EVERY", 0.0)
    results = explicit.check(machine, system.properties)
    assert {result.outcome for result in results} <= {Outcome.VIOLATED, Outcome.INCONCLUSIVE}
    reasons = {result.reason for result in results if result.outcome is Outcome.INCONCLUSIVE}
    assert reasons == {"no memory is left (the machine's memory of 1 MiB): a smaller scope or more memory is needed"}
