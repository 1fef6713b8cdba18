"""The commands that check and judge: releases, fixes, rules, recordings."""

from collections.abc import Sequence
from enum import StrEnum
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import (
    INTERRUPTED,
    AllResultsOption,
    DaskOption,
    EngineOption,
    FixOption,
    GatesOption,
    Json,
    ReleaseOption,
    ResultsOption,
    RuleOption,
    ScopeOption,
    app,
    duration,
    release_option,
)
from kubeproof.errors import InputError
from kubeproof.output import err, error, note, out, print_answer, print_json
from kubeproof.visible import visible

if TYPE_CHECKING:
    from kubeproof.go.held_against import HeldAgainst, OfCheckout
    from kubeproof.systems.system import System


@app.command()
def check(
    system: Annotated[
        str | None,
        typer.Argument(
            help="Such as node-listing; `kubeproof list` has all systems.", autocompletion=completion.systems
        ),
    ] = None,
    release: ReleaseOption = None,
    machine: Annotated[
        Path | None,
        typer.Option("--machine", help="In place of SYSTEM: a Python file with a machine of yours. It is executed."),
    ] = None,
    property_file: Annotated[
        list[Path] | None,
        typer.Option(
            "--property-file",
            help="A Python file with properties of yours, which is executed. Repeatable. Without --property only these "
            "are checked.",
        ),
    ] = None,
    fix: FixOption = None,
    rule: RuleOption = None,
    scope: ScopeOption = None,
    feature_gates: GatesOption = None,
    property: Annotated[
        list[str] | None,
        typer.Option(
            "--property", "-p", help="Check this property only. Repeatable.", autocompletion=completion.properties
        ),
    ] = None,
    engine: EngineOption = None,
    time: Annotated[
        str | None, typer.Option("--time", help="Stop after 90s, 10m or 2h. What has no answer then is inconclusive.")
    ] = None,
    distributed: Annotated[
        str | None,
        typer.Option(
            "--distributed",
            metavar="ADDRESS",
            help="With --engine tlc: TLC's server runs here, its workers on other machines. ADDRESS is this machine "
            "as they reach it.",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            "--checkpoint",
            metavar="DIR",
            help="Write what the explicit engine has found to this folder every five minutes, and go on from there.",
        ),
    ] = None,
    itf: Annotated[
        bool, typer.Option("--itf", help="Print the run of the first violation as an ITF trace and nothing else.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check the properties of a system, under the rules of a release or with a fix in place.

    Example: `kubeproof check node-listing --release 1.18.4 --engine all`, or `kubeproof check --machine my_lock.py`
    """
    from math import inf

    from kubeproof.bugs.beside import KEPT_RUN
    from kubeproof.check.check import check_system, report_json
    from kubeproof.own.reading import prints_to_stderr
    from kubeproof.processes.supervise import results_so_far
    from kubeproof.report.check_progress import check_progress
    from kubeproof.report.exported import itf_of_result
    from kubeproof.report.summary import in_one_line
    from kubeproof.report.terminal import below_table, heading, never_taken, results_table, trace_text
    from kubeproof.verdict.result import Outcome, exit_status

    seconds = inf if time is None else duration(time, "--time")
    of_release = {"--release": release, "--fix": fix, "--rule": rule, "--feature-gates": feature_gates}
    if itf and as_json:
        raise InputError("--itf: --json is there too: expected one of the two")
    if distributed is not None:
        note([f"on each machine that works: kubeproof tlc-worker {visible(distributed)}"])
    with check_progress(err) as shown, results_so_far(), prints_to_stderr():
        report = check_system(
            _asked(system, machine, [name for name, value in of_release.items() if value]),
            release,
            property_files=property_file or (),
            fix=fix,
            rules=rule or (),
            scope=scope,
            feature_gates=feature_gates,
            properties=property,
            engines=engine or ("explicit",),
            distributed=distributed,
            checkpoint=checkpoint,
            watch=shown.watch(seconds),
        )
    note(report.notes)
    if as_json:
        print_json(report_json(report))
    elif itf:
        first = next((each for each in report.results if each.outcome is Outcome.VIOLATED and each.trace), None)
        if first is None:
            note(["nothing is violated, so there is no run"])
        else:
            out.print(itf_of_result(report.system, report.release, first), end="", soft_wrap=True)
    else:
        out.print(heading(report))
        table = results_table(report.results, report.scope)
        out.print(table)
        for line in below_table(report.results, report.scope):
            out.print(line)
        for line in never_taken(report.system, report.rules, report.results):
            out.print(line)
        if left_out := report.system.left_out_line(report.release):
            out.print(left_out)
        runs = [
            trace_text(report.system, report.release, report.fix, result)
            for result in report.results
            if result.trace is not None and result.engine != KEPT_RUN
        ]
        for run in runs:
            out.print(f"\n{run}")
        if out.is_terminal and sum(run.count("\n") for run in runs) > out.height:
            # The table has scrolled away.
            out.print("")
            out.print(table)
        out.print("\n" + "\n".join(in_one_line(report)))
    for text in report.page_errors:
        error(text)
    raise typer.Exit(INTERRUPTED if report.interrupted else exit_status([result.outcome for result in report.results]))


def _asked(system: str | None, machine: Path | None, of_release: Sequence[str]) -> "str | System":
    """The system that `check` is asked about. `of_release`: the options given that only a release's system takes."""
    from kubeproof.own.system import own_system

    if machine is None:
        if system is None:
            raise InputError("nothing to check: expected SYSTEM, such as node-listing, or --machine FILE")
        return system
    if system is not None:
        raise InputError(f"--machine: {visible(system)} is there too: expected one of the two")
    if of_release:
        raise InputError(f"{of_release[0]}: a machine of yours has no release and no rules: leave the option out")
    return own_system(machine)


@app.command()
def conform(
    files: Annotated[
        list[Path] | None, typer.Argument(help="Recordings: JSON lines, gzip'd or plain; - is standard input.")
    ] = None,
    checkout_results: ResultsOption = None,
    release: Annotated[str | None, release_option("With --checkout-results: what the checkout is made from.")] = None,
    fix: FixOption = None,
    rule: RuleOption = None,
    shorter: Annotated[
        Path | None,
        typer.Option("--shorter", help="Write operations for `kubeproof go record --operations`: shorter cases."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Replay recordings of the real Go components on the models, operation by operation.

    With --checkout-results: say whether your checkout is the release, is the release with the rules of a fix, or does
    something else. The exit status is 0 if the checkout is what was asked for (the release, or with --fix the release
    with the fix), 1 if not, 3 if the operations do not tell the fix from the release.

    Example: `kubeproof conform tests/data/node_tree-1.31.13.jsonl`
    """
    from attrs import asdict

    from kubeproof.conform.conform import exit_status, replay_files
    from kubeproof.report.conformance import conformance_text

    if checkout_results is not None:
        if files:
            raise InputError(f"--checkout-results: {visible(str(files[0]))} is given too: expected one of the two")
        raise typer.Exit(_judged(checkout_results, release, fix, rule or (), shorter, as_json))
    if not files:
        raise InputError("nothing to replay: expected recordings, or --checkout-results")
    if release is not None or fix is not None or rule or shorter is not None:
        raise InputError("--release, --fix, --rule, --shorter: expected --checkout-results with them")
    replays = replay_files(files)
    if as_json:
        print_json({"files": [asdict(replay) for replay in replays]})
    else:
        out.print(conformance_text(replays))
    raise typer.Exit(exit_status(replays))


def _of_checkout(results: Path, release: str | None, fix: Path | None, rules: Sequence[str]) -> "HeldAgainst":
    """The results of a checkout, held against the release and the fix."""
    from kubeproof.fix.fix import opened_fix
    from kubeproof.go.held_against import held_against

    with opened_fix(fix, rules) as own:
        return held_against(results, release, own)


def _of_checkouts(
    folders: Sequence[Path], release: str | None, fix: Path | None, rules: Sequence[str]
) -> "tuple[OfCheckout, ...]":
    """What was played on the checkout, held against the release with the fix."""
    from kubeproof.fix.fix import opened_fix
    from kubeproof.go.held_against import of_checkout

    if not folders:
        return ()
    with opened_fix(fix, rules) as own:
        return of_checkout(folders, release, own)


def _judged(
    results: Path, release: str | None, fix: Path | None, rules: Sequence[str], shorter: Path | None, as_json: bool
) -> int:
    """Say what a checkout does; the exit status."""
    from kubeproof.go.held_against import shorter_operations
    from kubeproof.output.files import write_whole
    from kubeproof.report.conformance import held_json, held_notes, held_text

    held = _of_checkout(results, release, fix, rules)
    note(held_notes(held))
    if shorter is not None:
        write_whole(shorter, shorter_operations(held))
    print_answer(held, held_json, held_text, as_json)
    return held.exit_status


class Format(StrEnum):
    """How `validate` says the verdict."""

    TEXT = "text"
    MARKDOWN = "markdown"
    GITHUB = "github"
    HTML = "html"
    JSON = "json"


@app.command()
def validate(
    fix: Annotated[Path | None, typer.Argument(help="A Python file. Its functions have the names of rules.")] = None,
    release: ReleaseOption = None,
    rule: RuleOption = None,
    system: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            help="Judge in this system only. Repeatable. Default: all with the fix's rules.",
            autocompletion=completion.systems,
        ),
    ] = None,
    scope: ScopeOption = None,
    feature_gates: GatesOption = None,
    engine: EngineOption = None,
    checkout_results: AllResultsOption = None,
    time: Annotated[
        str | None,
        typer.Option(
            "--time",
            help="So long it is looked in further scopes of each system, such as 90s or 10m; 0s: not at all. "
            "Default: until these have 60,000 states.",
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="All that was established: each scope, property and bug, and whole runs.")
    ] = False,
    dask: DaskOption = None,
    as_format: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="markdown: a page for a pull request, with a Mermaid diagram of the run. html: the page as a file. "
            "github: the text with marks at the function of the fix, and the page in the summary of the job. json: as "
            "--json.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Judge a proposed fix: whether the bug is gone, whether the fix breaks a property, and what else changes.

    The fix is judged in every system in which a step asks its rules. The verdict has a part for each system, and the
    worst part decides the exit status: 0 if the fix is accepted or changes nothing. Some ten lines say what was found,
    and how far it was looked. --full says the rest. In the document of `--json` the key `parts` has the list of parts,
    each with its `system`.

    With --format github the page is added to the file that GITHUB_STEP_SUMMARY names, if it names one.

    The file is executed, in processes of its own: 2 GiB of memory, 20 seconds to be loaded, 5 seconds for each call of
    a rule. What it prints goes nowhere. The processes have your rights.

    Example: `kubeproof validate examples/fixes/reset_cursors.py --release 1.18.4`
    """
    from kubeproof.go.held_against import joined_status
    from kubeproof.output.files import add_to
    from kubeproof.output.progress import far
    from kubeproof.report.conformance import beside_verdict, held_json, held_notes, kept_runs_json
    from kubeproof.report.validation import validation_text
    from kubeproof.report.verdict_lines import Asked, inferred
    from kubeproof.report.verdict_page import verdict_html, verdict_markdown
    from kubeproof.report.workflow_commands import error_line, github_lines
    from kubeproof.validate.further import USUAL, within
    from kubeproof.validate.validate import validate as judge, validation_json
    from kubeproof.verdict.result import Outcome, exit_status

    if as_json and as_format not in (None, Format.JSON):
        raise InputError(f"--json: --format {as_format} is there too: expected one of the two")
    shown = Format.JSON if as_json else as_format or Format.TEXT
    further = USUAL if time is None else within(duration(time, "--time"))
    try:
        # First what takes a second: a folder without results is said before anything is explored.
        checkouts = _of_checkouts(checkout_results or (), release, fix, rule or ())
        with far("judging") as so_far:
            verdict = judge(
                fix, release, rules=rule or (), systems=system or (), scope=scope, feature_gates=feature_gates,
                engines=engine or ("all",), progress=so_far.found, told=so_far.tasks, further=further, dask=dask,
            )  # fmt: skip
    except InputError as wrong:
        if shown is Format.GITHUB:
            out.print(error_line(fix, wrong), soft_wrap=True)
        raise
    note([text for text in verdict.notes if shown is Format.JSON or text not in inferred(verdict)])
    outcomes = [verdict.outcome]
    components = [each.held for each in checkouts if each.held is not None]
    if checkouts:
        note(list(dict.fromkeys(line for each in components for line in held_notes(each))))
        outcomes.append({0: Outcome.HOLDS, 1: Outcome.VIOLATED}.get(joined_status(checkouts), Outcome.INCONCLUSIVE))
    folders = [str(each) for each in checkout_results or ()]
    asked = Asked(system or (), scope, feature_gates, engine or ("all",), folders, time)
    beside = beside_verdict(checkouts, verdict.release, verdict.fix.label) if checkouts else ""
    whole = validation_text(verdict, asked, full=full)
    text = f"{whole}\n\n{beside}" if beside else whole
    rest = "\n\n".join(filter(None, (whole if full else "", beside)))
    if shown is Format.JSON:
        runs = kept_runs_json([run for each in checkouts for run in each.runs])
        joined = {"components": [held_json(each) for each in components], "kept_runs": runs}
        print_json({**validation_json(verdict), **({"checkout": joined} if checkouts else {})})
    elif shown is Format.HTML:
        out.print(verdict_html(verdict, asked, rest, full=full), end="", soft_wrap=True)
    elif shown is Format.MARKDOWN:
        out.print(verdict_markdown(verdict, asked, rest, full=full), end="", soft_wrap=True)
    elif shown is Format.GITHUB:
        for line in github_lines(verdict, text):
            out.print(line, soft_wrap=True)
        if summary := environ.get("GITHUB_STEP_SUMMARY"):
            add_to(Path(summary), verdict_markdown(verdict, asked, rest, full=full))
    else:
        out.print(text)
    raise typer.Exit(exit_status(outcomes))
