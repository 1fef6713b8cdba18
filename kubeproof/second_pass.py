"""Do the general properties alone find the documented bugs of cpu-manager again?

`python -m kubeproof.second_pass`, which takes minutes and is not a test; with releases as arguments, only for the
generations that these are of. Each scope below switches on a few powers of the environment, none of them for the sake
of one bug. In each, under the rules of each generation of releases, all properties are checked by the explicit engine.
A bug counts as found when the shortest run that violates its property, in a release that shows the bug, takes all the
powers that the bug takes. A bug with a longer run than another one's is hidden by it: then the other is named.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from os import cpu_count

from attrs import frozen

from kubeproof.catalogue import BUGS, Bug
from kubeproof.counterexample import generations, minimal_counterexample, release_rows_of
from kubeproof.engines import explicit
from kubeproof.systems import system_named
from kubeproof.verdict import Outcome
from model.machine import Action
from model.releases import Release, parse_release, rules_for

SYSTEM = "cpu-manager"
SCOPES = (
    "cores=3,pods=2,containers=2,size=1,init=1,exits=0,restarts=0",
    "cores=2,pods=2,containers=1,size=1,init=0,exits=1,restarts=1",
    "cores=3,pods=3,containers=1,size=1,init=0,exits=1,restarts=0",
    "cores=3,pods=1,containers=2,size=2,init=1,sidecars=1,exits=1,restarts=1",
    "cores=3,pods=1,containers=2,size=1,init=1,removals=1,exits=0,restarts=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,crashes=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,hotplug=1,rereserve=1",
    "cores=2,pods=1,containers=1,size=1,init=0,exits=0,restarts=1,repolicy=1,wipes=1",
    "cores=3,threads=2,pods=1,containers=2,size=2,init=0,exits=0,restarts=1,offline=1,wipes=1",
    "cores=2,threads=2,pods=1,containers=1,size=2,init=0,exits=1,restarts=1,full_pcpus=1",
)
SECONDS = 60.0  # of one exploration


@frozen
class Found:
    """The shortest run that violates `property` in a scope, under the rules of the releases from `first` to `last`."""

    scope: str
    first: str
    last: str
    property: str
    actions: tuple[Action, ...]
    explanation: str


@frozen
class Answer:
    """`found`: every violation. `cut`: explorations that did not come to an end, and why."""

    found: tuple[Found, ...]
    cut: tuple[str, ...]


def explore_all(scopes: Sequence[str] = SCOPES, workers: int | None = None, releases: Sequence[Release] = ()) -> Answer:
    """Every property in every scope and every generation of releases, or those of `releases`, on `workers` processors.

    Without `workers` on all there are.
    """
    spans = [
        (str(first), str(last))
        for first, last in generations(system_named(SYSTEM))
        if not releases or any(first.version <= release.version <= last.version for release in releases)
    ]
    tasks = [(scope, first, last) for scope in scopes for first, last in spans]
    with ProcessPoolExecutor(workers or cpu_count()) as pool:
        answers = list(pool.map(_explore, tasks, chunksize=1))
    return Answer(
        tuple(found for answer in answers for found in answer.found),
        tuple(text for answer in answers for text in answer.cut),
    )


def _explore(task: tuple[str, str, str]) -> Answer:
    scope, first, last = task
    system = system_named(SYSTEM)
    machine = system.machine(system.parse_scope(scope), rules_for(system.rules_class, parse_release(first)))
    results = explicit.check(machine, system.properties, limits=explicit.Limits(seconds=SECONDS))
    found, cut = [], []
    for result in results:
        if result.outcome is Outcome.VIOLATED and result.trace is not None:
            text = result.explanation or ""
            found.append(Found(scope, first, last, result.property, result.trace.actions, text))
        elif result.outcome is Outcome.INCONCLUSIVE and result.transitions and "premise" not in (result.reason or ""):
            cut.append(f"{scope} {first}: {result.property}: {result.reason}")
    return Answer(tuple(found), tuple(cut))


def powers_taken(scope: str, actions: Iterable[Action]) -> frozenset[str]:
    """The powers of the environment that a run makes use of, and the options of its scope."""
    taken = {"full_pcpus"} if "full_pcpus=1" in scope else set()
    names = {
        "complete_pod": "jobs", "remove_container": "removals", "stop_kubelet": "restarts", "crash_kubelet": "crashes",
        "add_core": "hotplug", "offline_cpu": "offline", "grow_reserved": "rereserve", "set_policy": "repolicy",
        "delete_state_file": "wipes",
    }  # fmt: skip
    for action in actions:
        if action.name in names:
            taken.add(names[action.name])
        elif action.name == "create_pod":
            taken |= {
                power for kind, power in (("init", "init"), ("sidecar", "sidecars")) if kind in action["containers"]
            }
        elif action.name == "exit_container" and not action["container"].startswith("i"):
            taken.add("exits")
    return frozenset(taken)


def explains(bug: Bug, shown: frozenset[str], found: Found) -> bool:
    """The violation is this bug's: the same property, a release that shows it, all powers that it takes."""
    if found.property not in bug.properties or found.first not in shown:
        return False
    return set(bug.powers) <= powers_taken(found.scope, found.actions)


