"""Which tests depend on what changed since a commit.

A test depends on what its definition names (`kubeproof/definitions/`), on fixtures with the names of its parameters,
on the hooks of the `conftest.py` above it and on the fixtures there that each test has, and on files:

- A definition reads a file if a text in it names the folder at the root, the file, or the package of the file; or if
  it reads the files of its own package (`files(__name__)`). Python files are read by who looks for `*.py` or `*`, and
  by `inspect`.
- A test that starts a process of Python depends on the program and on the plugin, and so on nearly everything.
- Tests run the Python files of `EXECUTED`: who reads such a file depends on what the file names.

Why a test that is left out would pass again: it runs the same definitions, and reads the same files. Not seen: what
`kubeproof/definitions/` does not see; a folder whose name is put together; what changed outside the repository
(Python, the packages, Java, Go, `../shared`); of the hooks and fixtures that each test has, what they reach outside of
`tests/`, as they only spare time. The tenth part of all tests that each commit runs finds that within ten commits.
"""

import ast
import io
import re
import subprocess
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from attrs import frozen

from kubeproof.definitions import Definitions

PACKAGES = ("model", "properties", "kubeproof", "tests", "benchmarks", "website")
EXECUTED = ("examples",)
# After a change of these every test runs: they say how tests are run, and with which packages.
FOR_ALL = frozenset({"pyproject.toml", "constraints.txt", "Makefile", ".ci/run"})
# The commit at which every test has passed, and the tests that were skipped then.
PASSED = "tests/passed.txt"
PARTS = 10

_STARTS_A_PROCESS = re.compile(r"subprocess\b|sys\.executable|os\.(system|exec|spawn|posix_spawn)|pytest\.Pytester")
_READS_SOURCES = re.compile(r"inspect\.(get|find)?source")
# These modules read files only to know what changed.
_COMPARE = frozenset({"tests.selection", "tests.passed", "kubeproof.definitions", "kubeproof.hunt.kept"})
# The rows of all releases, and the rows by field; who looks up a field that he is given, or all fields of such a class.
_ROWS, _OF_FIELD = "model.releases:ROWS", "model.releases:_OF_FIELD"
_LOOK_UP = frozenset(f"model.releases:{name}" for name in ("rows_of", "row_at", "first_with", "from_outside"))
_PROGRAM = ("kubeproof.start:*", "kubeproof.pytest_plugin:*")


class Repository:
    """What git knows of a work tree. Without git, or outside of a work tree, it knows nothing."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def head(self) -> str | None:
        """The commit of the work tree."""
        return self._said("rev-parse", "--verify", "--quiet", "HEAD")

    def is_clean(self) -> bool:
        """Whether the work tree is that of the commit."""
        return self._said("status", "--porcelain", "--", ".", f":!{PASSED}") == ""

    def number(self) -> int:
        """How many commits the work tree's commit and its ancestors are."""
        return int(self._said("rev-list", "--count", "HEAD") or 0)

    def changed_since(self, commit: str) -> frozenset[str] | None:
        """The files that are not as in `commit`, those that git does not yet know too. None: it is no ancestor."""
        if self._said("merge-base", "--is-ancestor", commit, "HEAD") is None:
            return None
        changed = self._said("diff", "--name-only", "--relative", "--no-renames", "-z", commit)
        new = self._said("ls-files", "--others", "--exclude-standard", "-z")
        return None if changed is None or new is None else frozenset(filter(None, (changed + new).split("\0")))

    def sources(self) -> dict[str, str]:
        """The Python files of the work tree that tests use."""
        listed = self._said("ls-files", "--cached", "--others", "--exclude-standard", "-z", "--", "*.py") or ""
        paths = {path for path in listed.split("\0") if _is_used(path) and (self.root / path).is_file()}
        return {path: (self.root / path).read_text("utf-8") for path in sorted(paths)}

    def sources_at(self, commit: str) -> dict[str, str]:
        """The same files as they are in `commit`."""
        done = self._run("archive", "--format=tar", commit, "*.py")
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            members = [member for member in archive if member.isfile() and _is_used(member.name)]
            return {member.name: archive.extractfile(member).read().decode() for member in members}  # type: ignore[union-attr]

    def _said(self, *args: str) -> str | None:
        try:
            done = self._run(*args)
        except OSError:
            return None
        return done.stdout.decode().strip("\n") if done.returncode == 0 else None

    def _run(self, *args: str) -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(["git", "-C", self.root, *args], capture_output=True, check=False)


def _is_used(path: str) -> bool:
    return path.startswith(tuple(f"{folder}/" for folder in (*PACKAGES, *EXECUTED))) and path.endswith(".py")


