"""The commands about a user's own checkout of Kubernetes: `kubeproof go ...`."""

from pathlib import Path
from typing import Annotated

import typer

from kubeproof.cli.app import Json, app
from kubeproof.output import out, print_json

go = typer.Typer(
    help="Records and replays on your own checkout of Kubernetes. kubeproof writes nothing into the checkout, and does "
    "not run go.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)
app.add_typer(go, name="go")

CheckoutOption = Annotated[
    Path, typer.Option("--checkout", help="The folder of the checkout, or of a module that vendors Kubernetes.")
]
OutOption = Annotated[Path | None, typer.Option("--out", help="The folder to write to, outside of the checkout.")]


@go.command()
def record(
    component: Annotated[str, typer.Argument(help="A component that has a driver, such as cache.")],
    checkout: CheckoutOption,
    out_folder: OutOption = None,
    operations: Annotated[
        Path | None, typer.Option("--operations", help="Play these operations, or those of this recording.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Write a driver for a component of a checkout, and say which command records the component.

    `kubeproof conform --checkout-results DIR --release R` then says what was recorded.

    Example: `kubeproof go record cache --checkout ../kubernetes --out ../cache`
    """
    from kubeproof.go.record import record as write

    written = write(component, checkout, out_folder, operations)
    if as_json:
        print_json(
            {
                "component": component,
                "package": written.chosen.package,
                "symbols": written.chosen.symbols,
                "files": [str(path) for path in written.files],
                "cases": written.cases,
                "operations": written.operations,
                "command": written.command,
            }
        )
        return
    out.print(f"{component}: {written.chosen.package}")
    for part, half in written.chosen.halves.items():
        out.print(f"  {part}: {half.file}, since the source has {half.told}", markup=False)
    out.print(f"{written.cases} cases with {written.operations} operations are in {written.out}. Run:\n", markup=False)
    # Not wrapped: a command is copied.
    out.print(written.command, markup=False, soft_wrap=True)
