"""Signals at any moment: the exit status, within two seconds, without a traceback, and nothing is left behind."""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from kubeproof.processes.left_behind import owned_prefix, remove_left_behind, temporary_folder

FIX = "examples/fixes/reset_cursors.py"
COMMANDS = (
    ("check", "scheduling", "--release", "1.17.10", "--engine", "all"),
    ("check", "node-listing", "--release", "1.18.4", "--engine", "tlc"),
    ("validate", FIX, "--release", "1.18.4"),
    ("validate", "--rule", "list_nodes=list_stateless", "--release", "1.18.4", "--engine", "z3"),
    ("conform", "tests/data/node_tree-1.17.10.jsonl"),
    ("explore", "--bug", "NODETREE-CURSOR", "--fix", FIX, "--no-browser"),
    ("report", "--engine", "explicit"),
    ("report", "--engine", "tlc"),
)
MARK = "KUBEPROOF_TEST_MARK"


def marked(mark: str) -> list[psutil.Process]:
    """The processes that a command has started, and that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() != psutil.STATUS_ZOMBIE and process.environ().get(MARK) == mark:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture
def temporary(tmp_path: Path) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def begun(args: tuple[str, ...], folder: Path, mark: str) -> "subprocess.Popen[bytes]":
    own = ("--out", str(folder / "report")) if args[0] == "report" else ()
    return subprocess.Popen(
        [sys.executable, "-m", "kubeproof", *args, *own],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, MARK: mark, "TMPDIR": str(folder)},
    )


def wait_for_first_line(process: "subprocess.Popen[bytes]") -> None:
    """Until Python has started: before its first line of ours no program can hold a signal."""
    status, mask = Path(f"/proc/{process.pid}/status"), 1 << (signal.SIGTERM - 1)
    until = time.monotonic() + 10
    while status.exists() and process.poll() is None and time.monotonic() < until:
        held = next(line for line in status.read_text().splitlines() if line.startswith("SigBlk"))
        if int(held.split()[1], 16) & mask:
            return
        time.sleep(0.001)


def interrupted(args: tuple[str, ...], folder: Path, after: float, sent: signal.Signals, to_group: bool) -> None:
    mark = f"{os.getpid()} {args} {after} {sent}"
    process = begun(args, folder, mark)
    wait_for_first_line(process)
    time.sleep(after)
    was_done = process.poll() is not None
    started = time.monotonic()
    with suppress(ProcessLookupError):  # it has come to its end
        (os.killpg if to_group else os.kill)(process.pid, sent)
    _, errors = process.communicate(timeout=20)
    took = time.monotonic() - started
    assert b"Traceback" not in errors, errors
    # A short command may come to its end just before the signal.
    ends = (0, 128 + sent) if was_done or args[0] == "conform" else (128 + sent,)
    assert process.returncode in ends, (process.returncode, errors)
    assert took < 2
    assert errors.count(b"\n") <= 1 or was_done, errors
    assert not marked(mark)
    assert not list(folder.glob("*kubeproof-*"))
    assert was_done or not (folder / "report").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "after", "sent"),
    [
        (COMMANDS[0], 0.0, signal.SIGINT),
        (COMMANDS[0], 1.5, signal.SIGINT),
        (COMMANDS[1], 1.8, signal.SIGTERM),
        (COMMANDS[2], 1.2, signal.SIGINT),
        (COMMANDS[5], 1.6, signal.SIGINT),
    ],
    ids=lambda value: "-".join(value[:2]) if isinstance(value, tuple) else str(value),
)
def test_a_signal_ends_a_command_within_two_seconds(
    args: tuple[str, ...], after: float, sent: signal.Signals, temporary: Path
) -> None:
    interrupted(args, temporary, after, sent, to_group=False)


@pytest.mark.slow
def test_a_command_under_nohup_goes_on_after_the_terminal_is_gone(temporary: Path) -> None:
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\nfrom kubeproof.start import main; main()"
    process = subprocess.Popen([sys.executable, "-c", ignoring, "list"], stdout=subprocess.DEVNULL)
    wait_for_first_line(process)
    process.send_signal(signal.SIGHUP)
    assert process.wait(20) == 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(28))
def test_a_signal_at_a_random_moment_ends_any_command(seed: int, temporary: Path) -> None:
    chance = random.Random(seed)
    sent = chance.choice([signal.SIGINT, signal.SIGTERM])
    after = chance.choice([chance.uniform(0.0, 0.4), chance.uniform(0.4, 5)])
    interrupted(COMMANDS[seed % len(COMMANDS)], temporary, after, sent, to_group=chance.random() < 0.5)


EARLY = """
import os, signal, sys