class Tree:
    """The definitions of a tree of sources, those of tests among them, and what they depend on."""

    def __init__(self, sources: Mapping[str, str]) -> None:
        self.definitions = Definitions(sources)
        self._add_rules()
        self._add_fixtures()
        self._add_processes()
        for path in sources:
            if path.startswith(EXECUTED):
                for reader in self.readers(path):
                    self.definitions.add(reader, [f"{_module(path)}:*"])

    def changed_since(self, old: "Tree", files: Iterable[str]) -> frozenset[str]:
        """The definitions of tests that depend on a changed definition, or on one of `files`, which changed."""
        roots = self.definitions.changed_since(old.definitions)
        roots |= {reader for path in files for reader in self.readers(path)}
        found = set(self.definitions.dependents(roots))
        for module, hooks in self._for_all_below.items():
            if hooks & roots:
                folder = module.rpartition(".")[0] + "."
                found |= {name for name in self.definitions if name.startswith(folder)}
        return frozenset(name for name in found if name.startswith("tests."))

    def readers(self, path: str) -> frozenset[str]:
        """The definitions that may read the file with this path."""
        *folders, file = path.split("/")
        packages = {".".join(folders[:end]) for end in range(1, len(folders) + 1)}
        # A package's own name is more often that of the program.
        found = {name for each in packages for name in self._by_word[each] if self._names_folder(name, each)}
        if path.endswith(".py") and folders[0] == "tests":
            # The hooks for all tests name their folder, and read no source in it.
            found = set()
        found |= self._by_word[file]
        if path.endswith(".py") and folders[0] not in EXECUTED:
            found |= self._read_sources
        else:
            words = {*packages, *(folders[1:2] if folders[:1] == ["tests"] else ())} - set(PACKAGES)
            found = found.union(*(self._by_word[word] for word in words))
            found |= {name for name in self._read_their_package if name.partition(":")[0] in packages}
        return frozenset(name for name in found if name.partition(":")[0] not in _COMPARE)

    def _names_folder(self, name: str, package: str) -> bool:
        used = self.definitions.outside[name]
        uses_paths = any(each.startswith(("pathlib.", "importlib.resources.")) for each in used)
        return package in self.definitions.texts[name] and (uses_paths or name.startswith("tests."))

    @cached_property
    def _by_word(self) -> dict[str, set[str]]:
        """Who has a text that is this word, or a path that begins or ends with it."""
        by: dict[str, set[str]] = defaultdict(set)
        for name, texts in self.definitions.texts.items():
            for text in texts:
                for word in _ends(text):
                    by[word].add(name)
        return by

    @cached_property
    def _read_their_package(self) -> frozenset[str]:
        return frozenset(
            name
            for name in self.definitions
            if any(
                isinstance(n, ast.Name) and n.id == "__name__"
                for node in self.definitions.nodes(name)
                for n in ast.walk(node)
            )
        )

    @cached_property
    def _read_sources(self) -> frozenset[str]:
        by_text = {
            name
            for name, texts in self.definitions.texts.items()
            if any(text.endswith("*.py") for text in texts)
            or ("*" in texts and _calls(self.definitions.nodes(name), "rglob", "glob"))
        }
        by_module = {name for name, used in self.definitions.outside.items() if any(map(_READS_SOURCES.search, used))}
        return frozenset(by_text | by_module)

    @cached_property
    def _for_all_below(self) -> dict[str, frozenset[str]]:
        """By the name of a `conftest` module, what it does for each test below, as far as it is in `tests/`."""
        found = defaultdict(set)
        for name in self.definitions:
            module, _, own = name.partition(":")
            if module.endswith(".conftest") and (own.startswith("pytest_") or own == "" or self._is_for_each(name)):
                found[module].add(name)
        return {module: self._within_tests(names) for module, names in found.items()}

    def _within_tests(self, names: set[str]) -> frozenset[str]:
        found, left = set(names), list(names)
        while left:
            new = {name for name in self.definitions.named[left.pop()] if name.startswith("tests.")} - found
            found |= new
            left += new
        return frozenset(found)

    def _add_rules(self) -> None:
        """Who looks up the rows of a field names the field: itself, or by a class of rules that has it.

        Else each test would depend on every rule, as each asks for the rules of a release.
        """
        if not {_ROWS, _OF_FIELD} <= set(self.definitions):
            return
        of_field, tables = defaultdict(set), set()
        for name in self.definitions.closure([_ROWS]):
            for part in self.definitions.parts(name):
                of_field[part.removesuffix("]").partition("[")[2]].add(part)
                tables.add(name)
        self.definitions.add(_OF_FIELD, of_field.pop("*", ()), instead_of=[_ROWS])
        for name in list(self.definitions):
            if _OF_FIELD in self.definitions.named[name] and name not in _LOOK_UP:
                self.definitions.add(name, [_ROWS])
            words = self.definitions.fields[name] | self.definitions.texts[name]
            rows = {row for field in words & of_field.keys() for row in of_field[field]}
            if rows and "[" not in name and name not in tables:
                self.definitions.add(name, rows)

    def _add_fixtures(self) -> None:
        """A parameter or a text with the name of a fixture of the module, or of a `conftest` above it, means it."""
        by_module = defaultdict(set)
        for name in self.definitions:
            if name.startswith("tests.") and "pytest.fixture" in self.definitions.outside[name]:
                by_module[name.partition(":")[0]].add(name)
        fixtures = set().union(*by_module.values())
        words = {name.partition(":")[2] for name in fixtures}
        for name in list(self.definitions):
            module = name.partition(":")[0]
            if module.startswith("tests."):
                asked = words & {*_parameters(self.definitions.nodes(name)), *self.definitions.texts[name]}
                above = (f"{module.rsplit('.', up)[0]}.conftest" for up in range(1, module.count(".") + 1))
                places = [module, *(each for each in above if each in self.definitions)]
                used = {each for place in places for word in asked for each in self.definitions.meaning(place, word)}
                own = {each for each in by_module[module] if self._is_for_each(each)}
                self.definitions.add(name, (used & fixtures) | (set() if module.endswith(".conftest") else own))

    def _is_for_each(self, name: str) -> bool:
        """Whether a definition is a fixture that every test has."""
        keywords = (
            k
            for node in self.definitions.nodes(name)
            for n in ast.walk(node)
            if isinstance(n, ast.Call)
            for k in n.keywords
        )
        return "pytest.fixture" in self.definitions.outside[name] and any(k.arg == "autouse" for k in keywords)

    def _add_processes(self) -> None:
        program = [name for name in _PROGRAM if name in self.definitions]
        for name in list(self.definitions):
            if name.startswith(("tests.", "benchmarks.", "website.")) and (
                any(map(_STARTS_A_PROCESS.match, self.definitions.outside[name]))
                or "pytester" in _parameters(self.definitions.nodes(name))
            ):
                self.definitions.add(name, program)


