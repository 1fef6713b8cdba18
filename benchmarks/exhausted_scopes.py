"""Which scopes of a system are exhausted, with their four numbers and the time, beside TLC's.

    python -m benchmarks.exhausted_scopes SYSTEM [--some | --scope SCOPE] [--release RELEASE]
                                          [--tlc | --symmetry] [--keep] [--missing] [--cpu 600] [--timeout 3600]

Two pods with any two powers, three pods with one; every scope without symmetry and with it (`orbits`).
All of them take hours; `--some` of them minutes.
Every run is a process of its own, told on stderr when it ends. A search ends after `--cpu` seconds of CPU, TLC after
`--timeout` seconds, and the table says so. `--tlc`: also TLC with two workers, without symmetry; its counts must be
equal. `--symmetry`: only with symmetry, which is the quickest way to learn whether a scope is exhausted. Seconds are
CPU seconds of all processors together, so that other programs on the machine count for little.

`--keep`: what is measured goes into `benchmarks/measured/SYSTEM-scopes.json`, and the table of all that is kept into
the .md file beside it, so that the whole table may be made in several sittings. `--missing`: only rows that are not
kept.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from time import process_time
from typing import Any

from attrs import frozen
from rich.console import Console

from benchmarks import cpu_of_children
from kubeproof.systems.queueing_hints import QUEUEING_HINTS
from kubeproof.systems.scheduling import SCHEDULING
from kubeproof.systems.scheduling_cycle import SCHEDULING_CYCLE
from kubeproof.systems.system import System

FOLDER = Path(__file__).parent / "measured"


@frozen
class Asked:
    """What is asked of a system."""

    system: System
    # What there is with two powers, and with one.
    with_two: str
    with_one: str
    # Each power of the environment, with what it needs besides to show itself.
    powers: tuple[str, ...]
    # All scopes are asked of these releases.
    releases: tuple[str, ...]
    some: tuple[str, ...]
    # Scopes that are asked of one more release, to compare: what is added to `with_two`, or to `with_one`.
    sampled_release: str = ""
    sampled_pairs: tuple[str, ...] = ()
    sampled_powers: tuple[str, ...] = ()
    # What the page says besides.
    remark: str = ""

    def scopes(self) -> list[str]:
        """Pairs of powers with two pods, each power with three. A power that the other one includes makes no pair.

        Powers that no scope of the system has together make none either.
        """
        two = [_together(one, other) for one, other in combinations(self.powers, 2)]
        pairs = [f"{self.with_two},{pair}" for pair in dict.fromkeys(two) if pair not in self.powers]
        return [*filter(self._has, pairs), *(f"{self.with_one},{power}" for power in self.powers)]

    def _has(self, scope: str) -> bool:
        try:
            scope_of(self.system, scope)
        except ValueError:
            return False
        return True

    def rows(self) -> list[tuple[str, str]]:
        """Scope and release of every row of the whole table."""
        sample = [f"{self.with_two},{pair}" for pair in self.sampled_pairs]
        sample += [f"{self.with_one},{power}" for power in self.sampled_powers]
        whole = [(scope, release) for scope in self.scopes() for release in self.releases]
        return whole + [(scope, self.sampled_release) for scope in sample]


def scope_of(system: System, text: str) -> Any:
    """What is not named is off: the system's own default has more switches on. Raises ValueError."""
    bounds = (bound.split("=") for bound in text.split(","))
    return system.scope_class(**{name: int(value) for name, value in bounds})


def _together(one: str, other: str) -> str:
    return ",".join(dict.fromkeys((*one.split(","), *other.split(","))))


