"""The program of all commands: common options, the groups of `--help`, and what runs a command.

An error of which nobody thought goes on, up to the last handler (`kubeproof/unforeseen.py`).
"""

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from kubeproof.cli import completion
from kubeproof.errors import InputError, RuleError
from kubeproof.house import check_house
from kubeproof.input.files import shown
from kubeproof.output import NOT_WRITTEN, OutputError, checked_streams, error
from kubeproof.processes.supervise import has_supervisor
from kubeproof.processes.tasks import DASK
from kubeproof.visible import shortened

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown", pretty_exceptions_enable=False)
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


def release_option(help: str) -> Any:
    """The option of a release, where `help` has to say more than `ReleaseOption` does."""
    return typer.Option("--release", "-r", help=help, autocompletion=completion.releases)


ReleaseOption = Annotated[
    str | None, release_option("Such as 1.18.4, v1.18, 1.19.0-rc.1, v1.18.4-tke.4. Default: the newest modelled.")
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
        "--engine", "-e", help="explicit, hypothesis, z3, tlc or all. Repeatable.", autocompletion=completion.engines
    ),
]
DaskOption = Annotated[
    str | None,
    typer.Option(
        "--dask",
        envvar=DASK,
        help="Have a Dask cluster do the work: the address of its scheduler, such as tcp://10.0.0.5:8786, or local.",
    ),
]


# --- The groups in which `kubeproof --help` shows the commands, and the order

GROUPS = {
    "Bugs and properties": (
        "bugs",
        "show",
        "reproduce",
        "explore",
        "check",
        "hunt",
        "growth",
        "rules",
        "list",
        "tlc-worker",
    ),
    "A fix": ("fix", "validate", "conform", "go"),
    "Your cluster": (
        "nodes",
        "cpu-state",
        "cpu-take",
        "pod-events",
        "preemption",
        "scheduler-memory",
        "scheduler-config",
    ),
    "Keeping the models": ("report", "mutants"),
}


def put_in_groups(app: typer.Typer) -> None:
    """Give each command of `app` its group. Raises KeyError for a command that no group has."""
    place = {name: (group, number) for group, names in GROUPS.items() for number, name in enumerate(names)}
    order = list(GROUPS)

    def key(command: typer.models.CommandInfo) -> tuple[int, int]:
        group, number = place[_name(command)]
        return order.index(group), number

    app.registered_commands.sort(key=key)
    for command in app.registered_commands:
        command.rich_help_panel = place[_name(command)][0]
    for group in app.registered_groups:
        group.rich_help_panel = place[_name(group)][0]


def _name(command: typer.models.CommandInfo | typer.models.TyperInfo) -> str:
    return str(command.name or getattr(command.callback, "__name__", ""))


# --- What runs a command

# Typer has click's exceptions under its own name. A bad parameter is a kind of usage error.
_USAGE_ERROR = cast("type[Exception]", typer.BadParameter.__mro__[1])


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
        # Without a command the help is printed, and the error has no text.
        said = getattr(wrong, "format_message", wrong.__str__)() or "no command: expected one of those above"
        error(f"{said} (see kubeproof --help)")
        return 2
    except (InputError, RuleError) as wrong:
        error(str(wrong))
        return 2
    except OSError as wrong:
        mend = _mend(wrong)
        if not mend:
            raise
        error(mend)
        return 2
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    # The supervisor may have to kill this process after its last word, so only one of the two says it.
    if status == INTERRUPTED and not has_supervisor():
        error("interrupted")
    return status if isinstance(status, int) else 0


_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


def _mend(wrong: OSError) -> str:
    """What to do about an error that any path or temporary file may meet; "" for another error."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return "the working directory was deleted: expected one that is there"
    # Python's module for temporary files has looked for a folder that takes a file.
    if wrong.errno in _NO_SPACE or (wrong.errno == errno.ENOENT and wrong.filename is None):
        file = f"{shown(wrong.filename)}: " if wrong.filename else ""
        return f"{file}{wrong.strerror}: expected a place to write to; TMPDIR names the one for temporary files"
    return ""


# --- How long something may take, as an option says

_DURATION = re.compile(r"(\d{1,6})(s|m|h)", re.ASCII)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str, option: str) -> float:
    """The seconds that `text` says, such as 90s, 10m or 2h. Raises InputError, which names the option.

    >>> duration("10m", "--time")
    600.0
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise InputError(f"{option}: '{shortened(text, 60)}' is not a duration: expected one such as 90s, 10m or 2h")
    return int(found[1]) * _SECONDS[found[2]]
