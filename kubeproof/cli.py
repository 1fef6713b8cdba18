"""The command line.

The exit status is 0 if all that was asked holds, 1 if something is violated, 2 for wrong usage or input, 3 if something
is inconclusive, 4 if the answer could not be written, 130 or 143 after SIGINT or SIGTERM
(`kubeproof/processes/supervise.py`). Results go to stdout, progress and notes to stderr (`kubeproof/output.py`).
"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from kubeproof.errors import InputError, RuleError
from kubeproof.house import check_house
from kubeproof.output import NOT_WRITTEN, OutputError, checked_streams, err, error, note, out, print_json
from kubeproof.visible import visible

app = typer.Typer(
    help="Checks models of kube-scheduler and of the kubelet's CPU manager, release by release.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    add_completion=False,
)
INTERRUPTED = 130

# Typer has click's exceptions under its own name. A bad parameter is a kind of usage error.
_USAGE_ERROR = cast("type[Exception]", typer.BadParameter.__mro__[1])

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document to stdout and nothing else.")]
ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release", "-r", help="Such as 1.18.4, v1.18, 1.19.0-rc.1, v1.18.4-tke.4. Default: the newest modelled."
    ),
]
FixOption = Annotated[
    Path | None,
    typer.Option(
        "--fix",
        help="A Python file. Its functions have the names of rules. The file is executed, in processes of its own.",
    ),
]
RuleOption = Annotated[
    list[str] | None,
    typer.Option("--rule", help="NAME=RULE, a built-in rule for a field; `kubeproof list` has them. Repeatable."),
]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        help="Such as nodes=4,zones=2; other bounds keep the system's default. After a leading 0, as in "
        "0,nodes=4,zones=2, other bounds are 0.",
    ),
]
EngineOption = Annotated[
    list[str] | None, typer.Option("--engine", "-e", help="explicit, hypothesis, z3, tlc or all. Repeatable.")
]


@app.command()
def check(
    system: Annotated[str, typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.")],
    release: ReleaseOption = None,
    fix: FixOption = None,
    rule: RuleOption = None,
    scope: ScopeOption = None,
    property: Annotated[
        list[str] | None, typer.Option("--property", "-p", help="Check this property only. Repeatable.")
    ] = None,
    engine: EngineOption = None,
    as_json: Json = False,
) -> None:
    """Check the properties of a system, under the rules of a release or with a fix in place.

    Example: `kubeproof check node-listing --release 1.18.4 --engine all`
    """
    from kubeproof.check.check import check_system, report_json, rules_line
    from kubeproof.processes.supervise import results_so_far
    from kubeproof.report.progress import progress
    from kubeproof.report.terminal import below_table, never_taken, results_table, trace_text
    from kubeproof.systems.read_fields import left_out_line
    from kubeproof.systems.system import scope_text
    from kubeproof.verdict.result import exit_status

    with progress(err) as show, results_so_far():
        report = check_system(
            system,
            release,
            fix=fix,
            rules=rule or (),
            scope=scope,
            properties=property,
            engines=engine or ("explicit",),
            progress=show,
        )
    note(report.notes)
    if as_json:
        print_json(report_json(report))
    else:
        out.print(f"{report.system.name} {report.release}, scope {scope_text(report.scope)}")
        out.print(f"rules: {rules_line(report.system, report.rules, report.fix)}\n")
        out.print(results_table(report.results, report.scope))
        for line in below_table(report.results, report.scope):
            out.print(line, markup=False)
        for line in never_taken(report.system, report.rules, report.results):
            out.print(line)
        out.print(left_out_line(report.system.read_fields))
        for result in report.results:
            if result.trace is not None:
                out.print("\n" + trace_text(report.system, report.release, report.fix, result))
    raise typer.Exit(INTERRUPTED if report.interrupted else exit_status([result.outcome for result in report.results]))


@app.command()
def conform(
    files: Annotated[list[Path], typer.Argument(help="Recordings: JSON lines, gzip'd or plain; - is standard input.")],
    as_json: Json = False,
) -> None:
    """Replay recordings of the real Go components on the models, operation by operation.

    Example: `kubeproof conform tests/data/node_tree-1.31.13.jsonl`
    """
    from attrs import asdict

    from kubeproof.conform.conform import exit_status, replay_files
    from kubeproof.report.conformance import conformance_text

    replays = replay_files(files)
    if as_json:
        print_json({"files": [asdict(replay) for replay in replays]})
    else:
        out.print(conformance_text(replays))
    raise typer.Exit(exit_status(replays))


@app.command()
def validate(
    fix: Annotated[Path | None, typer.Argument(help="A Python file. Its functions have the names of rules.")] = None,
    release: ReleaseOption = None,
    rule: RuleOption = None,
    system: Annotated[
        list[str] | None,
        typer.Option("--system", help="Judge in this system only. Repeatable. Default: all with the fix's rules."),
    ] = None,
    scope: ScopeOption = None,
    engine: EngineOption = None,
    as_json: Json = False,
) -> None:
    """Judge a proposed fix: whether the bug is gone, whether the fix breaks a property, and what else changes.

    The fix is judged in every system that has all its rules. The verdict has a part for each system, and the worst part
    decides the exit status. In the document of `--json` the key `parts` has the list of parts, each with its `system`.

    The file is executed, in processes of its own: 2 GiB of memory, 20 seconds to be loaded, 5 seconds for each call of
    a rule. What it prints goes nowhere. The processes have your rights.

    Example: `kubeproof validate examples/fixes/reset_cursors.py --release 1.18.4`
    """
    from kubeproof.fix.validate import validate as judge, validation_json
    from kubeproof.report.validation import validation_text
    from kubeproof.verdict.result import exit_status

    verdict = judge(fix, release, rules=rule or (), systems=system or (), scope=scope, engines=engine or ("all",))
    note(verdict.notes)
    if as_json:
        print_json(validation_json(verdict))
    else:
        out.print(validation_text(verdict))
    raise typer.Exit(exit_status([verdict.outcome]))


@app.command()
def hunt(
    system: Annotated[str, typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.")],
    release: ReleaseOption = None,
    time: Annotated[
        str, typer.Option("--time", help="How long to look, such as 90s, 10m or 2h. The answer comes soon after.")
    ] = "10m",
    fix: FixOption = None,
    rule: RuleOption = None,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="Look in this scope, not in growing ones. Repeatable.")
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option("--kept", help="A file for what is found. If the file is there, the hunt goes on from there."),
    ] = None,
    as_json: Json = False,
) -> None:
    """List the distinct bugs of a release: the shortest run of each, the rules to blame, and since when it is cured.

    The explicit engine checks all properties in one scope after another, on all processors: first every pair of powers
    in the smallest size, then larger scopes. After a violation each rule is swapped for those of other releases. A
    rule is to blame if its swap cures. Then the hunt goes on with that rule cured, so that the next bug behind the same
    property shows. A bug that no release cures hides others behind its property. A kept bug is named, any other bug is
    *unknown*. The exit status is 1 if a bug was found; 3 if none was and an exploration was cut short.

    A fix is executed, as `validate` does.

    Example: `kubeproof hunt node-listing --release 1.18.4 --time 1m`
    """
    from hashlib import sha256

    from kubeproof.check.check import release_named, release_notes
    from kubeproof.fix.fix import FIX_SIZE, chosen_fix, systems_with
    from kubeproof.hunt.found import Asked
    from kubeproof.hunt.hunt import hunt as look
    from kubeproof.input.duration import duration
    from kubeproof.input.files import read_bytes
    from kubeproof.report.hunt import hunt_json, hunt_text
    from kubeproof.systems.registry import system_named
    from kubeproof.systems.system import scope_text

    chosen, at = system_named(system), release_named(release)
    seconds = duration(time, "--time")
    scopes = [scope_text(chosen.parse_scope(text)) for text in scope] if scope else None
    own = chosen_fix(fix, rule or (), [chosen])
    if own is not None:
        try:
            systems_with(own, [chosen])
        finally:
            own.close()
    digest = "" if fix is None else sha256(read_bytes(fix, FIX_SIZE, "a Python file with a rule")).hexdigest()
    asked = Asked(chosen.name, str(at), None if fix is None else str(fix), tuple(rule or ()), digest)
    if err.is_terminal:
        with err.status("hunting") as status:
            found = look(asked, seconds, kept, scopes=scopes, progress=lambda text: status.update(visible(text)))
    else:
        found = look(asked, seconds, kept, scopes=scopes)
    note(release_notes(at, chosen.rule_fields))
    if as_json:
        print_json(hunt_json(found))
    else:
        out.print(hunt_text(found), markup=False)
    raise typer.Exit(1 if any(bug.own for bug in found.bugs) else 3 if found.cut or not found.scopes else 0)


@app.command()
def nodes(
    file: Annotated[Path, typer.Argument(help="The output of kubectl get nodes -o json, or -o yaml.")],
    release: ReleaseOption = None,
    as_json: Json = False,
) -> None:
    """Say whether this cluster can lose a node in a release, by which run, and which upgrade cures this.

    Example: `kubectl get nodes -o json > nodes.json && kubeproof nodes nodes.json --release 1.18.4`
    """
    from kubeproof.advise.nodes import analyse, read_nodes, render, to_json
    from kubeproof.check.check import release_named, release_notes

    at = release_named(release)
    answer = analyse(read_nodes(file), at)
    note(release_notes(at, ("add_node", "remove_node", "list_nodes", "update_snapshot")))
    if as_json:
        print_json(to_json(answer))
    else:
        out.print(render(answer))
    raise typer.Exit(1 if answer.can_lose else 0)


@app.command(name="cpu-state")
def cpu_state(
    file: Annotated[Path, typer.Argument(help="A kubelet's /var/lib/kubelet/cpu_manager_state.")],
    topology: Annotated[
        Path | None, typer.Option("--topology", help="The machine: lscpu -J -e, or a cAdvisor MachineInfo.")
    ] = None,
    cpus: Annotated[str | None, typer.Option("--cpus", help="The machine's online CPUs, such as 0-7.")] = None,
    reserved: Annotated[
        str | None, typer.Option("--reserved", help="The kubelet's --reserved-cpus, such as 0,4.")
    ] = None,
    release: Annotated[
        str | None,
        typer.Option(
            "--release", "-r", help="The kubelet's release. Default: the newest modelled that writes such a file."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a kubelet starts with this state file on this machine, and what to do if it does not.

    Example: `kubeproof cpu-state /var/lib/kubelet/cpu_manager_state --cpus "$(cat /sys/devices/system/cpu/online)"`
    """
    from kubeproof.advise.cpu_state import analyse, question, read_machine, read_state_file, render, to_json
    from kubeproof.input.files import shown

    if str(file) == "-" and topology is not None and str(topology) == "-":
        raise InputError("--topology -: standard input is the state file already: expected the name of a file")
    raw, found = read_state_file(file)
    machine = None if topology is None else (shown(topology), read_machine(topology))
    asked = question(shown(file), raw, found, release=release, cpus=cpus, topology=machine, reserved=reserved)
    answer = analyse(asked)
    note(answer.notes)
    if as_json:
        print_json(to_json(answer))
    else:
        out.print(render(answer))
    raise typer.Exit(0 if answer.consistent else 1)


