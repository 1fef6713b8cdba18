"""Operations that tell rules apart: for each rule that a release follows, and each other rule for the same field.

    python -m kubeproof.go.cases.telling_apart cache

writes kubeproof/go/operations/cache.jsonl: the operations of the recordings in tests/data, then the shortest ones that
Hypothesis finds on which the model answers otherwise with another rule, then some more (`MORE`). The search has a seed,
and no memory. docs/your-go-branch.md says which rules stay untold, where it has a place for them.
"""

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

from attrs import fields, frozen
from hypothesis import HealthCheck, Phase, find, settings
from hypothesis.errors import NoSuchExample

from kubeproof.conform.conform import PLAYERS, agrees, minors_of
from kubeproof.conform.operations import NotCovered
from kubeproof.conform.recorded_rules import in_place_of
from kubeproof.go.cases.case import Case
from kubeproof.go.cases.registry import BLIND, KEPT, MORE, STRATEGIES
from kubeproof.go.driver import Driver
from kubeproof.go.record import kept_operations
from kubeproof.go.registry import driver_named
from kubeproof.systems.registry import SYSTEMS
from model.releases import Release, has_rules, known_release, parse_release, row_in, rows_of

GO = Path(__file__).parents[1]
PAGE = GO.parents[1] / "docs/your-go-branch.md"
Rule = Callable[..., Any]
Ops = list[dict[str, Any]]
# How many cases are drawn for a pair; of the components whose cases are runs of a whole system, fewer.
EXAMPLES = 3000
_FEWER = {"cpumanager": 150, "scheduler": 2000}


@frozen
class Pair:
    """A rule that releases follow, and another one in its place."""

    field: str
    # A release that follows the rule.
    release: str
    rule: Rule
    other: Rule

    @property
    def at(self) -> Release:
        return known_release(self.release)

    @property
    def text(self) -> str:
        return f"{self.field}: {self.other.__name__} in place of {self.rule.__name__} of {self.release}"


def pairs(driver: Driver) -> list[Pair]:
    """Each rule that a modelled release follows, with each other one for its field that operations may tell apart."""
    return [pair for pair in _all_pairs(driver) if not _is_blind(driver, pair)]


def blind_pairs(driver: Driver) -> list[Pair]:
    """The pairs of rules that no operation tells apart."""
    return [pair for pair in _all_pairs(driver) if _is_blind(driver, pair)]


def _is_blind(driver: Driver, pair: Pair) -> bool:
    names = pair.rule.__name__, pair.other.__name__
    return any(blind.covers(pair.field, *names) for blind in BLIND.get(driver.name, ()))


def _all_pairs(driver: Driver) -> list[Pair]:
    return [
        Pair(field.name, release, rule, other)
        for rules_class in driver.own_rules or driver.rules
        for field in fields(rules_class)
        for rule, release in _followed(driver, rules_class, field.name).items()
        for other in _rules(field.name)
        if other is not rule
    ]


def _followed(driver: Driver, rules_class: type[Any], field: str) -> dict[Rule, str]:
    """Each rule that releases follow, and the first of them."""
    minors = minors_of(PLAYERS[driver.name])
    first: dict[Rule, str] = {}
    for name in driver.releases:
        release = parse_release(name, minors)
        if has_rules(rules_class, release):
            first.setdefault(row_in(field, release).rule, name)
    if not driver.releases:
        for version, row in rows_of(field):
            if version.release[1] in minors:
                first.setdefault(row.rule, row.since)
    return first


def _rules(field: str) -> list[Rule]:
    """The rules of all releases for a field, and its mutants."""
    having = [system for system in SYSTEMS.values() if field in system.rule_fields]
    rules = [row.rule for _, row in rows_of(field)]
    return list(dict.fromkeys((*rules, *(rule for system in having for rule in system.built_in_rules(field).values()))))


def tells(driver: Driver, pair: Pair, config: dict[str, Any], ops: Ops) -> bool:
    """Whether the model answers some operation otherwise with the other rule."""
    answers, looked_up = _answers(driver.name, pair.at, json.dumps([config, ops]))
    if looked_up is not None and pair.field not in looked_up:
        return False
    try:
        with in_place_of(pair.field, pair.other):
            two = PLAYERS[driver.name](pair.at, config)
    except NotCovered:
        return False
    for op, answer in zip(ops, answers, strict=False):
        try:
            got = two.play(op)
            if got != answer and not agrees(two, op, answer, got):
                return True
        except Exception:  # with the other rule it cannot be played: that is another answer
            return True
    return False


