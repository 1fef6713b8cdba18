"""The command that opens the explorer's page."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import FixOption, GatesOption, Json, ReleaseOption, RuleOption, ScopeOption, app
from kubeproof.errors import InputError
from kubeproof.output import note, out, print_json
from kubeproof.visible import visible


@app.command()
def explore(
    system: Annotated[
        str | None,
        typer.Argument(
            metavar="SYSTEM|LINK",
            help="Such as node-listing; `kubeproof list` has all systems. Or the link of a run, from another page. "
            "Default: the system of --bug.",
            autocompletion=completion.systems,
        ),
    ] = None,
    release: ReleaseOption = None,
    scope: ScopeOption = None,
    feature_gates: GatesOption = None,
    bug: Annotated[
        str | None,
        typer.Option(
            "--bug",
            help="Begin with the run of this bug, as far as the release has it.",
            autocompletion=completion.bugs,
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against", help="Another release, which takes the same actions.", autocompletion=completion.releases
        ),
    ] = None,
    fix: FixOption = None,
    rule: RuleOption = None,
    port: Annotated[
        int, typer.Option("--port", help="The port of the page. 0: any that is free.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether a browser is opened.")] = True,
    site: Annotated[
        Path | None,
        typer.Option("--site", help="Write the page to this folder, with all that it needs without this command."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Take the actions of a system one by one in a page, and see what each would do, change and violate.

    The page shows the run as lanes and pictures, searches the shortest run to a violation or to a fact, and holds a
    second release or a fix against the first. Its address has the whole run. The page comes from this command, which
    serves it to this machine alone until Ctrl-C. A browser that the command has to start ends with it.

    With --site the models run in the browser, by Pyodide, which npm fetches. Any server can send the folder:
    `python -m http.server`.

    A fix is executed, as `validate` does, and takes the actions beside the release.

    Example: `kubeproof explore --bug NODETREE-CURSOR --against 1.18.7`
    """
    import sys
    import webbrowser

    from kubeproof.explore.begin import first_run, system_asked
    from kubeproof.explore.link import fragment, run_of_link
    from kubeproof.explore.run import Run
    from kubeproof.explore.server import machine_with, serve
    from kubeproof.explore.site import write_site
    from kubeproof.fix.fix import opened_fix, systems_with

    others = (system, release, scope, feature_gates, bug, against, fix, rule)
    if site is not None:
        if any(others):
            raise InputError("--site: a run is chosen in the page: expected only a folder")
        size = write_site(site)
        if as_json:
            print_json({"folder": str(site), "bytes": size})
        else:
            shown = visible(str(site))
            out.print(
                f"{shown}: {size / 1e6:.1f} MB. Any server can send it: `python -m http.server --directory {shown}`."
            )
        return
    linked = None
    if system is not None and "#" in system:
        if release or scope or feature_gates or bug or against:
            raise InputError("SYSTEM: a link has the release, the scope and the run: expected it without these options")
        linked = Run.read(run_of_link(system))
    chosen = system_asked(system, bug) if linked is None else linked.system
    with opened_fix(fix, rule or (), [chosen]) as own:
        if own is not None:
            systems_with(own, [chosen])
        run, notes = (
            first_run(chosen, release, scope, feature_gates, bug, against, own is not None, machine_with(own))
            if linked is None
            else (linked, ())
        )
        note(notes)

        def begin(address: str) -> None:
            link = address + fragment(run.json())
            if as_json:
                print_json({"address": link})
                sys.stdout.flush()
            else:
                out.print(link, soft_wrap=True)
            if browser:
                webbrowser.open(link)

        serve(own, port, begin)
