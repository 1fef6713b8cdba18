"""`kubeproof mutants`: the rules of a release or of all changed in small ways; what was found out is kept."""

from collections.abc import Callable, Sequence
from functools import partial
from operator import attrgetter
from pathlib import Path

from attrs import Factory, define, evolve

from kubeproof.bugs.counterexample import generations
from kubeproof.conform.conform import read_recordings
from kubeproof.errors import InputError, not_one_of
from kubeproof.mutants.judged import RuleToJudge, judged_rule
from kubeproof.mutants.kept import Judged, JudgedRule, Kept, Mutants, read_kept, write_kept
from kubeproof.mutants.mutants import digest_of_mutants, mutants_of
from kubeproof.mutants.sources import Rule, digest_of
from kubeproof.processes.pool import side_by_side
from kubeproof.processes.tasks import Told
from kubeproof.store.home import bringing_home
from kubeproof.store.store import Store
from kubeproof.systems.registry import SYSTEMS, system_named
from kubeproof.systems.system import System
from model.releases import Release, parse_release, rows_of, rules_for

_BY_VERSION = attrgetter("version")


@define
class Task:
    """A rule, and the release in which its mutants are judged."""

    field: str
    rule: Rule
    release: Release
    # Further releases that follow the rule. Around it they have other rules, so that more may show there.
    others: list[Release] = Factory(list)


def rules_of(system: System, release: Release | None = None) -> list[Task]:
    """Each rule that some release follows, once, in as few releases as a simple search finds; or those of `release`.

    Vendors' builds and pre-releases follow no rules of their own. Of these releases the oldest and the newest that
    follow a rule are the task's `others`. Without `release`, rules that a release follows in an earlier system
    as well are left out: they are judged there. So are those that `judge_of_mutants` of a system gives away.
    """
    if release is not None:
        rules = rules_for(system.rules_class, release)
        return [Task(field, getattr(rules, field), release) for field in system.rule_fields]
    owners = _owners()
    following = {
        last: {pair: None for pair in pairs if owners[pair] == system.name} for last, pairs in _followed(system).items()
    }
    left = dict.fromkeys(pair for pairs in following.values() for pair in pairs)
    found: list[Task] = []
    chosen: list[str] = []
    while left:
        # Of as many the newest: what is known of a release is found out once for all its rules.
        best = max(following, key=lambda name: len(following[name].keys() & left.keys()))
        chosen.append(best)
        at = parse_release(best, system.minors)
        found += [Task(field, rule, at) for field, rule in left if (field, rule) in following[best]]
        left = {pair: None for pair in left if pair not in following[best]}
    for task in found:
        with_rule = [
            parse_release(name, system.minors) for name in chosen if (task.field, task.rule) in following[name]
        ]
        ends = dict.fromkeys((min(with_rule, key=_BY_VERSION), max(with_rule, key=_BY_VERSION)))
        task.others = [each for each in ends if each != task.release]
    return found


def _owners() -> dict[tuple[str, Rule], str]:
    """The system that judges the mutants of each rule."""
    following = {name: set().union(*_followed(system).values()) for name, system in SYSTEMS.items()}
    owners: dict[tuple[str, Rule], str] = {}
    for name, pairs in following.items():
        for pair in pairs - owners.keys():
            given_to = SYSTEMS[name].judge_of_mutants(pair[0], _first_minor(*pair))
            owners[pair] = given_to if pair in following.get(given_to, ()) else name
    return owners


def _first_minor(field: str, rule: Rule) -> int:
    return next(since.minor for since, row in rows_of(field) if row.rule is rule)


def _followed(system: System) -> dict[str, dict[tuple[str, Rule], None]]:
    """By the last release of each generation, the newest first: the rules that the generation follows."""
    found: dict[str, dict[tuple[str, Rule], None]] = {}
    for _, last in reversed(generations(system)):
        rules = rules_for(system.rules_class, last)
        found[str(last)] = dict.fromkeys((field, getattr(rules, field)) for field in system.fields_asked(rules))
    return found