_HINTS = "pods=2,plugins=1,gate=1,changes=1,events=1,uninteresting=1,stale_binds=1"
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
    # Two plugins at Reserve, whatever else is on. The powers are those of plugins and extenders, and those of
    # scheduling that end an attempt or its pod.
    Asked(
        SCHEDULING_CYCLE,
        "pods=2,nodes=2,reserves=2",
        "pods=3,nodes=2,reserves=2",
        (
            "failures=1", "permit=1", "permit=1,timeouts=1", "permit=1,groups=1", "named_nodes=1", "deletes=1",
            "bind_errors=1", "lost_replies=1", "updates=1", "node_deletes=1", "high=1,preemption=1",
            "extender=1,extender_errors=1", "deletes=1,recreates=1", "clock=1,flush=1",
        ),
        ("1.31.13",),
        (
            "pods=2,nodes=2,reserves=2,failures=1,bind_errors=1", "pods=2,nodes=2,reserves=2,failures=1,named_nodes=1",
            "pods=3,nodes=2,reserves=2,failures=1", "pods=3,nodes=2,reserves=2,bind_errors=1",
        ),
    ),
    # Three events: one that changes a condition, one that does not, and one that nobody waits for. Without a bound on
    # stale Bindings there are infinitely many states where a pod is deleted, or a reply is lost.
    Asked(
        QUEUEING_HINTS,
        _HINTS,
        "pods=3,plugins=1,gate=1,changes=1,stale_binds=1",
        (
            "updates=1", "deletes=1", "deletes=1,graceful=1", "deletes=1,recreates=1", "resyncs=1", "relists=1",
            "errors=1", "unknown_profiles=1", "permits=1", "bind_errors=1", "lost_replies=1", "listeners=1", "clock=1",
            "clock=1,flush=1", "gates=1", "claims=1", "pending=1", "activations=1",
        ),
        ("1.28.3",),
        (
            "pods=2,plugins=1,gate=1,changes=1,updates=1", "pods=2,plugins=1,gate=1,changes=1,errors=1,permits=1",
            "pods=2,gate=1,uninteresting=3,errors=1", "pods=3,gate=1,errors=1",
        ),
        "1.32.0",
        (
            "updates=1,deletes=1", "updates=1,errors=1", "resyncs=1,relists=1", "relists=1,claims=1",
            "errors=1,unknown_profiles=1", "errors=1,claims=1", "gates=1,claims=1",
        ),
        ("updates=1", "deletes=1", "unknown_profiles=1", "claims=1"),
        "`clock,flush` with `gates` or `unknown_profiles` has infinitely many states. A gated pod stays in\n"
        "unschedulablePods, and a pod of an unknown profile stays in flight. Each flush adds an event behind a pod in\n"
        "flight, and nothing bounds the number of flushes.\n",
    ),
)  # fmt: skip
ENGINES = ("explicit", "orbits", "tlc")


@frozen
class Run:
    """One engine's run: distinct, generated and depth, and CPU seconds. `cut`: why it has no end, or no beginning."""

    counts: tuple[int, ...]
    cpu: float
    cut: str | None


def one_run(name: str, engine: str, scope_text: str, release: str, options: Namespace) -> None:
    """Run one engine once and print [counts, why it was cut]: called in a process of its own."""
    from kubeproof.engines import tlc
    from kubeproof.engines.explicit import Counts, Limits, explore
    from kubeproof.engines.explicit.search import ExplorationInterrupted
    from kubeproof.systems.registry import system_named
    from model.releases import parse_release, rules_for

    system = system_named(name)
    rules = rules_for(system.rules_class, parse_release(release, system.minors))
    scope = scope_of(system, scope_text)

    def within_limit(_: Counts) -> None:
        if process_time() > options.cpu:
            raise KeyboardInterrupt

    cut: str | None = None
    found: tuple[int, ...] = ()
    if engine != "tlc":
        machine, limits = system.machine(scope, rules), Limits(seconds=100 * options.cpu)
        try:
            run = explore(machine, symmetry=engine == "orbits", limits=limits, progress=within_limit)
            cut = run.stopped
        except ExplorationInterrupted as interrupted:
            run, cut = interrupted.run, f"more than {options.cpu:.0f} s of CPU"
        found = (run.counts.distinct, run.counts.generated, run.counts.depth)
    else:
        form = system.tla_form(scope, rules, {})
        try:
            cut = form.reason
            found = () if cut else tlc.count(form, symmetry=False, workers=2, timeout=options.timeout, jvm=tlc.LONG_RUN)
        except RuntimeError as error:
            cut = str(error)
    print(json.dumps([found, cut]))


