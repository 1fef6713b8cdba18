"""docs/cluster.md and the manifest beside it: what an operator reads, and what Dask's commands take."""

import json
import re
import shlex
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from kubeproof.processes.dask_pool import ATTEMPTS, SILENT
from tests.conftest import DATA, ROOT

MANIFEST = ROOT / "examples" / "dask" / "cluster.yaml"
SCHEMA = DATA / "dask-cluster-schema.json"
PAGE = (ROOT / "docs" / "cluster.md").read_text("utf-8")


def manifest() -> Any:
    return yaml.safe_load(MANIFEST.read_text("utf-8"))


def wrong(document: Any) -> list[str]:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    return [error.message for error in Draft202012Validator(schema).iter_errors(document)]


def container(document: Any, part: str) -> Any:
    (found,) = document["spec"][part]["spec"]["containers"]
    return found


def test_the_manifest_is_what_the_operator_takes() -> None:
    assert wrong(manifest()) == []


def test_the_schema_refuses_what_the_operator_does_not_take() -> None:
    document = manifest()
    document["spec"]["workers"] = document["spec"].pop("worker")
    assert sorted(wrong(document)) == [
        "'worker' is a required property",
        "Additional properties are not allowed ('workers' was unexpected)",
    ]
    document = manifest()
    container(document, "worker")["env"][0]["value"] = 1
    assert wrong(document) == ["1 is not of type 'string'"]


def test_the_scheduler_and_the_workers_have_one_image_and_one_name() -> None:
    document = manifest()
    assert container(document, "worker")["image"] == container(document, "scheduler")["image"]
    assert document["spec"]["scheduler"]["service"]["selector"]["dask.org/cluster-name"] == document["metadata"]["name"]


def commands() -> list[list[str]]:
    """The Dask commands of the manifest and of the page."""
    document = manifest()
    lines = (shlex.split(line, comments=True) for line in re.findall(r"^(?:srun )?(dask \w.*)$", PAGE, re.MULTILINE))
    found = [*lines, *(container(document, part)["args"] for part in ("worker", "scheduler"))]
    return [[argument for argument in each if argument != "&"] for each in found]


def test_dask_takes_the_arguments() -> None:
    pytest.importorskip("distributed", reason="distributed is not installed: pip install '.[cluster]'")
    from distributed.cli import dask_scheduler, dask_worker

    programs = {"worker": dask_worker.main, "scheduler": dask_scheduler.main}
    found = commands()
    assert {name for _, name, *_ in found} == set(programs)
    for _, name, *arguments in found:
        programs[name].make_context(name, list(arguments))


def test_the_page_says_how_long_a_worker_may_be_silent() -> None:
    assert f"{SILENT / 60:.0f} minutes" in PAGE
    assert {3: "three"}[ATTEMPTS] in PAGE
