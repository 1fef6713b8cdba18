"""Digests of all that results depend on: computed once from the sources, then handed to every worker.

Of the code that is known before, the digest is that of a closure: the definitions that the system's machine, a
property, or what computes the result names, and all that these name. A closure ends where rules are chosen, at the
release table, at the mutants and at the repairs: a result is of given rules, and these have digests of their own. A
rule that a definition calls by its name is in the closure as any function is.
"""

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from attrs import fields, frozen

from kubeproof.definitions import Definitions, definition_of
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.store.texts import PACKAGES, Code, digest_of, digest_of_bytes, text_of
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System, rules_of
from model.releases import BACK_PORTS, ROWS, from_outside
from properties.property import Property

# --- The versions of what computes results and is not ours. Nothing is started for this.

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


# --- Digests

Rule = Callable[..., Any]

ROOT = Path(__file__).parents[2]
# Where rules or systems are chosen. What is behind has a digest of its own.
_CHOOSES = ("model.releases:ROWS", "model.releases:BACK_PORTS", "kubeproof.systems.registry:SYSTEMS")
_TABLES = ("MUTANTS", "REPAIRS")

# What is computed -> the definitions that compute it. Engines by their names.
DOES: Mapping[str, tuple[str, ...]] = {
    "explicit": ("kubeproof.engines.explicit.check:check",),
    "hypothesis": ("kubeproof.engines.table:_hypothesis", "kubeproof.engines.stateful:check"),
    "z3": ("kubeproof.engines.table:_z3",),
    "tlc": ("kubeproof.engines.table:_tlc",),
    "release table": ("kubeproof.bugs.counterexample:_shown",),
    "rule in the place of another": ("kubeproof.report.coverage:_results", "kubeproof.report.coverage:STATES"),
    "wrong values": ("kubeproof.report.noticed:noticed_in",),
    "mutants": ("kubeproof.mutants.judged:judged_rule",),
    "manifest": ("kubeproof.engines.explicit.search:explore",),
}
# Of these nothing is left out: they choose releases and rules by themselves.
ALONE: Mapping[str, tuple[str, ...]] = {
    "growth": ("kubeproof.growth.answer:_reported",),
}
_FORMS = {"z3": "smt_form", "tlc": "tla_form"}


@frozen
class Digests:
    """What tells code and data from any others, by name."""

    # By the definition of a rule: the rule and all that it calls.
    rules: dict[str, str]
    # By what is computed, and the name of the system, "" for what needs none: the code, with the engine's version.
    does: dict[tuple[str, str], str]
    # By the name of a system and of a property.
    properties: dict[tuple[str, str], str]
    # By the name of a file of specs/: its text.
    specs: dict[str, str]

    @property
    def of_all_rules(self) -> str:
        return digest_of(*(f"{name} {digest}" for name, digest in sorted(self.rules.items())))

    def of_rule(self, rule: Rule) -> str | None:
        """None: a rule from outside."""
        return self.rules.get(definition_of(rule))


def digests(
    definitions: Definitions, specs: Mapping[str, str], engines: Mapping[str, str], systems: Sequence[System] = ()
) -> Digests:
    """The digests of `systems`, default all and what needs none, from their sources.

    `specs`: the texts of the TLA+ modules by file name. `engines`: from `versions`.
    """
    chosen = tuple(systems) or tuple(SYSTEMS.values())
    cut = chooses(definitions)
    every = sorted({definition_of(rule) for rule in _every_rule(chosen)})
    does: dict[tuple[str, str], str] = {}
    for system in chosen:
        for what in DOES:
            code = code_of(definitions, what, system)
            # A form names rules and properties to find what says the same, and calls none.
            without = [*cut, *every, *_properties(definitions)] if what in _FORMS else cut
            closure = definitions.closure_digest(sorted(code.named - set(without)), without)
            does[what, system.name] = digest_of(what, engines.get(what, PYTHON), *code.texts, closure)
    for what, roots in () if systems else ALONE.items():
        does[what, ""] = digest_of(what, PYTHON, definitions.closure_digest(roots))
    return Digests(
        rules={name: digest_of(name, definitions.closure_digest([name], cut)) for name in every},
        does=does,
        properties={(s.name, p.name): _of_property(definitions, p, cut) for s in chosen for p in s.properties},
        specs={name: digest_of(text) for name, text in specs.items()},
    )