def measured(engine: str, scope: str, release: str, options: Namespace) -> Run:
    """One run in a process tree of its own."""
    argv = [sys.executable, "-m", "benchmarks.exhausted_scopes", options.system, "--one", engine, scope, release]
    before = cpu_of_children()
    argv += ["--cpu", str(options.cpu), "--timeout", str(options.timeout)]
    run = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode:
        sys.exit(f"{engine} on {scope} ended with exit status {run.returncode}")
    counts, cut = json.loads(run.stdout)
    return Run(tuple(counts), cpu_of_children() - before, cut)


@frozen
class Row:
    """What was measured of a scope in a release, and on which day."""

    scope: str
    release: str
    day: str
    # By engine. An engine that is not here was not asked. "orbits" always is.
    runs: dict[str, Run]

    @property
    def cells(self) -> tuple[str, ...]:
        plain, orbits = self.runs.get("explicit"), self.runs["orbits"]
        return (
            self.scope,
            self.release,
            *_counts(plain),
            f"{'> ' if orbits.cut else ''}{orbits.counts[0]:,}",
            _seconds(plain),
            _seconds(orbits),
            _seconds(self.runs.get("tlc")),
            self.day,
        )


def _counts(plain: Run | None) -> tuple[str, str, str]:
    """Distinct, generated and depth without symmetry."""
    if plain is None:
        return "not asked", "not asked", "not asked"
    more = "> " if plain.cut else ""
    distinct, generated, depth = plain.counts
    return f"{more}{distinct:,}", f"{more}{generated:,}", "" if plain.cut else str(depth)


def engines(options: Namespace) -> tuple[str, ...]:
    """Which engines are asked."""
    if options.symmetry:
        return ("orbits",)
    return ENGINES if options.tlc else ENGINES[:2]


def row(scope: str, release: str, options: Namespace) -> Row:
    """A row of the table. Ends the program where TLC counts otherwise."""
    err = Console(stderr=True, highlight=False, soft_wrap=True)
    runs: dict[str, Run] = {}
    for engine in engines(options):
        runs[engine] = run = measured(engine, scope, release, options)
        err.print(f"{engine}, {release}, {scope}: {run.cut or run.counts} ({run.cpu:.1f} s of CPU)", markup=False)
    if "tlc" in runs:
        plain, theirs = runs["explicit"], runs["tlc"]
        # With several workers TLC's depth may vary.
        if not (plain.cut or theirs.cut) and theirs.counts[:2] != plain.counts[:2]:
            sys.exit(f"{release}, {scope}: explicit counts {plain.counts}, TLC {theirs.counts}")
    return Row(scope, release, f"{datetime.now(UTC):%Y-%m-%d}", runs)


def _seconds(run: Run | None) -> str:
    if run is None:
        return "not asked"
    if run.cut and not run.counts:
        return run.cut
    return f"{'> ' if run.cut else ''}{run.cpu:.1f}"


TITLES = (
    "scope", "release", "distinct", "generated", "depth", "orbits", "CPU s", "CPU s with symmetry", "TLC CPU s", "day",
)  # fmt: skip


def table(rows: list[Row]) -> str:
    """The rows as a table in Markdown."""
    lines = [TITLES, ("---",) * len(TITLES), *(each.cells for each in rows)]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines) + "\n"


# --- what is kept ----------------------------------------------------------------------------------------------------


def _file(asked: Asked) -> Path:
    return FOLDER / f"{asked.system.name}-scopes.json"


def kept(asked: Asked) -> dict[tuple[str, str], Row]:
    """What is kept of the system, by scope and release."""
    path = _file(asked)
    if not path.exists():
        return {}
    found = (_read(each) for each in json.loads(path.read_text("utf-8")))
    return {(each.scope, each.release): each for each in found}


def _read(value: dict[str, Any]) -> Row:
    runs = {engine: Run(tuple(run["counts"]), run["cpu"], run["cut"]) for engine, run in value["runs"].items()}
    return Row(value["scope"], value["release"], value["day"], runs)


def _written(row: Row) -> str:
    runs = {
        engine: {"counts": run.counts, "cpu": round(run.cpu, 1), "cut": run.cut} for engine, run in row.runs.items()
    }
    return json.dumps({"scope": row.scope, "release": row.release, "day": row.day, "runs": runs})


