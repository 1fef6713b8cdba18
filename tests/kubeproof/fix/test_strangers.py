"""Whatever the file of a fix does: a verdict, or one line and exit 2; nothing in the document, and nothing left."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from kubeproof.cli import app, run
from kubeproof.errors import RuleError
from kubeproof.fix import stranger as processes
from kubeproof.fix.fix import load_fix
from kubeproof.fix.process import ANSWER, Process
from kubeproof.fix.reading import MEMBERS, NUMBERS, VALUES
from kubeproof.fix.server import MEMORY
from kubeproof.processes.left_behind import owned_prefix
from kubeproof.processes.ties import MARK
from model.scheduler.cache.node_tree import NodeTree, add_node
from model.which_rule import ask_ahead
from tests.conftest import ROOT
from tests.kubeproof.fix.strangers import DAEMON, Stranger, corpus, runs

# The limits as they are: the tests below have shorter ones.
LOAD_SECONDS, RULE_SECONDS = processes.LOAD_SECONDS, processes.RULE_SECONDS

SCOPES = {
    "node-listing": "0,nodes=2,zones=2",
    "scheduling": "pods=1,updates=1",
    "cpu-manager": "pods=1,exits=1",
}
RELEASES = {"node-listing": "1.18.4", "scheduling": "1.22.3", "cpu-manager": "1.31.13"}
CORPUS = list(corpus())
# Those that once had a traceback, a hang or an acceptance, one of each kind.
ALWAYS = (
    "os-exit-0-in-rule", "os-exit-0-at-import", "loops-at-import", "raises-base-in-rule", "prints-in-rule",
    "answers-list-in-array", "answers-unknown-node", "answers-hash-order", "answers-changes-argument",
    "daemon-at-import", "patches-guard-at-import", "segfault-in-rule", "scheduling-call-arity",
)  # fmt: skip
OTHERS = [each.name for each in CORPUS if each.name not in ALWAYS and each.system == "node-listing"]
SAMPLE = [*ALWAYS, *random.Random(10).sample(OTHERS, 8)]


@pytest.fixture(autouse=True)
def shorter_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    # Some strangers import kubeproof inside a rule, which takes more than a second on a busy machine.
    monkeypatch.setattr(processes, "RULE_SECONDS", 4.0)
    monkeypatch.setattr(processes, "LOAD_SECONDS", 3.0)


def judged(stranger: Stranger, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = folder / "my_fix.py"
    path.write_text(stranger.text, encoding="utf-8", errors="surrogatepass")
    args = [str(path), "-r", RELEASES[stranger.system], "--scope", SCOPES[stranger.system], "-e", "explicit"]
    args += ["--system", stranger.system, "--json"]
    # Fixes of earlier tests end when they are collected.
    earlier = {process.pid for process in left()}
    started = time.monotonic()
    with pytest.MonkeyPatch.context() as patch:
        if stranger.ends == ("right",):  # no limit ends it, so a busy machine gets time for what it imports
            patch.setattr(processes, "RULE_SECONDS", 20.0)
            patch.setattr(processes, "LOAD_SECONDS", 20.0)
        status = run(lambda: app(["validate", *args], standalone_mode=False))
    took = time.monotonic() - started
    out, err = capfd.readouterr()
    assert "Traceback" not in out + err
    assert took < 30
    if status == 2:
        assert "line" in stranger.ends, err
        assert (out, err.count("\n")) == ("", 1)
        assert err.startswith(f"kubeproof: {path}: ")
    else:
        document = json.loads(out)
        assert all(line.startswith("note: ") for line in err.splitlines())
        assert status == {"accepted": 0, "refused": 1, "inconclusive": 3}[document["verdict"]]
        assert "judged" in stranger.ends or {0: "right", 1: "refused"}.get(status) in stranger.ends, document["reasons"]
        assert status == 0 or document["reasons"] or status == 3
    assert not [process for process in left() if process.pid not in earlier], "something is left to run"


def left() -> list[psutil.Process]:
    """What a fix has started and what still runs after the verdict."""
    found = []
    for process in psutil.process_iter():
        try:
            if f"-{os.getpid()}-" in process.environ().get(MARK, "") and process.status() != "zombie":
                found.append(process)
        except psutil.Error:
            continue
    return found


def test_the_corpus_is_large() -> None:
    assert len({each.name for each in CORPUS}) == len(CORPUS) > 150


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLE)
def test_a_sample_of_strangers_ends_in_a_verdict_or_a_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "loops-at-import":  # burns all the time that it is given
        monkeypatch.setattr(processes, "LOAD_SECONDS", 1.0)
    judged(next(each for each in CORPUS if each.name == name), tmp_path, capfd)


@pytest.mark.slow
@pytest.mark.parametrize("name", [each.name for each in CORPUS if each.name not in SAMPLE])
def test_every_stranger_ends_in_a_verdict_or_a_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    judged(next(each for each in CORPUS if each.name == name), tmp_path, capfd)


def test_what_the_fix_of_a_killed_command_has_started_is_killed_by_the_next(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    environment = {**os.environ, MARK: f"{owned_prefix('fix', gone.pid)}1"}
    orphan = subprocess.Popen(["sleep", "900"], env=environment, start_new_session=True)
    alive = subprocess.Popen(["sleep", "900"], env={**os.environ, MARK: f"{owned_prefix('fix', os.getpid())}1"})
    path = tmp_path / "my_fix.py"
    path.write_text("def list_nodes(tree): return None\n")
    try:
        load_fix(path).close()
        assert orphan.wait(5) == -signal.SIGKILL
        assert alive.poll() is None
    finally:
        orphan.kill()
        alive.kill()
        orphan.wait()
        alive.wait()


@pytest.mark.slow
@pytest.mark.parametrize("deed", ["", "os._exit(0)", "os.kill(os.getpid(), 9)", "os.kill(os.getpid(), 19)"])
def test_a_daemon_that_hides_ends_with_its_fix(deed: str, tmp_path: Path) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(f"{DAEMON}def list_nodes(tree): {deed or 'return (), tree'}\n")
    fix = load_fix(path)
    pids = [int(each.name) for each in (tmp_path / "daemons").iterdir()]
    assert len(pids) == 2
    assert all(map(runs, pids))
    with suppress(RuleError), pytest.MonkeyPatch.context() as patch:
        patch.setattr(processes, "RULE_SECONDS", 0.5)
        fix.rules["list_nodes"](NodeTree())
    fix.close()
    assert not any(map(runs, pids))


LOOKS = """\
import os
def opened(pid, what):
    try:
        with open(f'/proc/{pid}/{what}', 'r+b', buffering=0): return f'{what} of {pid}'
    except OSError:
        return ''
