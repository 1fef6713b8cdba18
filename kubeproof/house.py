"""Is each package of ours with a generic name really ours? Another folder of that name can take its place.

Looks where Python would import them from and imports none of them. Imports nothing of ours but the error.
"""

import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from kubeproof.errors import InputError

PACKAGES = ("model", "properties", "specs", "bugs", "counterexamples", "mutants")
DISTRIBUTION = "kubeproof"


def foreign_folder(path: Sequence[str] | None = None) -> tuple[str, Path] | None:
    """The first package that is not this distribution's, and the folder or file that Python would take; else None.

    `path` is the import path, default `sys.path`. A package that Python would find nowhere is not in the way.
    """
    own = Path(__file__).resolve().parents[1]
    for name in PACKAGES:
        for place in _places(name, path):
            if place != own / name and place not in _installed(name):
                return name, place
    return None


def check_house() -> None:
    """Raises InputError, one line that names the folder, if another package has the name of one of ours."""
    found = foreign_folder()
    if found is not None:
        name, place = found
        what = "folder" if place.is_dir() else "file"
        raise InputError(
            f"the package '{name}' is taken by {place}: "
            f"run kubeproof in an environment of its own, or rename that {what}"
        )


def _places(name: str, path: Sequence[str] | None) -> list[Path]:
    """Where the package `name` comes from: the module already imported, else what the import path offers first."""
    if path is None and name in sys.modules:
        module = sys.modules[name]
        file = getattr(module, "__file__", None)
        locations = list(getattr(module, "__path__", ()))
    else:
        spec = PathFinder.find_spec(name, path)
        if spec is None:
            return []
        file = spec.origin
        locations = list(spec.submodule_search_locations or ())
    return [Path(place).resolve() for place in locations or ([file] if file else [])]


def _installed(name: str) -> set[Path]:
    """The folders of `name` that the installed distribution lists among its files."""
    try:
        files = distribution(DISTRIBUTION).files or []
    except PackageNotFoundError:
        return set()
    return {Path(str(f.locate())).resolve().parent for f in files if f.parts == (name, "__init__.py")}
