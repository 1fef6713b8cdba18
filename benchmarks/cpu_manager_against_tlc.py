"""cpu-manager: the explicit engine against TLC on the same scopes: seconds to the end, states per second, peak memory.

    python -m benchmarks.cpu_manager_against_tlc [--workers 2] [--release 1.31.0] [--goal]

Every run is a process of its own, so that peak memory is its own too; the two take turns. Counts must be equal, or the
comparison means nothing. `--goal`: also a machine of 8 CPUs, whose cores and CPUs are interchangeable. The modules say
nothing of those, so there TLC explores the same scope with the CPUs as the release numbers them.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from time import perf_counter

import psutil
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


def one_run(engine: str, scope_text: str, symmetry: bool, release: str, workers: int) -> None:
    """Run one engine once and print its counts: called in a process of its own."""
    from kubeproof.engines import tlc
    from kubeproof.engines.explicit import Limits, explore
    from kubeproof.systems import CPU_MANAGER
    from model.releases import parse_release, rules_for
    from model.systems.cpu_manager import CPUManagerScope

    rules = rules_for(CPU_MANAGER.rules_class, parse_release(release))
    # What is not named is off: the system's own default has more switches on.
    scope = CPUManagerScope(**{key: int(value) for key, value in (part.split("=") for part in scope_text.split(","))})
    if engine == "explicit":
        run = explore(CPU_MANAGER.machine(scope, rules), symmetry=symmetry, limits=Limits(seconds=7200))
        assert run.stopped is None, run.stopped
        found = (run.counts.distinct, run.counts.generated, run.counts.depth)
    else:
        form = CPU_MANAGER.tla_form(scope, rules, {})
        assert form.reason is None, form.reason
        found = tlc.count(form, symmetry=symmetry, workers=workers, timeout=7200)
    print(json.dumps(found))


def measured(engine: str, scope: str, symmetry: bool, release: str, workers: int) -> tuple[list[int], float, int]:
    """Counts, wall seconds and the peak memory in MiB of the whole process tree of one run."""
    argv = [sys.executable, "-m", "benchmarks.cpu_manager_against_tlc", "--one", engine, scope, str(int(symmetry))]
    started, peak = perf_counter(), 0
    with subprocess.Popen(
        [*argv, "--release", release, "--workers", str(workers)], stdout=subprocess.PIPE, text=True
    ) as process:
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
    counts: list[int] = json.loads(answer)
    return counts, perf_counter() - started, peak >> 20


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="of TLC; the explicit engine has one process")
    parser.add_argument("--release", default="1.31.0")
    parser.add_argument("--goal", action="store_true", help="also 8 CPUs; TLC takes long")
    parser.add_argument("--one", nargs=3, help="internal: one run")
    options = parser.parse_args()
    if options.one:
        engine, scope, symmetry = options.one
        one_run(engine, scope, symmetry == "1", options.release, options.workers)
        return
    table = Table(
        "scope", "symmetry", "distinct", "generated", "engine", "seconds", "generated/s", "MiB", "TLC/explicit"
    )
    compared = [(scope, scope, symmetry, True) for scope, symmetry in SCOPES]
    if options.goal:
        compared.append((f"{GOAL},numbering=1", GOAL, True, False))
    for our_scope, their_scope, symmetry, same_states in compared:
        ours = measured("explicit", our_scope, symmetry, options.release, options.workers)
        theirs = measured("tlc", their_scope, symmetry, options.release, options.workers)
        # With several workers and symmetry TLC's depth and generated counts may vary; distinct states may not.
        compare = slice(1) if options.workers > 1 else slice(3)
        if same_states and ours[0][compare] != theirs[0][compare]:
            sys.exit(f"{our_scope}, symmetry {symmetry}: explicit counts {ours[0]}, TLC {theirs[0]}")
        ratio = f"time ×{theirs[1] / ours[1]:.1f}, memory ×{theirs[2] / ours[2]:.1f}"
        for engine, scope, (counts, seconds, memory), last in (
            ("explicit", our_scope, ours, ""),
            (f"TLC, {options.workers} workers", their_scope, theirs, ratio),
        ):
            size = scope, "yes" if symmetry else "no", f"{counts[0]:,}", f"{counts[1]:,}"
            table.add_row(*size, engine, f"{seconds:.1f}", f"{counts[1] / seconds:,.0f}", str(memory), last)
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
