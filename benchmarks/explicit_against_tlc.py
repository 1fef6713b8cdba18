"""The explicit engine against TLC on the same scopes: seconds to the end, states per second, peak memory, ratios.

    python -m benchmarks.explicit_against_tlc [--workers 2] [--large]

Every run is a process of its own, so that peak memory is its own too; the two take turns. Counts must be equal, or the
comparison means nothing.
"""

import json
import os
import subprocess
import sys
from argparse import ArgumentParser
from time import perf_counter

import psutil
from rich.console import Console
from rich.table import Table

SCOPES = [
    # scope, symmetry
    ("nodes=4,zones=3,moves=0", False),
    ("nodes=4,zones=2,moves=1", False),
    ("nodes=4,zones=2,moves=1", True),
    ("nodes=4,zones=3,moves=1", True),
]
LARGE = [("nodes=5,zones=3,moves=0", False), ("nodes=5,zones=3,moves=0", True)]
RULES = {"list_nodes": "list_from_reset_cursors", "update_snapshot": "update_snapshot_every_cycle"}


def one_run(engine: str, scope_text: str, symmetry: bool, workers: int) -> None:
    """Run one engine once and print its counts: called in a process of its own."""
    from kubeproof.engines import tlc
    from kubeproof.engines.explicit import explore
    from kubeproof.systems.node_listing import NODE_LISTING

    chosen = {field: NODE_LISTING.built_in_rules(field)[name] for field, name in RULES.items()}
    rules = NODE_LISTING.rules_class(**chosen)
    scope = NODE_LISTING.parse_scope(scope_text)
    if engine == "explicit":
        counts = explore(NODE_LISTING.machine(scope, rules), symmetry=symmetry).counts
        found = (counts.distinct, counts.generated, counts.depth)
    else:
        found = tlc.count(
            NODE_LISTING.tla_form(scope, rules, {}), symmetry=symmetry, workers=workers, timeout=3600, jvm=tlc.LONG_RUN
        )
    print(json.dumps(found))


def measured(engine: str, scope: str, symmetry: bool, workers: int) -> tuple[list[int], float, int]:
    """Counts, wall seconds and the peak memory in MiB of the whole process tree of one run."""
    argv = [sys.executable, "-m", "benchmarks.explicit_against_tlc", "--one", engine, scope, str(int(symmetry))]
    started, peak = perf_counter(), 0
    with subprocess.Popen([*argv, "--workers", str(workers)], stdout=subprocess.PIPE, text=True) as process:
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
        counts: list[int] = json.loads(process.stdout.read())
    return counts, perf_counter() - started, peak >> 20


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--large", action="store_true", help="also 530,179 states; TLC takes minutes with symmetry off")
    parser.add_argument("--one", nargs=3, help="internal: one run")
    options = parser.parse_args()
    if options.one:
        engine, scope, symmetry = options.one
        one_run(engine, scope, symmetry == "1", options.workers)
        return
    table = Table(
        "scope", "symmetry", "distinct", "generated", "engine", "seconds", "generated/s", "MiB", "TLC/explicit"
    )
    for scope, symmetry in SCOPES + (LARGE if options.large else []):
        ours, our_seconds, our_memory = measured("explicit", scope, symmetry, options.workers)
        theirs, their_seconds, their_memory = measured("tlc", scope, symmetry, options.workers)
        # With several workers and symmetry TLC's depth and generated counts may vary; distinct states may not.
        same = ours[0] == theirs[0] if options.workers > 1 else ours == theirs
        if not same:
            sys.exit(f"{scope}, symmetry {symmetry}: explicit counts {ours}, TLC {theirs}")
        size = (scope, "yes" if symmetry else "no", f"{ours[0]:,}", f"{ours[1]:,}")
        rate = f"{ours[1] / our_seconds:,.0f}"
        table.add_row(*size, "explicit", f"{our_seconds:.1f}", rate, str(our_memory), "")
        ratio = f"time ×{their_seconds / our_seconds:.1f}, memory ×{their_memory / our_memory:.1f}"
        rate = f"{theirs[1] / their_seconds:,.0f}"
        table.add_row(
            "", "", "", "", f"TLC, {options.workers} workers", f"{their_seconds:.1f}", rate, str(their_memory), ratio
        )
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
