"""The command line.

The exit status is 0 if all that was asked holds, 1 if something is violated, 2 for wrong usage or input, 3 if something
is inconclusive, 4 if the answer could not be written, 130 or 143 after SIGINT or SIGTERM
(`kubeproof/processes/supervise.py`). Results go to stdout, progress and notes to stderr (`kubeproof/output/`).
"""

from kubeproof.cli import checking, clusters, go, go_tests, pages
from kubeproof.cli.app import app
from kubeproof.cli.groups import put_in_groups
from kubeproof.cli.running import run

put_in_groups(app)

__all__ = ["app", "checking", "clusters", "go", "go_tests", "pages", "run"]
