"""What TLC printed in the runs of `test_tla_*.py`: a run of which all that TLC reads is the same is read, not repeated.

TLC takes most of the time of those tests. What TLC prints depends on the modules, the .cfg, the options and the jar. It
does not depend on the Python side, with which the tests compare it. So a run is kept under the digest of all this, as
recordings of the Go code are kept. After a change of any of it TLC itself runs. One kept run in sixteen runs again too.

`make tlc-runs` keeps the runs anew that the tests ask for.
"""

import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from kubeproof.engines.tlc.answer import Answer, read_answer
from kubeproof.processes.command import Finished
from kubeproof.verdict.result import Outcome
from tests.conftest import DATA

Run = Callable[..., Finished]

FILE = DATA / "tlc_runs.jsonl.gz"
# A folder: every run is one of TLC, and is written there.
RECORD = "KUBEPROOF_TLC_RUNS"
# How the digests begin of which TLC is asked again: one in sixteen.
ASKED_AGAIN = "0"

# Messages that say where, when and on what TLC runs, and the lines of the parser.
_OF_THE_MACHINE = re.compile(
    r"@!@!@STARTMSG (2185|2186|2187|2189|2190|2219|2220|2262|2401):\d @!@!@\n.*?@!@!@ENDMSG \1 @!@!@\n"
    r"|^(?:Parsing file|Semantic processing) [^\n]*\n| at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\([\d,]+ d?s/min\)",
    re.DOTALL | re.MULTILINE,
)


def digest_of(argv: Sequence[str], folder: Path) -> str:
    """Tells all that TLC reads in this run from any other."""
    files = {path.name: path.read_text("utf-8") for path in sorted(folder.iterdir()) if path.suffix in (".tla", ".cfg")}
    options = [each.replace(str(folder), "") for each in argv[argv.index("tlc2.TLC") :]]
    jar = _digest_of_file(argv[argv.index("-cp") + 1])
    return sha256(json.dumps([files, options, jar]).encode()).hexdigest()[:24]


@cache
def _digest_of_file(path: str) -> str:
    return sha256(Path(path).read_bytes()).hexdigest()


def kept_or_run(run: Run) -> Run:
    """`run`, which starts TLC, in place of which a kept run is read if there is one."""

    def answered(argv: Sequence[str], folder: Path, timeout: float, *hear: Any) -> Finished:
        digest = digest_of(argv, folder)
        kept = None if os.environ.get(RECORD) else _kept().get(digest)
        if kept is not None and not digest.startswith(ASKED_AGAIN):
            return kept
        finished = run(argv, folder, timeout, *hear)
        if kept is not None:
            assert _read(finished) == _read(kept), f"{digest}: TLC answers otherwise: run `make tlc-runs`"
        elif os.environ.get(RECORD):
            _record(Path(os.environ[RECORD]), digest, finished)
        return finished

    return answered


def _read(finished: Finished) -> Answer:
    return read_answer(finished, timeout=0, memory_mb=0)


@cache
def _kept() -> dict[str, Finished]:
    if not FILE.exists():
        return {}
    with gzip.open(FILE, "rt", encoding="utf-8") as lines:
        documents = [json.loads(line) for line in lines]
    return {each["digest"]: Finished(each["returncode"], each["output"], "") for each in documents}


def _record(folder: Path, digest: str, finished: Finished) -> None:
    bare = Finished(finished.returncode, _OF_THE_MACHINE.sub("", finished.output), "")
    # A run that says nothing is not kept.
    if _read(finished).outcome is Outcome.INCONCLUSIVE:
        return
    assert _read(bare) == _read(finished)
    document = {"digest": digest, "returncode": bare.returncode, "output": bare.output}
    (folder / f"{digest}.json").write_text(json.dumps(document), encoding="utf-8")


def write_kept(folder: Path) -> None:
    """Write the runs that were recorded in `folder`."""
    lines = [path.read_text("utf-8") + "\n" for path in sorted(folder.glob("*.json"))]
    # Without the time, so that the same runs are the same bytes.
    FILE.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    write_kept(Path(sys.argv[1]))
