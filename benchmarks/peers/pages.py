"""The tables and the picture of what was measured."""

from collections.abc import Iterable, Sequence
from math import log10
from typing import Any

from benchmarks.peers.asked import ASKED, Asked
from benchmarks.peers.kept import Run, run_of
from kubeproof.growth.svg import Line, Tick, chart_svg

# More states than this in which two scopes must differ, so that their memory says what a state takes.
MANY = 100_000
MILLION = 1_000_000
# CPU seconds at the bottom and at the top of the picture, as powers of ten.
BOTTOM, TOP = -1, 3


def page(kept: dict[str, Any]) -> str:
    """All tables as Markdown."""
    parts = [
        "# The engines beside peers\n\nMade by `python -m benchmarks.peers --keep`; explained in docs/performance.md.\n"
    ]
    for asked in ASKED:
        if asked.system.name in kept:
            told = kept[asked.system.name]
            cut = f"a run ends after {told['cpu']:,.0f} s of CPU or with {told['memory']:,.0f} MB"
            parts.append(f"\n## {asked.system.name}: {asked.invariant}\n\nAll scopes have {asked.common}. ")
            parts.append(f"Measured on {told['measured']}; {cut}.\n")
            parts.append(tables(asked, [run_of(run) for run in told["runs"]]))
    return "".join(parts)


def tables(asked: Asked, runs: Sequence[Run]) -> str:
    """One table of searches of all states, one of first counterexamples."""
    whole = ("scope", "engine", "distinct", "generated", "compile CPU s", "CPU s", "wall s", "states / CPU s", "MB")
    first = ("scope", "engine", "actions", "compile CPU s", "CPU s", "wall s", "in all / explicit")
    rows = [(*_whole(run), _bytes(run, runs), _ratio(run, runs)) for run in runs if run.release == asked.holds]
    found = [(*_first(run), _ratio(run, runs)) for run in runs if run.release == asked.violated]
    return (
        f"\nAll states of {asked.holds}:\n\n{_table((*whole, 'bytes a state', 'in all / explicit'), rows)}"
        f"\nThe first counterexample in {asked.violated}:\n\n{_table(first, found)}"
    )


def _whole(run: Run) -> tuple[str, ...]:
    if run.said is None:
        return run.scope, run.name, run.cut or "", "", *_seconds(run), "", f"{run.mb:,.0f}"
    counts = f"{run.said.distinct:,}", "" if run.said.generated is None else f"{run.said.generated:,}"
    return (
        run.scope,
        run.name,
        *counts,
        *_seconds(run),
        f"{run.said.distinct / max(run.cpu, 0.01):,.0f}",
        f"{run.mb:,.0f}",
    )


def _first(run: Run) -> tuple[str, ...]:
    return run.scope, run.name, (run.cut or "") if run.said is None else str(run.said.length), *_seconds(run)


def _seconds(run: Run) -> tuple[str, ...]:
    compiled = f"{run.prepare_cpu:.1f}" if run.prepare_cpu else ""
    return compiled, f"{run.cpu:.1f}", f"{run.seconds:.1f}"


def _like(run: Run, runs: Iterable[Run], engine: str) -> list[Run]:
    """The runs of `engine` that came to an end, in the release and with the symmetry of `run`."""
    of = run.release, run.symmetry
    return [each for each in runs if each.said and each.engine == engine and (each.release, each.symmetry) == of]


def _bytes(run: Run, runs: Sequence[Run]) -> str:
    """What the memory grew by since the smallest scope, for each state more."""
    smallest = _like(run, runs, run.engine)[:1]
    if run.said is None or not smallest or smallest[0].said is None:
        return ""
    more = run.said.distinct - smallest[0].said.distinct
    return f"{(run.mb - smallest[0].mb) * MILLION / more:,.0f}" if more > MANY else ""


def _ratio(run: Run, runs: Sequence[Run]) -> str:
    """CPU seconds with the compilation, over those of the explicit engine on the same states."""
    own = [each for each in _like(run, runs, "explicit") if each.scope == run.scope]
    if run.engine == "explicit" or not own:
        return ""
    return f"{'> ' if run.cut else ''}×{run.cpu_in_all / own[0].cpu_in_all:.2g}"


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (titles, ["---"] * len(titles), *rows))


def picture(asked: Asked, runs: Sequence[Run]) -> str:
    """CPU seconds to the verdict by scope. The line of an engine that gave up ends there."""
    whole = [run for run in runs if run.release == asked.holds and run.said]
    last = len(asked.scopes) - 1
    places = {scope: at / last for at, scope in enumerate(asked.scopes)}
    return chart_svg(
        f"Time of all states of {asked.system.name} {asked.holds}",
        f"scope of {asked.system.name} {asked.holds}",
        "CPU seconds, with the compilation",
        [
            Line(
                name,
                [(places[run.scope], _height(run.cpu_in_all)) for run in whole if run.name == name],
                "6 4" if name.endswith("symmetry") else "",
            )
            for name in dict.fromkeys(run.name for run in whole)
        ],
        [Tick(place, scope) for scope, place in places.items()],
        [Tick(_height(10.0**power), f"{10.0**power:g}") for power in range(BOTTOM, TOP + 1)],
    )


def _height(seconds: float) -> float:
    """A logarithmic scale."""
    return (log10(max(seconds, 10**BOTTOM)) - BOTTOM) / (TOP - BOTTOM)
