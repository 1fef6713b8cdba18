"""docs/scheduling-cycle.md: each verdict of its tables is computed anew, for the releases of which the page speaks.

Those of the section about any number are in tests/properties/smt/scheduling_cycle.
"""

import re
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from typing import Any

import pytest
from attrs import evolve

from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.demonstrations.search import LiveTree, tree_of
from kubeproof.bugs.known import shown_in
from kubeproof.engines.explicit import check
from model.go.errors import GoError
from model.releases import Release, known_release
from model.scheduler import extenders as ext, http_extender as http
from model.scheduler.cache.node_tree import NodeTreeRules
from model.scheduler.cycle_points import CyclePointRules
from model.scheduler.extender_preemption import ExtenderPreemptionRules, MetaVictims, PreemptReply
from model.scheduler.filtering import FilteringRules, FilterSetup, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Ask, Call, ExtenderAnswer, ExtenderCall, PluginCall, driven
from model.scheduler.framework.status import SUCCESS, Code
from model.scheduler.preemption.preempt import PreemptionRules
from model.scheduler.scoring import ScoringRules, prioritize_nodes
from model.systems.scheduling import SchedulingMachine, SchedulingRules, SchedulingScope
from properties.components import extenders as answers, least_sacrifice as least
from properties.components.scores import CLAIMS, ScoreRules
from properties.components.start_index import Grid, bound
from properties.property import Invariant, Property
from properties.scheduling.cache import WITHIN_CAPACITY
from properties.scheduling.catalogue import order_by_timestamp
from properties.scheduling.order import TAKES_THE_FIRST
from tests.conftest import ROOT
from tests.docs.cycles import MIDDLE, NEW, OLD, WAIT, run
from tests.docs.page import ALL, COMPUTED, alike, cell, patches, rows, rules, tables

PAGE = (ROOT / "docs/scheduling-cycle.md").read_text("utf-8")
WHOLE = (*OLD, *MIDDLE, *NEW)


def test_the_page_says_of_when_and_of_which_releases_it_is() -> None:
    assert f"computed on {COMPUTED}, of {ALL[0]} to {ALL[-1]}" in " ".join(PAGE.partition("\n## ")[0].split())
    assert "(docs/scheduling-cycle.md)" in (ROOT / "README.md").read_text("utf-8")


# --- what fails, and what follows -------------------------------------------------------------------------------------

TOLD = "*the failure is told*"
ENDS = re.findall(r"(?m)^- 1\.1[79] .*: (.*)[;.]$", PAGE)
FAILURES = rows(PAGE, "what fails")


def failing(row: list[str]) -> dict[str, Any]:
    """The cycle in which what the row names fails."""
    what, how = row[0].removeprefix("the ").split(": ")
    first = what.removesuffix(" of the second of two plugins")
    code = Code.ERROR if how == "an error" else Code.UNSCHEDULABLE
    return {"fails": first, "code": code, "plugin": "P" if first == what else "R2"}


FAILINGS = list(map(failing, FAILURES))
MISFITS = [given for given in FAILINGS if given["fails"] in ("PreFilter", "Filter") and given["code"] != Code.ERROR]


def after(release: Release, **given: Any) -> str:
    return ", ".join(run(release, **given).aftermath()).replace(ENDS[0], TOLD).replace(ENDS[1], TOLD)


@pytest.mark.parametrize("row", FAILURES, ids=lambda row: row[0])
def test_what_follows_a_failure(row: list[str]) -> None:
    def follows(release: Release) -> str:
        done = run(release, **failing(row))
        if done.failed_at is None:
            return "is not asked"
        rest = " and ".join(done.left())
        return f"{after(release, **failing(row))}. Left: " + (f"**{rest}**" if rest else "nothing")

    assert row[1:] == [cell(follows, among) for among in (OLD, MIDDLE, NEW)]


def order(release: Release) -> list[str]:
    """The calls of a pod that waits and is bound."""
    return list(dict.fromkeys(run(release, waits=True).said()))


# What is asked of a release, and how the names of its rules read.
ASKED = ("points_in_cycle", "points_in_binding", "after_failed_reserve", "after_failed_assume", "after_failed_permit",
         "after_failed_bind")  # fmt: skip