def judge_mutants(
    name: str,
    release: Release | None = None,
    rule_fields: Sequence[str] = (),
    *,
    recordings: Sequence[Path] = (),
    kept: Path | None = None,
    again: bool = False,
    progress: Callable[[str], None] = lambda text: None,
    told: Told | None = None,
    dask: str | None = None,
    store: Callable[[], Store] | None = None,
) -> Mutants:
    """Judge the mutants of all rules, or of those of `release`; of all fields, or of `rule_fields`.

    `recordings` are replayed with what survives. `kept`: a file that has what was found out before, which is not judged
    again, and is written after each rule. What is not found out in one release is judged in others with the same rule.
    `again`: what neither a property nor an effect named is judged again. `progress` hears of each rule that is done,
    `told` how far the rules are. `dask`: as in `side_by_side`. What `store` has is not judged again.

    Raises InputError.
    """
    system = system_named(name)
    for each in rule_fields:
        if each not in system.rule_fields:
            wrong = not_one_of(each, f"rule of {system.name}", system.rule_fields, f"kubeproof list {system.name}")
            raise InputError(f"--rule: {wrong}")
    read = tuple(read_recordings(recordings))
    document = read_kept(kept, name)
    tasks = [task for task in rules_of(system, release) if not rule_fields or task.field in rule_fields]
    begun = [_begun(system, task, document, again=again) for task in tasks]
    known = [rule for rule, _ in begun]
    if release is None and not rule_fields:
        document.rules = {}
    # A rule whose mutants are not all judged yet is not kept: what `store` has of them is found again.
    document.rules |= {rule.key: rule for rule in known if rule.is_judged}
    if kept is not None:
        write_kept(kept, document)
    left = [(task, rule, names) for task, (rule, names) in zip(tasks, begun, strict=True) if names]
    asked = [RuleToJudge(name, task.release, task.field, read, names) for task, _, names in left]
    # Its digests take seconds, which nobody needs if all is kept.
    results = store() if store is not None and (left or _more(tasks, known)) else None
    judge = partial(judged_rule, store=results)
    with side_by_side(dask=dask, told=told, weigh=_size) as pool:
        map_each = bringing_home(pool, results if dask else None)
        for number, ((task, rule, _), found) in enumerate(zip(left, map_each(judge, asked), strict=True), 1):
            rule.release, rule.also = str(task.release), []
            rule.take(found)
            document.rules[rule.key] = rule
            progress(f"{number} of {len(left)}: {rule.field}={rule.rule} in {rule.release}: {rule.count} mutants")
            if kept is not None:
                write_kept(kept, document)
        more = _more(tasks, known)
        asked = [RuleToJudge(name, other, rule.field, read, _names(rule)) for other, rule in more]
        for number, ((other, rule), found) in enumerate(zip(more, map_each(judge, asked), strict=True), 1):
            rule.take(_with_more(rule.open, found, other))
            rule.also.append(str(other))
            progress(f"{number} of {len(more)} again: {rule.field}={rule.rule} in {other}")
            if kept is not None:
                write_kept(kept, document)
    return Mutants(system, release, known)


def _size(asked: RuleToJudge) -> float:
    """What the time for a rule grows with."""
    return float(len(asked.mutants))


def _more(tasks: Sequence[Task], rules: Sequence[JudgedRule]) -> list[tuple[Release, JudgedRule]]:
    """Further releases in which what is not found out of the rules is judged, with each rule."""
    found = [
        (other, rule)
        for task, rule in zip(tasks, rules, strict=True)
        for other in task.others
        if rule.open and str(other) not in rule.also
    ]
    # What is known of a release is found out once for all its rules.
    return sorted(found, key=lambda each: each[0].version)


def _with_more(mutants: Sequence[Judged], found: Sequence[Judged], release: Release) -> list[Judged]:
    """`mutants`, with what was `found` in another release where that says more."""
    there = {each.mutant: evolve(each, release=str(release)) for each in found}

    def better(mutant: Judged) -> Judged:
        now = there.get(mutant.mutant, mutant)
        return now if (now.is_found_out, now.differs) > (mutant.is_found_out, mutant.differs) else mutant

    return [better(each) for each in mutants]


def _begun(system: System, task: Task, document: Kept, *, again: bool) -> tuple[JudgedRule, frozenset[str]]:
    """What is kept of the rule and still true; and the names of the mutants that are to be judged."""
    mutants = mutants_of(task.rule)
    source, of_mutants = digest_of(task.rule), digest_of_mutants(mutants)
    begun = JudgedRule(task.field, task.rule.__name__, str(task.release), source, of_mutants, len(mutants))
    before = document.rules.get(begun.key)
    if before is None or (before.source, before.mutants) != (source, of_mutants):
        return begun, frozenset(each.name for each in mutants)
    judged_in = rules_for(system.rules_class, parse_release(before.release, system.minors))
    if getattr(judged_in, task.field) is not task.rule or not before.is_judged:
        # The release follows another rule by now, or somebody has written in the file.
        return begun, frozenset(each.name for each in mutants)
    return before, _names(before) if again else frozenset()


def _names(rule: JudgedRule) -> frozenset[str]:
    """The mutants that are not found out."""
    return frozenset(each.mutant for each in rule.open)
