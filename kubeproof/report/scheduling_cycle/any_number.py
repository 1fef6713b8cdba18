"""The section about proofs for any number of nodes, pods and plugins, and the runs that break what is not proved."""

from collections.abc import Callable
from functools import cache
from typing import Any

from kubeproof.engines.smt.induction import prove
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, rules, table
from kubeproof.verdict.result import Outcome
from model.releases import Release
from model.scheduler.cycle_points import CyclePointRules
from model.scheduler.filtering import FilteringRules
from model.scheduler.preemption.victims import VictimRules
from model.scheduler.score_weights import ScoreWeightRules
from model.scheduler.select_host import SelectHostRules
from model.scheduler.waiting_pods import WaitingPodRules
from properties.forms import Forms
from properties.smt.scheduling_cycle import choice, reprieve, reserve, start_index, waiting_pods, weights
from properties.smt.scheduling_cycle.argument import Argument


def verdict(asked: Argument[Any], claim: str) -> str:
    """`proved`, or the run that breaks the claim."""
    # The first obligation that is refuted refutes the proof.
    if all(prove([each])[0].outcome is Outcome.HOLDS for each in asked.proof().obligations):
        return "proved"
    run = asked.violation(claim, depth=9)
    return "not decided" if run is None else f"**violated**: {run}"


@cache
def _reserve(undoing: reserve.Undoing, claim: str) -> str:
    return verdict(reserve.argument(undoing, claim), claim)


@cache
def _waiting(signals: waiting_pods.Signals, claim: str) -> str:
    return verdict(waiting_pods.argument(signals, claim), claim)


@cache
def _searches(form: start_index.Form, without: frozenset[start_index.Condition], claim: str) -> str:
    return verdict(start_index.argument(form, without), claim)


def of_reserve(claim: str, release: Release) -> str:
    """What a release makes of a claim about Reserve plugins."""
    found = rules(CyclePointRules, release)
    return reserve.why_none(found) or _reserve(reserve.undoing_of(found), claim)


def of_waiting_pods(claim: str, release: Release) -> str:
    """What a release makes of a claim about Permit plugins."""
    if "wait_on_permit" not in rules(CyclePointRules, release).points_in_binding():
        return "no pod waits"
    found = rules(WaitingPodRules, release)
    return waiting_pods.why_none(found) or _waiting(waiting_pods.signals_of(found), claim)


def of_searches(without: frozenset[start_index.Condition], release: Release, claim: str = start_index.EXAMINED) -> str:
    """What a release makes of a bound of searches, without some conditions."""
    found = rules(FilteringRules, release)
    if found.takes_nodes_from_tree():
        return "the node tree says which node is next"
    return start_index.why_none(found) or _searches(start_index.form_of(found, without), without, claim)


def of_victims(release: Release) -> str:
    """What a release makes of the claims about victims."""
    return reprieve.why_none(rules(VictimRules, release)) or _victims()


@cache
def _victims() -> str:
    return verdict(reprieve.argument(), reprieve.COULD_NOT_STAY)


def of_choice(release: Release) -> str:
    """What a release makes of the choice among equals."""
    found = rules(SelectHostRules, release)
    return choice.why_none(found) or _choice(choice.RESERVOIR.of(found))


@cache
def _choice(one_in: Callable[[Any], Any]) -> str:
    return verdict(choice.argument(one_in), choice.EQUALLY_LIKELY)


@cache
def _weights(check: weights.Check) -> str:
    return verdict(weights.argument(check), weights.NO_OVERFLOW)


def of_weights(table_of: Forms[weights.Check], release: Release) -> str:
    """What a release makes of the check of a sum of weights."""
    found = rules(ScoreWeightRules, release)
    return _weights(table_of.of(found)) if table_of.has(found) else "the sum is not checked"


