"""Which core the engine has: the compiled one, or `core.py` as plain Python, which does the same more slowly."""

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

# "python" in this variable of the environment takes the plain one.
CHOICE = "KUBEPROOF_CORE"
NAME = f"{__package__}.core"
_SOURCE = Path(__file__).with_name("core.py")
_IN_A_SOURCE_TREE = (Path(__file__).parents[3] / "pyproject.toml").exists()


def choose() -> None:
    """Load the plain core if it is asked for, or if the compiled one is of an older source. Before all imports."""
    if NAME in sys.modules or not (os.environ.get(CHOICE) == "python" or _is_stale()):
        return
    spec = spec_from_file_location(NAME, _SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[NAME] = module_from_spec(spec)
    spec.loader.exec_module(module)


def _is_stale() -> bool:
    """Whether a compiled core in a tree of sources is older than its source. An installed one never is."""
    compiled = [path for suffix in EXTENSION_SUFFIXES if (path := _SOURCE.with_suffix(suffix)).exists()]
    if not compiled or not _IN_A_SOURCE_TREE:
        return False
    newest = max(path.stat().st_mtime for path in (_SOURCE, _SOURCE.with_suffix(".pxd")))
    return newest > compiled[0].stat().st_mtime


def kind() -> str:
    """Which core runs, in words."""
    plain = getattr(sys.modules[NAME], "__file__", "").endswith(".py")
    if not plain:
        return "compiled"
    why = ": older than its source, `make` compiles it anew" if _is_stale() else ""
    return f"plain Python, slower{why}"
