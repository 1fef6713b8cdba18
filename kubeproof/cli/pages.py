"""The commands that show what is kept and known: counterexamples, bugs, the report, rules, systems."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import (
    BugArgument,
    DaskOption,
    EngineOption,
    GatesOption,
    Json,
    ReleaseOption,
    SystemArgument,
    app,
    release_option,
)
from kubeproof.errors import InputError, going_on
from kubeproof.output import note, out, print_answer, print_json
from kubeproof.visible import visible


@app.command()
def reproduce(bug: BugArgument, feature_gates: GatesOption = None, as_json: Json = False) -> None:
    """Replay the kept counterexample of a bug. The exit status is 0 if the violation appears as the page says.

    With --feature-gates the same actions are taken under these gates. The exit status is 0 if they still end in the
    violation. A longer run may violate the property all the same: `kubeproof check` says that of a whole scope.

    Example: `kubeproof reproduce NODETREE-CURSOR`
    """
    from kubeproof.bugs.catalogue import Bug, any_bug_named
    from kubeproof.bugs.kept import reproduce as run
    from kubeproof.check.check import trace_json
    from kubeproof.report.component import reproduction_json, reproduction_text
    from kubeproof.report.terminal import run_text
    from kubeproof.report.told import kept_run
    from kubeproof.systems.gates import OPTION

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
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUERY",
            help="Part of an id, words of a symptom or an error, or the number of an issue or pull request. All words "
            "have to occur.",
            autocompletion=completion.bugs,
        ),
    ] = None,
    release: Annotated[
        str | None, release_option("Such as 1.36.3: only the bugs of this release. Default: all.")
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="Only the bugs of this system.", autocompletion=completion.systems)
    ] = None,
    property: Annotated[
        str | None,
        typer.Option("--property", "-p", help="Only the bugs that violate this.", autocompletion=completion.properties),
    ] = None,
    text: Annotated[
        Path | None,
        typer.Option(
            "--text",
            help="Only the bugs that print or show what stands in this file: a log, events, what a process said as it "
            "ended, /metrics, go tool pprof -top. - is standard input.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the bugs: all, or those that a query or a text of your cluster fits.

    Each comes with the releases that have it, with what is known upstream, and whether it was seen on the real Go
    code. The bugs of the newest releases come first. The exit status is 0, also if no bug fits.

    With --text the exit status is 1 if a symptom of a documented bug of the release stands in the text, else 0.

    Example: `kubeproof bugs daemonset pending --release 1.18.4`, or
    `kubectl -n kube-system logs kube-scheduler-cp-1 | kubeproof bugs --text - --release 1.28.3`
    """
    if text is not None:
        if words or system or property:
            raise InputError("--text: a QUERY, --system or --property is there too: expected only --release beside it")
        raise typer.Exit(_symptoms(text, release, as_json))
    from kubeproof.report.bug_list import listed, listing_json, listing_text, query, release_note
    from kubeproof.systems.releases import newer_note, release_named
    from model.releases import EVERY_MINOR

    at = None if release is None else release_named(release, minors=EVERY_MINOR)
    asked = query(" ".join(words or ()), system, property, at)
    found = listed(asked)
    note([*(() if at is None else newer_note(at)), *release_note(asked)])
    if as_json:
        print_json(listing_json(asked, found))
    else:
        out.print(listing_text(asked, found))


def _symptoms(text: Path, release: str | None, as_json: bool) -> int:
    """The exit status of `bugs --text`."""
    from kubeproof.advise.symptoms import analyse, read_symptoms, render, to_json
    from kubeproof.systems.releases import minor_note, newer_note, release_named
    from model.releases import EVERY_MINOR

    at = None if release is None else release_named(release, minors=EVERY_MINOR)
    answer = analyse(read_symptoms(text), at)
    note([] if at is None else [*newer_note(at), *minor_note(at, ())])
    print_answer(answer, to_json, render, as_json)
    return 1 if answer.found else 0


