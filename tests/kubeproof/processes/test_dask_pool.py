"""Tasks on a Dask cluster: the same results, whatever becomes of workers, and one line if there is no cluster."""

import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import sleep, time
from typing import Any
from unittest.mock import Mock

import psutil
import pytest

from kubeproof.errors import InputError, LostError
from kubeproof.hunt.found import Asked
from kubeproof.hunt.hunt import Hunt, hunt
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import Count, HowFar, alike
from kubeproof.processes.worker import ENDED, GROWN
from kubeproof.report.hunt import hunt_json
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import parse_release
from tests.conftest import ROOT
from tests.kubeproof.processes.clusters import PATIENCE, Remote, remote
from tests.kubeproof.processes.test_signals import begun, interrupted, marked

distributed = pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[cluster]'")
CommClosedError = pytest.importorskip("distributed.comm").CommClosedError

SCOPES = tuple(f"nodes={nodes},zones={zones}" for nodes in (2, 3, 4) for zones in (1, 2))


def same(system: System) -> System:
    return system


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Remote]:
    with remote(tmp_path_factory.mktemp("cluster")) as found:
        yield found


def found_by(release: str = "1.18.4", **more: Any) -> Hunt:
    system = SYSTEMS["node-listing"]
    scopes = [system.parse_scope(text) for text in SCOPES]
    return hunt(Asked(system, parse_release(release)), 600, scopes=scopes, **more)


def told(found: Hunt) -> dict[str, Any]:
    return {name: value for name, value in hunt_json(found).items() if name != "seconds"}


@pytest.mark.slow
def test_results_come_in_order_and_systems_by_name(cluster: Remote) -> None:
    far: list[HowFar] = []
    with side_by_side(dask=cluster.address, told=far.append, weigh=lambda task: 2.0) as each:
        assert list(each(len, ["a" * n for n in (5, 0, 3, 8)])) == [5, 0, 3, 8]
        assert all(got is system for got, system in zip(each(same, SYSTEMS.values()), SYSTEMS.values(), strict=True))
    assert (far[-1].done, far[-1].total, far[-1].behind, far[-1].ahead) == (12, 12, 24, 0)
    assert [now.done for now in far] == sorted(now.done for now in far)


def _raises(text: str) -> None:
    raise InputError(text)


@pytest.mark.slow
def test_an_error_of_a_task_is_the_commands_and_the_workers_go_on(cluster: Remote) -> None:
    with side_by_side(dask=cluster.address) as each:
        with pytest.raises(InputError, match="FILE: line 3"):
            list(each(_raises, ["FILE: line 3"]))
        assert list(each(len, ["a"])) == [1]


@pytest.mark.slow
def test_a_hunt_finds_what_it_finds_in_one_process(cluster: Remote) -> None:
    assert told(found_by(dask=cluster.address)) == told(found_by(workers=1))


# --- What may happen to a worker


def _once(folder: Path, number: int) -> int:
    """Ends its process the first time that it is called with a number, or stops it."""
    try:
        (folder / str(number)).mkdir()
    except FileExistsError:
        return number
    os.kill(os.getpid(), signal.SIGKILL if number % 2 else signal.SIGSTOP)
    return -1


@pytest.mark.slow
def test_a_process_that_ends_or_is_silent_costs_its_time_only(cluster: Remote, tmp_path: Path) -> None:
    from kubeproof.processes.dask_pool import on_cluster

    with on_cluster(cluster.address, 2, None, alike, GROWN, silent=2.0) as each:
        assert list(each(partial(_once, tmp_path), range(4))) == [0, 1, 2, 3]


