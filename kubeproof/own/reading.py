"""The file of a reader: executed in this process, as pytest executes a test file. Its errors name the line.

What it prints goes to stderr, since stdout has what kubeproof says.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from attrs import evolve, fields, frozen

from kubeproof.errors import InputError, RuleError
from kubeproof.fix.server import execute, in_a_line, lines_of, place_of
from kubeproof.input.files import read_bytes, shown
from properties.property import Property

SIZE = 1 << 20  # bytes
EXPECTED = "a Python file with a machine or with properties"


@frozen
class OwnFile:
    """A file that was executed."""

    path: Path
    module: ModuleType
    lines: list[str]

    @property
    def name(self) -> str:
        return self.path.name

    def defined(self, kind: type[Any]) -> list[type[Any]]:
        """The classes that the file defines, and that inherit `kind`."""
        own = [each for each in vars(self.module).values() if isinstance(each, type) and issubclass(each, kind)]
        return [each for each in dict.fromkeys(own) if each.__module__ == self.module.__name__]

    @property
    def properties(self) -> tuple[Property, ...]:
        """The properties of the file, in their order. What goes wrong in one is an InputError with the line.

        Raises InputError if two have one name.
        """
        found = [each for each in vars(self.module).values() if isinstance(each, Property)]
        names = [each.name for each in found]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"{shown(self.path)}: two properties are called {twice}: expected a name for each")
        return tuple(map(self._guarded, found))

    def _guarded(self, of: Property) -> Property:
        functions: dict[str, Any] = {
            field.name: self.told(f"{of.name}: {field.name}", value)
            for field in fields(type(of))
            if callable(value := getattr(of, field.name))
        }
        return evolve(of, **functions)

    def told(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """`function`, whose errors are InputErrors that name the line. What it prints goes to stderr."""

        @wraps(function)
        def call(*args: Any) -> Any:
            try:
                return function(*args)
            except (InputError, RuleError):
                raise
            except (Exception, SystemExit) as error:
                raise InputError(f"{shown(self.path)}: {what}: {self.said(error)}") from None

        return call

    def said(self, error: BaseException) -> str:
        """An error in one line, with the line of the file."""
        return f"{in_a_line(error)}{place_of(error, str(self.path), self.lines)}"


def own_file(path: Path) -> OwnFile:
    """The file at `path`, executed. Raises InputError."""
    source = read_bytes(path, SIZE, EXPECTED)
    module = ModuleType(f"own_{path.stem}")
    # Who makes classes looks the module up.
    sys.modules[module.__name__] = module
    # Modules beside the file can be imported. They take the place of none that is there.
    if str(path.parent.resolve()) not in sys.path:
        sys.path.append(str(path.parent.resolve()))
    with prints_to_stderr():
        refused = execute(module, str(path), source)
    if refused:
        raise InputError(f"{shown(path)}: {refused}")
    return OwnFile(path, module, lines_of(source))


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Inside, what a file prints goes to stderr."""
    with redirect_stdout(sys.stderr):
        yield