WORDS = {
    "reserve": "Reserve", "assume": "AssumePod", "permit": "Permit", "bind": "Bind", "pre_bind": "PreBind",
    "wait_on_permit": WAIT, "delete_nominated_pod": "DeleteNominatedPodIfExists", "unreserve": "Unreserve",
    "forget": "ForgetPod", "record": TOLD,
}  # fmt: skip


def points(field: str, release: Release) -> list[str]:
    """The points of a release, or what follows a failure, in words. Where a goroutine listens is no point."""
    return [WORDS[name] for name in getattr(rules(CyclePointRules, release), field)() if name in WORDS]


def test_the_points_are_those_of_the_diagrams() -> None:
    found = [cell(lambda release, field=field: ", ".join(points(field, release))) for field in ASKED]
    assert found == [row[1] for row in rows(PAGE, "what", "releases")]
    for release in (OLD[-1], MIDDLE[-1], NEW[-1]):
        shown = PAGE.partition(f"\n{release}:\n")[2].partition(" -. error")[0]
        drawn = re.findall(r'(\w+) cycle: |> \w+\["(.+)"\]', shown)
        cut = drawn.index(("binding", ""))
        assert [words for _, words in drawn if words] == order(release)
        assert drawn[cut + 1][1] == points("points_in_binding", release)[0]


# --- the walk, sentence by sentence -----------------------------------------------------------------------------------

START = SchedulingScope(pods=2, nodes=1, goroutines=1, listeners=1, bound_at_start=1)
BOTH = SchedulingScope(pods=2, high=1, nodes=1, room=2, goroutines=1)
NEVER_BESIDE = Invariant(
    name="never-beside", sentence="No pod is in a cycle while another one is bound.", broken_by=(),
    holds=lambda state: state.cycle is None or not state.bindings, premise=bool, explain=str,
)  # fmt: skip


def outcome(scope: SchedulingScope, asked: Property, of: SchedulingRules) -> str:
    (result,) = check(SchedulingMachine(scope, of), [asked], until_violated=True)
    return result.outcome


def runs(scope: SchedulingScope, asked: Property, expected: str, release: Release) -> bool:
    return outcome(scope, asked, rules(SchedulingRules, release)) == expected


def in_order(release: Release) -> bool:
    """No point comes after a later one, whatever fails."""
    places = {words: at for at, words in enumerate(order(release))}
    asked = ([places[point] for point in run(release, **given).points() if point in places] for given in FAILINGS)
    return all(each == sorted(each) for each in asked)


def one_refusal_excludes(release: Release) -> bool:
    calls = run(release, **MISFITS[-1]).calls
    asked = [(call.point, call.plugin) for call in calls if isinstance(call, PluginCall)]
    return asked.count(("Filter", "P")) == 2 and not {("Filter", "Q"), ("Score", "P")} & set(asked)


def post_bind_if_bound(release: Release) -> bool:
    failed = [done for given in FAILINGS if (done := run(release, **given)).failed_at is not None]
    return "PostBind" in run(release).points() and not any("PostBind" in done.points() for done in failed)


def at_random(release: Release) -> bool:
    names = ("the-highest-total-wins", "equals-are-equally-likely")
    return all(claim.verdict(rules(ScoreRules, release)).startswith("holds") for claim in CLAIMS if claim.name in names)


