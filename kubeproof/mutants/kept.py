"""What was found out about mutants, as it is kept: a file for each system, with the counts of each rule.

A mutant that is not found out has a line of its own. `WATCHED` (`kubeproof/mutants/sources.py`) says when what is kept
of a rule is out of date. Of other changes nothing here tells: slow tests judge a sample anew. Why mutants survive is
kept in mutants/reasons.yaml.
"""

import json
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Literal

from attrs import Factory, asdict, define, frozen

from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, load
from kubeproof.mutants.sources import Rule, digest_of
from kubeproof.output.files import write_whole
from kubeproof.systems.registry import system_named
from kubeproof.systems.system import System
from model.releases import Release

EXPECTED = Expected("kubeproof mutants --kept", "what was found out about mutants")
Fate = Literal["refused", "named", "by recordings only", "by nothing", "undecided"]
# (rule field, name of the rule)
Key = tuple[str, str]


@frozen
class Judged:
    """A mutant, and what found it out."""

    # The one line that tells the mutant from others of the rule.
    mutant: str
    fate: Fate
    # The property, the effect, or the recording.
    by: str = ""
    # Whether the mutant answered some call otherwise, in the first `STATES` states of a scope (base.py) or in a
    # recording. If not, it may be the same rule in other words, or show later.
    differs: bool = True
    # The release in which this was found out, if that is another one than the rule's.
    release: str = ""

    @property
    def is_found_out(self) -> bool:
        """Whether a property or an effect says what it does."""
        return self.fate in ("refused", "named")

    @property
    def survives(self) -> bool:
        """Whether it behaves otherwise, and neither a property nor an effect is known to say so."""
        return self.differs and not self.is_found_out


@define
class JudgedRule:
    """The mutants of one rule: how many are found out, and the others one by one."""

    field: str
    rule: str
    # The release in which they were judged: one that follows the rule.
    release: str
    # A digest of the rule's text, by `digest_of`.
    source: str
    # A digest of its mutants, by `digest_of_mutants`: with other operators a rule has others.
    mutants: str
    # How many they are, and how many of them have either fate that finds a mutant out.
    count: int
    refused: int = 0
    named: int = 0
    # Mutants that are judged and not found out.
    open: list[Judged] = Factory(list)
    # Further releases that follow the rule, in which what was not found out was judged again.
    also: list[str] = Factory(list)

    @property
    def key(self) -> Key:
        return self.field, self.rule

    @property
    def found_out(self) -> int:
        return self.refused + self.named

    @property
    def is_judged(self) -> bool:
        """Whether each of its mutants is."""
        return self.found_out + len(self.open) == self.count

    def take(self, judged: Sequence[Judged]) -> None:
        """Count those that are found out, and keep the others one by one. `judged`: all that was not found out."""
        self.refused += sum(each.fate == "refused" for each in judged)
        self.named += sum(each.fate == "named" for each in judged)
        self.open = sorted((each for each in judged if not each.is_found_out), key=lambda each: each.mutant)


@define
class Mutants:
    """The mutants of a system's rules: of all rules that any release follows, or of those of one release."""

    system: System
    release: Release | None
    rules: list[JudgedRule]

    @property
    def open(self) -> list[tuple[JudgedRule, Judged]]:
        return [(rule, mutant) for rule in self.rules for mutant in rule.open]

    @property
    def survivors(self) -> list[tuple[JudgedRule, Judged]]:
        """Mutants that behave otherwise somewhere, and of which neither a property nor an effect is known to say so."""
        return [(rule, m) for rule, m in self.open if m.survives]

    @property
    def found_out(self) -> float:
        """The part, of those that behave otherwise anywhere, that is refused or named."""
        survivors = len(self.survivors)
        differing = survivors + sum(rule.found_out for rule in self.rules)
        return 1 - survivors / differing if differing else 1.0


@define
class Kept:
    """The content of a kept file."""

    system: str
    rules: dict[Key, JudgedRule]

    def stale(self, rules: Iterable[tuple[str, Rule]]) -> list[str]:
        """What of `rules`, pairs of a field and a rule, is not kept as it is now; and what is kept besides."""
        now = {(field, rule.__name__): digest_of(rule) for field, rule in rules}
        kept = {key: rule.source for key, rule in self.rules.items()}
        return sorted(
            "=".join(key)
            for key in now.keys() | kept.keys()
            if now.get(key) != kept.get(key) or not self.rules[key].is_judged
        )


