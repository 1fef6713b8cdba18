"""The program of all commands, and the options that several of them have."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli import completion

app = typer.Typer(
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)
INTERRUPTED = 130


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        from kubeproof.engines.explicit.compiled import kind
        from kubeproof.output import out

        out.print(f"kubeproof {version('kubeproof')}")
        out.print(f"explicit engine: {kind()}")
        raise typer.Exit


@app.callback()
def _kubeproof(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Checks models of kube-scheduler and of the kubelet's CPU manager, release by release."""


Json = Annotated[bool, typer.Option("--json", help="Print one JSON document to stdout and nothing else.")]
ReleaseOption = Annotated[
    str | None,
    typer.Option(
        "--release",
        "-r",
        help="Such as 1.18.4, v1.18, 1.19.0-rc.1, v1.18.4-tke.4. Default: the newest modelled.",
        autocompletion=completion.releases,
    ),
]
SystemArgument = Annotated[
    str,
    typer.Argument(help="Such as node-listing; `kubeproof list` has all systems.", autocompletion=completion.systems),
]
BugArgument = Annotated[
    str,
    typer.Argument(
        help="Such as NODETREE-CURSOR, or the number of its issue; `kubeproof bugs` has all bugs.",
        autocompletion=completion.bugs,
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
    typer.Option(
        "--rule", help="NAME=RULE, a built-in rule for a field; `kubeproof list SYSTEM` has them. Repeatable."
    ),
]
ResultsOption = Annotated[
    Path | None,
    typer.Option(
        "--checkout-results", help="The folder of `kubeproof go record`, after its command was run on your checkout."
    ),
]
AllResultsOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--checkout-results",
        help="A folder of `kubeproof go record`, or of a driver of `kubeproof go test`, after its command was run on "
        "your checkout. Repeatable.",
    ),
]
ScopeOption = Annotated[
    str | None,
    typer.Option(
        "--scope",
        help="Such as nodes=4,zones=2; other bounds keep the system's default. In 'only nodes=4,zones=2' they are 0.",
    ),
]
GatesOption = Annotated[
    str | None,
    typer.Option(
        "--feature-gates", help="As kube-scheduler or the kubelet takes them, such as SchedulerQueueingHints=false."
    ),
]
EngineOption = Annotated[
    list[str] | None,
    typer.Option(
        "--engine",
        "-e",
        help="explicit, hypothesis, z3, tlc or all. Repeatable.",
        autocompletion=completion.engines,
    ),
]
