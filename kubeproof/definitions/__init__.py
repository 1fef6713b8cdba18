"""Which top-level definitions of Python packages depend on which others, read from the sources without an import.

A definition is a function, a class with its methods, or a name that a module assigns. It is named
`model.scheduler.cache.node_tree:list_nodes`. What else a module does when it is imported is one definition more, with
the name of the module. Each definition of the module depends on it, and it depends on those of the imported modules.

Of a table of calls each of which has a text as its first argument (`ROWS = (Row("field", ...), ...)`) the calls with
one text are a definition too: `model.x:ROWS[field]`. What else is in such a table is `model.x:ROWS[*]`.

A definition depends on each definition that its source names: by an import of any form, also one within a function or
for type checkers, and in a text that names a module ("kubeproof.start", code that is given to another process).
A module that is named as a whole, as in `getattr(module, name)`, stands for all of its definitions: `model.x:*`.

Why nothing is missed: code runs because a definition names it, or because it is a method of an object, whose class is
then named by whoever made the object, or because someone who names it hands it over, or because a module is imported.
Not seen: a function that some definition, when it is called, puts into a table that is defined elsewhere. What a
module's own statement puts there is seen (`app.add_typer(...)`, `@app.command()`). Names that are put together at run
time are not seen. Of files nothing is known here.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from kubeproof.definitions.source import (
    Module,
    Origin,
    elements,
    note_imports,
    read_module,
    without_docstrings,
)
from kubeproof.definitions.used import Used

# Of these packages some docstrings are answers: sentences of lemmas and claims, the help of a command.
WITH_DOCSTRINGS = ("properties", "kubeproof")


class UnknownDefinitionError(KeyError):
    """A name is not that of a definition."""


def definition_of(value: Any) -> str:
    """The name of the definition that a function, a method or a class is part of.

    Of any other value: the name of its class.
    """
    if not hasattr(value, "__qualname__"):
        value = type(value)
    return f"{value.__module__}:{value.__qualname__.partition('.')[0]}"


class Definitions:
    """The definitions of some packages, and what each of them depends on."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        """`sources`: the text of each Python file, by its path from the folder of the packages (`model/x.py`).

        Raises SyntaxError with the path.
        """
        self._modules = {module.name: module for module in (read_module(*each) for each in sources.items())}
        for name in list(self._modules):
            while (name := name.rpartition(".")[0]) and name not in self._modules:
                self._modules[name] = Module(name, is_package=True)
        roots = "|".join(sorted({name.partition(".")[0] for name in self._modules}))
        self._in_text = re.compile(rf"\b(?:{roots})(?:\.\w+)+") if roots else re.compile(r"(?!)")
        self._digests: dict[str, str] = {}
        # What each definition names directly.
        self.named: dict[str, frozenset[str]] = {}
        # The names of other packages that it uses (`subprocess.run`).
        self.outside: dict[str, frozenset[str]] = {}
        # The names of attributes and keywords that it uses, and of fields that it declares.
        self.fields: dict[str, frozenset[str]] = {}
        # Its texts, without docstrings.
        self.texts: dict[str, frozenset[str]] = {}
        self._nodes: dict[str, list[ast.AST]] = {}
        self._parts: dict[str, list[str]] = defaultdict(list)
        for module in self._modules.values():
            self._add(module)
        for module in self._modules.values():
            self._add_registered(module)

    @classmethod
    def of_folder(cls, folder: Path, packages: Iterable[str]) -> "Definitions":
        """The definitions of the packages that are in `folder`."""
        paths = (path for package in packages for path in sorted((folder / package).rglob("*.py")))
        return cls({path.relative_to(folder).as_posix(): path.read_text("utf-8") for path in paths})

    def __contains__(self, definition: object) -> bool:
        return definition in self.named

    def __iter__(self) -> Iterator[str]:
        return iter(self.named)

    def digest(self, definition: str) -> str:
        """Tells the definition's own source from any other, and which definitions the names in it mean.

        Comments and formatting do not count, nor do docstrings, except in `WITH_DOCSTRINGS`.
        """
        self._must_be_there([definition])
        if definition not in self._digests:
            keep = definition.partition(":")[0].partition(".")[0] in WITH_DOCSTRINGS
            parts = [ast.dump(node if keep else without_docstrings(node)) for node in self._nodes[definition]]
            parts += sorted(self.named[definition] | self.outside[definition])
            self._digests[definition] = sha256("\n".join(parts).encode()).hexdigest()[:16]
        return self._digests[definition]

    def closure(self, definitions: Iterable[str], without: Collection[str] = frozenset()) -> frozenset[str]:
        """These definitions and all that they depend on.

        `without`: definitions that are left out, with what is reached by them alone.
        """
        definitions = list(definitions)
        self._must_be_there([*definitions, *without])
        return _reached(definitions, self.named, frozenset(without))

    def closure_digest(self, definitions: Iterable[str], without: Collection[str] = frozenset()) -> str:
        """Tells a closure from any other: it changes if and only if a definition in the closure changes."""
        closure = sorted(self.closure(definitions, without))
        return sha256("\n".join(f"{name} {self.digest(name)}" for name in closure).encode()).hexdigest()[:16]

    def add(self, definition: str, others: Iterable[str], instead_of: Collection[str] = ()) -> None:
        """Say that `definition` depends on `others` too, and not on those `instead_of` which they stand."""
        others = frozenset(others)
        self._must_be_there([definition, *others])
        self.named[definition] = (self.named[definition] - set(instead_of)) | (others - {definition})
        vars(self).pop("_named_by", None)

    def dependents(self, definitions: Iterable[str]) -> frozenset[str]:
        """These definitions and all that depend on one of them."""
        return _reached(definitions, self._named_by, frozenset())

    def changed_since(self, old: "Definitions") -> frozenset[str]:
        """The definitions that are not in `old`, or are otherwise there."""
        return frozenset(name for name in self if name not in old or self.digest(name) != old.digest(name))

    def nodes(self, definition: str) -> list[ast.AST]:
        """The source of a definition."""
        self._must_be_there([definition])
        return self._nodes[definition]

    def parts(self, definition: str) -> list[str]:
        """The definitions of the calls in a table, by their first arguments. [] if the definition is no such table."""
        return self._parts.get(definition, [])

    def meaning(self, module: str, name: str) -> frozenset[str]:
        """The definitions that `name` means in `module`, its own or imported ones; none if it has no such name."""
        there = self._modules[module]
        known = name in there.nodes or name in there.imports
        return frozenset(self._look_up(module, (name,), set()) if known else ()) & self.named.keys()

    @cached_property
    def _named_by(self) -> dict[str, set[str]]:
        by: dict[str, set[str]] = defaultdict(set)
        for name, named in self.named.items():
            for each in named:
                by[each].add(name)
        return by

    def _must_be_there(self, definitions: Iterable[str]) -> None:
        for name in definitions:
            if name not in self.named:
                raise UnknownDefinitionError(
                    f"{name!r} is not a definition: expected MODULE:NAME, as in model.x:function"
                )

    def _add(self, module: Module) -> None:
        everything = {f"{module.name}:{name}" for name in module.nodes}
        inits = {each for name in (*module.imported, module.name) for each in self._with_parents(name)}
        self._put(module.name, module.rest, self._names_in(module, module.rest), inits - {module.name})
        for name, nodes in module.nodes.items():
            self._put(f"{module.name}:{name}", nodes, self._names_in(module, nodes), {module.name})
            for key, calls in elements(nodes).items():
                part = f"{module.name}:{name}[{key}]"
                self._put(part, calls, self._names_in(module, calls), {module.name})
                self._parts[f"{module.name}:{name}"].append(part)
        brought = {target for name in module.imports for target in self._look_up(module.name, (name,), set())}
        everything |= {module.name} | (brought if module.is_package else set())
        self._put(f"{module.name}:*", [], (everything, Used(())), set())

    def _add_registered(self, module: Module) -> None:
        """Whoever uses the `app` of `@app.command()` may call what is decorated."""
        for name, nodes in module.nodes.items():
            for decorator in (each for node in nodes for each in getattr(node, "decorator_list", ())):
                root = decorator.func if isinstance(decorator, ast.Call) else decorator
                used = Used(())
                if isinstance(root, ast.Attribute):
                    used.visit(root)
                for parts in used.names:
                    if parts[0] in module.nodes or parts[0] in module.imports:
                        for table in self._look_up(module.name, parts, set()) & self.named.keys():
                            self.named[table] |= {f"{module.name}:{name}"}

    def _put(self, name: str, nodes: list[ast.AST], named: "tuple[set[str], Used]", also: set[str]) -> None:
        """`named`: which definitions the nodes name, and what else they use."""
        found, used = named
        ours = {each for each in found if each.partition(":")[0] in self._modules}
        self.named[name] = frozenset((ours | also) - {name})
        self.outside[name] = frozenset(found) - ours
        self.fields[name] = frozenset(used.fields)
        self.texts[name] = frozenset(used.texts)
        self._nodes[name] = nodes

    def _with_parents(self, name: str) -> Iterator[str]:
        while name:
            if name in self._modules:
                yield name
            name = name.rpartition(".")[0]

    def _names_in(self, module: Module, nodes: list[ast.AST]) -> "tuple[set[str], Used]":
        """The definitions that `nodes` of `module` name, with the names of other packages; and what else they use."""
        own = Module(module.name, module.is_package)
        for node in nodes:
            note_imports(own, node)
        used = Used(own.imports)
        for node in nodes:
            used.visit(node)
        found = {each for name in own.imported for each in self._with_parents(name)}
        for parts in used.names:
            if parts[0] in own.imports:
                for origin in own.imports[parts[0]]:
                    found |= self._from(origin, parts[1:], set())
            if parts[0] in module.nodes or parts[0] in module.imports:
                found |= self._look_up(module.name, parts, set())
        for text in used.texts:
            found.update(*(self._meant_by(name) for name in self._in_text.findall(text)))
        return found, used

    def _look_up(self, module: str, parts: tuple[str, ...], seen: set[tuple[str, str]]) -> set[str]:
        """What `parts[0]` means in `module`, `parts[1:]` are attributes of it."""
        if not parts:
            return {f"{module}:*"}
        name, there = parts[0], self._modules[module]
        if (module, name) in seen:
            return set()
        seen.add((module, name))
        found: set[str] = set()
        if name in there.nodes:
            found.add(f"{module}:{name}")
        for origin in there.imports.get(name, ()):
            found |= self._from(origin, parts[1:], seen)
        if not found and f"{module}.{name}" in self._modules:
            return self._look_up(f"{module}.{name}", parts[1:], seen)
        if not found and name.startswith("__"):
            return {module}
        return found or {f"{module}:*"}

    def _from(self, origin: Origin, parts: tuple[str, ...], seen: set[tuple[str, str]]) -> set[str]:
        module, taken = origin
        if module in self._modules:
            return self._look_up(module, (*taken, *parts), seen)
        # Of another package, or of a module that is not there.
        return {".".join((module, *taken, *parts[: 1 - len(taken)]))}

    def _meant_by(self, text: str) -> set[str]:
        """The definition that a dotted name in a text means; all of a module if the text names only the module."""
        parts = text.split(".")
        for end in range(len(parts), 0, -1):
            if (module := ".".join(parts[:end])) in self._modules:
                return self._look_up(module, tuple(parts[end : end + 1]), set())
        return set()


def _reached(start: Iterable[str], by: Mapping[str, Collection[str]], without: Collection[str]) -> frozenset[str]:
    found = set(start) - set(without)
    left = list(found)
    while left:
        for name in by.get(left.pop(), ()):
            if name not in found and name not in without:
                found.add(name)
                left.append(name)
    return frozenset(found)
