"""The commands that work for a search on another machine."""

from typing import Annotated

import typer

from kubeproof.cli.app import app
from kubeproof.output import note


@app.command("tlc-worker")
def tlc_worker(
    server: Annotated[
        str, typer.Argument(help="The machine on which `kubeproof check … --engine tlc --distributed ADDRESS` runs.")
    ],
    threads: Annotated[int, typer.Option("--threads", min=1, help="So many threads make states.")] = 1,
) -> None:
    """Work for TLC's server on another machine, until it has ended.

    Both machines open ports to each other that Java chooses, and believe whatever comes in there: no one else may reach
    them.

    Example: `kubeproof tlc-worker 10.0.0.5 --threads 4`
    """
    from kubeproof.engines.tlc.distributed import work

    work(server, threads, lambda text: note([text]))
