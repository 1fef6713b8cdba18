"""A search that goes on from a checkpoint finds what one finds that never stopped; of another check there is a line."""

import multiprocessing
import pickle
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from attrs import evolve

from kubeproof.check.check import CheckReport, check_system
from kubeproof.engines.explicit import Limits, check
from kubeproof.engines.explicit.checkpoint import Checkpoints
from kubeproof.errors import InputError
from kubeproof.systems.registry import SYSTEMS
from kubeproof.verdict.result import Interrupted, Outcome, Result
from model.releases import known_release, rules_for
from model.systems.scheduling import SchedulingScope
from tests.kubeproof.engines.test_disk import full_disk

OF = {"release": "1.24.0", "scope": "small"}
LARGER = SchedulingScope(pods=2, nodes=2, deletes=1, recreates=1)
slow = pytest.mark.slow


def checked(name: str, folder: Path | None = None, scope: Any = None, release: str | None = None, **of: Any) -> Any:
    """All properties of a system, by default of its newest release. The seconds are left out."""
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, known_release(release or f"1.{system.minors[-1]}.0"))
    machine = system.machine(scope or (*system.counted.small, system.scope)[0], rules)
    kept = None if folder is None else Checkpoints(folder, OF, every=0.02)
    results = check(machine, system.properties, checkpoints=kept, **of)
    return [evolve(result, seconds=0.0) for result in results]


def most_states(results: Sequence[Result]) -> int:
    return max(result.states or 0 for result in results)


