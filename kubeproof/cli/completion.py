"""What a shell completes: the values of arguments and options. Nothing slow is imported before it is needed."""

from collections.abc import Iterable
from importlib.resources import files

import typer

# The same as `kubeproof.engines.table.ENGINES`, which takes long to import.
ENGINES = ("explicit", "hypothesis", "z3", "tlc", "all")


def bugs(incomplete: str) -> list[str]:
    """The ids of the documented bugs, from the names of their files."""
    names = (path.name for folder in _folders() for path in files("bugs").joinpath(folder).iterdir())
    return _beginning(incomplete, sorted(name.removesuffix(".md").upper() for name in names if name.endswith(".md")))


def systems(incomplete: str) -> list[str]:
    """The names of the systems: each has a folder of bugs."""
    return _beginning(incomplete, sorted(_folders()))


def releases(incomplete: str) -> list[str]:
    """The modelled minors, the newest first; after a minor and a dot its patch releases."""
    from model.releases import LAST_PATCH

    minors = [f"1.{minor}" for minor in reversed(LAST_PATCH)]
    patches = [f"1.{minor}.{patch}" for minor, last in LAST_PATCH.items() for patch in range(last + 1)]
    return _beginning(incomplete, patches if incomplete.count(".") > 1 else minors)


def properties(context: typer.Context, incomplete: str) -> list[str]:
    """The properties of the system that the command line names; of all systems if it names none."""
    from kubeproof.systems.registry import SYSTEMS

    # While the value of an option is missing, arguments are not told apart yet.
    words = [context.params.get("system"), *context.args]
    asked = [SYSTEMS[word] for word in words if isinstance(word, str) and word in SYSTEMS] or SYSTEMS.values()
    return _beginning(incomplete, dict.fromkeys(each.name for system in asked for each in system.properties))


def rules(incomplete: str) -> list[str]:
    """The names of the rules of all systems."""
    from kubeproof.systems.registry import SYSTEMS

    return _beginning(incomplete, dict.fromkeys(name for system in SYSTEMS.values() for name in system.rule_fields))


def engines(incomplete: str) -> list[str]:
    """The names that `--engine` takes."""
    return _beginning(incomplete, ENGINES)


def _folders() -> list[str]:
    return [each.name for each in files("bugs").iterdir() if each.is_dir() and not each.name.startswith((".", "_"))]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    """Those of `names` that begin so; in small letters after small letters, since a shell tells these apart."""
    small = incomplete.islower()
    return [name for name in (each.lower() if small else each for each in names) if name.startswith(incomplete)]