@lru_cache(maxsize=4096)
def _answers(component: str, release: Release, case: str) -> tuple[tuple[dict[str, Any], ...], Collection[str] | None]:
    """The model's answers to the operations of `case`, up to one that cannot be played or depends on chance.

    And the fields whose rules were looked up; None: nobody knows.
    """
    config, ops = json.loads(case)
    answers = []
    try:
        player = PLAYERS[component](release, config)
    except NotCovered:
        return (), None
    for op in ops:
        try:
            answers.append(player.play(op))
        except Exception:
            break
    return tuple(answers), getattr(player, "looked_up", None)


def aimed(driver: Driver, known: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """For each pair that no case of `known`, and none found before, tells apart: a shortest case that does."""
    cases = list(known)
    for pair in pairs(driver):
        if any(tells(driver, pair, case["config"], case["ops"]) for case in cases):
            continue
        found = shortest(driver, pair)
        if found is not None:
            cases.append({"case": len(cases), "config": found[0], "ops": found[1], "tells": pair.text})
            yield cases[-1]


def shortest(driver: Driver, pair: Pair) -> tuple[dict[str, Any], Ops] | None:
    """A case that tells the pair apart, as short as Hypothesis makes it, or None if none was found."""
    chosen = settings(
        max_examples=_FEWER.get(driver.name, EXAMPLES),
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(
            STRATEGIES[driver.name](pair.at),
            lambda drawn: tells(driver, pair, *drawn),
            settings=chosen,
            random=Random(0),
        )
    except NoSuchExample:
        return None


def recorded(component: str, folder: Path) -> list[dict[str, Any]]:
    """The operations of the recordings in `folder`, each once."""
    seen: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.glob(f"{component}-*.jsonl")):
        for case in map(json.loads, path.read_text("utf-8").splitlines()):
            kept = {"config": case["config"], "ops": case["ops"]}
            seen.setdefault(json.dumps(kept, sort_keys=True), kept)
    return [{"case": i, **kept} for i, kept in enumerate(seen.values())]


def untold(driver: Driver) -> list[Pair]:
    """The pairs that the kept operations do not tell apart."""
    cases = [(case.get("config", {}), case["ops"]) for case in kept_operations(driver.name)]
    return [pair for pair in pairs(driver) if not any(tells(driver, pair, *case) for case in cases)]


def _numbered(of: Mapping[str, Callable[[], Iterable[Case]]], name: str, first: int) -> list[dict[str, Any]]:
    return [{"case": first + i, "config": config, "ops": ops} for i, (config, ops) in enumerate(of.get(name, tuple)())]


def untold_text(driver: Driver, left: Sequence[Pair]) -> str:
    """How many pairs are told apart, and those that are `left`: for each field the rule, then the others."""
    of_rule: dict[tuple[str, str, str], list[str]] = {}
    for pair in left:
        of_rule.setdefault((pair.field, pair.rule.__name__, pair.release), []).append(f"`{pair.other.__name__}`")
    total = len(pairs(driver))
    lines = [f"The runs tell {total - len(left)} of {total} pairs of rules apart. These they do not:", ""]
    for (field, rule, release), others in of_rule.items():
        lines.append(f"- `{field}`: `{rule}` of {release} and {', '.join(others)}")
    return "\n".join(lines)


def with_untold(page: str, component: str, text: str) -> str:
    """`page` with `text` between the marks for `component`, if it has them."""
    begin, end = f"<!-- untold: {component} -->\n", "\n<!-- end -->"
    before, mark, rest = page.partition(begin)
    return f"{before}{mark}{text}{end}{rest.partition(end)[2]}" if mark else page


def main() -> None:
    """Write the operations of the components that are named, and say how many pairs they tell apart."""
    for name in sys.argv[1:]:
        driver = driver_named(name)
        cases = recorded(name, GO.parents[1] / "tests/data")
        cases += _numbered(KEPT, name, len(cases))
        cases += aimed(driver, cases)
        cases += _numbered(MORE, name, len(cases))
        text = "".join(json.dumps(case) + "\n" for case in cases)
        (GO / "operations" / f"{name}.jsonl").write_text(text, "utf-8")
        left = untold(driver)
        PAGE.write_text(with_untold(PAGE.read_text("utf-8"), name, untold_text(driver, left)), "utf-8")
        print(f"{name}: {len(cases)} cases tell {len(pairs(driver)) - len(left)} of {len(pairs(driver))} pairs apart")
        for pair in left:
            print(f"  not {pair.text}")


if __name__ == "__main__":
    main()
