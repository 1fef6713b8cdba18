"""The scripts of the pages are linted, and those that are modules are type-checked, by what npm brings."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

HERE = Path(__file__).parent
MODULES = ("kubeproof/report/web/viewer.mjs", "kubeproof/explore/web/explorer.mjs")
SCRIPTS = (
    *MODULES, "kubeproof/explore/web/worker.mjs", "website/assets/catalogue.js", "website/assets/from-disk.js",
    "tests/kubeproof/report/viewer.test.mjs",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with eslint and tsc, the linted scripts and the typed ones."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not on the PATH: the scripts of the pages are not checked")
    found = tmp_path_factory.mktemp("javascript")
    for name in ("package.json", "eslint.config.mjs", "tsconfig.json"):
        shutil.copy(HERE / name, found)
    command = [npm, "install", "--no-package-lock", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=found, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"npm brings nothing here: the scripts of the pages are not checked: {done.stderr.strip()[-200:]}")
    for name, places in (("linted", SCRIPTS), ("typed", MODULES)):
        (found / name).mkdir()
        for place in places:
            shutil.copy(ROOT / place, found / name)
    return found


def run(folder: Path, *command: str) -> None:
    done = subprocess.run(["npx", "--no-install", *command], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_no_script_is_refused_by_the_linter(folder: Path) -> None:
    run(folder, "eslint", "--max-warnings", "0", "linted")


@pytest.mark.slow
def test_the_types_of_the_modules(folder: Path) -> None:
    run(folder, "tsc", "-p", ".")


def test_every_script_is_checked() -> None:
    found = subprocess.run(["git", "ls-files", "*.js", "*.mjs"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(found.stdout.split()) - {"tests/javascript/eslint.config.mjs"} == set(SCRIPTS)
