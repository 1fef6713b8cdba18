"""Why a mutant may survive: mutants/reasons.yaml, where one entry stands for a group of mutants."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from importlib.resources import as_file, files

from attrs import frozen

from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, load
from kubeproof.mutants.kept import Judged, JudgedRule

EXPECTED = Expected("", "the reasons why mutants survive")


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
        document = load(path, EXPECTED)
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