class Sends:
    def find_spec(self, name, *more):
        if name == "kubeproof.processes.supervise":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Sends())
sys.argv = ["kubeproof", "list"]
from kubeproof.start import main
main()
"""


def test_a_signal_before_the_first_import_of_ours_is_answered_too() -> None:
    done = subprocess.run([sys.executable, "-c", EARLY], capture_output=True)
    assert (done.returncode, done.stderr) == (128 + signal.SIGINT, b"kubeproof: interrupted\n")


SLOW_TO_END = """
import atexit, sys, time
from kubeproof.cli import run
from kubeproof.processes.supervise import results_so_far, supervised

def wait():
    with results_so_far():
        print("begun", flush=True)
        time.sleep(60)

def command():
    atexit.register(time.sleep, 60)  # as a process that has much memory to give back
    return run(wait)

sys.exit(supervised(command))
"""


@pytest.mark.parametrize(("sent", "said"), [(signal.SIGINT, b"interrupted"), (signal.SIGTERM, b"terminated")])
def test_a_signal_is_said_once_even_if_the_worker_is_slow_to_end(sent: signal.Signals, said: bytes) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW_TO_END], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    process.send_signal(sent)
    assert process.communicate(timeout=20)[1] == b"kubeproof: " + said + b"\n"
    assert process.returncode == 128 + sent


ELSEWHERE = """
import multiprocessing.popen_spawn_posix, subprocess, sys, time
import psutil
sys.platform = "another"  # so nothing asks the kernel for a signal at the parent's death

from kubeproof.processes.pool import side_by_side
from kubeproof.processes.supervise import supervised

def task(number):
    print("begun", flush=True)
    time.sleep(60)

def command():
    with side_by_side(2) as each:
        list(each(task, range(2)))
    return 0

if __name__ == "__main__":
    sys.exit(supervised(command))
"""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_on_systems_without_a_signal_at_the_parents_death_nothing_is_left_either(
    sent: signal.Signals, tmp_path: Path
) -> None:
    script, mark = tmp_path / "elsewhere.py", f"elsewhere {os.getpid()} {sent}"
    script.write_text(ELSEWHERE)
    environment = {**os.environ, MARK: mark, "PYTHONPATH": os.pathsep.join(map(str, [Path.cwd(), *sys.path]))}
    process = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(2)] == [b"begun\n"] * 2
    assert len(marked(mark)) >= 4  # supervisor, worker, and two of the pool
    process.send_signal(sent)
    assert process.wait(5) == (-signal.SIGKILL if sent == signal.SIGKILL else 128 + sent)
    until = time.monotonic() + 2
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert not marked(mark)


@pytest.mark.slow
def test_what_a_killed_command_leaves_behind_is_removed_by_the_next(temporary: Path) -> None:
    process = begun(COMMANDS[1], temporary, "killed")
    until = time.monotonic() + 20
    while not list(temporary.glob("kubeproof-tlc-*")) and time.monotonic() < until:
        time.sleep(0.05)
    assert list(temporary.glob("kubeproof-tlc-*"))
    process.kill()
    process.communicate()
    until = time.monotonic() + 2
    while marked("killed") and time.monotonic() < until:
        time.sleep(0.05)
    assert not marked("killed")
    assert list(temporary.glob("kubeproof-tlc-*"))
    done = begun(("list",), temporary, "next")
    done.communicate()
    assert done.returncode == 0
    assert not list(temporary.glob("kubeproof-*"))


def test_a_folder_of_a_process_that_lives_stays(tmp_path: Path) -> None:
    with temporary_folder("test") as own:
        (tmp_path / own.name).mkdir()
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        dead = tmp_path / f"{owned_prefix('test', gone.pid)}x"
        dead.mkdir()
        other = [tmp_path / "kubeproof-tlc-abcdefgh", tmp_path / "kubeproof-test-00000000-1-x", tmp_path / "mine"]
        for folder in other:
            folder.mkdir()
        remove_left_behind(tmp_path)
        assert own.exists()
        assert (tmp_path / own.name).exists()
        assert all(folder.exists() for folder in other)
        assert not dead.exists()
    assert not own.exists()
    assert own.parent == Path(tempfile.gettempdir())
