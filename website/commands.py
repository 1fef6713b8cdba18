"""The reference of the commands, from the program itself."""

import typer
from typer.cli import get_docs_for_click

from kubeproof.cli import app


def commands_page() -> str:
    """Every command with its arguments and options, as `kubeproof COMMAND --help` has them."""
    program = typer.main.get_command(app)
    return get_docs_for_click(obj=program, ctx=typer.Context(program), name="kubeproof", title="Commands")
