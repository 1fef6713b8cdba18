"""Files of readers for the tests: the lock of the tutorial, and what is wrong with it after a change."""

from collections.abc import Sequence
from pathlib import Path

from kubeproof.own.system import own_system
from kubeproof.systems.system import System
from tests.docs.tutorials import blocks_of, changed

_BLOCKS = blocks_of("your-machine.md")
LOCK = next(block.text for block in _BLOCKS if block.file == "my_lock.py")
# The file says that its names are interchangeable.
SYMMETRIC = ("    action_names", "    symmetric = True\n    action_names")
MENDED = changed(LOCK, next(block.text for block in _BLOCKS if block.language == "diff"))
PROPERTIES = next(block.text for block in _BLOCKS if block.file == "twice.py" and block.language == "python")


def written(folder: Path, text: str, *changes: tuple[str, str], name: str = "lock.py") -> Path:
    """A file with `text`, in which the first of each pair stands once, and is replaced by the other."""
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path = folder / name
    path.write_text(text)
    return path


def lock(folder: Path, *changes: tuple[str, str], text: str = LOCK) -> System:
    return own_system(written(folder, text, *changes))


def names(system: System) -> Sequence[str]:
    return [p.name for p in system.properties]
