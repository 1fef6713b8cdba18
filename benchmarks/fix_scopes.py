"""What the scopes of a verdict find: a fix in the scopes of its system, in the further ones, and in a sweep of pairs.

    python -m benchmarks.fix_scopes [NAME ...] [--ways old new] [--minutes N] [--page]

Each fix of `examples/`, of `tests/` and of those beside the repository is judged by the explicit engine in three ways,
each in a process of its own. Old: in the scopes that its system names (`validate --time 0s`). New: in the usual further
ones too. Sweep: in place of these in a scope for each ordered pair (a, b) of environment actions. It has the smallest
size in which both are used, one more of `a` than it needs, and of `b` no more than it needs.

One row a fix goes into `benchmarks/measured/fix-scopes.jsonl`. What a row has is not measured again, so a run goes on
where an earlier one ended. `--ways`: only these, such as the two quick ones first. `--minutes`: no fix is begun after
so many CPU minutes. `--page`: measure nothing, and make the page of the rows.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from itertools import permutations
from math import inf
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

from attrs import evolve

from benchmarks import cpu_of_children
from benchmarks.first_counterexamples import FOLDER, table
from kubeproof.output.files import write_whole
from kubeproof.systems.system import System, kept_scope_text
from kubeproof.validate import one_engine
from kubeproof.validate.further import USUAL, Looked, Seen, least_sizes, meets, with_at_least
from kubeproof.validate.one_scope import OneScope
from kubeproof.validate.validate import validate, validation_json
from kubeproof.validate.verdict import Row
from tests.kubeproof.validate.test_cases import CASES, cases
from tests.kubeproof.validate.test_proposed import EXPECTED, PROPOSED

ROOT = Path(__file__).parent.parent
ROWS = FOLDER / "fix-scopes.jsonl"
PAGE = FOLDER / "fix-scopes.md"
STATES = 5_000  # of each scope of the sweep
SECONDS = 150  # of CPU, after which the sweep of a fix begins no scope
# Cheap ones first.
SYSTEMS = (
    *("api-calls", "async-preemption", "preemption", "node-listing", "cpu-manager", "queueing-hints"),
    *("scheduling-cycle", "scheduling"),
)
WAYS = ("old", "new", "sweep")
TITLES = (
    "fix",
    "system",
    "release",
    "expected",
    *(f"{way}{more}" for way in WAYS for more in ("", ", CPU s")),
    "pairs",
)
# Each has a file expected.txt.
FOLDERS = (ROOT / "examples" / "fixes", ROOT / "tests" / "kubeproof" / "validate" / "wrong_fixes", CASES)


def fixes() -> dict[str, tuple[Path, str, str, str]]:
    """By name the file, its release, its system, and the verdict that is expected. Cheap systems first."""
    named = [(folder, *case) for folder in FOLDERS for case in cases(folder)]
    named += [(PROPOSED, name, *expected[:3]) for name, expected in EXPECTED.items()]
    return {
        name: (folder / f"{name}.py", release, system, "changes nothing" if expected == "nothing" else expected)
        for folder, name, release, system, expected in sorted(named, key=lambda each: SYSTEMS.index(each[3]))
    }


class Sweep:
    """Looks in the scopes of all ordered pairs, in place of the further ones. It is called as `further.look` is."""

    def __init__(self) -> None:
        # The scopes in which the fix violates what the release keeps, in the order of the search.
        self.broken: dict[Any, set[str]] = {}
        # How many ordered pairs there are; in how many one run took both, the fix answered otherwise, and something
        # broke; and how many were not looked at.
        self.counts = dict.fromkeys(("pairs", "met", "differing", "broken", "left"), 0)
        self.called = False

    def one_scope(self, *args: Any, **options: Any) -> OneScope:
        """`OneScope`, which notes what breaks."""
        broken = self.broken

        class Noting(OneScope):
            def run_by_run(self, rows: list[Row], whole: bool) -> list[Row]:
                found = super().run_by_run(rows, whole)
                names = {row.after.property for row in found if row.change == "broken"}
                if names:
                    broken[self.after.scope] = names
                return found

        return Noting(*args, **options)

    def __call__(
        self, system: System, judged: object, see: Callable[[Any, int, bool], Seen], further: object, changed: object
    ) -> Looked:
        self.called = True
        # What breaks in the scopes of the system is told by the old way.
        self.broken.clear()
        looked, start = Looked(), process_time()
        seen: dict[Any, Seen] = {}

        def once(scope: Any, *, asks: bool = False) -> Seen | None:
            if scope not in seen and process_time() - start < SECONDS:
                seen[scope] = see(scope, STATES, asks)
                looked.scopes += 1
                looked.differing += seen[scope].differs
                looked.states += seen[scope].run.counts.distinct
            return seen.get(scope)

        least = least_sizes(system, once)
        for pair in permutations(least, 2):
            self.counts["pairs"] += 1
            scope = with_at_least(system, pair, *(least[power].bounds for power in pair))
            if scope is None:
                continue
            with suppress(ValueError):  # it may have no more
                scope = evolve(scope, **{pair[0]: getattr(scope, pair[0]) + 1})
            found = once(scope)
            self.counts["left"] += found is None
            if found is not None:
                self.counts["met"] += meets(system, scope, found.run, frozenset(pair))
                self.counts["differing"] += found.differs
                self.counts["broken"] += scope in self.broken
        return looked


def judge(name: str, way: str) -> dict[str, Any]:
    """The verdict on a fix, its reasons, and how far it was looked. It alters this process for a sweep."""
    path, release, system, _ = fixes()[name]
    sweep = Sweep()
    if way == "sweep":
        # The judging asks both by these names.
        one_engine.look, one_engine.OneScope = sweep, sweep.one_scope  # type: ignore[assignment, misc]
    found = validate(path, release, systems=[system], engines=["explicit"], further=None if way == "old" else USUAL)
    # A fix that fails is refused before further scopes are looked at.
    if sweep.called is not (way == "sweep") and found.parts[0].failure is None:
        raise RuntimeError(f"{name}: the judging did not look where it was to look, {way}")
    said = validation_json(found)
    further = {key: (said["parts"][0]["further_scopes"] or {}).get(key, 0) for key in ("scopes", "states")}
    more = {**sweep.counts, "in": in_words(sweep.broken)} if way == "sweep" else {}
    return {"verdict": said["verdict"], "reasons": said["reasons"], "open": said["parts"][0]["open"], **further, **more}


def in_words(broken: Mapping[Any, Iterable[str]]) -> dict[str, list[str]]:
    """By property the scopes in which it breaks, the first three."""
    found: dict[str, list[str]] = {}
    for scope, names in broken.items():
        for name in sorted(names):
            found.setdefault(name, []).append(kept_scope_text(scope))
    return {name: scopes[:3] for name, scopes in found.items()}


def measured(name: str, known: Mapping[str, Any], ways: Iterable[str]) -> dict[str, Any]:
    """The row of a fix, with these ways besides those that are known."""
    _, release, system, expected = fixes()[name]
    row: dict[str, Any] = {"fix": name, "release": release, "system": system, "expected": expected, **known}
    for way in ways:
        before = cpu_of_children()
        argv = [sys.executable, "-m", "benchmarks.fix_scopes", name, "--judge", way]
        run = subprocess.run(argv, stdout=subprocess.PIPE, text=True, check=True)
        row[way] = {**json.loads(run.stdout), "cpu": round(cpu_of_children() - before, 1)}
    return row


def rows() -> list[dict[str, Any]]:
    """What was measured so far, by system."""
    lines = ROWS.read_text("utf-8").splitlines() if ROWS.is_file() else []
    return sorted(map(json.loads, lines), key=lambda row: (SYSTEMS.index(row["system"]), row["fix"]))


def page(of: Sequence[Mapping[str, Any]], every: int) -> str:
    """The page. `of`: the rows; `every`: how many fixes there are."""
    wrong = [row for row in of if row["expected"] == "refused"]
    right = [row for row in of if row["expected"] != "refused"]
    sums = [
        (way, kind, *_summed(of_kind, way)) for kind, of_kind in (("wrong", wrong), ("right", right)) for way in WAYS
    ]
    old, new, swept = refused = [{row["fix"] for row in of if _verdict(row, way) == "refused"} for way in WAYS]
    of_wrong = {row["fix"] for row in wrong}

    def named(fixes: Set[str]) -> str:
        return ", ".join(sorted(fixes)) or "none"

    return "\n".join(
        (
            "# Fixes in the scopes of their systems, in further ones, and in a sweep of pairs\n",
            "Made by `python -m benchmarks.fix_scopes`, which says what the three are. What is expected is what the",
            f"tests and docs/fixes.md say. Of {every} fixes {len(of)} were measured. CPU seconds are those of the",
            "whole verdict, with the start of the process. The new scopes and the sweep have the old scopes too.",
            "A row is of the sources of its day: `git blame` of the rows says which.\n",
            table(("scopes", "fixes", "judged", "accepted", "undecided", "refused", "CPU s", "median"), sums),
            f"Wrong, refused in the new scopes and not in the old ones: {named(of_wrong & new - old)}.\n",
            f"Wrong, refused by the sweep alone: {named(of_wrong & swept - new - old)}.\n",
            f"Wrong, refused in none: {named(of_wrong - old - new - swept)}.\n",
            *(
                f"Right, refused ({way}): {named(of_way - of_wrong)}.\n"
                for way, of_way in zip(WAYS, refused, strict=True)
            ),
            "Of a sweep: ordered pairs, those of which one run took both, those in which the fix answered otherwise,",
            "and those in which it violated what the release keeps there. A documented bug may explain that.\n",
            table(TITLES, [_cells(row) for row in of]),
        )
    )


def _verdict(row: Mapping[str, Any], way: str) -> str:
    """As `validate` says it; "" if it was not measured."""
    return str(row[way]["verdict"]).replace("inconclusive", "undecided") if way in row else ""


def _summed(rows: Sequence[Mapping[str, Any]], way: str) -> tuple[str, ...]:
    """How many there are and got which verdict, and the CPU seconds, with their median."""
    rows = [row for row in rows if way in row]
    found = [_verdict(row, way).replace("changes nothing", "accepted") for row in rows]
    seconds = [row[way]["cpu"] for row in rows] or [0.0]
    counts = (len(rows), *(found.count(each) for each in ("accepted", "undecided", "refused")))
    return (*map(str, counts), f"{sum(seconds):,.0f}", f"{median(seconds):.0f}")


def _cells(row: Mapping[str, Any]) -> tuple[str, ...]:
    of_ways = [cell for way in WAYS for cell in (_verdict(row, way), f"{row[way]['cpu']:.0f}" if way in row else "")]
    pairs = ""
    if swept := row.get("sweep"):
        left = f"; {swept['left']} not looked at" if swept["left"] else ""
        pairs = " / ".join(str(swept[key]) for key in ("pairs", "met", "differing", "broken")) + left
    return (*(row[key] for key in ("fix", "system", "release", "expected")), *of_ways, pairs)


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="default: all")
    parser.add_argument("--minutes", type=float, default=inf)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--judge", choices=WAYS, help="judge one fix in this process alone, and print what was found")
    options = parser.parse_args()
    if options.judge:
        print(json.dumps(judge(options.names[0], options.judge)))
        return
    for name in () if options.page else options.names or fixes():
        if cpu_of_children() > options.minutes * 60:
            break
        known = {row["fix"]: row for row in rows()}
        missing = [way for way in options.ways if way not in known.get(name, {})]
        if missing:
            known[name] = measured(name, known.get(name, {}), missing)
            write_whole(ROWS, "".join(f"{json.dumps(row)}\n" for row in known.values()))
    PAGE.write_text(page(rows(), len(fixes())), "utf-8")


if __name__ == "__main__":
    main()
