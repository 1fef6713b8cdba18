"""The last line of a check: how many properties are violated, hold, or are undecided, and what to do next."""

from collections.abc import Iterator, Sequence

from attrs import frozen

from kubeproof.bugs.beside import KEPT_RUN
from kubeproof.check.check import CheckReport, verdicts
from kubeproof.check.other_scopes import decides
from kubeproof.verdict.result import Outcome, Result


@frozen
class Standing:
    """Where one property stands after a check."""

    property: str
    # Of the engines, in the scopes that were asked; None if no engine was asked.
    here: Outcome | None
    # Whether a kept run violates the property.
    elsewhere: bool
    # The ids of the documented bugs behind the violations.
    bugs: tuple[str, ...]


def standings(results: Sequence[Result]) -> list[Standing]:
    """Where each property stands."""
    by_engines = verdicts([result for result in results if result.engine != KEPT_RUN])
    found = []
    for name in dict.fromkeys(result.property for result in results):
        mine = [result for result in results if result.property == name]
        bugs = dict.fromkeys(bug for result in mine for bug in result.known or ())
        here = Outcome(by_engines[name]["outcome"]) if name in by_engines else None
        found.append(Standing(name, here, any(result.engine == KEPT_RUN for result in mine), tuple(bugs)))
    return found


def in_one_line(report: CheckReport) -> Iterator[str]:
    """What the whole check says; below it what to do about violations without a known bug."""
    all_of = standings(report.results)
    violated = [each for each in all_of if each.here is Outcome.VIOLATED]
    others = [each for each in all_of if each.here is not Outcome.VIOLATED]
    elsewhere = [each for each in others if each.elsewhere]
    parts = [
        _counted(violated, "violated here"),
        _counted([each for each in elsewhere if each.here is Outcome.HOLDS], "hold here and are violated elsewhere"),
        _counted([each for each in elsewhere if each.here is not Outcome.HOLDS], "violated elsewhere, undecided here"),
        _counted([e for e in others if not e.elsewhere and e.here is Outcome.HOLDS], "hold here"),
        _counted([e for e in others if not e.elsewhere and e.here is Outcome.NOT_APPLICABLE], "not applicable"),
        "; ".join(_inconclusive(report, [e for e in others if not e.elsewhere and e.here is Outcome.INCONCLUSIVE])),
    ]
    count = len(all_of)
    yield f"{count} {'property' if count == 1 else 'properties'}: {', '.join(filter(None, parts))}"
    unknown = dict.fromkeys(
        result.property
        for result in report.results
        if result.outcome is Outcome.VIOLATED and result.known == () and result.engine != KEPT_RUN
    )
    if unknown and report.fix is None:
        hunt = f"kubeproof hunt {report.system.name} --release {report.release}"
        yield f"no known bug: {', '.join(unknown)}: `{hunt}` looks for the rules to blame"
    elif unknown:
        yield f"not in the release without the fix: {', '.join(unknown)}: `kubeproof validate` compares the two"


def _counted(standings: Sequence[Standing], what: str) -> str:
    """`2 hold here and are violated elsewhere (A, B)`; "" if there are none. `what` is said of several."""
    bugs = ", ".join(dict.fromkeys(bug for each in standings for bug in each.bugs))
    if not standings:
        return ""
    said = what.replace("hold ", "holds ").replace(" are ", " is ") if len(standings) == 1 else what
    return f"{len(standings)} {said}" + (f" ({bugs})" if bugs else "")


def _inconclusive(report: CheckReport, standings: Sequence[Standing]) -> Iterator[str]:
    if not standings:
        return
    texts = []
    for each in standings:
        mine = [r for r in report.results if r.property == each.property and r.outcome is Outcome.INCONCLUSIVE]
        nexts = (decides(report.system, report.rules, result) for result in mine)
        texts.append(f"{each.property}: {next(filter(None, nexts), 'nobody knows a scope that would decide')}")
    yield f"{len(standings)} inconclusive (what would decide: {'; '.join(texts)})"
