"""The commands that look for what nobody named: the bugs of a release, and what no property notices."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli.app import (
    DaskOption,
    FixOption,
    GatesOption,
    Json,
    ReleaseOption,
    RuleOption,
    SystemArgument,
    app,
    duration,
)
from kubeproof.errors import InputError, going_on
from kubeproof.mutants.sources import WATCHED
from kubeproof.output import note, print_answer

_KEPT_MUTANTS = f"A file for what was found out. A later run with this file goes on from there. {WATCHED}"


@app.command()
def hunt(
    system: SystemArgument,
    release: ReleaseOption = None,
    time: Annotated[
        str, typer.Option("--time", help="How long to look, such as 90s, 10m or 2h. The answer comes soon after.")
    ] = "10m",
    fix: FixOption = None,
    rule: RuleOption = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="Look in this scope, not in growing ones. Repeatable.")
    ] = None,
    feature_gates: GatesOption = None,
    kept: Annotated[
        Path | None,
        typer.Option("--kept", help="A file for what is found. If the file is there, the hunt goes on from there."),
    ] = None,
    dask: DaskOption = None,
    as_json: Json = False,
) -> None:
    """List the distinct bugs of a release: the shortest run of each, the rules to blame, and since when it is cured.

    The explicit engine checks all properties in one scope after another, on all processors: first every pair of
    environment actions in the smallest size, then larger scopes. After a violation each rule is swapped for those of
    other releases. A rule is to blame if its swap cures. Then the hunt goes on with that rule cured, so that the next
    bug behind the same property shows. A bug that no release cures hides others behind its property. A kept bug is
    named, any other bug is *unknown*. The exit status is 1 if a bug was found; 3 if none was and an exploration was
    cut short.

    A fix is executed, as `validate` does.

    Example: `kubeproof hunt node-listing --release 1.18.4 --time 1m`
    """
    from itertools import islice

    from kubeproof.fix.fix import opened_fix, systems_with
    from kubeproof.hunt.found import Asked
    from kubeproof.hunt.hunt import hunt as look
    from kubeproof.output.progress import far
    from kubeproof.report.hunt import hunt_json, hunt_text
    from kubeproof.systems.gates import bounds_of_gates, refuse_locked, with_gates
    from kubeproof.systems.growing import growing_scopes
    from kubeproof.systems.registry import system_named
    from kubeproof.systems.releases import default_gates_note, release_named, release_notes

    chosen = system_named(system)
    at = release_named(release, minors=chosen.minors)
    seconds = duration(time, "--time")
    bounds = [chosen.parse_scope(with_gates(chosen, text, feature_gates)) for text in scope or ()]
    grown = () if scope else islice(growing_scopes(chosen, bounds_of_gates(chosen, feature_gates)), 1)
    for each in (*bounds, *grown):
        refuse_locked(at, each)
    with opened_fix(fix, rule or (), [chosen]) as own:
        if own is not None:
            systems_with(own, [chosen])
        asked = Asked(chosen, at, own, "" if scope or feature_gates is None else feature_gates)
        with far("hunting") as so_far:
            found = look(
                asked, seconds, kept, scopes=bounds or None, progress=so_far.found, told=so_far.tasks, dask=dask
            )
        note([*release_notes(at, chosen.fields_asked_in(at)), *default_gates_note(chosen, at)])
        print_answer(found, hunt_json, hunt_text, as_json)
    early = found.cut or found.lost or not found.scopes
    raise typer.Exit(1 if any(bug.own for bug in found.bugs) else 3 if early else 0)


@app.command()
def mutants(
    system: SystemArgument,
    release: ReleaseOption = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", help="Only the rule for this field. Repeatable. Default: all.")
    ] = None,
    recordings: Annotated[
        list[Path] | None, typer.Option("--recordings", help="A recording to replay with what survives. Repeatable.")
    ] = None,
    kept: Annotated[Path | None, typer.Option("--kept", help=_KEPT_MUTANTS)] = None,
    again: Annotated[
        bool, typer.Option("--again", help="With --kept: judge again what neither a property nor an effect names.")
    ] = False,
    dask: DaskOption = None,
    as_json: Json = False,
) -> None:
    """Change each rule in the small ways in which code is wrong, and see what finds each change out.

    Without --release: all rules that any release follows, each once.

    Example: `kubeproof mutants node-listing --release 1.18.4 --rule list_nodes`
    """
    from kubeproof.systems.releases import release_named

    try:
        from kubeproof.mutants.run import judge_mutants
    except ModuleNotFoundError as missing:
        raise InputError(f"{missing.name} is not installed: `pip install cosmic-ray` installs it") from None
    from kubeproof.output.progress import far
    from kubeproof.processes.memory import peak_memory
    from kubeproof.report.mutants import mutants_json, mutants_text
    from kubeproof.store.store import store_of_sources
    from kubeproof.systems.registry import system_named

    on = "the same command goes on from there" if kept is not None else "expected --kept FILE, from which one goes on"
    with going_on(on), peak_memory() as peak, far(f"judging mutants of {system}") as so_far:
        found = judge_mutants(
            system,
            None if release is None else release_named(release, minors=system_named(system).minors),
            rule or (),
            recordings=recordings or (),
            kept=kept,
            again=again,
            progress=so_far.found,
            told=so_far.tasks,
            dask=dask,
            store=None if kept is None else store_of_sources,
        )
    if kept is not None:
        note([str(peak)])
    print_answer(found, mutants_json, mutants_text, as_json)