@pytest.mark.parametrize(
    "name",
    [
        "cpu-manager",
        "scheduling",
        *(pytest.param(name, marks=slow) for name in SYSTEMS if name not in ("cpu-manager", "scheduling")),
    ],
)
def test_nothing_is_lost_where_a_search_stops(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same results, the same runs."""
    whole = checked(name)
    for part in (3, 2):
        stopped = checked(name, tmp_path, limits=Limits(states=most_states(whole) // part))
        assert any("more than" in (result.reason or "") for result in stopped)
    assert checked(name, tmp_path) == whole
    assert "1.checkpoint" in capsys.readouterr().err
    written = [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())]
    # What has ended is not searched again.
    assert checked(name, tmp_path) == whole
    assert [path.stat().st_mtime_ns for path in sorted(tmp_path.iterdir())] == written


def killed_at(moments: Callable[[], float], times: int, does: Callable[[], Any]) -> Any:
    """What `does` answers, in a process that is killed so many times, after so many seconds, and begun again."""
    fork = multiprocessing.get_context("fork")
    kills = 0
    while True:
        read, write = fork.Pipe(duplex=False)
        process = fork.Process(target=lambda write=write: write.send(does()))
        process.start()
        write.close()
        try:
            if kills < times and not read.poll(moments()):
                process.kill()
                kills += 1
            else:
                return kills, read.recv()
        finally:
            process.join()
            read.close()


@slow
@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_is_killed_goes_on(seed: int, tmp_path: Path) -> None:
    begun = monotonic()
    whole = checked("scheduling", None, LARGER, "1.24.0")
    took, random = monotonic() - begun, Random(seed)
    search = partial(checked, "scheduling", tmp_path, LARGER, "1.24.0")
    kills, found = killed_at(lambda: took * random.uniform(0.05, 0.5), 3, search)
    assert kills
    assert found == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.checkpoint", "2.checkpoint"]


def test_an_interrupted_search_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def interrupt(counts: Any) -> None:
        nonlocal looked
        looked += 1
        if looked == 2:
            raise KeyboardInterrupt

    whole = checked("scheduling")
    monkeypatch.setattr("kubeproof.engines.explicit.search._LOOK_EVERY", 0.0)
    with pytest.raises(Interrupted):
        checked("scheduling", tmp_path, progress=interrupt)
    assert checked("scheduling", tmp_path) == whole


def test_violations_are_kept(tmp_path: Path) -> None:
    """Those that were found before the search stopped, with their counts."""
    scope = SYSTEMS["scheduling"].counted.small[0]
    whole = checked("scheduling", None, scope, "1.24.0")
    stopped = checked("scheduling", tmp_path, scope, "1.24.0", limits=Limits(states=most_states(whole) // 2))
    violated = [result for result in stopped if result.outcome is Outcome.VIOLATED]
    assert violated
    assert checked("scheduling", tmp_path, scope, "1.24.0") == whole
    assert [result for result in whole if result in violated] == violated


def test_on_a_full_disk_the_search_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = checked("scheduling")
    checked("scheduling", tmp_path, limits=Limits(states=100))
    before = (tmp_path / "1.checkpoint").read_bytes()
    with full_disk(len(before)):
        assert checked("scheduling", tmp_path) == whole
    told = pytest.raises(InputError, match=r"--checkpoint: .*1.checkpoint: File too large: expected a place")
    with full_disk(100), told:
        checked("scheduling", tmp_path / "new")
    assert "no checkpoint: " in capsys.readouterr().err
    assert (tmp_path / "1.checkpoint").read_bytes() == before
    assert checked("scheduling", tmp_path) == whole


def test_a_damaged_file_gets_one_line(tmp_path: Path) -> None:
    checked("node-listing", tmp_path)
    path = tmp_path / "1.checkpoint"
    whole = path.read_bytes()
    header = whole.index(b"\n") + 1
    random = Random(1)
    for _ in range(20):
        at = random.randrange(header, len(whole))
        for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :], whole + b"more"):
            path.write_bytes(damaged)
            with pytest.raises(InputError, match=r"1.checkpoint: not whole: it is damaged: delete it to begin anew"):
                checked("node-listing", tmp_path)
    for other in (b"", b"[]\n", b"\xff\n", whole[: header - 5]):
        path.write_bytes(other)
        with pytest.raises(InputError, match=r"1.checkpoint: not a checkpoint of this kubeproof: expected a"):
            checked("node-listing", tmp_path)


class Acts:
    """What is called when it is read."""

    def __reduce__(self) -> Any:
        return Path.touch, (Path("acted"),)


def test_a_file_that_would_act_is_not_obeyed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    checked("node-listing", tmp_path)
    path = tmp_path / "1.checkpoint"
    begun = path.read_bytes().partition(b"\n")[0] + b"\n" + pickle.dumps(Acts())
    path.write_bytes(begun + sha256(begun).digest())
    with pytest.raises(InputError, match="not readable"):
        checked("node-listing", tmp_path)
    assert not Path("acted").exists()


# --- the whole check


def of_check(folder: Path, system: str = "node-listing", release: str = "1.31.0", **of: Any) -> CheckReport:
    return check_system(system, release, checkpoint=folder, **({"scope": "nodes=2"} | of))


def test_a_checkpoint_of_another_check_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(what: str, **of: Any) -> None:
        with pytest.raises(InputError, match=rf"1.checkpoint: not of this {what}, but of .*: expected a"):
            of_check(tmp_path, **of)

    of_check(tmp_path)
    refuses("system", system="cpu-manager", scope=None)
    refuses("release", release="1.18.4")
    refuses("scope", scope="nodes=3")
    refuses("fix", rules=["list_nodes=list_from_reset_cursors"])
    refuses("set of properties", properties=["listed-exactly-once"])
    of_check(tmp_path)
    monkeypatch.setattr("kubeproof.check.check.sources_digest", lambda besides: "other")
    refuses("digest of sources")


def test_the_text_of_a_fix_is_part_of_the_check(tmp_path: Path) -> None:
    fix = tmp_path / "fix.py"
    text = Path("examples/fixes/stateless.py").read_text("utf-8")
    fix.write_text(text)
    kept = tmp_path / "kept"
    of_check(kept, fix=fix)
    of_check(kept, fix=fix)
    fix.write_text(f"{text}\n# other\n")
    with pytest.raises(InputError, match="not of this fix"):
        of_check(kept, fix=fix)


def test_what_the_option_does_not_go_with(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--checkpoint: not without --engine explicit: got z3"):
        of_check(tmp_path, engines=["z3"])
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"--checkpoint .*file is a file: expected a folder"):
        of_check(tmp_path / "file")


def test_other_scopes_are_not_kept(tmp_path: Path) -> None:
    """Without `--scope` a premise is looked for in other scopes, of which nothing is kept."""
    report = of_check(tmp_path, system="scheduling", scope=None, properties=["failed-attempt-backs-off"])
    assert {result.scope for result in report.results if result.engine == "explicit"} != {report.scope}
    assert [path.name for path in tmp_path.iterdir()] == ["1.checkpoint"]
