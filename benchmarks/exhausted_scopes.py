"""Which scopes of scheduling and queueing-hints are exhausted, with their four numbers and the time, beside TLC's.

    python -m benchmarks.exhausted_scopes SYSTEM [--some] [--tlc] [--timeout 600] [--scope SCOPE --release RELEASE]

Two pods with any two powers, three pods with one; every scope without symmetry and with it (`orbits`).
All of them take hours; `--some` of them minutes.
Every run is a process of its own, told on stderr when it ends; what is still running after `--timeout` seconds is cut,
and the table says so. `--tlc`: also TLC with two workers, without symmetry; its counts must be equal. Seconds are CPU
seconds of all processors together, so that other programs on the machine count for little.
"""

import json
import resource
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from itertools import combinations

from attrs import frozen
from rich.console import Console
from rich.table import Table

from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.system import System


@frozen
class Asked:
    """What is asked of a system."""

    system: System
    # What there is with two powers, and with one.
    with_two: str
    with_one: str
    # Each power of the environment, with what it needs besides to show itself.
    powers: tuple[str, ...]
    releases: tuple[str, ...]
    some: tuple[str, ...]

    def scopes(self) -> list[str]:
        """Pairs of powers with two pods, each power with three."""
        two = [f"{self.with_two},{one},{other}" for one, other in combinations(self.powers, 2)]
        return [*two, *(f"{self.with_one},{power}" for power in self.powers)]


_HINTS = "pods=2,plugins=1,gate=1,changes=1,events=1,uninteresting=1"
ASKED = (
    Asked(
        SCHEDULING,
        "pods=2,nodes=2",
        "pods=3,nodes=2",
        (
            "updates=1", "finalizers=1", "labels=1", "deletes=1", "resyncs=1", "relists=1", "node_deletes=1",
            "late_nodes=1", "lost_replies=1", "bind_errors=1", "other_binders=1", "heartbeats=1", "extender=1",
            "high=1,preemption=1", "clock=1,flush=1", "clock=1,expiry=1", "deletes=1,graceful=1",
            "deletes=1,recreates=1", "listeners=1", "keep_snapshot=1",
        ),
        ("1.17.10", "1.24.0"),
        (
            "pods=2,nodes=2,updates=1,deletes=1", "pods=2,nodes=2,updates=1,extender=1",
            "pods=2,nodes=2,deletes=1,recreates=1", "pods=2,nodes=2,labels=1,late_nodes=1",
            "pods=3,nodes=2,updates=1", "pods=3,nodes=2,deletes=1",
        ),
    ),
    # Three events: one that changes a condition, one that does not, and one that nobody waits for.
    Asked(
        QUEUEING_HINTS,
        _HINTS,
        "pods=3,plugins=1,gate=1,changes=1",
        (
            "updates=1", "deletes=1", "deletes=1,graceful=1", "deletes=1,recreates=1", "resyncs=1", "relists=1",
            "errors=1", "unknown_profiles=1", "permits=1", "bind_errors=1", "lost_replies=1", "listeners=1", "clock=1",
            "clock=1,flush=1", "gates=1", "claims=1", "pending=1",
        ),
        ("1.28.3", "1.32.0"),
        (
            "pods=2,plugins=1,gate=1,changes=1,updates=1", "pods=2,plugins=1,gate=1,changes=1,errors=1,permits=1",
            "pods=2,gate=1,uninteresting=3,errors=1", "pods=3,gate=1,errors=1",
        ),
    ),
)  # fmt: skip
ENGINES = ("explicit", "orbits", "tlc")


@frozen
class Run:
    """One engine's run: distinct, generated and depth, and CPU seconds. `cut`: why it has no end, or no beginning."""

    counts: tuple[int, ...]
    cpu: float
    cut: str | None


