"""The commands that show what is kept and known: counterexamples, bugs, the report, rules, systems."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli.app import EngineOption, GatesOption, Json, ReleaseOption, app
from kubeproof.errors import InputError
from kubeproof.output import err, note, out, print_json
from kubeproof.visible import visible


@app.command()
def reproduce(
    bug: Annotated[str, typer.Argument(help="Such as NODETREE-CURSOR; `kubeproof bugs` has all bugs.")],
    feature_gates: GatesOption = None,
    as_json: Json = False,
) -> None:
    """Replay the kept counterexample of a bug. The exit status is 0 if the violation appears as the page says.

    With --feature-gates the same actions are taken under these gates. The exit status is 0 if they still end in the
    violation. A longer run may violate the property all the same: `kubeproof check` says that of a whole scope.

    Example: `kubeproof reproduce NODETREE-CURSOR`
    """
    from kubeproof.bugs.catalogue import Bug, any_bug_named
    from kubeproof.bugs.kept import reproduce as run
    from kubeproof.check.check import trace_json
    from kubeproof.check.gates import OPTION
    from kubeproof.report.component import reproduction_json, reproduction_text
    from kubeproof.report.kept import kept_run
    from kubeproof.report.terminal import run_text

    named = any_bug_named(bug)
    if not isinstance(named, Bug):
        if feature_gates is not None:
            raise InputError(
                f"{OPTION}: {named.id} is not shown by a run of a system but by components, which take no gates: leave "
                "the option out"
            )
        document = reproduction_json(named)
        if as_json:
            print_json(document)
        else:
            out.print(reproduction_text(named))
        raise typer.Exit(0 if document["appears"] else 1)
    found = run(named, feature_gates)
    if as_json:
        print_json(
            {
                "bug": found.bug.id,
                "release": found.bug.release,
                "feature_gates": feature_gates,
                "property": found.bug.violates,
                "appears": found.appears,
                "explanation": found.explanation,
                "trace": trace_json(found.trace),
            }
        )
    else:
        verdict = "appears" if found.appears else "does NOT appear"
        how = "as recorded in" if feature_gates is None else f"with {visible(feature_gates)} in"
        why = "" if found.appears else f": {found.explanation}"
        out.print(f"{found.bug.id} {verdict} {how} {found.bug.release}{why}")
        if found.trace is not None and (found.appears or feature_gates is None):
            out.print("\n" + "\n".join(run_text(kept_run(found))))
    raise typer.Exit(0 if found.appears else 1)


@app.command()
def bugs(
    release: Annotated[
        str | None, typer.Option("--release", "-r", help="Such as 1.36.3: only the bugs of this release. Default: all.")
    ] = None,
    as_json: Json = False,
) -> None:
    """List the bugs: those that have a kept counterexample, and those that nothing shows.

    With --release those that this release has, and of each whether a report upstream is known.

    Example: `kubeproof bugs --release 1.36.3`
    """
    from attrs import asdict

    if release is not None:
        _wrong_in(release, as_json)
        return
    from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS
    from kubeproof.bugs.played import played_of
    from kubeproof.report.component import component_json
    from kubeproof.report.played import played_line

    if as_json:
        documents = [
            {
                **asdict(bug, filter=lambda field, _: field.name != "besides"),
                # The rules that the components go by, of what only components show.
                "besides": None if bug.besides is None else bug.besides.rules,
                "folder": f"counterexamples/{bug.folder}",
                "played_on": [asdict(row) for row in played_of(bug)],
            }
            for bug in BUGS
        ]
        components = [component_json(bug) for bug in COMPONENT_BUGS]
        print_json({"bugs": documents + components, "not_shown": [asdict(bug) for bug in UNSHOWN_BUGS]})
    else:
        for bug in BUGS:
            out.print(
                f"{bug.id}  {bug.title}\n    {bug.system}, {bug.violates}, reported of {bug.release}\n"
                f"    {played_line(bug)}",
                markup=False,
            )
        for each in COMPONENT_BUGS:
            out.print(f"{each.id}  {each.title}\n    shown on components, in {each.release}\n    {played_line(each)}")
        for unshown in UNSHOWN_BUGS:
            out.print(f"{unshown.id}  {unshown.title}\n    not shown: {unshown.reason}")


def _wrong_in(text: str, as_json: bool) -> None:
    from kubeproof.check.check import newer_note, release_named
    from kubeproof.report.wrong_in import wrong_in_json, wrong_in_text
    from model.releases import EVERY_MINOR

    release = release_named(text, minors=EVERY_MINOR)
    note(newer_note(release))
    if as_json:
        print_json(wrong_in_json(release))
    else:
        out.print(wrong_in_text(release), markup=False)


@app.command()
def report(
    out_dir: Annotated[Path, typer.Option("--out", help="Where to write.")] = Path("out/report"),
    engine: EngineOption = None,
    counterexamples: Annotated[
        Path | None,
        typer.Option("--counterexamples", help="Only write the kept counterexamples and their pages, to this folder."),
    ] = None,
    bug: Annotated[
        list[str] | None,
        typer.Option("--bug", help="With --counterexamples: only this bug's. Repeatable. Default: all."),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="Report of this system only, and of its bugs. Repeatable. Default: all."),
    ] = None,
    recordings: Annotated[
        list[Path] | None,
        typer.Option("--recordings", help="A recording to replay for the coverage table. Repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every system in each release where its rules differ, and write the report (HTML, Markdown, traces).

    Example: `kubeproof report --out out/report --system cpu-manager`
    """
    from kubeproof.report.build import write_counterexamples, write_report
    from kubeproof.report.files import refuse_file
    from kubeproof.systems.registry import SYSTEMS, system_named

    if bug and counterexamples is None:
        raise InputError("--bug: expected --counterexamples and a folder beside it")
    if system and counterexamples is not None:
        raise InputError("--system: not a choice of counterexamples: expected --bug beside --counterexamples")
    named = {system_named(name).name for name in system or SYSTEMS}
    # First what takes no time: the answer takes minutes.
    refuse_file(*(("--out", out_dir) if counterexamples is None else ("--counterexamples", counterexamples)))
    if counterexamples is not None:
        paths = write_counterexamples(counterexamples, bug or ())
    else:
        chosen = [of for name, of in SYSTEMS.items() if name in named]
        paths = write_report(out_dir, engine or ("all",), err, recordings or (), chosen)
    if as_json:
        print_json({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            out.print(visible(str(path)))


@app.command()
def rules(
    system: Annotated[str, typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.")],
    release: ReleaseOption = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Another release: show only the rules that differ from this one's.")
    ] = None,
    feature_gates: GatesOption = None,
    as_json: Json = False,
) -> None:
    """Show the rules of a system in a release: since when, by which change, where in Go, and how each is known.

    With --feature-gates the rules that nobody asks under these gates are left out.

    Example: `kubeproof rules scheduling --release 1.28.4 --against 1.28.5`
    """
    from kubeproof.check.check import newer_note, release_named
    from kubeproof.report.rules import rules_in_force, rules_json, rules_text
    from kubeproof.systems.registry import system_named

    chosen = system_named(system)
    other = None if against is None else release_named(against, "--against", chosen.minors)
    at = release_named(release, minors=chosen.minors)
    found = rules_in_force(chosen, at, other, feature_gates)
    note([line for each in (at, other) if each is not None for line in newer_note(each)])
    if as_json:
        print_json(rules_json(found))
    else:
        out.print(rules_text(found))


@app.command(name="list")
def list_(as_json: Json = False) -> None:
    """List the systems, releases, rules, properties and engines.

    Example: `kubeproof list`
    """
    from kubeproof.report.inventory import inventory, inventory_text

    if as_json:
        print_json(inventory())
    else:
        out.print(inventory_text())
