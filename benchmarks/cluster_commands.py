"""`kubeproof preemption` and `kubeproof scheduler-config` on large input, beside Python that only reads the same file.

    python -m benchmarks.cluster_commands [--runs 3]

The cluster has 500 nodes and 5,000 pods of ten sizes and seven priorities, in JSON; the configuration has five
profiles and three extenders, in YAML. The peer is `json.load`, or `yaml.safe_load`. Every run is a process of its own,
its start counted; the two take turns, and the best of the runs counts. `allowed` is how many seconds a user shall wait
at most. On a machine that does other things wall time says little, so the exit status is 1 if a command takes more CPU
seconds than that.
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import yaml
from attrs import frozen
from rich.console import Console
from rich.table import Table

from benchmarks import cpu_of_children

NODES, PODS = 500, 5_000
READS = {
    "json": "import json, sys; json.load(open(sys.argv[1]))",
    "yaml": "import sys, yaml; yaml.safe_load(open(sys.argv[1]))",
}


@frozen
class Asked:
    """A command on a file of one form, and how many CPU seconds it may take."""

    name: str
    form: str
    document: Any
    options: tuple[str, ...]
    allowed: float


@frozen
class Run:
    """How long a process took: seconds, and CPU seconds."""

    seconds: float
    cpu: float


def cluster() -> dict[str, Any]:
    """What kubectl prints of nodes that are nearly full, of their pods, of a budget, and of the pod shop/cart-0."""
    nodes = [
        {
            "kind": "Node",
            "metadata": {"name": f"n{at}"},
            "status": {"allocatable": {"cpu": "10", "memory": "64Gi", "pods": "110"}},
        }
        for at in range(NODES)
    ]
    pods = [
        pod(f"v{at}", f"{900 + 10 * (at % 10)}m", at % 7, nodeName=f"n{at % NODES}")
        | {"status": {"phase": "Running", "startTime": f"2024-01-01T00:{at // 60 % 60:02d}:{at % 60:02d}Z"}}
        for at in range(PODS)
    ]
    budget = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "shop", "namespace": "shop"},
        "spec": {"selector": {"matchLabels": {"app": "shop"}}},
        "status": {"disruptionsAllowed": 1},
    }
    waits = pod("cart-0", "4", 100) | {"status": {"phase": "Pending"}}
    return {"kind": "List", "items": [*nodes, *pods, budget, waits]}


def pod(name: str, cpu: str, priority: int, **spec: Any) -> dict[str, Any]:
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "shop", "labels": {"app": "shop"}},
        "spec": {"containers": [{"resources": {"requests": {"cpu": cpu}}}], "priority": priority, **spec},
    }


def configuration() -> dict[str, Any]:
    """Five profiles that score in ways of their own, and three extenders."""
    verbs = {"filterVerb": "filter", "prioritizeVerb": "prioritize", "weight": 1, "httpTimeout": "30s"}
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {
                "schedulerName": f"scheduler-{at}",
                "plugins": {"score": {"disabled": [{"name": "ImageLocality"}]}},
                "pluginConfig": [{"name": "InterPodAffinity", "args": {"hardPodAffinityWeight": at}}],
            }
            for at in range(5)
        ],
        "extenders": [
            {"urlPrefix": "http://one:8080", **verbs},
            {"urlPrefix": "http://two:8080", **verbs, "ignorable": True},
            {"urlPrefix": "http://three:8080", **verbs, "bindVerb": "bind"},
        ],
    }


def measured(argv: Sequence[str], statuses: Sequence[int]) -> Run:
    """One run. An exit status other than `statuses` ends the program: then nothing was measured."""
    started, before = perf_counter(), cpu_of_children()
    done = subprocess.run([sys.executable, *argv], capture_output=True, text=True, check=False)
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(argv)} ended with exit status {done.returncode}: {done.stderr}")
    return Run(perf_counter() - started, cpu_of_children() - before)


def compared(asked: Asked, folder: Path, runs: int) -> tuple[Run, Run, int]:
    """The best run of the command and that of its peer, and the size of the file in KiB."""
    file = folder / f"{asked.name}.{asked.form}"
    dump = json.dumps if asked.form == "json" else yaml.safe_dump
    file.write_text(dump(asked.document), "utf-8")
    ours, theirs = [], []
    for _ in range(runs):
        # 0 and 1 are answers of a command.
        ours.append(measured(["-m", "kubeproof", asked.name, str(file), *asked.options], (0, 1)))
        theirs.append(measured(["-c", READS[asked.form], str(file)], (0,)))

    def best(some: Sequence[Run]) -> Run:
        return Run(min(run.seconds for run in some), min(run.cpu for run in some))

    return best(ours), best(theirs), file.stat().st_size >> 10


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3, help="of each; the best counts")
    options = parser.parse_args()
    release = ("--release", "1.28.14")
    every = (
        Asked("preemption", "json", cluster(), ("--pod", "shop/cart-0", *release), 20.0),
        Asked("scheduler-config", "yaml", configuration(), ("--nodes", str(NODES), *release), 10.0),
    )
    titles = ("command", "KiB", "seconds", "allowed", "CPU s", "reading alone: CPU s", "command/reading, CPU")
    table, late = Table(*titles), []
    with TemporaryDirectory() as folder:
        for asked in every:
            ours, theirs, size = compared(asked, Path(folder), options.runs)
            times = (f"{ours.seconds:.1f}", f"{asked.allowed:.0f}", f"{ours.cpu:.2f}", f"{theirs.cpu:.2f}")
            table.add_row(asked.name, f"{size:,}", *times, f"×{ours.cpu / theirs.cpu:.1f}")
            if ours.cpu > asked.allowed:
                late.append(asked.name)
    Console(width=150).print(table)
    sys.exit(f"more CPU seconds than allowed: {', '.join(late)}" if late else 0)


if __name__ == "__main__":
    main()
