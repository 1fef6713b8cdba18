"""Extenders: what each verb does with no answer, an error, an empty and a foreign answer, by release."""

from collections.abc import Callable
from typing import Any

from attrs import frozen

from kubeproof.bugs.demonstrations.search import LiveTree, tree_of
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, patches, rules as rules_of, table
from model.go.errors import GoError
from model.releases import Release
from model.scheduler.extender_answer import ExtenderAnswerRules
from model.scheduler.extender_preemption import ExtenderPreemptionRules, MetaVictims, PreemptReply, call_extenders
from model.scheduler.extenders import (
    BinderRules,
    Extender,
    ask_to_prioritize,
    extenders_binding,
    find_nodes_that_pass_extenders,
)
from model.scheduler.filtering import FilteringRules, FilterSetup, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Call, ExtenderCall, Steps, driven
from model.scheduler.framework.status import SUCCESS, Code, Status
from model.scheduler.http_extender import (
    NO_ANSWER,
    BindReply,
    FilterReply,
    PrioritizeReply,
    bound,
    filtered,
    prioritized,
)
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, Victims
from model.scheduler.scoring import MAX_EXTENDER_PRIORITY, ScoringRules, prioritize_nodes

# The snapshot has n1, n2 and n3; a plugin refuses n3, so that the extender is asked about n1 and n2.
NODES, FIT = ("n1", "n2", "n3"), ("n1", "n2")
CRASH = "**the scheduler's process ends**"


@frozen
class Asked:
    """A reply to a verb, and what the scheduler makes of the reply."""

    verb: str
    reply: str
    # (the release, `ignorable`) -> what happens.
    outcome: Callable[[Release, bool], str]


# --- Filter -----------------------------------------------------------------------------------------------------------


def _check(node: str) -> Steps[Status]:
    return answered(SUCCESS if node in FIT else Status(Code.UNSCHEDULABLE, ("a plugin refuses",)))