def keep(asked: Asked, rows: dict[tuple[str, str], Row]) -> None:
    """Write the rows, and the table of them."""
    FOLDER.mkdir(exist_ok=True)
    wanted = asked.rows()
    there = [rows[key] for key in [*wanted, *(key for key in rows if key not in wanted)] if key in rows]
    _file(asked).write_text("[\n" + ",\n".join(map(_written, there)) + "\n]\n", "utf-8")
    in_order = {(each.scope, each.release): each for each in there}
    _file(asked).with_suffix(".md").write_text(page(asked, in_order), "utf-8")


def page(asked: Asked, rows: dict[tuple[str, str], Row]) -> str:
    """The table of the rows, in their order, which also says how much is missing."""
    there = list(rows.values())
    cut = sum(bool(each.runs["orbits"].cut) for each in there)
    sampled = [asked.sampled_release] if asked.sampled_release else []
    measured = " ".join(_measured(asked, release, rows) for release in (*asked.releases, *sampled))
    return f"""# Exhausted scopes of {asked.system.name}

Made by `python -m benchmarks.exhausted_scopes {asked.system.name} --keep`. What a scope does not name is off. "> " says
that a run was cut there. Seconds are CPU seconds of all processors together. TLC has two workers, and no symmetry; its
counts are those of the table. "not asked": this search was not made. A row that is not here was not measured.
{measured}
Of all rows here {cut} were cut with symmetry.
{asked.remark}
{table(there)}"""


def _measured(asked: Asked, release: str, rows: dict[tuple[str, str], Row]) -> str:
    """How many rows of the release there are, and how many there are to be.

    A pair whose powers need others to show themselves (`graceful` needs `deletes`) switches on three or four.
    """
    wanted = [row for row in asked.rows() if row[1] == release]
    if release == asked.sampled_release:
        return f"{release} (a sample): {_number(wanted, rows)} rows."
    more = [row for row in wanted if _powers(asked, row[0]) > 2]
    return (
        f"{release}: {_number([row for row in wanted if row not in more], rows)} rows with one power or two, "
        f"{_number(more, rows)} rows with three or four."
    )


def _number(wanted: list[tuple[str, str]], rows: dict[tuple[str, str], Row]) -> str:
    return f"{sum(row in rows for row in wanted)} of {len(wanted)}"


def _powers(asked: Asked, scope: str) -> int:
    """How many powers the scope switches on."""
    base = asked.with_two if scope.startswith(asked.with_two) else asked.with_one
    return scope.count(",") - base.count(",")


def asked_for(asked: Asked, options: Namespace) -> list[tuple[str, str]]:
    """Scope and release of the rows that the options name."""
    if not (options.scope or options.some):
        return [row for row in asked.rows() if options.release in (None, row[1])]
    releases = [options.release] if options.release else asked.releases
    return [(scope, release) for scope in options.scope or asked.some for release in releases]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("system", choices=[each.system.name for each in ASKED])
    asked_besides = parser.add_mutually_exclusive_group()
    asked_besides.add_argument("--tlc", action="store_true", help="also TLC")
    asked_besides.add_argument("--symmetry", action="store_true", help="only with symmetry")
    parser.add_argument("--some", action="store_true", help="a few scopes")
    parser.add_argument("--scope", action="append", help="these alone")
    parser.add_argument("--release", help="this one alone")
    parser.add_argument("--cpu", type=float, default=600, help="CPU seconds for each search")
    parser.add_argument("--timeout", type=float, default=3600, help="seconds for each run of TLC")
    parser.add_argument("--keep", action="store_true", help="write what is measured")
    parser.add_argument("--missing", action="store_true", help="only what is not kept")
    parser.add_argument("--one", nargs=3, help="internal: one run")
    options = parser.parse_args()
    if options.one:
        engine, scope_text, release_text = options.one
        one_run(options.system, engine, scope_text, release_text, options)
        return
    asked = next(each for each in ASKED if each.system.name == options.system)
    rows, found = kept(asked), []
    for scope, release in asked_for(asked, options):
        if options.missing and (scope, release) in rows:
            continue
        found.append(row(scope, release, options))
        rows[scope, release] = found[-1]
        if options.keep:
            keep(asked, rows)
    print(table(found), end="")


if __name__ == "__main__":
    main()