def explaining(bugs: Sequence[Bug], shown: dict[str, frozenset[str]], found: Found) -> list[Bug]:
    """The bugs that explain a violation, without those of which another one takes the same powers and more."""
    mine = [bug for bug in bugs if explains(bug, shown[bug.id], found)]
    return [bug for bug in mine if not any(set(bug.powers) < set(other.powers) for other in mine)]


def releases_shown(bugs: Sequence[Bug]) -> dict[str, frozenset[str]]:
    """Bug id -> the first releases of the generations that show it."""
    shown = {}
    for bug in bugs:
        example = minimal_counterexample(bug)
        rows = [] if example is None else release_rows_of(example)
        shown[bug.id] = frozenset(row.first for row in rows if row.shows_bug)
    return shown


def report(answer: Answer, bugs: Sequence[Bug], shown: dict[str, frozenset[str]]) -> Iterator[str]:
    """What was violated where; which bugs that finds again; what no bug of the list explains."""
    yield "violations, by property and scope: releases (events of the shortest run)"
    table: dict[tuple[str, str], list[Found]] = {}
    for each in answer.found:
        table.setdefault((each.property, each.scope), []).append(each)
    for (name, scope), violations in sorted(table.items()):
        yield f"  {name}  [{_nonzero(scope)}]"
        yield "    " + ", ".join(f"{_span(each)} ({len(each.actions)})" for each in violations)
    yield ""
    yield "bugs found again without a scenario of their own"
    for bug in bugs:
        mine = [each for each in answer.found if bug in explaining(bugs, shown, each)]
        if mine:
            best = min(mine, key=lambda each: len(each.actions))
            where = f"{best.property} in {best.first}, {len(best.actions)} events [{_nonzero(best.scope)}]"
            yield f"  {bug.id}: found, {where}"
            continue
        same = [each for each in answer.found if each.property in bug.properties and each.first in shown[bug.id]]
        hidden = sorted({other.id for each in same for other in explaining(bugs, shown, each)})
        yield f"  {bug.id}: NOT found" + (f"; hidden by shorter runs of {', '.join(hidden)}" if hidden else "")
    yield ""
    yield "violations that no bug of the list explains"
    unexplained: dict[tuple[str, tuple[str, ...]], list[Found]] = {}
    for each in answer.found:
        if not explaining(bugs, shown, each):
            taken = tuple(sorted(powers_taken(each.scope, each.actions)))
            unexplained.setdefault((each.property, taken), []).append(each)
    for (name, taken), violations in sorted(unexplained.items()):
        shortest = min(violations, key=lambda each: len(each.actions))
        yield f"  {name}, with {', '.join(taken) or 'no power'}: {', '.join(dict.fromkeys(map(_span, violations)))}"
        yield f"    {shortest.first}: {'; '.join(map(str, shortest.actions))}"
        yield f"    {shortest.explanation}"
    if answer.cut:
        yield ""
        yield "did not come to an end"
        yield from (f"  {text}" for text in answer.cut)


def _span(found: Found) -> str:
    return found.first if found.first == found.last else f"{found.first} to {found.last}"


def _nonzero(scope: str) -> str:
    return ",".join(part for part in scope.split(",") if not part.endswith("=0"))


def main(arguments: Sequence[str]) -> None:
    """Print the report."""
    bugs = [bug for bug in BUGS if bug.system == SYSTEM]
    answer = explore_all(releases=[parse_release(text) for text in arguments])
    for line in report(answer, bugs, releases_shown(bugs)):
        print(line)


if __name__ == "__main__":
    main(sys.argv[1:])