OF_RUNS, ONCE, LATE = alike(SchedulingRules), PluginCall("P", "Filter", "n1"), ["AssumePod", "Reserve", "Permit"]
FORGET, BINDERS = ("QUEUE-FORGET-NO-EVENT", "CYCLE-FORGET-NO-EVENT"), {"extender Bind", "Bind"}
# In the order of the page: what judges a sentence, the releases that are judged, and which of them are alike.
SENTENCES: tuple[tuple[Callable[[Release], bool], tuple[Release, ...], Callable[[Release], Any]], ...] = (
    (partial(runs, START, WITHIN_CAPACITY, "holds"), ALL, OF_RUNS),
    (partial(runs, BOTH, TAKES_THE_FIRST, "holds"), ALL, OF_RUNS),
    (partial(runs, BOTH, NEVER_BESIDE, "violated"), ALL, OF_RUNS),
    (lambda release: not run(release, terminating=True).points(), WHOLE, str),
    (lambda release: not run(release, assumed=True).points(), WHOLE, str),
    (in_order, WHOLE, str),
    (lambda release: run(release).calls.count(Ask("snapshot")) == 1, WHOLE, str),
    (one_refusal_excludes, WHOLE, str),
    (lambda release: [run(release, nominated=each).calls.count(ONCE) for each in (False, True)] == [1, 2], WHOLE, str),
    (lambda release: all(bound_with(power, release) == HOLDS for power in BETWEEN), ALL, alike(FilteringRules)),
    (lambda release: not any("**" in replied("Filter", reply, False, release) for reply in REPLIES["Filter"]), ALL,
     alike(answers.ExtenderRules)),
    (at_random, ALL, alike(ScoreRules)),
    (lambda release: [words for words in points("points_in_cycle", release) if words in LATE] == LATE, ALL, str),
    (lambda release: points("points_in_binding", release)[0] == WAIT, ALL, str),
    (lambda release: BINDERS & set(run(release, binder=True).said()) == {"extender Bind"}, WHOLE, str),
    (lambda release: LATE[1] in points("points_in_cycle", release) and all(
        "Unreserve" in points(f"after_failed_{each}", release) for each in ("reserve", "permit", "bind")), ALL, str),
    (lambda release: not any(shown_in(bug_named(name), release) for name in FORGET), ALL, str),
    (post_bind_if_bound, WHOLE, str),
    (lambda release: [each for each in FAILINGS if "PostFilter" in run(release, **each).points()] == MISFITS, NEW, str),
)  # fmt: skip
WALK = rows(PAGE, "sentence", "verdict")


@pytest.mark.slow
@pytest.mark.parametrize(("row", "judged"), [*zip(WALK, SENTENCES, strict=True)], ids=[row[0] for row in WALK])
def test_the_walk(row: list[str], judged: tuple[Any, ...]) -> None:
    _, verdict, instead, model, _ = row
    holds, among, by = judged
    found = cell(lambda release: "yes" if holds(release) else "**no**", among, by)
    if among is not ALL:
        found = found.replace(" on:", f" to {among[-1]}:") if ":" in found else f"{among[0]} to {among[-1]}: {found}"
    assert verdict == found
    assert (instead == "–") == ("**no**" not in verdict)
    name, file = re.findall(r"`(\w+)`\]\(\.\./(.+)\)", model)[0]
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_a_queue_that_ignores_priorities_takes_another_pod_first() -> None:
    of = rules(SchedulingRules, NEW[-1])
    assert outcome(BOTH, TAKES_THE_FIRST, evolve(of, active_q_order=order_by_timestamp)) == "violated"


# --- when a node is examined ------------------------------------------------------------------------------------------

HOLDS = "the bound holds"
# The searches in between, in the order of the page.
BETWEEN = ("", "nominated", "named", "errors")


def from_tree(release: Release) -> bool:
    return rules(FilteringRules, release).takes_nodes_from_tree()


def at_latest(release: Release, nodes: int, enough: int) -> int:
    """The bound by the page's formula."""
    return max(1, -(-nodes // (enough + 1)) if from_tree(release) else -(-(nodes - 1) // enough))


def bound_with(power: str, release: Release) -> str:
    """Whether the formula is the bound for every size of the grid."""
    for size, quota in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 1), (4, 2), (4, 3), (4, 4)):
        nodes = tuple(f"n{at}" for at in range(size))
        asked = Grid(nodes, quota, tree_of(rules(NodeTreeRules, release), *nodes), **({power: True} if power else {}))  # type: ignore[arg-type]
        found = bound(rules(FilteringRules, release), asked).searches
        if found is None:
            return "**a node may never be examined**"
        assert found == at_latest(release, size, quota), (release, power, size, quota)
    return HOLDS


def test_when_a_node_is_examined() -> None:
    found = [cell(partial(bound_with, power), by=alike(FilteringRules)) for power in BETWEEN]
    assert found == [row[1] for row in rows(PAGE, "in between")]
    formulas = ("(nodes - 1) / enough, rounded up", "nodes / (enough + 1), rounded up")
    assert f"and: {cell(lambda release: formulas[from_tree(release)])}." in PAGE
    for size, *cells in rows(PAGE, "nodes", "1.16.15"):
        for says, release in zip(cells, map(known_release, ("1.16.15", "1.31.14")), strict=True):
            nodes = int(size.replace(",", ""))
            enough = rules(FilteringRules, release).num_feasible_nodes_to_find(nodes, 0, None)
            assert says == f"{enough}: {at_latest(release, nodes, enough)}"


