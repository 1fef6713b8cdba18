"""The command line.

The exit status is 0 if all that was asked holds, 1 if something is violated, 2 for wrong usage or input, 3 if something
is inconclusive, 4 if the answer could not be written, 70 after an error that nobody foresaw
(`kubeproof/unforeseen.py`), 130 or 143 after SIGINT or SIGTERM (`kubeproof/processes/supervise.py`). Results go to
stdout, progress and notes to stderr (`kubeproof/output/`).
"""

from kubeproof.cli import checking, clusters, exploring, fixes, go, hunting, pages, workers
from kubeproof.cli.app import app, put_in_groups, run

put_in_groups(app)

__all__ = ["app", "checking", "clusters", "exploring", "fixes", "go", "hunting", "pages", "run", "workers"]
