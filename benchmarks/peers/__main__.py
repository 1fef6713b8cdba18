"""The engines beside spin and rumur on the same states, each until it gives up. How to read it: docs/performance.md.

    python -m benchmarks.peers [--only SYSTEM] [--cpu 300] [--memory 5000] [--keep]

The scopes grow, and an engine that used up `--cpu` seconds or `--memory` MB is asked no more. Where two engines come
to an end of the same scope, they must count the same distinct and generated states, with symmetry too, and find
counterexamples of the same length: else the program ends, since the comparison would mean nothing. An engine that is
not installed is left out, and told. `--keep`: writes `benchmarks/measured/peers.json`, the tables of it beside, and the
pictures of docs/.
"""

import json
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import asdict

from benchmarks.peers.asked import ASKED, Asked
from benchmarks.peers.engines import ENGINES, Ask, Engine
from benchmarks.peers.kept import KEPT, Run, write_all
from benchmarks.peers.pages import tables
from benchmarks.watched import watched


def measured(engine: Engine, ask: Ask, options: Namespace) -> Run:
    """One run: what has to be compiled, and the search."""
    limits = {"cpu": options.cpu, "mb": options.memory}
    seconds = cpu = 0.0
    with TemporaryDirectory() as name:
        folder = Path(name)
        for argv in engine.prepare(ask, folder):
            made = watched(argv, folder, **limits)
            if made.returncode:
                sys.exit(f"{' '.join(argv)} ended with exit status {made.returncode}: {made.output[-500:]}")
            seconds, cpu = seconds + made.seconds, cpu + made.cpu
        found = watched(engine.search(ask), folder if engine.needs else None, **limits)
    said, cut = None, found.cut
    if cut is None:
        try:
            said = engine.read(found.output)
        except ValueError as error:
            cut = f"{error}; exit status {found.returncode}"
    run = Run(
        engine=engine.name,
        system=ask.asked.system.name,
        scope=ask.scope,
        release=ask.release,
        symmetry=ask.symmetry,
        said=said,
        cut=cut,
        prepare_seconds=round(seconds, 2),
        prepare_cpu=round(cpu, 2),
        seconds=round(found.seconds, 2),
        cpu=round(found.cpu, 2),
        mb=round(found.mb, 1),
    )
    print(f"{run.name}, {ask.scope}, {ask.release}: {cut or said}, {cpu:.1f} + {run.cpu:.1f} s of CPU", file=sys.stderr)
    return run


def admit(run: Run, first: Run | None) -> None:
    """Ends the program where two engines that came to an end do not say the same."""
    if first and first.said and run.said and not run.said.agrees(first.said):
        sys.exit(f"{run.scope}, {run.release}: {first.name} says {first.said}, {run.name} {run.said}")


def ask_all(asked: Asked, engines: list[Engine], options: Namespace) -> Iterator[Run]:
    """Every run of one system; the engines take turns."""
    rounds = [(asked.holds, False), (asked.holds, True), (asked.violated, False), (asked.violated, True)]
    for release, symmetry in rounds:
        left = [engine for engine in engines if engine.has_symmetry or not symmetry]
        # A first counterexample takes about the same in every scope: a small and a large one are enough.
        for scope in asked.scopes if release == asked.holds else (asked.scopes[0], asked.scopes[-1]):
            first: Run | None = None
            for engine in list(left):
                run = measured(engine, Ask(asked, scope, release, symmetry), options)
                admit(run, first)
                first = first or (run if run.said else None)
                if run.cut:
                    left.remove(engine)
                yield run


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=[asked.system.name for asked in ASKED])
    parser.add_argument("--cpu", type=float, default=300, help="CPU seconds of each run")
    parser.add_argument("--memory", type=float, default=5000, help="MB of each run")
    parser.add_argument("--keep", action="store_true", help="write the numbers, the tables and the pictures")
    options = parser.parse_args()
    for engine in ENGINES.values():
        if engine.missing():
            print(f"{engine.name} is left out: not installed: {', '.join(engine.missing())}", file=sys.stderr)
    engines = [engine for engine in ENGINES.values() if not engine.missing()]
    for asked in ASKED:
        if options.only in (None, asked.system.name):
            runs = list(ask_all(asked, engines, options))
            print(tables(asked, runs))
            if options.keep:
                kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
                kept[asked.system.name] = {
                    "measured": f"{datetime.now(UTC):%Y-%m-%d}",
                    "cpu": options.cpu,
                    "memory": options.memory,
                    "runs": [asdict(run) for run in runs],
                }
                KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
                write_all()


if __name__ == "__main__":
    main()
