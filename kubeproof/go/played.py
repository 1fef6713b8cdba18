"""`kubeproof go played`: what a test of `kubeproof go test` said of a checkout, and the file that keeps this."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any, TypedDict

from attrs import asdict, evolve

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.played import AS_IN_THE_TRACE, KEPT, PlayedOn, played_document, trace_digest
from kubeproof.bugs.runs import kept_run
from kubeproof.errors import InputError
from kubeproof.go.further_tests import FurtherTest, GoTest, go_test_of
from kubeproof.go.generated import Played, played_run
from kubeproof.input.documents import json_value
from kubeproof.input.files import lines, read_text, shown
from kubeproof.input.structure import misfit
from kubeproof.output.files import write_whole
from kubeproof.players.player import CannotPlayError
from model.releases import Release

MAX_LINE = 1 << 20
MAX_BYTES = 64 << 20
_MARK = "kubeproof-played "
# What `testing` prints of a test in which the race detector has reported something.
_RACE = "race detected during execution of test"
_EXPECTED = "the output of `go test -v` or `go test -json`"
_TEST_ENDS = re.compile(r"^\s*--- (PASS|FAIL|SKIP): (\w+)")


class Report(TypedDict):
    """The form of what a test prints of its run."""

    bug: str
    run: str
    release: str
    trace: str
    halves: str
    property: str
    actions: int
    taken: int
    stopped: str
    differs_at: int
    differs: str
    violated: str
    violated_at: int


def read_report(bug: Bug | ComponentBug, path: Path, own: FurtherTest | None = None) -> tuple[Report, date]:
    """What the test of `bug` printed, and when. Raises InputError: not such output, or without this test's end.

    `own`: of another test than that of the kept run.
    """
    found: list[Report] = []
    ended, races, on = False, False, None
    if own is not None:
        name = own.test
    else:
        assert isinstance(bug, Bug), "only a run of a system is kept"
        name = go_test_of(bug).name
    output = []
    for number, line, time in _printed(path):
        output.append(line)
        on = on or time
        end = _TEST_ENDS.match(line)
        ended = ended or (end is not None and end[2] == name)
        races = races or (own is not None and own.race and line.strip().endswith(_RACE))
        _, marked, text = line.partition(_MARK)
        if not marked:
            continue
        try:
            report = json_value(text)
        except (ValueError, RecursionError):
            raise InputError(f"{shown(path)}: line {number}: not a report of a run: cut off?") from None
        if isinstance(report, dict):
            # A test that was written before there were others does not say it.
            report.setdefault("run", "")
        wrong = misfit(report, Report)
        if wrong is not None:
            raise InputError(f"{shown(path)}: line {number}: {wrong}: expected the report of a run")
        if report["bug"] == bug.id and report["run"] == ("" if own is None else own.run):
            found.append(report)
    if not found:
        raise InputError(f"{shown(path)}: no report of {bug.id}: expected {_EXPECTED}: {_why(output)}")
    if len(found) > 1:
        raise InputError(
            f"{shown(path)}: {len(found)} reports of {bug.id}: expected the output of one run of the tests"
        )
    if not ended:
        raise InputError(f"{shown(path)}: {name} has not ended: expected {_EXPECTED}, whole")
    if races:
        found[0]["violated"] = "the race detector reports a data race"
    return found[0], on or date.fromtimestamp(path.stat().st_mtime)


def _why(output: list[str]) -> str:
    """The line that tells most of a test that has not said anything: a panic, or an error of the build."""
    for start in ("panic: ", "fatal error: "):
        for line in output:
            if line.startswith(start):
                return line
    of_build = [line for line in output if re.match(r"^\S+\.go:\d+:\d+: ", line)]
    return of_build[0] if of_build else "this test did not run"


def _printed(path: Path) -> Iterator[tuple[int, str, date | None]]:
    """(line number, what was printed, its date if it is known) for each line of the output."""
    for number, line in lines(path, MAX_LINE, MAX_BYTES, _EXPECTED):
        if not line.startswith('{"Time"') and not line.startswith('{"ImportPath"'):
            yield number, line, None
            continue
        try:
            event: dict[str, Any] = json_value(line)
            time = datetime.fromisoformat(event["Time"]).date() if "Time" in event else None
            yield number, str(event.get("Output", "")).rstrip("\n"), time
        except (ValueError, TypeError, RecursionError):
            raise InputError(f"{shown(path)}: line {number}: not an event of `go test -json`: cut off?") from None


def reported_bugs(path: Path) -> list[str]:
    """The ids of the bugs whose kept runs were played, as the tests printed, each once."""
    found: dict[str, None] = {}
    for _, line, _ in _printed(path):
        _, marked, text = line.partition(_MARK)
        named = re.search(r'"bug": ?"([A-Z0-9-]+)"', text) if marked else None
        if named is not None and not re.search(r'"run": ?"[^"]', text):
            found[named[1]] = None
    return list(found)


def check_report(bug: Bug, report: Report, run: Played, path: Path) -> None:
    """Raises InputError if the report is of a test for another release, or of another run."""
    if report["release"] != str(run.release):
        raise InputError(
            f"{shown(path)}: compared with the run of {report['release']}: expected results of a test that "
            f"`kubeproof go test {bug.id} --release {run.release}` wrote"
        )
    if report["trace"] != run.digest:
        raise InputError(f"{shown(path)}: results of another run of {bug.id}: write the test anew and run it again")


def played_on(bug: Bug, path: Path, release: Release) -> PlayedOn:
    """What the results in `path` say of `bug` on the code of `release`. Raises InputError: of another one, or run."""
    report, on = read_report(bug, path)
    return _seen_of(go_test_of(bug), report, on, path, release)


def further_played_on(bug: Bug | ComponentBug, own: FurtherTest, path: Path, release: Release) -> PlayedOn:
    """What the results in `path` say of another test of `bug`. Raises InputError."""
    report, on = read_report(bug, path, own)
    if own.file:
        seen = _seen(report, on, release, own.test, bool(report["violated"]))
    else:
        assert isinstance(bug, Bug), "a test is generated from a run of a system only"
        seen = _seen_of(go_test_of(bug, own), report, on, path, release)
    return evolve(seen, run=own.run, command=seen.command.replace("-v", "-v -race") if own.race else seen.command)


def _seen_of(test: GoTest, report: Report, on: date, path: Path, release: Release) -> PlayedOn:
    """What the report says of a test that is generated. Raises InputError."""
    try:
        run = played_run(test, release)
    except CannotPlayError as error:
        raise InputError(f"--release {release}: {error}") from None
    check_report(test.bug, report, run, path)
    return _seen(report, on, release, test.name, run.wrong is not None)


def _seen(report: Report, on: date, release: Release, test: str, expected: bool) -> PlayedOn:
    result = AS_IN_THE_TRACE
    if report["stopped"]:
        result = f"cannot be played after state {report['taken']}: {report['stopped']}"
    if report["differs"]:
        result = f"differs at state {report['differs_at']}: {report['differs']}"
    return PlayedOn(
        release=str(release),
        halves=report["halves"],
        date=on.isoformat(),
        command=f"go test -overlay overlay.json -count=1 -v -run ^{test}$",
        result=result,
        violated=report["violated"],
        expected=expected,
    )


def keep(bug: Bug | ComponentBug, played: PlayedOn, folder: Path) -> Path:
    """Write what was played into the file of `bug` in `folder`, beside what is kept of other releases.

    `folder` has the kept counterexamples. Raises InputError if there is no such folder.
    """
    if not folder.is_dir():
        raise InputError(f"--counterexamples {shown(folder)}: not a folder: expected that of the kept counterexamples")
    path = folder / bug.folder / "played.json"
    digest = trace_digest(kept_run(bug)) if isinstance(bug, Bug) else ""
    kept = played_document(read_text(path, MAX_BYTES, KEPT), path.name) if path.is_file() else None
    others = () if kept is None or kept.trace != digest else kept.played
    rows = sorted(
        (played, *(each for each in others if (each.release, each.run) != (played.release, played.run))),
        key=lambda each: (_version(each.release), each.run),
    )
    # A row of the kept run has no `run`.
    said = [{name: value for name, value in asdict(row).items() if name != "run" or value} for row in rows]
    document = {"bug": bug.id, "trace": digest, "played": said}
    write_whole(path, json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    return path


def _version(release: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", release))