def chooses(definitions: Definitions) -> list[str]:
    """The definitions that choose rules or systems, where a closure ends."""
    return [*_CHOOSES, *(name for name in definitions if name.rpartition(":")[2] in _TABLES)]


def code_of(definitions: Definitions, what: str, system: System) -> Code:
    """The code that computes `what`, one of `DOES`, of a system: without properties, and without what chooses."""
    code = Code(definitions, set(DOES[what]))
    for value in (system.machine, system.scope_class, system.rules_class):
        code.add(value)
    if what == "mutants":
        code.add((system.effects, system.effects_alone))
    if what in _FORMS:
        code.add(getattr(system, _FORMS[what]))
    code.named -= set(chooses(definitions))
    return code


def _of_property(definitions: Definitions, p: Property, cut: list[str]) -> str:
    code = Code(definitions)
    code.add(p)
    return digest_of(*code.texts, definitions.closure_digest(sorted(code.named - set(cut)), cut))


def _properties(definitions: Definitions) -> list[str]:
    """The definitions that are properties, or tuples of them."""

    def is_one(value: Any) -> bool:
        return isinstance(value, Property) or (isinstance(value, tuple) and any(map(is_one, value)))

    modules = {name: module for name, module in list(sys.modules.items()) if name.startswith("properties.")}
    names = (f"{name}:{each}" for name, module in modules.items() for each, v in vars(module).items() if is_one(v))
    return [name for name in names if name in definitions]


def _every_rule(systems: Sequence[System]) -> list[Rule]:
    """The rules of all tables."""
    asked = {field.name for system in systems for field in fields(system.rules_class)}
    found = [row.rule for row in ROWS if row.field in asked]
    found += [port.rule for port in BACK_PORTS if port.field in asked]
    return [*found, *(rule for system in systems for rule in rules_of(system.mutants, system.repairs))]


def digests_of_sources() -> Digests:
    """The digests of the sources from which this process was made."""
    specs = {path.name: path.read_text("utf-8") for path in sorted((ROOT / "specs").glob("*.tla"))}
    return digests(Definitions.of_folder(ROOT, PACKAGES), specs, versions())


def outside(system: System, rules: Any) -> str | None:
    """Which of `rules` the model takes for rules from outside; None if some rule is one in truth.

    A machine asks this without a look at the fields, so that no recorder hears of it.
    """
    if from_outside(rules, rules_of(system.mutants, system.repairs)):
        return None
    return text_of(from_outside(rules))


def changed_since(moment: float) -> bool:
    """Whether a source was written after `moment`: then nobody knows which text a process has read."""
    try:
        return any(os.stat(path).st_mtime >= moment for path in _sources())
    except OSError:  # it was removed
        return True


def sources_digest(besides: Sequence[Path] = ()) -> str:
    """The digest of the text of all sources, and of the files of readers `besides`: what is not kept by definition."""
    ours = [f"{path.relative_to(ROOT)} {digest_of_bytes(path.read_bytes())}" for path in map(Path, _sources())]
    return digest_of(*ours, *(digest_of_bytes(path.read_bytes()) for path in besides))


@cache
def _sources() -> tuple[str, ...]:
    folders = ((ROOT / name, pattern) for name, pattern in (*((each, "*.py") for each in PACKAGES), ("specs", "*.tla")))
    return tuple(str(path) for folder, pattern in folders for path in sorted(folder.rglob(pattern)))
