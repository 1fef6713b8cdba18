"""The explicit engine beside TLC: CPU seconds, seconds on the clock, peak memory. How to read it: docs/performance.md.

    python -m benchmarks.explicit_engine [--workers 2] [--only NUMBER ...] [--no-tlc] [--timeout 7200]

Every run is a process of its own, so that peak memory is its own too; the runs take turns, and each is told on stderr
when it ends. Where both engines explore the same states, their counts must be equal, or the comparison means nothing.
On a machine that does other things as well, go by CPU seconds: they are of all processors together.
"""

import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from time import process_time
from typing import Any

import psutil
from attrs import frozen
from rich.console import Console
from rich.table import Table

from benchmarks.watched import MILLION, watched
from kubeproof.engines.explicit import Counts, Limits, explore
from kubeproof.engines.explicit.compiled import CHOICE
from kubeproof.engines.explicit.remembered import Memory
from kubeproof.systems.registry import SYSTEMS
from model.releases import known_release, rules_for

# Limits of a search: MiB, seconds, states.
LIMITS = Limits(memory=8_192, seconds=600, states=40 * MILLION)


@frozen
class Scope:
    """What is explored. A bound that the text does not name is that of the scope class."""

    system: str
    release: str
    text: str
    # Distinct and generated, as they must be counted.
    counts: tuple[int, int]
    symmetry: bool = False
    # The scope of TLC, which has no symmetry, unless it is None.
    tlc: str | None = None

    def __str__(self) -> str:
        return f"{self.system} {self.release} {self.text}{' with symmetry' if self.symmetry else ''}"


_THREE = "pods=3,nodes=2,deletes=1,updates=1"
_CPUS = "cores=4,threads=2,containers=2,size=2,restarts=1,crashes=1"
_TWO = "pods=2,nodes=2,deletes=1,recreates=1"
SCOPES = (
    Scope("scheduling", "1.24.0", _TWO, (75_789, 185_305), tlc=_TWO),
    Scope("scheduling", "1.24.0", _THREE, (1_752_610, 5_531_686), tlc=_THREE),
    Scope("scheduling", "1.24.0", _THREE, (148_740, 470_399), symmetry=True, tlc=_THREE),
    Scope(
        "scheduling-cycle", "1.31.13", "pods=2,nodes=2,reserves=2,failures=1,deletes=1,recreates=1",
        (898_358, 2_950_076), symmetry=True,
    ),
    Scope("cpu-manager", "1.31.0", _CPUS, (465_864, 1_800_269), tlc=_CPUS),
    Scope("cpu-manager", "1.31.0", _CPUS, (232_999, 900_407), symmetry=True, tlc=_CPUS),
    Scope("scheduling", "1.24.0", "pods=3,nodes=2,deletes=1,updates=2", (17_764_447, 58_702_777)),
)  # fmt: skip
# One for the loop of numbers alone, and a smaller one for the plain core.
LOOP, PLAIN = SCOPES[1], SCOPES[0]


@frozen
class Run:
    """One engine to the end of one scope, or until it was cut."""

    # Distinct, generated; () where a run that was cut has none.
    counts: tuple[int, ...]
    # Why it did not come to an end, or None.
    cut: str | None
    # CPU seconds in the evaluation of Python functions; 0 if nobody asked for them.
    evaluating: float
    # CPU seconds of the search alone, without the start of Python.
    searching: float
    # Bytes for each state beyond the first million; None if there are not many more.
    for_each_state: float | None
    # Seconds on the clock, CPU seconds of all its processes, and peak memory of them together in MB.
    seconds: float = 0
    cpu: float = 0
    mb: float = 0


# --- one run, in a process of its own


def one_run(scope: Scope, options: Namespace) -> None:
    """Run one engine once and print what it found."""
    system = SYSTEMS[scope.system]
    rules = rules_for(system.rules_class, known_release(scope.release))
    text = scope.tlc if options.engine == "tlc" else scope.text
    assert text is not None
    bounds = system.scope_class(**{name: int(value) for name, value in (part.split("=") for part in text.split(","))})
    if options.engine == "tlc":
        print(json.dumps(_tlc(system.tla_form(bounds, rules, {}), options)))
    else:
        print(json.dumps(_explicit(system.machine(bounds, rules), scope.symmetry, options.engine == "evaluating")))


def _tlc(form: Any, options: Namespace) -> tuple[Any, ...]:
    from kubeproof.engines import tlc

    assert form.reason is None, form.reason
    try:
        counts = tlc.count(form, symmetry=False, workers=options.workers, timeout=options.timeout, jvm=tlc.LONG_RUN)
    except RuntimeError as error:
        return (), str(error), 0, 0, None
    return counts[:2], None, 0, 0, None


def _explicit(machine: Any, symmetry: bool, evaluating: bool) -> tuple[Any, ...]:
    spent = [0.0]
    if evaluating:
        Memory.missed = _timed(Memory.missed, spent)  # type: ignore[method-assign]
    # States and bytes, as they were seen now and then.
    samples: list[tuple[int, int]] = []
    process = psutil.Process()

    def look(counts: Counts) -> None:
        samples.append((counts.distinct, process.memory_info().rss))

    before = process_time()
    run = explore(machine, symmetry=symmetry, limits=LIMITS, progress=look)
    took = process_time() - before
    look(run.counts)
    first = next((sample for sample in samples if sample[0] >= MILLION), samples[-1])
    more = samples[-1][0] - first[0]
    slope = (samples[-1][1] - first[1]) / more if more > MILLION else None
    return (run.counts.distinct, run.counts.generated), run.stopped, spent[0], took, slope


