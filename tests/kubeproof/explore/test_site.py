"""The folder that needs no server of ours has all that the models import."""

import io
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from kubeproof.errors import InputError
from kubeproof.explore import site
from kubeproof.processes.command import Finished

# Without any package that is installed, and without what the interpreter of a browser lacks.
ALONE = """
import sys
sys.path.append(sys.argv[1])
for name in ("multiprocessing", "fcntl", "resource", "_posixsubprocess"):
    sys.modules[name] = None
from kubeproof.explore.explorer import Explorer
from kubeproof.systems.registry import SYSTEMS
for name in SYSTEMS:
    run = {"system": name, "release": "", "fix": False, "scope": "", "actions": [], "against": None}
    assert Explorer().answer("start", {"run": run})["enabled"]
run = {**run, "system": "node-listing", "release": "1.18.4"}
goal = {"property": "listed-exactly-once", "fact": "", "value": "", "seconds": 9}
print(Explorer().answer("search", {"run": run, "goal": goal})["said"])
"""


@pytest.mark.slow
def test_the_packages_run_alone(tmp_path: Path) -> None:
    file = tmp_path / "packages.zip"
    file.write_bytes(site.packages())
    # Neither the working directory nor site-packages is on the path.
    done = subprocess.run([sys.executable, "-I", "-S", "-c", ALONE, str(file)], capture_output=True, text=True)
    assert done.stdout.startswith("A shortest run from here takes 5 actions"), done.stderr


def test_the_packages_are_plain_and_have_their_licences() -> None:
    with zipfile.ZipFile(io.BytesIO(site.packages())) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".so", ".pyc"))]
    assert len(names) == len(set(names))
    assert {name.partition("-")[0] for name in names if "licenses" in name and not name.endswith(".py")} == {
        "attrs", "cattrs", "packaging", "typing_extensions", "pyyaml"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("finished", "why"),
    [
        (Finished(1, "", "npm error\nno such version\n"), "no such version"),
        (Finished(0, "", ""), "no file"),
        (Finished(-9, "", "", timed_out=True), "no end in time"),
    ],
)
def test_what_npm_does_not_give_is_one_line(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, finished: Finished, why: str
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(site, "run", lambda argv, cwd, timeout: finished)
    with pytest.raises(InputError, match=f"npm pack pyodide@{site.PYODIDE}: {why}"):
        site.write_site(tmp_path / "site")
    assert not (tmp_path / "site").exists()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(InputError, match="npm is not on the PATH"):
        site.write_site(tmp_path / "site")