@app.command(name="pod-events")
def pod_events(
    files: Annotated[
        list[Path],
        typer.Argument(help="The output of kubectl get pods -A -o json, and of events and nodes: one file or several."),
    ],
    release: Annotated[
        str | None,
        typer.Option("--release", "-r", help="The scheduler's release. Default: name every release with such a bug."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Say which bugs of the scheduler the pods and events of a cluster fit, and what cures these bugs.

    Example: `kubectl get pods,events,nodes -A -o json > all.json && kubeproof pod-events all.json --release 1.17.4`
    """
    from kubeproof.advise.pod_events import analyse, read_files, render, to_json
    from kubeproof.check.check import release_named

    at = None if release is None else release_named(release)
    answer = analyse(read_files(files), at)
    if as_json:
        print_json(to_json(answer))
    else:
        out.print(render(answer))
    raise typer.Exit(1 if answer.findings else 0)


@app.command(name="scheduler-memory")
def scheduler_memory(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE[@TIME]",
            help="Any mix of: dumps of the scheduler's /metrics, or Prometheus' answer to query_range; its pod, its "
            "events in JSON; its log at -v=5; go tool pprof -top of its heap. FILE@2024-01-12T10:00Z says "
            "when a dump was taken.",
        ),
    ],
    release: Annotated[
        str | None,
        typer.Option("--release", "-r", help="The scheduler's release. Default: as the files say."),
    ] = None,
    feature_gates: Annotated[
        str | None,
        typer.Option("--feature-gates", help="As kube-scheduler has them, such as SchedulerQueueingHints=false."),
    ] = None,
    limit: Annotated[
        str | None, typer.Option("--limit", help="The memory limit, such as 2Gi. Default: that of the pod.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a scheduler's memory grows, and whether the bugs of queueing hints fit.

    The exit status is 1 if a modelled bug fits, 0 if nothing grows, 3 if the files do not tell why it grows, or
    whether it grows.

    Example, on the scheduler's machine, some hours apart: `curl -sk -H "Authorization: Bearer $TOKEN"
    https://127.0.0.1:10259/metrics > 1.txt`, the same into 2.txt, and `kubeproof scheduler-memory 1.txt 2.txt`
    """
    from kubeproof.advise.scheduler_memory import analyse, exit_status, question, read_files, render, to_json

    picture = read_files(files)
    answer = analyse(picture, question(picture, release, feature_gates, limit))
    if as_json:
        print_json(to_json(answer))
    else:
        out.print(render(answer))
    raise typer.Exit(exit_status(answer))


@app.command()
def growth(
    subject: Annotated[str, typer.Argument(help="queueing-hints: the events that the queue keeps for pods in flight.")],
    release: Annotated[
        str | None, typer.Option("--release", "-r", help="Such as 1.28.3, from 1.28 to 1.32. Default: the newest.")
    ] = None,
    against: Annotated[
        str | None, typer.Option("--against", help="More releases, such as 1.28.5,1.31.13,1.32.2.")
    ] = None,
    workload: Annotated[str, typer.Option("--workload", help="scale-loop, churn, slow-bind or quiet.")] = "scale-loop",
    powers: Annotated[
        str,
        typer.Option(
            "--with", help="What goes on besides: some of updates,deletes,rejections,errors,slow-binds; or none."
        ),
    ] = "updates,deletes",
    pods: Annotated[int, typer.Option("--pods", min=1, max=10_000, help="How many pods the cluster has.")] = 1_000,
    events: Annotated[
        int, typer.Option("--events", min=1, max=50_000, help="After how many events users and controllers stop.")
    ] = 10_000,
    object_bytes: Annotated[
        int, typer.Option("--object-bytes", min=0, max=2**21, help="The size of a pod or node in memory.")
    ] = 6_000,
    feature_gates: Annotated[
        str | None,
        typer.Option(
            "--feature-gates", help="SchedulerQueueingHints=true or =false. Default: a run with each of the two."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show how many events the scheduling queue retains in a long run, release against release, gate on and off.

    A run of the components is made for each release, no exploration: the same workload, drawn in the same way each
    time. The answer has the largest and the last number of retained events, the number when all is at rest, the slope,
    the first event after which the number never is 0 again, and the pod that holds the events. The document of `--json`
    also has the picture (key `svg`).

    Example: `kubeproof growth queueing-hints --release 1.28.3 --against 1.28.5,1.31.13,1.32.2`
    """
    from kubeproof.check.check import release_notes
    from kubeproof.growth.answer import answer, answer_json, answer_text
    from kubeproof.growth.asked import asked
    from kubeproof.growth.scheduler import RULE_FIELDS

    question = asked(subject, release, against, feature_gates, workload, powers, pods=pods, events=events)
    found = answer(question, object_bytes)
    note([line for each in question.releases for line in release_notes(each, RULE_FIELDS)])
    if as_json:
        print_json(answer_json(found))
    else:
        out.print(answer_text(found))


@app.command()
def reproduce(
    bug: Annotated[str, typer.Argument(help="Such as NODETREE-CURSOR; `kubeproof bugs` has all bugs.")],
    as_json: Json = False,
) -> None:
    """Replay the kept counterexample of a bug. The exit status is 0 if the violation appears as the page says.

    Example: `kubeproof reproduce NODETREE-CURSOR`
    """
    from kubeproof.bugs.catalogue import Bug, any_bug_named
    from kubeproof.bugs.kept import reproduce as run
    from kubeproof.check.check import trace_json
    from kubeproof.report.component import reproduction_json, reproduction_text
    from kubeproof.report.kept import kept_run
    from kubeproof.report.terminal import run_text

    named = any_bug_named(bug)
    if not isinstance(named, Bug):
        document = reproduction_json(named)
        if as_json:
            print_json(document)
        else:
            out.print(reproduction_text(named))
        raise typer.Exit(0 if document["appears"] else 1)
    found = run(named)
    if as_json:
        print_json(
            {
                "bug": found.bug.id,
                "release": found.bug.release,
                "property": found.bug.violates,
                "appears": found.appears,
                "explanation": found.explanation,
                "trace": trace_json(found.trace),
            }
        )
    else:
        verdict = "appears as recorded" if found.appears else "does NOT appear as recorded"
        why = "" if found.appears else f": {found.explanation}"
        out.print(f"{found.bug.id} {verdict} in {found.bug.release}{why}")
        if found.trace is not None:
            out.print("\n" + "\n".join(run_text(kept_run(found))))
    raise typer.Exit(0 if found.appears else 1)


@app.command()
def bugs(as_json: Json = False) -> None:
    """List the bugs: those that have a kept counterexample, and those that nothing shows.

    Example: `kubeproof bugs --json`
    """
    from attrs import asdict

    from kubeproof.bugs.catalogue import BUGS, COMPONENT_BUGS, UNSHOWN_BUGS
    from kubeproof.report.component import component_json

    if as_json:
        documents = [{**asdict(bug), "folder": f"counterexamples/{bug.folder}"} for bug in BUGS]
        components = [component_json(bug) for bug in COMPONENT_BUGS]
        print_json({"bugs": documents + components, "not_shown": [asdict(bug) for bug in UNSHOWN_BUGS]})
    else:
        for bug in BUGS:
            out.print(
                f"{bug.id}  {bug.title}\n    {bug.system}, {bug.violates}, reported of {bug.release}", markup=False
            )
        for each in COMPONENT_BUGS:
            out.print(f"{each.id}  {each.title}\n    shown on components, in {each.release}")
        for unshown in UNSHOWN_BUGS:
            out.print(f"{unshown.id}  {unshown.title}\n    not shown: {unshown.reason}")


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
    recordings: Annotated[
        list[Path] | None,
        typer.Option("--recordings", help="A recording to replay for the coverage table. Repeatable."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check every system in each release where its rules differ, and write the report (HTML, Markdown, traces).

    Example: `kubeproof report --out out/report`
    """
    from kubeproof.report.build import write_counterexamples, write_report

    if bug and counterexamples is None:
        raise InputError("--bug: expected --counterexamples and a folder beside it")
    if counterexamples is not None:
        paths = write_counterexamples(counterexamples, bug or ())
    else:
        paths = write_report(out_dir, engine or ("all",), err, recordings or ())
    if as_json:
        print_json({"files": [str(path) for path in paths]})
    else:
        for path in paths:
            out.print(visible(str(path)))


@app.command()
def mutants(
    system: Annotated[str, typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.")],
    release: ReleaseOption = None,
    rule: Annotated[
        list[str] | None, typer.Option("--rule", help="Only the rule for this field. Repeatable. Default: all.")
    ] = None,
    recordings: Annotated[
        list[Path] | None, typer.Option("--recordings", help="A recording to replay with what survives. Repeatable.")
    ] = None,
    kept: Annotated[
        Path | None,
        typer.Option("--kept", help="A file for what was found out. A later run with this file goes on from there."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="With --kept: judge again what neither a property nor an effect names.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Change each rule in the small ways in which code is wrong, and see what finds each change out.

    Without --release: all rules that any release follows, each once.

    Example: `kubeproof mutants node-listing --release 1.18.4 --rule list_nodes`
    """
    from kubeproof.check.check import release_named

    try:
        from kubeproof.mutants.run import judge_mutants
    except ModuleNotFoundError as missing:
        raise InputError(f"{missing.name} is not installed: run `pip install 'kubeproof[mutants]'`") from None
    from kubeproof.report.mutants import mutants_json, mutants_text

    found = judge_mutants(
        system,
        None if release is None else release_named(release),
        rule or (),
        recordings=recordings or (),
        kept=kept,
        again=again,
        progress=lambda text: note([text]),
    )
    if as_json:
        print_json(mutants_json(found))
    else:
        out.print(mutants_text(found))


@app.command()
def rules(
    system: Annotated[str, typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.")],
    release: ReleaseOption = None,
    against: Annotated[
        str | None, typer.Option("--against", help="Another release: show only the rules that differ from this one's.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Show the rules of a system in a release: since when, by which change, where in Go, and how each is known.

    Example: `kubeproof rules scheduling --release 1.28.4 --against 1.28.5`
    """
    from kubeproof.check.check import release_named
    from kubeproof.report.rules import rules_in_force, rules_json, rules_text
    from kubeproof.systems.registry import system_named

    other = None if against is None else release_named(against, "--against")
    found = rules_in_force(system_named(system), release_named(release), other)
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


def run(command: Callable[[], Any]) -> int:
    """Run `command`. Turn its errors into one line and an exit status."""
    try:
        with checked_streams():
            return _run(command)
    except OutputError as lost:
        if str(lost):
            error(str(lost))
        return NOT_WRITTEN


def _run(command: Callable[[], Any]) -> int:
    try:
        check_house()
        status = command()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except _USAGE_ERROR as wrong:
        error(f"{getattr(wrong, 'format_message', wrong.__str__)()} (see kubeproof --help)")
        return 2
    except (InputError, RuleError) as wrong:
        error(str(wrong))
        return 2
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    if status == INTERRUPTED:
        error("interrupted")
    return status if isinstance(status, int) else 0