_RESERVE = {
    reserve.GIVEN_BACK: "What a Reserve plugin took is given back exactly once, if the cycle fails.",
    reserve.REVERSE: "No plugin gives back before one that reserved later.",
    reserve.NOTHING_ELSE: "No plugin is asked to give back that did not reserve.",
}
_WAITING = {
    waiting_pods.ARRIVES: "If all plugins allow, or one rejects, or a time is over, that is sent and not lost.",
    waiting_pods.DECIDED: "The goroutine receives what was decided first.",
    waiting_pods.ALL_ALLOW: "The pod is released only after every plugin has said Allow.",
    waiting_pods.ENDS: "The wait ends: what was decided can be received, or a timer runs.",
}


_NODES = {
    start_index.EXAMINED: "After searches for as many feasible nodes as there are nodes, the verdict about each node "
    "counted.",
    start_index.ASKED: "After searches for as many feasible nodes as there are nodes but one, each node was asked.",
}


def _row(of: str, says: str, answer: Callable[[Release], str]) -> list[str]:
    return [of, says, cell(by_release(answer))]


def _rows() -> list[list[str]]:
    found = [
        _row("Reserve plugins", says, lambda release, claim=claim: of_reserve(claim, release))  # type: ignore[misc]
        for claim, says in _RESERVE.items()
    ]
    found += [
        _row("plugins at Permit", says, lambda release, claim=claim: of_waiting_pods(claim, release))  # type: ignore[misc]
        for claim, says in _WAITING.items()
    ]
    found += [
        _row("nodes", says, lambda release, claim=claim: of_searches(frozenset(), release, claim))  # type: ignore[misc]
        for claim, says in _NODES.items()
    ]
    equal = "Each node of the highest total is chosen with the same probability."
    found.append(_row("nodes", equal, of_choice))
    fits = "Admitted weights, by the highest score each, have a sum that is an int64."
    for of, each in (("priorities of a Policy", weights.PRIORITIES), ("plugins, positive weights", weights.PLUGINS)):
        found.append(_row(of, fits, lambda release, each=each: of_weights(each, release)))  # type: ignore[misc]
    stays = "No victim could stay, whichever others come back, if the filters are monotone."
    return [*found, _row("pods on a node", stays, of_victims)]


def _conditions() -> list[list[str]]:
    return [
        [says, cell(by_release(lambda release, name=name: of_searches(frozenset({name}), release)))]  # type: ignore[misc]
        for name, says in start_index.CONDITIONS.items()
    ]


def _body() -> str:
    case = reprieve.smallest_case()
    assert case is not None
    pods = 1 + max(max(each, default=0) for each in case.fitting)
    return f"""
What is proved holds for any number: Z3 shows that each step keeps the lemmas of the proof, and that the claim follows.
Where a claim is violated, the run is a shortest one in small numbers. `properties/smt/scheduling_cycle` has the lemmas.

{table(("any number of", "claim", "verdict"), _rows())}

- From 1.19 on all Reserve plugins are asked to give back, also those that were not asked to reserve. So Unreserve has
  to do nothing where there is nothing.
- The check of 1.17 overflows itself: it admits the weight 92233720368547759, by which a score of 100 is no int64.
- In 1.17 a decision that is sent before the goroutine listens is lost, and no timer is left: the pod waits for ever.
- Each pod that waits has plugins, timers and a channel of its own. So what holds of one pod holds of any number.
- With n nodes and the quota q (how many feasible nodes are enough) the verdict about each node counts at the latest in
  the search number n/q, rounded up. The node at which a search ends is asked too, and its answer is dropped. So each
  node is asked at the latest in the search number (n - 1)/q, rounded up, or in the first. The bound needs conditions.
  The table has a run for each of them that is left out; `proved` says that the bound holds without it:

{table(("condition", "without the condition"), _conditions())}

- Filters are monotone if a pod that fits beside some pods fits beside fewer of them. Affinity to pods is not. Without
  that a victim could stay: a smallest case has {pods} pods.
"""


SECTIONS = (Section("What holds for any number", _body),)
