"""All code that an exploration runs is in the digests that its result is found by: else a result could be stale."""

import gc
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest
from attrs import fields

from kubeproof.definitions import Definitions, definition_of
from kubeproof.engines import explicit
from kubeproof.engines.explicit import Limits
from kubeproof.store.digests import PACKAGES, ROOT, chooses, code_of
from kubeproof.store.results import looked_up
from kubeproof.store.texts import Code
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import System
from model.releases import known_release, rules_for
from properties.property import Property

STATES = 1_500


@cache
def definitions() -> Definitions:
    return Definitions.of_folder(ROOT, PACKAGES)


def _run(system: System, rules: Any) -> set[CodeType]:
    """The code that a search runs, of the project's."""
    found: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            found.add(frame.f_code)

    machine = system.machine(system.scope, rules)
    # What other tests have left open would be closed, and so called, meanwhile.
    gc.collect()
    sys.setprofile(note)
    try:
        explicit.check(machine, system.properties, limits=Limits(states=STATES))
    finally:
        sys.setprofile(None)
    return {code for code in found if any(Path(code.co_filename).is_relative_to(ROOT / name) for name in PACKAGES)}


def _closure(system: System, rules: Any, fields: frozenset[str]) -> frozenset[str]:
    """The definitions whose digests the result is found by."""
    code = code_of(definitions(), "explicit", system)
    of_properties = Code(definitions())
    of_properties.add(system.properties)
    followed = {definition_of(getattr(rules, field)) for field in fields if not field.startswith("_")}
    return definitions().closure([*code.named, *of_properties.named, *followed], chooses(definitions()))


@pytest.mark.parametrize("name", SYSTEMS)
def test_what_an_exploration_runs_is_in_its_digests(name: str) -> None:
    system = SYSTEMS[name]
    for minor in (system.minors[0], system.minors[-1]):
        rules = rules_for(system.rules_class, known_release(f"1.{minor}"))
        notes = looked_up(system, rules)
        # The notes are no part of the search, and the code of a property's lambda is in the property's own digest.
        known = {code for p in system.properties for code in _lambdas(p)}
        run = {code for code in _run(system, notes.rules) if not code.co_qualname.startswith("LookedUp.")} - known
        closure = _closure(system, rules, notes.fields)
        missing = {f"{code.co_filename}, line {code.co_firstlineno}" for code in run if not _meant(code) & closure}
        assert len(run) > 50
        assert not missing


def _lambdas(p: Property) -> Iterator[CodeType]:
    """The code of the property's lambdas, and what is inside."""
    left = [
        v.__code__ for f in fields(type(p)) if isinstance(v := getattr(p, f.name), FunctionType) and "<" in v.__name__
    ]
    while left:
        yield left[-1]
        left += [each for each in left.pop().co_consts if isinstance(each, CodeType)]


def _meant(code: CodeType) -> set[str]:
    """The definitions that the code may be part of."""
    module = (
        Path(code.co_filename).relative_to(ROOT).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__")
    )
    name = f"{module}:{code.co_qualname.partition('.')[0]}"
    if "<" not in name:
        return {name}
    inside = [each for each in definitions() if each.partition(":")[0] == module]
    return {each for each in inside for node in definitions().nodes(each) if _spans(node, code.co_firstlineno)}


def _spans(node: Any, line: int) -> bool:
    return bool(getattr(node, "lineno", line + 1) <= line <= (getattr(node, "end_lineno", None) or 0))
