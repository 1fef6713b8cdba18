"""Tasks side by side: the results in order, systems by name, and nothing left to run after an interrupt."""

import os
from multiprocessing import active_children
from pathlib import Path
from time import sleep

import pytest

from kubeproof.processes.memory import peak_memory
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import HowFar
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


def _process(_: int) -> int:
    return os.getpid()


@pytest.mark.parametrize(("grown", "processes"), [(0.0, 6), (10_000.0, 2)])
def test_a_worker_that_has_grown_is_replaced(grown: float, processes: int) -> None:
    with side_by_side(2, grown=grown) as each:
        assert len(set(each(_process, range(6)))) <= processes
        # The one that was replaced does no more tasks.
        assert grown or len(set(each(_process, range(6)))) == processes


@pytest.mark.parametrize("workers", [1, 2])
def test_how_far_the_tasks_are_is_told(workers: int) -> None:
    told: list[tuple[int, int]] = []
    under_way: list[str] = []

    def hear(now: HowFar) -> None:
        told.append((now.done, now.total))
        under_way.extend(now.under_way)

    with side_by_side(workers, told=hear) as each:
        results = [*each(len, ["a", "bc"]), *each(len, ["d"])]
    assert (results, told[0], told[-1], set(under_way)) == ([1, 2, 1], (0, 2), (3, 3), {"a", "bc", "d"})
    assert told == sorted(told)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_done_and_what_is_left_is_told_by_weight(workers: int) -> None:
    told: list[tuple[float, float]] = []
    with side_by_side(workers, told=lambda now: told.append((now.behind, now.ahead)), weigh=len) as each:
        assert list(each(len, ["abc", "d"])) == [3, 1]
    assert (told[0], told[-1]) == ((0, 4), (4, 0))


def _when(place: tuple[Path, str]) -> int:
    folder, name = place
    (folder / name).touch()
    sleep(0.5)
    return len(list(folder.iterdir()))


def test_what_takes_longest_is_begun_first(tmp_path: Path) -> None:
    with side_by_side(2, weigh=lambda task: len(task[1])) as each:
        # Both workers are busy with these when the others come.
        busy = each(_when, [(tmp_path, "x" * 9), (tmp_path, "y" * 9)])
        begun = list(each(_when, [(tmp_path, name) for name in ("a", "bb", "ccc", "dddd")]))
        assert list(busy)
    assert max(begun[2:]) <= min(begun[:2])


def test_the_peak_is_of_all_processes() -> None:
    with peak_memory() as before:
        pass
    with peak_memory() as peak, side_by_side(2) as each:
        list(each(_takes_a_while, [100, 100]))
    assert peak.mebibytes > before.mebibytes + 150


def _takes_a_while(mebibytes: int) -> None:
    taken = b"x" * (mebibytes << 20)
    sleep(2.5)
    del taken


@pytest.mark.slow
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