def _filter(node_cache_capable: bool, reply: FilterReply) -> Callable[[Release, bool], str]:
    def outcome(release: Release, ignorable: bool) -> str:
        rules = rules_of(ExtenderAnswerRules, release)

        def narrow(nodes: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
            return find_nodes_that_pass_extenders([Extender("e", ignorable=ignorable)], nodes, statuses)

        tree = LiveTree(tree_of(release, *NODES))

        def answer(call: Call) -> Any:
            if isinstance(call, ExtenderCall):
                return filtered(rules, node_cache_capable, reply, call.nodes, frozenset(NODES))
            return tree.answer(call)

        setup = FilterSetup(rules_of(FilteringRules, release), 0, None, True, _check, narrow)
        found = driven(find_nodes_that_fit_pod(setup, NODES, 0, "", None), answer)
        if found.error is not None:
            return CRASH if found.error.panic else "the cycle fails with an error; no preemption"
        if not found.feasible:
            return "the pod does not fit; preemption is tried"
        if found.feasible == FIT:
            return "the extender is passed over"
        return "".join(_goes_on_with(node) for node in found.feasible)

    return outcome


def _goes_on_with(node: str) -> str:
    if node in FIT:
        return "the other node is refused"
    if node in NODES:
        return "**the pod may go to the node that the plugin refused**"
    return "**the pod may go to a node that is not there**"


_FILTER = (
    Asked("Filter", "no answer", _filter(True, FilterReply(failed=NO_ANSWER))),
    Asked("Filter", "`error`", _filter(True, FilterReply(error="boom"))),
    Asked("Filter", "empty: `{}`", _filter(True, FilterReply())),
    Asked("Filter", "the name of one of the nodes asked", _filter(True, FilterReply(node_names=("n1",)))),
    Asked("Filter", "the name of a node that a plugin refused", _filter(True, FilterReply(node_names=("n3",)))),
    Asked("Filter", "the name of a node that is gone", _filter(True, FilterReply(node_names=("gone",)))),
    Asked(
        "Filter", "the whole Node object of a node that a plugin refused", _filter(False, FilterReply(nodes=("n3",)))
    ),
    Asked("Filter", "the whole Node object of a node that is gone", _filter(False, FilterReply(nodes=("gone",)))),
)

# The answers that name a node which was not sent.
FILTER_WIDENS = _FILTER[4:]

# --- Prioritize -------------------------------------------------------------------------------------------------------


def _most_points(release: Release, reply: PrioritizeReply, ignorable: bool) -> int:
    """What the best node gets from the extender alone."""
    scores = driven(ask_to_prioritize([Extender("e", ignorable=ignorable)], FIT), lambda call: prioritized(reply))
    totals = prioritize_nodes(rules_of(ScoringRules, release), "p", FIT, (), scores, True)
    assert not isinstance(totals, GoError), "no plugin scores, and none fails"
    return max(node.total for node in totals)


def _prioritize(reply: PrioritizeReply) -> Callable[[Release, bool], str]:
    def outcome(release: Release, ignorable: bool) -> str:
        points = _most_points(release, reply, ignorable)
        most = _most_points(release, PrioritizeReply(scores=(("n1", MAX_EXTENDER_PRIORITY),)), ignorable)
        return f"counts {points // most} times as much as 10" if points else "no node gets points; the cycle goes on"

    return outcome


_PRIORITIZE = (
    Asked("Prioritize", "no answer", _prioritize(PrioritizeReply(failed=NO_ANSWER))),
    Asked("Prioritize", "empty: `[]`", _prioritize(PrioritizeReply())),
    Asked("Prioritize", "10 points for a node that is gone", _prioritize(PrioritizeReply(scores=(("gone", 10),)))),
    Asked("Prioritize", "1,000 points where 10 are the most", _prioritize(PrioritizeReply(scores=(("n1", 1_000),)))),
)


# --- Bind -------------------------------------------------------------------------------------------------------------


def _bind(reply: BindReply) -> Callable[[Release, bool], str]:
    def outcome(release: Release, ignorable: bool) -> str:
        extender = [Extender("e", ignorable=ignorable, binder=True)]
        goes_on = rules_of(BinderRules, release).asks_on_after_bind_error
        status = driven(extenders_binding(extender, "n1", goes_on), lambda call: bound(reply))
        if status is None:
            return "the next binder is asked, at last the Bind plugins"
        return "counts as bound" if status.ok else "the binding fails; no Bind plugin is asked"

    return outcome


_BIND = (
    Asked("Bind", "no answer", _bind(BindReply(failed=NO_ANSWER))),
    Asked("Bind", "`error`", _bind(BindReply(error="boom"))),
    Asked("Bind", "empty: `{}`, whether anybody has bound or not", _bind(BindReply())),
)


# --- Preempt ----------------------------------------------------------------------------------------------------------

_LOW, _LOWER, _HIGH = PreemptionPod("low", 1), PreemptionPod("lower", 0), PreemptionPod("high", 1_000)
_PODS = {"n1": PreemptionNode("n1", 2, 110, (_LOW, _LOWER)), "n3": PreemptionNode("n3", 2, 110, (_HIGH,))}
# What is sent: both pods of n1 have to go. No pod of n3 may go, since the preemptor has priority 10.
_SENT = {"n1": Victims((_LOW, _LOWER), 0)}


def _preempt(reply: PreemptReply) -> Callable[[Release, bool], str]:
    def outcome(release: Release, ignorable: bool) -> str:
        rules = rules_of(ExtenderPreemptionRules, release)
        found = call_extenders(rules, [(lambda candidates: reply, ignorable)], dict(_SENT), _PODS)
        if isinstance(found, GoError):
            return CRASH if found.panic else "preemption fails with an error; no pod goes"
        if not found:
            return "no candidate is left; no pod goes"
        if found == _SENT:
            return "the extender is passed over"
        ((node, victims),) = found.items()
        if not victims.pods:
            return f"{node} is nominated, and no pod goes"
        if victims.pods == (_HIGH,):
            return "**a pod of higher priority goes, on a node that was not sent**"
        return "the other victim stays; nobody asks whether the pod still fits"

    return outcome


_PREEMPT = (
    Asked("Preempt", "no answer", _preempt(PreemptReply(failed=NO_ANSWER))),
    Asked("Preempt", "empty: `{}`", _preempt(PreemptReply())),
    Asked("Preempt", "one of two victims", _preempt(PreemptReply(victims={"n1": MetaVictims(("low",))}))),
    Asked("Preempt", "a node sent, without victims", _preempt(PreemptReply(victims={"n1": MetaVictims()}))),
    Asked("Preempt", "`null` for a node sent", _preempt(PreemptReply(victims={"n1": None}))),
    Asked("Preempt", "a pod that is not on the node", _preempt(PreemptReply(victims={"n1": MetaVictims(("high",))}))),
    Asked("Preempt", "another node and its pod", _preempt(PreemptReply(victims={"n3": MetaVictims(("high",))}))),
    Asked("Preempt", "a node that is gone, and a pod", _preempt(PreemptReply(victims={"gone": MetaVictims(("low",))}))),
)

ALL = (*_FILTER, *_PRIORITIZE, *_BIND, *_PREEMPT)


def _asks_to_preempt(release: Release) -> bool:
    return rules_of(ExtenderPreemptionRules, release).asks_extenders_to_preempt()


def not_asked() -> str:
    """The releases in which no extender is asked to preempt."""
    return " and ".join(
        span for span, asks in by_release(lambda release: str(_asks_to_preempt(release))) if asks == "False"
    )


def rows() -> list[list[str]]:
    """Of each verb and reply: what happens, without `ignorable` and with."""
    found = []
    preempting = [release for release in patches() if _asks_to_preempt(release)]
    for asked in ALL:
        among = preempting if asked.verb == "Preempt" else patches()
        plain, ignored = (
            cell(by_release(lambda release, ignorable=ignorable, asked=asked: asked.outcome(release, ignorable), among))  # type: ignore[misc]
            for ignorable in (False, True)
        )
        found.append([asked.verb, asked.reply, plain, "the same" if ignored == plain else ignored])
    return found


def _body() -> str:
    return f"""
An extender is an HTTP server. The scheduler sends a request for each verb that is configured, and waits. "No answer" is
also a connection that is refused, a status other than 200, and a body that is not JSON. The nodes n1 and n2 fit, a
plugin refuses n3, and the extender is asked about n1 and n2. For Preempt both pods of n1 are sent as victims.

{table(("verb", "reply", "what happens", "with `ignorable: true`"), rows())}

- `ignorable` speaks of errors only. An empty answer is no error: to Filter it says that the pod fits nowhere, so that
  preemption looks for pods to evict; to Bind it says that the pod is bound.
- Filter narrows what plugins left only if the extender answers with names (`nodeCacheCapable`), and that from 1.18 on.
  Whole Node objects are taken as they come, in every release.
- Preempt: an extender may leave single victims out, and whole nodes. Its answer takes the place of what was sent.
  Nobody asks whether the pod fits after the victims that are left, nor whether a victim has a lower priority.
  In {not_asked()} no extender is asked to preempt, and the table leaves these releases out.
- Bind: an extender that binds replaces the Bind plugins, it does not add to them. In 1.16 and 1.17 the Bind
  plugins are asked first, and the extender only if all of them skip the pod. Older releases have no Bind plugins.
- Prioritize has no errors: an extender that does not answer scores nothing.

Pages: EXT-NODE-NOT-FOUND, EXT-FILTER-WIDENS, EXT-PREEMPT-CRASH, EXT-PREEMPT-UNCHECKED, PREEMPT-EXT-PDB-LOST.
"""


SECTIONS = (Section("What an extender's answer does", _body),)