@app.command()
def show(
    bug: Annotated[
        str,
        typer.Argument(
            metavar="BUG|RULE",
            help="Such as NODETREE-CURSOR, or the number of its issue; or a rule such as list_nodes. `kubeproof bugs` "
            "has all bugs, `kubeproof list SYSTEM` the rules.",
            autocompletion=completion.bugs,
        ),
    ],
    release: Annotated[
        str | None, release_option("Of a rule: show the text that this release has. Default: the newest modelled.")
    ] = None,
    itf: Annotated[
        bool,
        typer.Option("--itf", help="Print the run of the page as an ITF trace, with each state, for trace viewers."),
    ] = False,
    as_pytest: Annotated[
        bool,
        typer.Option("--pytest", help="Print a file for pytest, which replays the run or shows the components again."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Show the page of a bug: what happens, why, in which releases, and what helps. Of a rule: what a fix replaces.

    If nobody has reported the bug, a text for an issue follows where there is one. Of a rule the page has its meaning,
    how it is called, the text of a release's rule, the releases in which it changed, and the mutants. On a terminal the
    page is laid out. In a pipe it is Markdown.

    Example: `kubeproof show NODETREE-CURSOR`
    """
    from kubeproof.report.page import page_json, page_markdown, page_of, rendered
    from kubeproof.report.rule_page import rule_page_json, rule_page_markdown, rule_page_of
    from kubeproof.systems.releases import newer_note
    from kubeproof.systems.rule_text import systems_of

    chosen = [name for name, given in (("--itf", itf), ("--pytest", as_pytest), ("--json", as_json)) if given]
    if len(chosen) > 1:
        raise InputError(f"{chosen[0]}: {chosen[1]} is there too: expected one of the two")
    if systems_of(bug):
        if itf or as_pytest:
            raise InputError(f"{chosen[0]}: '{bug}' is a rule, which has no run: expected a bug")
        rule = rule_page_of(bug, release)
        note(newer_note(rule.release))
        document, text = rule_page_json(rule), rule_page_markdown(rule)
    else:
        page = page_of(bug)
        if release is not None:
            raise InputError(f"--release: {page.bug.id} is a bug, whose page has all releases: expected a rule")
        if itf or as_pytest:
            from kubeproof.report.exported import itf_text, pytest_text

            out.print((itf_text if itf else pytest_text)(page.bug), end="", soft_wrap=True)
            return
        document, text = page_json(page), page_markdown(page)
    if as_json:
        print_json(document)
    elif out.is_terminal:
        out.print(rendered(text), crop=False)
    else:
        out.print(text)


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
        typer.Option(
            "--bug",
            help="With --counterexamples: only this bug's. Repeatable. Default: all.",
            autocompletion=completion.bugs,
        ),
    ] = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            help="Report of this system only, and of its bugs. Repeatable. Default: all.",
            autocompletion=completion.systems,
        ),
    ] = None,
    recordings: Annotated[
        list[Path] | None,
        typer.Option("--recordings", help="A recording to replay for the coverage table. Repeatable."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Compute everything anew that out/results does not have.")
    ] = False,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="With --all: keep the tables that take minutes in this folder of the checkout."),
    ] = None,
    dask: DaskOption = None,
    as_json: Json = False,
) -> None:
    """Check every system in each release where its rules differ, replay what is kept, and write the report.

    Without --all the tables that take minutes to compute are shown as kept, with the commit that computed them. With
    --all results are found again by a digest of all that they depend on, in out/results or in the folder that
    KUBEPROOF_RESULTS names; the folder may be deleted at any time.

    Example: `kubeproof report --out out/report --system cpu-manager`
    """
    from kubeproof.output.files import refuse_file
    from kubeproof.output.progress import far
    from kubeproof.processes.memory import peak_memory
    from kubeproof.processes.pool import side_by_side
    from kubeproof.processes.worker import GROWN
    from kubeproof.report.build import SMALL_WORKER, seconds_of, write_counterexamples, write_report
    from kubeproof.report.everything import Everything
    from kubeproof.report.kept_tables import head_commit
    from kubeproof.store.home import bringing_home
    from kubeproof.store.store import store_of_sources
    from kubeproof.systems.registry import SYSTEMS, system_named

    if bug and counterexamples is None:
        raise InputError("--bug: expected --counterexamples and a folder beside it")
    if keep is not None and not everything:
        raise InputError("--keep: expected --all beside it: only what is computed is kept")
    if keep is not None:
        head_commit()  # refuses a checkout with changes
    if system and counterexamples is not None:
        raise InputError("--system: not a choice of counterexamples: expected --bug beside --counterexamples")
    named = {system_named(name).name for name in system or SYSTEMS}
    # First what takes no time: the answer takes minutes.
    refuse_file(*(("--out", out_dir) if counterexamples is None else ("--counterexamples", counterexamples)))
    on = "the same command begins anew; with --all it finds what is in the folders that KUBEPROOF_RESULTS names"
    workers = 1 if bug else None
    grown = GROWN if everything or counterexamples is not None else SMALL_WORKER
    with (
        going_on(on),
        far("report") as so_far,
        peak_memory() as peak,
        side_by_side(workers, dask=dask, told=so_far.tasks, weigh=seconds_of, grown=grown) as each,
    ):
        # To read the sources for the store takes longer than the pages of a few bugs do.
        store = store_of_sources() if everything or (counterexamples is not None and not bug) else None
        map_each = bringing_home(each, store if dask else None)
        if counterexamples is not None:
            paths = write_counterexamples(counterexamples, bug or (), None if bug else store, map_each)
        else:
            chosen = [of for name, of in SYSTEMS.items() if name in named]
            besides = Everything(store, keep) if everything else None
            paths = write_report(map_each, out_dir, engine or ("all",), recordings or (), chosen, besides, so_far)
    note([str(peak)])
    if as_json:
        print_json({"files": [str(path) for path in paths]})
    else:
        # The pages of the bugs lie beside these.
        for path in paths if counterexamples is not None else paths[-2:]:
            out.print(visible(str(path)))


@app.command()
def rules(
    system: SystemArgument,
    release: ReleaseOption = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            help="Another release: show only the rules that differ from this one's.",
            autocompletion=completion.releases,
        ),
    ] = None,
    feature_gates: GatesOption = None,
    as_json: Json = False,
) -> None:
    """Show the rules of a system in a release: since when, by which change, where in Go, and how each is known.

    With --feature-gates the rules that nobody asks under these gates are left out.

    Example: `kubeproof rules scheduling --release 1.28.4 --against 1.28.5`
    """
    from kubeproof.report.rules import rules_in_force, rules_json, rules_text
    from kubeproof.systems.registry import system_named
    from kubeproof.systems.releases import minor_note, newer_note, release_named

    chosen = system_named(system)
    other = None if against is None else release_named(against, "--against", chosen.minors)
    at = release_named(release, minors=chosen.minors)
    found = rules_in_force(chosen, at, other, feature_gates)
    asked = [each for each in (at, other) if each is not None]
    note([line for each in asked for line in (*newer_note(each), *minor_note(each, chosen.rule_fields))])
    print_answer(found, rules_json, rules_text, as_json)


@app.command(name="list")
def list_(
    system: Annotated[
        str | None,
        typer.Argument(
            help="Show this system: bounds, properties, what it leaves out, rules. Default: a short part for each one.",
            autocompletion=completion.systems,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the systems, releases and engines; of one system its bounds, properties, rules, and what it leaves out.

    Example: `kubeproof list node-listing`
    """
    from kubeproof.report.inventory import inventory, overview_text, system_text
    from kubeproof.systems.registry import system_named

    chosen = None if system is None else system_named(system)
    if as_json:
        print_json(inventory(chosen))
    else:
        out.print(overview_text() if chosen is None else system_text(chosen))
