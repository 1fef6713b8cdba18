"""The verdict on a fix in one line: its word, and what speaks for or against the fix."""

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from kubeproof.validate.verdict import Part, Row, Validation
from kubeproof.verdict.result import Cause, Outcome

NAMES = 3  # of properties or bugs in a line


def headline(validation: Validation) -> tuple[str, str]:
    """Which fix was judged on what, and the verdict."""
    if len(validation.parts) == 1:
        (part,) = validation.parts
        return f"{part.fix.label} on {part.system.name} {part.release}", _of_the_only(part, validation)
    return f"{validation.fix.label} on {validation.release}", _of_several(validation)


def by_outcome(validation: Validation) -> list[Part]:
    """The parts: refused ones first, then undecided ones; last those in which the fix changes nothing."""
    order = ("REFUSED", "UNDECIDED", "ACCEPTED", "CHANGES NOTHING")
    return sorted(validation.parts, key=lambda part: order.index(_word(part)))


def _of_the_only(part: Part, validation: Validation) -> str:
    """The verdict where the fix was judged in one system."""
    if validation.cures_nothing:
        against = [*_against(part)] if part.outcome is Outcome.VIOLATED else []
        return f"REFUSED: {'; '.join([*against, validation.cures_nothing])}"
    if validation.open and part.outcome is Outcome.HOLDS:
        return f"UNDECIDED: {'; '.join(validation.open)}"
    return "; ".join([verdict_of(part), *validation.open])


def _of_several(validation: Validation) -> str:
    """The verdict of all parts together: which system says what."""
    said: dict[str, list[str]] = {}
    for part in by_outcome(validation):
        said.setdefault(_word(part), []).append(part.system.name)
    by_system = "; ".join(
        f"{word} in {'each system' if len(said) == 1 else ', '.join(names)}" for word, names in said.items()
    )
    if validation.cures_nothing:
        return f"REFUSED: {validation.cures_nothing}; apart from that {by_system}"
    if validation.open and validation.outcome is not Outcome.VIOLATED:
        return f"UNDECIDED: {'; '.join(validation.open)}; apart from that {by_system}"
    return "; ".join([by_system, *validation.open])


def _word(part: Part) -> str:
    if part.outcome is Outcome.HOLDS:
        return "CHANGES NOTHING" if part.changes_nothing else "ACCEPTED"
    return "REFUSED" if part.outcome is Outcome.VIOLATED else "UNDECIDED"


def verdict_of(part: Part) -> str:
    """The verdict in one system, and why."""
    why = {Outcome.VIOLATED: _against, Outcome.INCONCLUSIVE: _open, Outcome.HOLDS: _for}[part.outcome]
    return f"{_word(part)}: {'; '.join(why(part))}"


def _against(part: Part) -> Iterator[str]:
    """What speaks against the fix."""
    refusing = [each for each in part.objections if each.refuses]
    yield from (each.text for each in refusing if each.row is None and each.run is None)
    rows = part.refused_by if part.failure is None else []
    plain = [row.after.property for row in rows if not row.beside.bugs]
    for change, names in _by_change(row for row in rows if not row.beside.bugs).items():
        yield f"it breaks {names_text(names)}" if change == "broken" else f"{are_text(names)} {change}"
    beside = [row for row in rows if row.beside.bugs and row.after.property not in plain]
    for bugs in dict.fromkeys(row.beside.bugs for row in beside):
        broken = dict.fromkeys(row.after.property for row in beside if row.beside.bugs == bugs)
        yield f"beside the {cures_text(bugs)} it breaks {names_text(broken)}"
    yield from dict.fromkeys(
        each.text for each in refusing if each.run or (each.row and each.row not in part.refused_by)
    )


def _open(part: Part) -> Iterator[str]:
    """What leaves the verdict open."""
    hows = {"uncovered": f"where {part.release} goes wrong earlier"}
    not_wrong = f"in a run that {part.release} does not get wrong"
    if told := [
        f"{are_text(names)} violated {hows.get(change, not_wrong)}"
        for change, names in _by_change(part.unexplained).items()
    ]:
        yield f"{' and '.join(told)}, and no documented bug explains this: look at the run"
    lost = [*chain(*part.lost_premises.values())]
    unended = [row for row in part.rows if row.change == "undecided" and row not in lost]
    others = [each for each in part.objections if each.row not in (*part.unexplained, *unended)]
    # What is violated comes before a premise that is not met.
    yield from dict.fromkeys(each.text for each in sorted(others, key=lambda each: each.kept is None))
    if unmet := [row.after.property for row in unended if row.after.cause is Cause.PREMISE]:
        yield f"with the fix no state meets the premise of {names_text(unmet)}"
    if cut := [row.after.property for row in unended if row.after.cause is not Cause.PREMISE]:
        yield f"of {names_text(cut)} not every check came to an end"


def _for(part: Part) -> Iterator[str]:
    """What an accepted fix does."""
    if part.changes_nothing:
        yield part.same_text
        return
    cured = [run.bug.id for run in sorted(part.cured, key=lambda run: run not in part.claimed)]
    rows = dict.fromkeys(row.after.property for row in part.cured_rows)
    if cured:
        yield f"{are_text(cured)} gone"
    elif rows:
        yield f"no documented bug is gone, but {are_text(rows)} not violated any more"
    else:
        yield "no documented bug of this system is gone"
    scopes = len({row.after.scope for row in part.rows if row.change != "not judged" and not row.further})
    where = "the one scope" if scopes == 1 else f"{scopes} scopes"
    explained = part.violated_anew or part.brought or any(row.change == "uncovered" for row in part.rows)
    yield f"in {where} {'what breaks is explained by documented bugs' if explained else 'nothing that held breaks'}"


def _by_change(rows: Iterable[Row]) -> dict[str, list[str]]:
    """The properties of the rows by how they changed, what is broken first."""
    found: dict[str, list[str]] = {}
    for row in sorted(rows, key=lambda row: row.change != "broken"):
        found.setdefault(row.change, []).append(row.after.property)
    return found


def cures_text(bugs: Collection[str]) -> str:
    """The cures of these bugs."""
    return f"{'cure' if len(bugs) == 1 else 'cures'} of {names_text(bugs)}"


def names_text(names: Iterable[str]) -> str:
    """Each name once, the first few of many."""
    every = list(dict.fromkeys(names))
    more = len(every) - NAMES
    return ", ".join(every) if more <= 0 else f"{', '.join(every[:NAMES])} and {more} more"


def are_text(names: Iterable[str]) -> str:
    """The names with their verb."""
    every = list(dict.fromkeys(names))
    return f"{names_text(every)} {'is' if len(every) == 1 else 'are'}"
