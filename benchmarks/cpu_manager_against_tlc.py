"""cpu-manager: the explicit engine against TLC on the same scopes: time to the end, states per second, peak memory.

    python -m benchmarks.cpu_manager_against_tlc [--workers 2] [--release 1.31.0] [--goal] [--timeout 7200]

Every run is a process of its own, so that peak memory is its own too; the two take turns, and each run is told on
stderr when it ends. Counts must be equal, or the comparison means nothing. On a machine that does other things as well,
go by CPU seconds: they are of all processors together. `--goal`: also a machine of 8 CPUs, whose cores and CPUs are
interchangeable. The modules say nothing of those, so there TLC explores the same scope with the CPUs as the release
numbers them. What is still running after `--timeout` seconds is cut, and the table says so.
"""

import json
import resource
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from time import perf_counter

import psutil
from attrs import frozen
from rich.console import Console
from rich.table import Table

SCOPES = [
    # scope, symmetry
    ("cores=3,containers=1,restarts=1,crashes=1", False),
    ("cores=3,containers=1,restarts=1,crashes=1", True),
    ("cores=3,containers=2,restarts=1,crashes=1", False),
    ("cores=3,containers=2,restarts=1,crashes=1", True),
]
GOAL = "cores=4,threads=2,containers=2,size=2,restarts=1,crashes=1"


@frozen
class Run:
    """One engine to the end of one scope, or until it was cut.

    `counts`: distinct, generated, depth, or () where a run that was cut has none. `cpu`: seconds of all its processes
    on all processors. `mib`: peak memory of them together. `cut`: why it did not come to an end, or None.
    """

    counts: tuple[int, ...]
    seconds: float
    cpu: float
    mib: int
    cut: str | None


def one_run(engine: str, scope_text: str, symmetry: bool, options: Namespace) -> None:
    """Run one engine once and print [counts, why it was cut]: called in a process of its own."""
    from kubeproof.engines import tlc
    from kubeproof.engines.explicit import Limits, explore
    from kubeproof.systems.cpu_manager import CPU_MANAGER
    from model.releases import parse_release, rules_for
    from model.systems.cpu_manager import CPUManagerScope

    rules = rules_for(CPU_MANAGER.rules_class, parse_release(options.release))
    # What is not named is off: the system's own default has more switches on.
    scope = CPUManagerScope(**{key: int(value) for key, value in (part.split("=") for part in scope_text.split(","))})
    cut: str | None = None
    found: tuple[int, ...] = ()
    if engine == "explicit":
        limits = Limits(seconds=options.timeout)
        run = explore(CPU_MANAGER.machine(scope, rules), symmetry=symmetry, limits=limits)
        cut, found = run.stopped, (run.counts.distinct, run.counts.generated, run.counts.depth)
    else:
        form = CPU_MANAGER.tla_form(scope, rules, {})
        assert form.reason is None, form.reason
        try:
            found = tlc.count(
                form, symmetry=symmetry, workers=options.workers, timeout=options.timeout, jvm=tlc.LONG_RUN
            )
        except RuntimeError as error:
            cut = str(error)
    print(json.dumps([found, cut]))


def measured(engine: str, scope: str, symmetry: bool, options: Namespace) -> Run:
    """One run in a process tree of its own."""
    argv = [sys.executable, "-m", "benchmarks.cpu_manager_against_tlc", "--one", engine, scope, str(int(symmetry))]
    for name in ("release", "workers", "timeout"):
        argv += [f"--{name}", str(getattr(options, name))]
    started, spent, peak = perf_counter(), _cpu(), 0
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        tree = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                family = [tree, *tree.children(recursive=True)]
                peak = max(peak, sum(member.memory_info().rss for member in family))
            except psutil.NoSuchProcess:
                pass
            try:
                process.wait(0.05)
            except subprocess.TimeoutExpired:
                continue
        assert process.stdout is not None
        answer = process.stdout.read()
    if process.returncode:
        sys.exit(f"{engine} on {scope} ended with exit status {process.returncode}")
    counts, cut = json.loads(answer)
    return Run(tuple(counts), perf_counter() - started, _cpu() - spent, peak >> 20, cut)


def _cpu() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cells(run: Run) -> tuple[str, ...]:
    """Distinct and generated states, seconds, CPU seconds, states per CPU second, memory."""
    states = [f"{count:,}" for count in run.counts[:2]] or ["", ""]
    rate = f"{run.counts[1] / run.cpu:,.0f}" if run.counts else ""
    seconds = f"{run.seconds:.1f}"
    return (*states, f"> {seconds}" if run.cut else seconds, f"{run.cpu:.1f}", rate, str(run.mib))


def ratio(ours: Run, theirs: Run) -> str:
    """How much more TLC takes; a bound where one of the two was cut, and nothing where both were."""
    if ours.cut and theirs.cut:
        return ""
    bound = "> " if theirs.cut else "< " if ours.cut else ""
    quotients = (theirs.seconds / ours.seconds, theirs.cpu / ours.cpu, theirs.mib / ours.mib)
    return ", ".join(f"{what} {bound}×{q:.1f}" for what, q in zip(("time", "CPU", "memory"), quotients, strict=True))


def comparisons(options: Namespace) -> Iterator[tuple[str, str, bool, Run, Run]]:
    """Our scope, TLC's, symmetry, and the two runs. Ends the program where the two do not count the same."""
    compared = [(scope, scope, symmetry) for scope, symmetry in SCOPES]
    if options.goal:
        compared.append((f"{GOAL},numbering=1", GOAL, True))
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    for our_scope, their_scope, symmetry in compared:
        runs = []
        for engine, scope in (("explicit", our_scope), ("tlc", their_scope)):
            runs.append(run := measured(engine, scope, symmetry, options))
            ended = f"cut: {run.cut}" if run.cut else f"{run.counts[0]:,} states"
            told = f"{engine}, {scope}, symmetry {symmetry}: {ended} after {run.seconds:.1f} s ({run.cpu:.1f} s of CPU)"
            err.print(told, markup=False)
        ours, theirs = runs
        # With several workers and symmetry TLC's depth and generated counts may vary; distinct states may not.
        compare = slice(1) if options.workers > 1 else slice(3)
        comparable = our_scope == their_scope and not ours.cut and not theirs.cut
        if comparable and ours.counts[compare] != theirs.counts[compare]:
            sys.exit(f"{our_scope}, symmetry {symmetry}: explicit counts {ours.counts}, TLC {theirs.counts}")
        yield our_scope, their_scope, symmetry, ours, theirs


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="of TLC; the explicit engine has one process")
    parser.add_argument("--release", default="1.31.0")
    parser.add_argument("--goal", action="store_true", help="also 8 CPUs; TLC takes long")
    parser.add_argument("--timeout", type=float, default=7200, help="seconds for each run")
    parser.add_argument("--one", nargs=3, help="internal: one run")
    options = parser.parse_args()
    if options.one:
        engine, scope, symmetry = options.one
        one_run(engine, scope, symmetry == "1", options)
        return
    titles = ("scope", "symmetry", "engine", "distinct", "generated", "seconds", "CPU s", "generated/CPU s", "MiB")
    table = Table(*titles, "TLC/explicit")
    for our_scope, their_scope, symmetry, ours, theirs in comparisons(options):
        named = "yes" if symmetry else "no"
        table.add_row(our_scope, named, "explicit", *cells(ours), "")
        table.add_row(their_scope, named, f"TLC, {options.workers} workers", *cells(theirs), ratio(ours, theirs))
    Console(width=220).print(table)


if __name__ == "__main__":
    main()
