"""`kubeproof mutants`: all rules of a release changed in small ways, field by field; what was found out is kept."""

import json
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import asdict, define

import model
import properties
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, load
from kubeproof.mutants.judged import Judged, judged_rule
from kubeproof.processes.pool import side_by_side
from kubeproof.report.files import write_whole
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.releases import Release, rules_for

KEPT = Expected("kubeproof mutants --kept", "what was found out about mutants")


@define
class Mutants:
    """The mutants of a system in a release."""

    system: System
    release: Release
    judged: list[Judged]
    # The fields whose rules have no mutant: there is nothing in them that could be changed in a small way.
    without: tuple[str, ...]

    def of(self, fate: str) -> list[Judged]:
        return [each for each in self.judged if each.fate == fate]

    @property
    def survivors(self) -> list[Judged]:
        """Mutants that behave otherwise somewhere, and of which neither a property nor an effect is known to say so."""
        return [each for each in self.judged if each.differs and each.fate not in ("refused", "named")]

    @property
    def found_out(self) -> float:
        """The part, of those that behave otherwise anywhere, that is refused or named."""
        differing = [each for each in self.judged if each.differs]
        return 1 - len(self.survivors) / len(differing) if differing else 1.0


def judge_mutants(
    name: str,
    release: Release,
    rule_fields: Sequence[str] = (),
    *,
    recordings: Sequence[Path] = (),
    kept: Path | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> Mutants:
    """Judge the mutants of the rules that `release` has for `rule_fields`, or for all fields.

    `recordings` are replayed with what survives. `kept`: a file that has what was found out before, which is not judged
    again, and is written after each field. Raises InputError.
    """
    system = system_named(name)
    wanted = tuple(rule_fields) or system.rule_fields
    for each in wanted:
        if each not in system.rule_fields:
            expected = ", ".join(system.rule_fields)
            raise InputError(f"--rule {each}: '{each}' is not a rule of {name}: expected one of {expected}")
    rules = rules_for(system.rules_class, release)
    known = _read(kept)
    mine = {each: known.get(_key(name, rules, each), []) for each in wanted}
    tasks = [(name, release, each, tuple(recordings), frozenset(j.mutant for j in mine[each])) for each in wanted]
    with side_by_side() as map_each:
        for each, found in zip(wanted, map_each(judged_rule, tasks), strict=True):
            mine[each] = mine[each] + found
            known[_key(name, rules, each)] = mine[each]
            progress(f"{each}: {len(mine[each])} mutants")
            if kept is not None and found:
                _write(kept, known)
    judged = [judged for each in wanted for judged in mine[each]]
    return Mutants(system, release, judged, tuple(each for each in wanted if not mine[each]))


def _key(system: str, rules: Any, field: str) -> str:
    return f"{system} {field}={getattr(rules, field).__name__}"


def _read(path: Path | None) -> dict[str, list[Judged]]:
    if path is None or not path.exists():
        return {}
    document = load(path, KEPT)
    try:
        found = {key: [Judged(**each) for each in found] for key, found in document["judged"].items()}
        return found if document["of"] == _sources() else {}
    except (AttributeError, KeyError, TypeError):
        raise InputError(
            f"{path}: not what `kubeproof mutants --kept` wrote: remove the file, or name another"
        ) from None


def _write(path: Path, known: dict[str, list[Judged]]) -> None:
    judged = {key: [asdict(each) for each in found] for key, found in sorted(known.items())}
    write_whole(path, json.dumps({"of": _sources(), "judged": judged}, indent=1) + "\n")


def _sources() -> str:
    """A digest of the model and the properties: when one of them changes, what was found out is out of date."""
    digest = sha256()
    for package in (model, properties):
        for path in sorted(Path(package.__path__[0]).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()
