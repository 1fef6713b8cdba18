"""The commands that help to write a fix: `kubeproof fix ...`."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli import completion
from kubeproof.cli.app import Json, ReleaseOption, app
from kubeproof.errors import InputError
from kubeproof.output import note, out, print_json
from kubeproof.visible import visible

fix = typer.Typer(
    help="Begins a fix. `kubeproof validate` judges one.", no_args_is_help=True, rich_markup_mode="markdown"
)
app.add_typer(fix, name="fix")


@fix.command()
def new(
    rule: Annotated[
        str,
        typer.Argument(
            help="The rule to change, such as list_nodes; `kubeproof list SYSTEM` has those of a system.",
            autocompletion=completion.rules,
        ),
    ],
    release: ReleaseOption = None,
    system: Annotated[
        str | None, typer.Option("--system", help="Change the rule in this system.", autocompletion=completion.systems)
    ] = None,
    out_file: Annotated[Path | None, typer.Option("--out", help="The file to write. Default: RULE.py.")] = None,
    as_json: Json = False,
) -> None:
    """Write a file to begin a fix with: the rule as the release has it, with the imports that it needs.

    `kubeproof validate` says CHANGES NOTHING of the file as it is. No file is overwritten.

    Example: `kubeproof fix new list_nodes --release 1.18.4`
    """
    from kubeproof.fix.new import new_fix
    from kubeproof.output.files import write_whole
    from kubeproof.systems.releases import newer_note

    path = Path(f"{rule}.py") if out_file is None else out_file
    at, text = new_fix(rule, release, system, str(path))
    if path.exists() or path.is_symlink():
        raise InputError(f"{path}: there is something already: expected a new name, such as --out my_{path.stem}.py")
    write_whole(path, text)
    note(newer_note(at))
    if as_json:
        print_json({"file": str(path), "rule": rule, "release": str(at)})
    else:
        options = "" if system is None else f" --system {system}"
        out.print(f"{visible(str(path))}: {rule} as {at} has it. Change the function, then:")
        out.print(f"kubeproof validate {visible(str(path))} --release {at}{options}")
