"""How long the explicit engine takes to the first counterexample of each bug of a system, and to the end of its scope.

    python -m benchmarks.first_counterexamples [SYSTEM] [--engines] [--keep]

For each bug the property of its kept counterexample, in its scope and release: CPU seconds until a shortest run is
found, by a search that ends there. `--engines`: also each engine alone on the system's default scope, with all
properties, in a process of its own: seconds on the clock, and of CPU. `--keep`: the tables go into
`benchmarks/measured/SYSTEM-first.md`.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter, process_time

from benchmarks import cpu_of_children
from kubeproof.bugs.catalogue import BUGS
from kubeproof.bugs.runs import kept_run
from kubeproof.engines.explicit import check
from kubeproof.systems.preemption import PREEMPTION
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling_cycle import SCHEDULING_CYCLE
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.verdict.result import Outcome

FOLDER = Path(__file__).parent / "measured"
ENGINES = ("explicit", "hypothesis", "z3", "tlc")
# The systems, and the release of each whose default scope is asked.
ASKED = ((QUEUEING_HINTS, "1.28.3"), (SCHEDULING_CYCLE, "1.17.10"), (PREEMPTION, "1.17.10"))


def of_bugs(system: System) -> Iterator[tuple[str, ...]]:
    """Each bug with its property, release, scope, the length of the shortest run, and CPU seconds until the run."""
    for bug in BUGS:
        if bug.system != system.name:
            continue
        run = kept_run(bug)
        machine, bounds = run.machine(), kept_scope_text(run.scope).removeprefix("0,")
        wanted = [system.property_named(bug.violates)]
        started = process_time()
        found = check(machine, wanted, until_violated=True)[0]
        seconds = process_time() - started
        if found.outcome is not Outcome.VIOLATED or found.trace is None:
            sys.exit(f"{bug.id}: {bug.violates} is not violated in {bounds}")
        yield bug.id, bug.violates, bug.release, bounds, str(found.trace.length), f"{seconds:.2f}"


def of_engines(system: System, release: str) -> Iterator[tuple[str, ...]]:
    """Each engine alone on the default scope: how many properties it answers, seconds on the clock, CPU seconds."""
    for engine in ENGINES:
        command = "from kubeproof.start import main; main()"
        argv = [sys.executable, "-c", command, "check", system.name, "--release", release, "--engine", engine, "--json"]
        started, before = perf_counter(), cpu_of_children()
        run = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
        if run.returncode not in (0, 1):
            sys.exit(f"{' '.join(argv)} ended with exit status {run.returncode}")
        outcomes = [result["outcome"] for result in json.loads(run.stdout)["results"]]
        answers = ", ".join(f"{outcomes.count(each)} {each}" for each in dict.fromkeys(outcomes))
        yield engine, answers, f"{perf_counter() - started:.1f}", f"{cpu_of_children() - before:.1f}"


def table(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """The rows in Markdown."""
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, ("---",) * len(titles), *rows)) + "\n"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("system", nargs="?", default="queueing-hints", choices=[system.name for system, _ in ASKED])
    parser.add_argument("--engines", action="store_true", help="also each engine on the default scope")
    parser.add_argument("--keep", action="store_true", help="write the tables")
    options = parser.parse_args()
    system, release = next(asked for asked in ASKED if asked[0].name == options.system)
    titles = ("bug", "property", "release", "scope", "actions", "CPU s")
    text = f"## The first counterexample of each bug\n\n{table(titles, list(of_bugs(system)))}"
    if options.engines:
        rows = list(of_engines(system, release))
        told = table(("engine", "answers", "seconds", "CPU s"), rows)
        text += f"\n## Each engine alone on the default scope of {release}, with all properties\n\n{told}"
    print(text, end="")
    if options.keep:
        FOLDER.mkdir(exist_ok=True)
        head = f"# First counterexamples of {system.name}\n\nMade by `python -m benchmarks.first_counterexamples "
        head += f"{system.name}{' --engines' * options.engines} --keep` on {datetime.now(UTC):%Y-%m-%d}.\n\n"
        (FOLDER / f"{system.name}-first.md").write_text(head + text, "utf-8")


if __name__ == "__main__":
    main()
