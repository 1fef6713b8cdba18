"""The versions of what computes results and is not ours. Starts nothing."""

import platform
from importlib import metadata
from pathlib import Path

from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.store.texts import digest_of

# Whatever is computed by Python alone.
PYTHON = f"Python {platform.python_version()}"
_LIBRARY = {"z3": "z3-solver", "hypothesis": "hypothesis"}


def versions() -> dict[str, str]:
    """The version of each engine, by its name."""
    found = {engine: f"{PYTHON}, {name} {metadata.version(name)}" for engine, name in _LIBRARY.items()}
    return {"explicit": PYTHON, **found, "tlc": f"{PYTHON}, {_tlc()}"}


def _tlc() -> str:
    """The jar by its content, and what the Java runtime says of itself in its file `release`."""
    try:
        jar, java = find_jar(), find_java()
        release = java.resolve().parents[1] / "release"
        return digest_of(_content(jar), _content(release) if release.is_file() else f"{java} {java.stat().st_mtime_ns}")
    except (MissingError, OSError) as error:
        # Without TLC there is no answer of TLC, and one without an answer is not kept.
        return str(error)


def _content(path: Path) -> str:
    return path.read_bytes().hex()