def _timed(does: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """`does`, and the CPU seconds in it. An evaluation asks for others inside of it: these count once."""
    inside = [False]

    def timed(*args: Any) -> Any:
        if inside[0]:
            return does(*args)
        inside[0], before = True, process_time()
        try:
            return does(*args)
        finally:
            spent[0] += process_time() - before
            inside[0] = False

    return timed


# --- all runs


def measured(number: int, engine: str, options: Namespace, **environment: str) -> Run:
    """One run in a process tree of its own."""
    argv = [sys.executable, "-m", "benchmarks.explicit_engine", "--one", str(number), "--engine", engine]
    argv += ["--workers", str(options.workers), "--timeout", str(options.timeout)]
    run = watched(argv, environment=os.environ | environment)
    if run.returncode:
        sys.exit(f"{engine} on {SCOPES[number]} ended with exit status {run.returncode}")
    counts, cut, evaluating, searching, slope = json.loads(run.output)
    found = Run(tuple(counts), cut, evaluating, searching, slope, run.seconds, run.cpu, run.mb)
    told = f"{engine}, {SCOPES[number]}: {cut or found.counts}, {found.cpu:.1f} s of CPU, {found.seconds:.1f} s"
    print(told, file=sys.stderr, flush=True)
    return found


def admit(scope: Scope, ours: Run, theirs: Run | None) -> None:
    """Ends the program where the counts are others than they must be."""
    for run in (ours, theirs):
        if run is None or run.cut or (run is theirs and (scope.symmetry or scope.tlc != scope.text)):
            continue
        if run.counts != scope.counts:
            sys.exit(f"{scope}: counted {run.counts}, expected {scope.counts}")


def cells(run: Run | None) -> tuple[str, ...]:
    if run is None:
        return "", "", ""
    more = "> " if run.cut else ""
    return f"{more}{run.cpu:.1f}", f"{more}{run.seconds:.1f}", f"{run.mb:,.0f}"


def ratios(ours: Run, theirs: Run | None) -> str:
    """How many times as much TLC takes."""
    if theirs is None:
        return ""
    more = "> " if theirs.cut else ""
    pairs = {"CPU": (theirs.cpu, ours.cpu), "wall": (theirs.seconds, ours.seconds), "MB": (theirs.mb, ours.mb)}
    return ", ".join(f"{what} {more}×{other / own:.1f}" for what, (other, own) in pairs.items())


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="of TLC; the explicit engine has one process")
    parser.add_argument("--only", type=int, nargs="+", help="scopes by number, from 0")
    parser.add_argument("--no-tlc", action="store_true")
    parser.add_argument("--timeout", type=float, default=7200, help="seconds for each run of TLC")
    parser.add_argument("--one", type=int, help="internal: one run")
    parser.add_argument("--engine", choices=("explicit", "evaluating", "tlc"), help="internal: of this engine")
    options = parser.parse_args()
    if options.one is not None:
        one_run(SCOPES[options.one], options)
        return
    titles = ("scope", "distinct", "generated", "CPU s", "wall s", "MB", "TLC CPU s", "wall s", "MB", "TLC / explicit")
    table = Table(*titles)
    tlc_runs: dict[tuple[str, str], Run] = {}
    notes = []
    for number, scope in enumerate(SCOPES):
        if options.only and number not in options.only:
            continue
        ours, theirs = measured(number, "explicit", options), None
        if scope.tlc and not options.no_tlc:
            key = scope.system, scope.tlc
            theirs = tlc_runs[key] = tlc_runs.get(key) or measured(number, "tlc", options)
        admit(scope, ours, theirs)
        counts = [f"{'> ' if ours.cut else ''}{count:,}" for count in ours.counts]
        table.add_row(str(scope), *counts, *cells(ours), *cells(theirs), ratios(ours, theirs))
        if ours.for_each_state is not None:
            notes.append(f"{ours.for_each_state:.1f} bytes for each state beyond the first million: {scope}")
    loop = measured(SCOPES.index(LOOP), "evaluating", options)
    alone = loop.searching - loop.evaluating
    notes.append(
        f"{1e6 * alone / loop.counts[1]:.2f} µs of CPU for each generated state in the loop of numbers, "
        f"{alone:.1f} s of {loop.searching:.1f}; the rest evaluates Python: {LOOP}"
    )
    compiled, plain = (
        measured(SCOPES.index(PLAIN), "explicit", options, **{CHOICE: which}) for which in ("compiled", "python")
    )
    notes.append(
        f"the plain core searches {plain.searching:.1f} s, the compiled one {compiled.searching:.1f} s: "
        f"×{plain.searching / compiled.searching:.0f}: {PLAIN}"
    )
    console = Console(width=250)
    console.print(table)
    for note in notes:
        console.print(note, highlight=False)


if __name__ == "__main__":
    main()