def one_run(name: str, engine: str, scope_text: str, release: str, timeout: float) -> None:
    """Run one engine once and print [counts, why it was cut]: called in a process of its own."""
    from kubeproof.engines import tlc
    from kubeproof.engines.explicit import Limits, explore
    from kubeproof.systems.registry import system_named
    from model.releases import parse_release, rules_for

    system = system_named(name)
    rules = rules_for(system.rules_class, parse_release(release, system.minors))
    # What is not named is off: the system's own default has more switches on.
    scope = system.scope_class(
        **{key: int(value) for key, value in (part.split("=") for part in scope_text.split(","))}
    )
    cut: str | None = None
    found: tuple[int, ...] = ()
    if engine != "tlc":
        run = explore(system.machine(scope, rules), symmetry=engine == "orbits", limits=Limits(seconds=timeout))
        cut, found = run.stopped, (run.counts.distinct, run.counts.generated, run.counts.depth)
    else:
        form = system.tla_form(scope, rules, {})
        try:
            cut = form.reason
            found = () if cut else tlc.count(form, symmetry=False, workers=2, timeout=timeout, jvm=tlc.LONG_RUN)
        except RuntimeError as error:
            cut = str(error)
    print(json.dumps([found, cut]))


def measured(engine: str, scope: str, release: str, options: Namespace) -> Run:
    """One run in a process tree of its own."""
    argv = [sys.executable, "-m", "benchmarks.exhausted_scopes", options.system, "--one", engine, scope, release]
    before = _cpu()
    run = subprocess.run([*argv, "--timeout", str(options.timeout)], stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit(f"{engine} on {scope} ended with exit status {run.returncode}")
    counts, cut = json.loads(run.stdout)
    return Run(tuple(counts), _cpu() - before, cut)


def _cpu() -> float:
    """CPU seconds of all processes that this one has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def row(scope: str, release: str, options: Namespace) -> tuple[str, ...]:
    """The table's cells. Ends the program where TLC counts otherwise."""
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    runs = {}
    for engine in ENGINES if options.tlc else ENGINES[:2]:
        runs[engine] = run = measured(engine, scope, release, options)
        err.print(f"{engine}, {release}, {scope}: {run.cut or run.counts} ({run.cpu:.1f} s of CPU)", markup=False)
    plain, orbits, theirs = runs["explicit"], runs["orbits"], runs.get("tlc")
    if theirs is not None and not theirs.cut and not plain.cut and theirs.counts[:2] != plain.counts[:2]:
        sys.exit(f"{release}, {scope}: explicit counts {plain.counts}, TLC {theirs.counts}")
    return (
        scope,
        release,
        *(f"{'> ' if plain.cut and count != plain.counts[2] else ''}{count:,}" for count in plain.counts),
        f"{'> ' if orbits.cut else ''}{orbits.counts[0]:,}",
        _seconds(plain),
        _seconds(orbits),
        "" if theirs is None else _seconds(theirs),
    )


def _seconds(run: Run) -> str:
    if run.cut and not run.counts:
        return run.cut
    return f"{'> ' if run.cut else ''}{run.cpu:.1f}"


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=[each.system.name for each in ASKED])
    parser.add_argument("--tlc", action="store_true", help="also TLC")
    parser.add_argument("--some", action="store_true", help="a few scopes")
    parser.add_argument("--scope", help="this one alone")
    parser.add_argument("--release", help="this one alone")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each run")
    parser.add_argument("--one", nargs=3, help="internal: one run")
    options = parser.parse_args()
    if options.one:
        engine, scope_text, release_text = options.one
        one_run(options.system, engine, scope_text, release_text, options.timeout)
        return
    table = Table("scope", "release", "distinct", "generated", "depth", "orbits", "s", "s with symmetry", "TLC s")
    asked = next(each for each in ASKED if each.system.name == options.system)
    for scope in [options.scope] if options.scope else asked.some if options.some else asked.scopes():
        for release in [options.release] if options.release else asked.releases:
            table.add_row(*row(scope, release, options))
    Console(width=180).print(table)


if __name__ == "__main__":
    main()
