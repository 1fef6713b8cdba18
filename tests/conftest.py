"""What the tests share: where the recordings are, what coverage leaves out, and that no test is judged by the clock."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import HealthCheck, settings

from kubeproof.bugs.beside import KEPT_RUN
from kubeproof.processes.garbage import collect_seldom
from kubeproof.verdict.result import Result
from model.releases import MINORS, NotModelledError, newest, parse_release
from model.systems.node_listing import NodeListingRules
from tests import passed
from tests.java_archive import use_archive

ROOT = Path(__file__).parent.parent
DATA = Path(__file__).parent / "data"

# Hypothesis' limits of time for an example and for making it fail tests on a machine that has other things to do.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# Nor by Z3's: each query has so many of its resource units, which are the same on every machine.
os.environ.setdefault("KUBEPROOF_Z3_RLIMIT", "200000000")

# What these do to models and properties they do over and over again, which takes twice as long while lines are
# counted; each line that they reach, tests of the models and properties themselves reach too.
UNCOUNTED = (
    "agreement/", "kubeproof/conform/", "kubeproof/bugs/test_counterexamples", "kubeproof/fix/", "kubeproof/validate/",
    "kubeproof/engines/", "kubeproof/report/test_coverage_matrix", "model/systems/test_scheduling_grain",
    "model/systems/test_scheduling_moves", "model/systems/test_rules_from_outside",
)  # fmt: skip


def pytest_configure(config: pytest.Config) -> None:
    """Workers that run tests side by side have the environment of the process that starts them."""
    # As every command does.
    collect_seldom()
    is_worker = hasattr(config, "workerinput")
    cache = getattr(config, "cache", None)
    if cache is not None and not is_worker and not config.option.collectonly:
        use_archive(cache.mkdir("java"))
        keep_bytecode(cache.mkdir("bytecode"))
    passed.configure(config, ROOT)


def keep_bytecode(folder: Path) -> None:
    """Have the workers, and the commands that tests start, keep compiled modules in `folder`.

    Only where Python is told to keep none beside the sources, as in many images of containers: there every command
    compiles the whole tree, and pytest rewrites each test file anew.
    """
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
        os.environ["PYTHONPYCACHEPREFIX"] = str(folder)


def pytest_addoption(parser: pytest.Parser) -> None:
    passed.add_options(parser)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Coverage is measured without the tests in UNCOUNTED."""
    for item in items:
        uncounted = item.path.relative_to(ROOT / "tests").as_posix().startswith(UNCOUNTED)
        if uncounted and config.pluginmanager.hasplugin("_cov"):
            item.add_marker(pytest.mark.no_cover)


@pytest.fixture
def conformance() -> Path:
    """The recordings beside the project; tests that need all of them skip where they are absent."""
    folder = ROOT.parent / "shared" / "conformance"
    if not folder.is_dir():
        pytest.skip("the full recordings (../shared/conformance) are not here; tests/data has an excerpt")
    return folder


def modelled(folder: Path, component: str, minors: range = MINORS) -> list[Path]:
    """The recordings of a component in `folder`, those of releases outside `minors` left out."""
    found = []
    for path in sorted(folder.glob(f"{component}-*.jsonl.gz")):
        try:
            parse_release(path.name.removeprefix(f"{component}-").removesuffix(".jsonl.gz"), minors)
        except NotModelledError:
            continue
        found.append(path)
    return found


def node_listing_rules(**changes: Any) -> NodeListingRules:
    """The newest rules of node-listing with `changes` in them."""
    return evolve(newest(NodeListingRules, "node-listing"), **changes)


def by_engines(results: Iterable[Result]) -> list[Result]:
    """The results of engines, without what kept runs say beside them."""
    return [result for result in results if result.engine != KEPT_RUN]


def said_under_another_hash_seed(function: Callable[[], str]) -> str:
    """What `function`, of a module, returns in a process where the elements of sets come in another order than here."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    code = f"from {function.__module__} import {function.__name__} as said\nprint(said())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.removesuffix("\n")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Workers that run tests side by side must name them alike: no address in a name."""
    if " at 0x" in item.name:
        raise pytest.UsageError(f"{item.nodeid}: expected a name that does not depend on the process")