# --- what an extender's answer does -----------------------------------------------------------------------------------

# In the order of the page.
REPLIES: dict[str, tuple[Any, ...]] = {
    "Filter": (
        http.FilterReply(failed=http.NO_ANSWER), http.FilterReply(error="boom"), http.FilterReply(),
        *(http.FilterReply(node_names=(node,)) for node in ("n1", "n3", "gone")),
        *(http.FilterReply(nodes=(node,)) for node in ("n3", "gone")),
    ),
    "Prioritize": (
        http.PrioritizeReply(failed=http.NO_ANSWER), http.PrioritizeReply(),
        http.PrioritizeReply(scores=(("gone", 10),)), http.PrioritizeReply(scores=(("n1", 1_000),)),
    ),
    "Bind": (http.BindReply(failed=http.NO_ANSWER), http.BindReply(error="boom"), http.BindReply()),
    "Preempt": (
        PreemptReply(failed=http.NO_ANSWER), PreemptReply(), PreemptReply(victims={"n1": MetaVictims(("low",))}),
        PreemptReply(victims={"n1": MetaVictims()}), PreemptReply(victims={"n1": None}),
        *(PreemptReply(victims={node: MetaVictims((pod,))})
          for node, pod in (("n1", "high"), ("n2", "high"), ("gone", "low"))),
    ),
}  # fmt: skip
CRASH, OVER = "**the scheduler's process ends**", "the extender is passed over"
PREEMPTING = [release for release in ALL if rules(ExtenderPreemptionRules, release).asks_extenders_to_preempt()]


def replied(verb: str, reply: Any, ignorable: bool, release: Release) -> str:
    """What a reply leads to, in the words of the page."""
    of, extender = rules(answers.ExtenderRules, release), ext.Extender("e", ignorable=ignorable, binder=True)
    if verb == "Filter":
        found = answers.found_with(of, answers.FilterCase(reply, reply.nodes is None, ignorable))
        if found.error is not None:
            return CRASH if found.error.panic else "the cycle fails with an error; no preemption"
        if found.feasible in ((), answers.ASKED):
            return OVER if found.feasible else "the pod does not fit; preemption is tried"
        goes = {"n1": "the other node is refused", "n3": "**the pod may go to the node that the plugin refused**"}
        return goes.get(found.feasible[0], "**the pod may go to a node that is not there**")
    if verb == "Prioritize":
        least, most = (
            points_of(each, extender, release) for each in (http.PrioritizeReply(scores=(("n1", 10),)), reply)
        )
        return f"counts {most // least} times as much as 10" if most else "no node gets points; the cycle goes on"
    if verb == "Bind":
        goes_on = rules(ext.BinderRules, release).asks_on_after_bind_error
        status = driven(ext.extenders_binding([extender], "n1", goes_on), lambda call: http.bound(reply))
        fails = "counts as bound" if status and status.ok else "the binding fails; no Bind plugin is asked"
        return fails if status else "the next binder is asked, at last the Bind plugins"
    left = answers.candidates_with(of, answers.PreemptCase(reply, ignorable))
    if isinstance(left, GoError):
        return CRASH if left.panic else "preemption fails with an error; no pod goes"
    if not left or left == answers.SENT:
        return OVER if left else "no candidate is left; no pod goes"
    ((node, victims),) = left.items()
    if node not in answers.SENT:
        return "**a pod of higher priority goes, on a node that was not sent**"
    stays = "the other victim stays; nobody asks whether the pod still fits"
    return stays if victims.pods else f"{node} is nominated, and no pod goes"


def points_of(reply: http.PrioritizeReply, extender: ext.Extender, release: Release) -> int:
    """What the best node gets from the extender alone."""
    scores = driven(ext.ask_to_prioritize([extender], answers.ASKED), lambda call: http.prioritized(reply))
    found = prioritize_nodes(rules(ScoringRules, release), "p", answers.ASKED, (), scores, True)
    return max(node.total for node in found)  # type: ignore[union-attr]


