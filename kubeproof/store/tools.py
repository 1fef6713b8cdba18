"""The versions of what computes results and is not ours. Starts nothing."""

import platform
from importlib import metadata

from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.store.texts import digest_of, digest_of_bytes

# Whatever is computed by Python alone.
PYTHON = f"Python {platform.python_version()}"
_LIBRARY = {"z3": "z3-solver", "hypothesis": "hypothesis", "mutants": "cosmic-ray"}


def versions() -> dict[str, str]:
    """The version of each engine, by its name."""
    found = {engine: f"{PYTHON}, {name} {_version(name)}" for engine, name in _LIBRARY.items()}
    return {"explicit": PYTHON, **found, "tlc": f"{PYTHON}, {_tlc()}"}


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"


def _tlc() -> str:
    """The jar by its content, and what the Java runtime says of itself in its file `release`."""
    try:
        jar, java = find_jar(), find_java()
        release = java.resolve().parents[1] / "release"
        return digest_of(
            digest_of_bytes(jar.read_bytes()),
            release.read_text() if release.is_file() else f"{java} {java.stat().st_mtime_ns}",
        )
    except (MissingError, OSError) as error:
        # Without TLC there is no answer of TLC, and one without an answer is not kept.
        return str(error)
