"""The properties in Go: what a test asks of Go's own values when it plays a kept run.

A file beside this one has one property of one system: shared_off_exclusive.go has sharedOffExclusive. It is compiled
together with the driver that plays the run, which says what a state is.
"""

from importlib.resources import files
from pathlib import PurePath


def go_name(property: str) -> str:
    """The Go function of the property.

    >>> go_name("shared-off-exclusive")
    'sharedOffExclusive'
    """
    first, *others = property.split("-")
    return first + "".join(word.capitalize() for word in others)


def go_form(system: str, property: str) -> str | None:
    """The Go file with the property, or None if the property has no form in Go."""
    file = files(__name__) / system.replace("-", "_") / f"{property.replace('-', '_')}.go"
    return file.read_text("utf-8") if file.is_file() else None


def with_go_form(system: str) -> frozenset[str]:
    """The names of the properties that have a form in Go."""
    folder = files(__name__) / system.replace("-", "_")
    found = (PurePath(each.name) for each in folder.iterdir()) if folder.is_dir() else ()
    return frozenset(each.stem.replace("_", "-") for each in found if each.suffix == ".go")