def test_what_an_answer_of_an_extender_does() -> None:
    asked = [(verb, reply) for verb, replies in REPLIES.items() for reply in replies]
    for row, (verb, reply) in zip(rows(PAGE, "verb", "reply"), asked, strict=True):
        among = PREEMPTING if verb == "Preempt" else ALL
        plain, ignored = (cell(partial(replied, verb, reply, each), among) for each in (False, True))
        assert row == [verb, row[1], plain, "the same" if ignored == plain else ignored]
    assert set(ALL) - set(PREEMPTING) == {*patches(19), *patches(20)[:10], *patches(21)[:4]}
    assert "In 1.19.0 to 1.20.9 and 1.21.0 to 1.21.3 no extender is asked to preempt" in PAGE


def waits(release: Release, extenders: int, nominated: bool, kinds: tuple[str, ...]) -> tuple[int, str]:
    """The time in s, and what is waited for, if the requests with the verb Filter are answered so, in order."""
    left, live = iter(kinds), LiveTree(tree_of(rules(NodeTreeRules, release), "n1", "n2"))

    def answer(call: Call) -> Any:
        if not isinstance(call, ExtenderCall):
            return live.answer(call)
        kind = next(left)
        refused = tuple((node, "no") for node in call.nodes if kind == "refuses")
        return ExtenderAnswer("no answer" if kind == "fails" else None, refused)

    each = [ext.Extender(f"e{number}", ignorable=True) for number in range(extenders)]
    setup = FilterSetup(rules(FilteringRules, release), 0, None, True, lambda node: answered(SUCCESS),
                        partial(ext.find_nodes_that_pass_extenders, each))  # fmt: skip
    found = driven(find_nodes_that_fit_pod(setup, ("n1", "n2"), 0, "n1" if nominated else "", None), answer)
    asked, scored = len(kinds) - len(list(left)), len(found.feasible) > 1
    others = extenders if release in PREEMPTING and not found.feasible else 0
    said = f"{asked} of Filter, " + ("1 of Prioritize" if scored else f"{others} of Preempt")
    return (asked + others + scored) * http.DEFAULT_TIMEOUT // 1_000, said


def longest(extenders: int, nominated: bool, release: Release) -> str:
    """The longest cycle, whatever is answered. No extender is asked more than twice in a cycle."""
    every = product(("passes", "refuses", "fails"), repeat=2 * extenders)
    return "{} s ({})".format(
        *max((waits(release, extenders, nominated, kinds) for kinds in every), key=lambda w: w[0])
    )


@pytest.mark.slow
def test_the_longest_cycle() -> None:
    by = alike(FilteringRules, ExtenderPreemptionRules)
    for extenders, *cells in rows(PAGE, "extenders", "a pod"):
        assert cells == [cell(partial(longest, int(extenders), each), by=by) for each in (False, True)]


# --- the least sacrifice ----------------------------------------------------------------------------------------------


@cache
def tallies(of: PreemptionRules) -> dict[str, least.Tally]:
    return least.tally(of, least.grid(3))


def share(name: str, release: Release) -> str:
    found = tallies(rules(PreemptionRules, release))[name]
    return f"{found.kept:,} of {found.cases:,}"


@pytest.mark.slow
def test_how_often_a_sacrifice_is_the_least() -> None:
    """The cases of the page, and which node harms least, are in tests/properties/components/test_least_sacrifice.py."""
    readings, how_often = tables(PAGE, "reading", "kept")
    assert how_often == [
        [each.sentence, cell(partial(share, each.name), by=alike(PreemptionRules))] for each in least.READINGS
    ]
    for (_, kept), (says, shares) in zip(readings, how_often, strict=False):
        assert ("no:" in kept) == (shares != "5,218 of 5,218"), says


# --- scores ----------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(PAGE, "claim", "what it says"), ids=lambda row: row[0].strip("`"))
def test_the_claims_about_scores(row: list[str]) -> None:
    (claim,) = (claim for claim in CLAIMS if row[:2] == [f"`{claim.name}`", claim.sentence])

    assert row[2] == cell(lambda release: claim.verdict(rules(ScoreRules, release)), by=alike(ScoreRules))