def read_kept(path: Path | None, system: str) -> Kept:
    """The content of the file at `path`; nothing if there is no file. Raises InputError."""
    if path is None or not path.exists():
        return Kept(system, {})
    document = load(path, EXPECTED)
    try:
        if document["system"] == system:
            rules = [_rule(each) for each in document["rules"]]
            return Kept(system, {each.key: each for each in rules})
    except (AttributeError, KeyError, TypeError):
        pass
    raise InputError(
        f"{path}: not what `kubeproof mutants {system} --kept` wrote: remove the file, or name another"
    ) from None


def _rule(document: dict[str, Any]) -> JudgedRule:
    return JudgedRule(**document | {"open": [Judged(**each) for each in document["open"]]})


def write_kept(path: Path, kept: Kept) -> None:
    """Write `kept` to `path`: rules and mutants sorted, a line for each. Raises InputError."""
    write_whole(path, kept_text(kept))


def kept_text(kept: Kept) -> str:
    """The content of the file, as JSON."""
    head = f'{{"system": {json.dumps(kept.system)}, "rules": ['
    rules = []
    for _, rule in sorted(kept.rules.items()):
        values = {key: value for key, value in asdict(rule, recurse=False).items() if key != "open"}
        if not rule.also:
            del values["also"]
        own = ", ".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in values.items())
        lines = [json.dumps(_values(each), ensure_ascii=False) for each in sorted(rule.open, key=lambda m: m.mutant)]
        inner = "".join(f"\n   {line}{',' if at < len(lines) - 1 else ''}" for at, line in enumerate(lines))
        rules.append(f'\n {{{own}, "open": [{inner}]}}')
    return f"{head}{','.join(rules)}\n]}}\n"


def _values(mutant: Judged) -> dict[str, Any]:
    values = asdict(mutant)
    if not mutant.release:
        del values["release"]
    return values


def kept_in_tree(system: str) -> Mutants:
    """What the project keeps of all rules of `system`: mutants/SYSTEM.json, which `make mutants` brings up to date."""
    with as_file(files("mutants") / f"{system}.json") as path:
        return Mutants(system_named(system), None, list(read_kept(path, system).rules.values()))


# --- Why a mutant may survive: mutants/reasons.yaml, where one entry stands for a group of mutants

EXPECTED_REASONS = Expected("", "the reasons why mutants survive")


@frozen
class Reason:
    """Why each of some mutants survives."""

    system: str
    # Which rules, "FIELD=RULE", with * for any text.
    rules: str
    reason: str
    # What is in the text of the mutant; "": any mutant of the rules.
    contains: str = ""

    def covers(self, system: str, rule: JudgedRule, mutant: Judged) -> bool:
        """Whether this is the reason for `mutant`."""
        return system == self.system and fnmatchcase("=".join(rule.key), self.rules) and self.contains in mutant.mutant


def reasons() -> tuple[Reason, ...]:
    """All reasons, in the order of the file. Raises InputError."""
    with as_file(files("mutants") / "reasons.yaml") as path:
        document = load(path, EXPECTED_REASONS)
        try:
            return tuple(Reason(**each) for each in document or ())
        except TypeError:
            raise InputError(f"{path}: not a list of entries with system, rules, contains and reason") from None


def reason_for(known: Iterable[Reason], system: str, rule: JudgedRule, mutant: Judged) -> str:
    """Why `mutant` survives, as the first reason that covers it says; "" if none does."""
    return next((each.reason for each in known if each.covers(system, rule, mutant)), "")


def needless(known: Sequence[Reason], system: str, survivors: Sequence[tuple[JudgedRule, Judged]]) -> list[Reason]:
    """The reasons of `system` that are the reason for none of `survivors`."""
    mine = [each for each in known if each.system == system]
    used = {next((each for each in mine if each.covers(system, rule, mutant)), None) for rule, mutant in survivors}
    return [each for each in mine if each not in used]
