"""Another `model` on the import path is named in one line, and nothing is imported to find it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kubeproof.house import PACKAGES, foreign_folder

ROOT = Path(__file__).parents[2]


def python(code, *path, cwd):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    return subprocess.run([sys.executable, "-c", code], env=environment, cwd=cwd, capture_output=True, text=True)


CHECK = """
import sys
from kubeproof.errors import InputError
from kubeproof.house import PACKAGES, check_house
try:
    check_house()
    print("ours")
except InputError as error:
    print(error)
print([name for name in PACKAGES if name in sys.modules])
"""


def test_our_own_packages_are_at_home(tmp_path):
    assert foreign_folder() is None
    assert python(CHECK, ROOT, cwd=tmp_path).stdout == "ours\n[]\n"


@pytest.mark.parametrize("name", PACKAGES)
def test_a_package_of_the_user_is_named_without_being_imported(name, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "__init__.py").write_text("raise SystemExit('imported')")
    line, imported = python(CHECK, tmp_path, ROOT, cwd=tmp_path).stdout.splitlines()
    assert line == (
        f"the package '{name}' is taken by {folder}: run kubeproof in an environment of its own, or rename that folder"
    )
    assert imported == "[]"


def test_a_module_of_that_name_is_in_the_way_too(tmp_path):
    (tmp_path / "model.py").write_text("")
    line, _ = python(CHECK, tmp_path, ROOT, cwd=tmp_path).stdout.splitlines()
    assert f"is taken by {tmp_path / 'model.py'}" in line
    assert line.endswith("rename that file")


def test_a_folder_behind_ours_or_without_python_is_not_in_the_way(tmp_path):
    (tmp_path / "model").mkdir()
    assert foreign_folder([str(ROOT), str(tmp_path)]) is None
    assert foreign_folder([str(tmp_path), str(ROOT)]) is None, "a folder without __init__.py loses to a package"


def test_a_folder_that_python_would_take_for_a_package_is_in_the_way(tmp_path):
    (tmp_path / "specs").mkdir()
    assert foreign_folder([str(tmp_path)]) == ("specs", tmp_path / "specs")
