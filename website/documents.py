"""The exit statuses, and the documents that `--json` prints: their schemas are made from answers of the commands."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

_PREEMPTION = "preemption examples/cluster/pods.json examples/cluster/nodes.json --pod ai/infer-7c9d5-qx2lp"
_FIX = "--release 1.18.4 --system node-listing --scope nodes=3,zones=2 --engine explicit --time 0s"
# Of each document commands that print it, in the folder of the repository. They differ in what may be missing.
ASKED: Mapping[str, tuple[str, ...]] = {
    "check": (
        "check node-listing --release 1.18.4 --engine explicit",
        "check node-listing --release 1.36.3 --engine explicit",
    ),
    "bugs": ("bugs --release 1.36.3", "bugs --release 1.18.4"),
    "show": ("show NODETREE-CURSOR", "show CPU-STALE-LAST-UPDATE", "show CPU-HINTS"),
    "reproduce": ("reproduce NODETREE-CURSOR", "reproduce CPU-HINTS"),
    "rules": ("rules node-listing --release 1.18.6 --against 1.18.7", "rules scheduling --release 1.36.3"),
    "nodes": (
        "nodes examples/cluster/nodes.json --release 1.18.4",
        "nodes examples/cluster/nodes.json --release 1.36.3",
    ),
    "pod-events": (
        "pod-events examples/cluster/pods.json examples/cluster/events.json examples/cluster/nodes.json",
        "pod-events examples/cluster/pods.json examples/cluster/events.json --release 1.18.4",
    ),
    "cpu-state": ("cpu-state examples/cluster/cpu_manager_state",),
    "cpu-take": (
        "cpu-take 2 --topology tests/data/lscpu-2.38-two-sockets.json --release 1.36.2 --reserved-cpus 0",
        "cpu-take 3 --topology tests/data/lscpu-2.38-two-sockets.json --release 1.18.4 --reserved-cpus 0-1",
    ),
    "preemption": (
        f"{_PREEMPTION} --release 1.31.13",
        f"{_PREEMPTION} --release 1.18.4",
    ),
    "scheduler-memory": ("scheduler-memory tests/data/scheduler-memory-1.txt tests/data/scheduler-memory-2.txt",),
    "scheduler-config": (
        "scheduler-config tests/data/scheduler-config-gpushare.yaml --release 1.31.13",
        "scheduler-config tests/data/scheduler-config-gpushare.yaml --release 1.36.3",
    ),
    "validate": (f"validate examples/fixes/reset_cursors.py {_FIX}", f"validate examples/fixes/stateless.py {_FIX}"),
    "hunt": (
        "hunt node-listing --release 1.18.4 --time 1m --scope nodes=3,zones=2",
        "hunt node-listing --release 1.36.3 --time 1m --scope nodes=2",
    ),
    "conform": ("conform tests/data/cache-1.31.13.jsonl",),
    "growth": ("growth queueing-hints",),
}
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_HEAD = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
# Of a key whose value has other fields in each system, only the kind is said.
_OF_A_SYSTEM = frozenset({"trace"})
# An object with more keys is a map.
_MOST_FIELDS = 30


def documents_pages(root: Path) -> dict[str, str]:
    """The page, and a file with the schema of each document."""
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda asked: [answer(root, each) for each in asked], ASKED.values())
        answers = dict(zip(ASKED, found, strict=True))
    schemas = {
        name: {**_HEAD, "title": f"kubeproof {name} --json", **schema_of(each)} for name, each in answers.items()
    }
    checking = (root / "docs" / "checking.md").read_text(encoding="utf-8")
    parts = [
        "# Exit statuses and JSON documents",
        "## Exit statuses",
        checking.partition("## Exit status\n")[2].partition("\n## ")[0],
        "## JSON documents",
        "With `--json` a command prints one document to stdout and nothing else. The schemas are made from the answers "
        "of the commands that stand beside them. A key that all of these answers have is required. An answer to "
        "another question may have more. Commands that are not named here print documents too.",
    ]
    for name, schema in schemas.items():
        asked = "\n".join(f"kubeproof {each} --json" for each in ASKED[name])
        rows = [f"| `{key}` | {_said(each)} |" for key, each in schema.get("properties", {}).items()]
        table = "\n".join(["| key | kind |", "|---|---|", *rows])
        link = f'<p><a href="schemas/{name}.json">The whole schema</a></p>'
        parts += [f"### {name} --json", f"```\n{asked}\n```", table, link]
    files = {f"reference/schemas/{name}.json": json.dumps(each, indent=1) for name, each in schemas.items()}
    return {"reference/documents.md": "\n\n".join(parts) + "\n", **files}


def _said(schema: Mapping[str, Any]) -> str:
    """The kind of a value in words: "array of object"."""
    kinds = schema.get("type", "null in these answers")
    of = f" of {_said(schema['items'])}" if "items" in schema else ""
    return f"{kinds if isinstance(kinds, str) else ' or '.join(kinds)}{of}"


def answer(root: Path, asked: str) -> Any:
    """The document that a command prints. Raises ValueError if it prints none."""
    told = subprocess.run(
        [sys.executable, "-m", "kubeproof", *asked.split(), "--json"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True,
    )  # fmt: skip
    try:
        return json.loads(told.stdout)
    except ValueError:
        raise ValueError(f"kubeproof {asked} --json: {told.stderr.strip()}") from None


def schema_of(values: Sequence[Any], whole: bool = True) -> dict[str, Any]:
    """A JSON schema that all values fit; not `whole`: only their kinds.

    >>> schema_of([{"a": 1}, {"a": None, "b": "x"}])["required"]
    ['a']
    """
    kinds = sorted({_kind(value) for value in values})
    if kinds == ["null"]:
        # What it is where it is something, these answers do not show.
        return {}
    found: dict[str, Any] = {"type": kinds[0] if len(kinds) == 1 else kinds}
    if not whole:
        return found
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        found |= _object(objects)
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        found["items"] = schema_of(items)
    return found


def _object(objects: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Many keys, or keys that are no names of fields, such as names of nodes, are those of a map."""
    keys = list(dict.fromkeys(key for each in objects for key in each))
    if len(keys) > _MOST_FIELDS or not all(map(_NAME.fullmatch, keys)):
        return {"additionalProperties": schema_of([value for each in objects for value in each.values()])}
    of = {key: [each[key] for each in objects if key in each] for key in keys}
    properties = {key: schema_of(values, whole=key not in _OF_A_SYSTEM) for key, values in of.items()}
    return {"properties": properties, "required": [key for key in keys if all(key in each for each in objects)]}


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return "null" if value is None else kinds[type(value)]