def _module(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _ends(path: str) -> set[str]:
    parts = [part for part in path.split("/") if part not in ("", ".", "..")]
    return {*parts[:1], *parts[-1:], *(parts[1:2] if parts[:1] == ["tests"] else ())}


def _parameters(nodes: list[ast.AST]) -> Iterator[str]:
    return (each.arg for node in nodes for each in ast.walk(node) if isinstance(each, ast.arg))


def _calls(nodes: list[ast.AST], *methods: str) -> bool:
    every = (each for node in nodes for each in ast.walk(node))
    return any(isinstance(each, ast.Attribute) and each.attr in methods for each in every)


@frozen
class Chosen:
    """Which tests run, and why."""

    # Why all of them run; "" if not all do.
    everything: str
    # The commit to which the work tree was compared.
    since: str = ""
    # The definitions of tests that depend on what changed since then.
    changed: frozenset[str] = frozenset()
    # The tests that were skipped then: they have not passed.
    skipped: frozenset[str] = frozenset()
    # Of the other tests those of this part run.
    part: int = 0

    def why(self, test: str) -> str:
        """`changed` or `part`, or "" if the test with this id does not run."""
        if self.everything or definition_of_test(test) in self.changed or test in self.skipped:
            return "changed"
        return "part" if part_of(test) == self.part else ""


def part_of(test: str) -> int:
    """In which of the `PARTS` of all tests the one with this id is."""
    return int(sha256(test.encode()).hexdigest(), 16) % PARTS


def definition_of_test(test: str) -> str:
    """The definition that the id of a test names."""
    path, name = test.split("::")[:2]
    return f"{_module(path)}:{name.partition('[')[0]}"


def chosen_since_passed(root: Path) -> Chosen:
    """The tests that run, by what changed since the commit that `PASSED` names, and by the number of the commit."""
    file = root / PASSED
    commit, *skipped = file.read_text("utf-8").split("\n") if file.is_file() else [""]
    repository = Repository(root)
    changed = depending(repository, commit)
    if isinstance(changed, str):
        return Chosen(everything=changed)
    return Chosen("", commit, changed, frozenset(skipped), repository.number() % PARTS)


def depending(repository: Repository, commit: str) -> frozenset[str] | str:
    """The definitions of tests that depend on what changed since `commit`; or why all do."""
    files = repository.changed_since(commit) if commit else None
    if files is None:
        return f"{PASSED} names no ancestor of this commit"
    files -= {PASSED}
    if files & FOR_ALL:
        return f"{min(files & FOR_ALL)} changed"
    if not files:
        return frozenset()
    try:
        tree = Tree(repository.sources())
        old = Tree(repository.sources_at(commit)) if any(map(_is_used, files)) else tree
    except SyntaxError as error:
        return f"{error.filename} cannot be read"
    return tree.changed_since(old, files)