def list_nodes(tree):
    raise ValueError(' '.join(opened(pid, what) for pid in PIDS for what in ('mem', 'fd/1', 'fd/2')))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_fix_opens_nothing_of_kubeproofs_process(tmp_path: Path) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(f"PIDS = [{os.getpid()}]\n{LOOKS}")
    fix = load_fix(path)
    try:
        with pytest.raises(RuleError, match=r"raised ValueError \(my_fix\.py, line \d+: "):
            fix.rules["list_nodes"](NodeTree())
    finally:
        fix.close()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_a_fix_writes_nothing_to_the_output_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(
        f"{LOOKS}from pathlib import Path\npid = os.getpid()\n"
        "while 'kubeproof' in Path(f'/proc/{pid}/cmdline').read_text().split('\\0'):\n"
        "    try: Path(f'/proc/{pid}/fd/1').write_text('{}')\n"
        "    except OSError: pass\n"
        "    pid = int(Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()[1])\n"
    )
    command = [sys.executable, "-m", "kubeproof", "validate", str(path), "-r", "1.18.4", "--json"]
    command += ["--scope", SCOPES["node-listing"], "--system", "node-listing", "-e", "explicit"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert json.loads(done.stdout)["verdict"] == "refused"


def test_the_page_says_the_limits() -> None:
    page = " ".join((ROOT / "docs/fixes.md").read_text("utf-8").split())
    for text in (
        f"each with {MEMORY >> 30} GiB of memory",
        f"at most {ANSWER >> 20} MiB, {VALUES} values, sets of {MEMBERS} members and ranges of {NUMBERS} numbers",
        f"has {LOAD_SECONDS:g} seconds to be loaded, each call of a rule has {RULE_SECONDS:g} seconds",
    ):
        assert text in page


def test_a_call_is_asked_once_for_all_functions_that_answer_alike(tmp_path: Path) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(
        "import os\ncalls = 0\ndef nominator_add(nominator, pod, node, lister):\n    lister(pod)\n"
        "    with open(__file__ + '.calls', 'a') as file: file.write('x')\n    return (lister(pod), nominator)\n"
    )
    fix = load_fix(path)
    try:
        rule = fix.rules["nominator_add"]

        def lister(answer: str) -> Callable[[str], str]:
            return lambda pod: f"{answer} of {pod}"

        asked = [rule("n", pod, None, lister(answer)) for pod in "pq" for answer in "aabba"]
        assert asked == [(f"{answer} of {pod}", "n") for pod in "pq" for answer in "aabba"]
        # Three calls for each pod and answer: one process calls twice.
        assert len(path.with_name(path.name + ".calls").read_text()) == 3 * 4
    finally:
        fix.close()


@pytest.mark.parametrize("bad", ["", "n3"])
def test_what_is_asked_ahead_is_asked_together_and_one_by_one_where_that_goes_wrong(
    bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "my_fix.py"
    path.write_text(
        f"def list_nodes(tree):\n    assert {bad!r} not in tree.names()\n    return tree.names()[1:], tree\n"
    )
    sent: list[Process] = []
    send = Process.send

    def counted(process: Process, data: bytes, given: Sequence[Callable[..., object]] = ()) -> None:
        sent.append(process)
        send(process, data, given)

    monkeypatch.setattr(Process, "send", counted)
    fix = load_fix(path)
    try:
        rule = fix.rules["list_nodes"]
        trees = [add_node(NodeTree(), f"n{number}", "z1") for number in range(9)]
        sent.clear()
        ask_ahead(rule, [(tree,) for tree in trees])
        for number, tree in enumerate(trees):
            if bad == f"n{number}":
                with pytest.raises(RuleError, match="AssertionError"):
                    rule(tree)
            else:
                assert rule(tree) == ((), tree)
        # To each of the two processes.
        assert len(sent) == (2 if not bad else 2 + 2 * len(trees))
    finally:
        fix.close()