def _ends(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.slow
def test_a_task_that_ends_every_process_is_an_error(cluster: Remote) -> None:
    with side_by_side(dask=cluster.address) as each, pytest.raises(RuntimeError, match="ended before its task"):
        list(each(_ends, [1]))
    assert "memory" in ENDED


def daemons(found: Remote) -> list[psutil.Process]:
    """The workers below the process that begins them anew."""
    below = psutil.Process(found.workers.pid).children()
    return [each for each in below if any("spawn_main" in part for part in each.cmdline())]


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_dies_or_never_answers_costs_its_tasks_time_only(tmp_path: Path, sent: signal.Signals) -> None:
    """A scheduler takes a worker for gone that is silent for its time to live, here five seconds."""
    ill: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL", "1s")
        with remote(tmp_path) as found:

            def hear(now: HowFar) -> None:
                # One that has begun: who begins a worker that ends before it has begun gives up.
                busy = [] if ill else [each for each in daemons(found) if each.children()]
                if busy:
                    ill.append(busy[0].pid)
                    busy[0].send_signal(sent)

            assert told(found_by(dask=found.address, told=hear)) == told(found_by(workers=1))
    assert ill


# --- The scheduler


@pytest.mark.slow
def test_a_hunt_whose_scheduler_ends_goes_on_from_what_it_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with remote(tmp_path) as found:

        def hear(now: HowFar) -> None:
            if now.done == 2:
                os.kill(found.scheduler.pid, signal.SIGKILL)

        lost = found_by(dask=found.address, told=hear)
    kept = Path("out/hunts/node-listing-1.18.4.json")
    assert lost.lost.startswith(f"--dask {found.address}: the scheduler has ended, or nothing reaches it any more: ")
    assert lost.lost.endswith(f"the same command with --kept {kept} goes on from there")
    assert 0 < lost.scopes < len(SCOPES)
    whole = found_by(workers=1)
    on = found_by(workers=1, kept=kept)
    assert ({bug.property for bug in on.bugs}, on.scopes) == ({bug.property for bug in whole.bugs}, len(SCOPES))


@pytest.mark.parametrize("how", [CancelledError, TimeoutError, CommClosedError])
def test_a_scheduler_that_ends_while_a_result_comes_is_lost(how: type[Exception]) -> None:
    from kubeproof.processes.dask_pool import _Cluster

    future = Mock(result=Mock(side_effect=how("closed")))
    with pytest.raises(LostError, match="scheduler has ended"):
        _Cluster(Mock(), "there", Count(None, alike), alike, GROWN, 1.0)._outcome(future)


@pytest.mark.slow
def test_what_a_lost_scheduler_had_ends_the_command_in_one_line(tmp_path: Path) -> None:
    with remote(tmp_path) as found, pytest.raises(LostError, match="scheduler has ended") as raised:
        _lost(found)
    assert "\n" not in str(raised.value)


def _lost(found: Remote) -> None:
    with side_by_side(dask=found.address) as each:
        assert list(each(len, ["a"])) == [1]
        os.kill(found.scheduler.pid, signal.SIGKILL)
        found.scheduler.wait()
        list(each(sleep, [1, 2]))


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nowhere", "x://y", "tcp://"])
def test_an_address_without_a_scheduler_is_refused_in_one_line(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from kubeproof.processes import dask_pool

    monkeypatch.setattr(dask_pool, "_CONNECT", 0.2)
    with pytest.raises(InputError, match=f"^--dask {address}: no scheduler answers: .*: expected `local`, or the addr"):
        side_by_side(dask=address).__enter__()


# --- Workers that were made from something else


@pytest.mark.slow
def test_a_worker_with_other_sources_is_refused_in_one_line(tmp_path: Path) -> None:
    other = tmp_path / "other"
    for package in ("kubeproof", "model", "properties", "specs", "bugs", "counterexamples"):
        shutil.copytree(ROOT / package, other / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (other / "model" / "machine.py").open("a") as file:
        file.write("# another line\n")
    with (
        remote(tmp_path, PYTHONPATH=str(other)) as found,
        side_by_side(dask=found.address) as each,
        pytest.raises(InputError, match=r"^--dask tcp://\S+: a worker has sources with the digest \w+ and not \w+: "),
    ):
        list(each(len, ["a"]))


@pytest.mark.slow
def test_a_worker_without_kubeproof_is_refused_in_one_line(tmp_path: Path) -> None:
    """Python with -S -E would have no distributed either: so a module that fails stands before kubeproof."""
    (tmp_path / "kubeproof").mkdir()
    (tmp_path / "kubeproof" / "__init__.py").write_text("raise ModuleNotFoundError('no kubeproof here')\n")
    with (
        remote(tmp_path, PYTHONPATH=str(tmp_path)) as found,
        side_by_side(dask=found.address) as each,
        pytest.raises(InputError, match=r"^--dask tcp://\S+: .*: expected kubeproof \S+ with the scheduler "),
    ):
        list(each(len, ["a"]))


# --- The end


def _when_asked(path: Path) -> None:
    path.touch()
    sleep(600)


@pytest.mark.slow
def test_an_interrupt_ends_what_workers_elsewhere_do(tmp_path: Path) -> None:
    with remote(tmp_path) as found:
        before = time()
        with pytest.raises(KeyboardInterrupt):
            _interrupted(found, tmp_path)
        processes = [below for each in daemons(found) for below in each.children()]
        _, alive = psutil.wait_procs([each for each in processes if _sleeps(each)], timeout=20)
        assert not alive
        assert time() - before < 60


def _sleeps(process: psutil.Process) -> bool:
    return any("spawn_main" in part for part in process.cmdline())


def _interrupted(found: Remote, folder: Path) -> None:
    with side_by_side(dask=found.address) as each:
        each(_when_asked, [folder / "1", folder / "2"])
        end = time() + PATIENCE
        while not ((folder / "1").exists() and (folder / "2").exists()):
            assert time() < end
            sleep(0.05)
        raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "sent", "to_group"),
    [(2.0, signal.SIGTERM, False), (8.0, signal.SIGINT, False), (6.0, signal.SIGINT, True)],
)
def test_a_signal_ends_a_hunt_on_a_cluster_of_this_machine(
    tmp_path: Path, after: float, sent: signal.Signals, to_group: bool
) -> None:
    hunting = ("hunt", "scheduling", "--release", "1.28.3", "--time", "10m", "--dask", "local")
    interrupted(hunting, tmp_path, after, sent, to_group)


def _semaphores(mark: str) -> set[Path]:
    found = set()
    for process in marked(mark):
        with suppress(psutil.Error):  # it has ended
            found |= {each.path for each in process.memory_maps() if each.path.startswith("/dev/shm/sem.")}
    return {Path(each) for each in found}


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/shm").is_dir(), reason="needs a system that shows its semaphores")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_an_ended_cluster_of_this_machine_gives_back_its_semaphores(tmp_path: Path, sent: signal.Signals) -> None:
    mark = f"{os.getpid()} semaphores {sent}"
    process = begun(("hunt", "scheduling", "--release", "1.28.3", "--time", "10m", "--dask", "local"), tmp_path, mark)
    end = time() + PATIENCE
    while not _semaphores(mark):
        assert time() < end
        sleep(0.1)
    sleep(5)  # then it hunts
    semaphores = _semaphores(mark)
    os.kill(process.pid, sent)
    _, errors = process.communicate(timeout=20)
    assert errors == (b"" if sent == signal.SIGKILL else b"kubeproof: interrupted\n")
    while any(each.exists() for each in semaphores):
        assert time() < end
        sleep(0.05)


@pytest.mark.slow
def test_a_cluster_of_this_machine_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    before = {each.pid for each in psutil.Process().children(recursive=True)}
    with side_by_side(2, dask="local") as each:
        assert list(each(len, ["a", "bc"])) == [1, 2]
    left = [each for each in psutil.Process().children(recursive=True) if each.pid not in before]
    assert [each for each in left if "resource_tracker" not in " ".join(each.cmdline())] == []
    assert list(tmp_path.glob("kubeproof-dask-*")) == []
