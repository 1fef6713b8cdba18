"""Tasks side by side: the results in order, systems by name, and nothing left to run after an interrupt."""

from multiprocessing import active_children
from pathlib import Path
from time import sleep

import pytest

from kubeproof.processes.pool import side_by_side
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System


def same(system: System) -> System:
    return system


def _touch_by_and_by(path: Path) -> None:
    (path / "begun").touch()
    sleep(120)
    (path / "ended").touch()


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order_and_systems_by_name(workers: int) -> None:
    with side_by_side(workers) as each:
        assert list(each(len, ["a" * n for n in (5, 0, 3, 8)])) == [5, 0, 3, 8]
        assert all(got is system for got, system in zip(each(same, SYSTEMS.values()), SYSTEMS.values(), strict=True))


def test_an_interrupt_ends_what_is_under_way_and_begins_nothing(tmp_path: Path) -> None:
    folders = [tmp_path / str(n) for n in range(6)]
    for folder in folders:
        folder.mkdir()
    before = set(active_children())
    with pytest.raises(KeyboardInterrupt):
        _interrupted(folders)
    assert not (set(active_children()) - before)
    assert not list(tmp_path.glob("*/ended"))
    assert not (folders[-1] / "begun").exists()


def _interrupted(folders: list[Path]) -> None:
    with side_by_side(2) as each:
        each(_touch_by_and_by, folders)
        while not (folders[0] / "begun").exists():
            sleep(0.05)
        raise KeyboardInterrupt
