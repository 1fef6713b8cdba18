"""What comes back from an extender, and what the scheduler makes of it, release by release."""

from typing import Any

import pytest

from model.go.errors import NIL_POINTER, GoError
from model.releases import parse_release, rules_for
from model.scheduler.extenders import Extender, find_nodes_that_pass_extenders
from model.scheduler.framework.calls import Call, ExtenderAnswer, driven
from model.scheduler.framework.status import Code, Status
from model.scheduler.http_extender import (
    BindReply,
    ExtenderAnswerRules,
    FilterReply,
    PrioritizeReply,
    bound,
    filtered,
    prioritized,
)

KNOWN = frozenset({"n1", "n2", "n3"})
ASKED = ("n1", "n2")


def rules(release: str) -> ExtenderAnswerRules:
    return rules_for(ExtenderAnswerRules, parse_release(release))


@pytest.mark.parametrize(
    ("release", "nodes", "error"),
    [
        ("1.15.12", ("n1", None), False),
        ("1.16.0", (), True),
        ("1.18.0", (), True),
        ("1.31.0", (), True),
    ],
)
def test_an_unknown_node_is_nil_or_an_error(release: str, nodes: tuple[str | None, ...], error: bool) -> None:
    found, text = rules(release).nodes_of_answer(("n1", "gone"), ASKED, KNOWN)
    assert (found, text is not None) == (nodes, error)
    assert rules(release).nodes_of_answer(("n1",), ASKED, KNOWN) == (("n1",), None)


@pytest.mark.parametrize(("release", "widens"), [("1.15.12", True), ("1.17.17", True), ("1.18.0", False)])
def test_up_to_1_17_an_extender_may_name_a_node_that_a_plugin_refused(release: str, widens: bool) -> None:
    answer = filtered(rules(release), True, FilterReply(node_names=("n3",)), ASKED, KNOWN)
    assert (answer.nodes == ("n3",)) == widens
    assert (answer.error is None) == widens


@pytest.mark.parametrize("release", ["1.13.12", "1.17.17", "1.28.14", "1.31.13"])
@pytest.mark.parametrize("node_cache_capable", [False, True])
def test_whole_nodes_are_never_compared_with_the_request(release: str, node_cache_capable: bool) -> None:
    answer = filtered(rules(release), node_cache_capable, FilterReply(nodes=("gone",)), ASKED, KNOWN)
    assert (answer.nodes, answer.error) == (("gone",), None)


def test_names_are_read_only_with_node_cache_capable() -> None:
    reply = FilterReply(node_names=ASKED)
    assert filtered(rules("1.31.13"), True, reply, ASKED, KNOWN).nodes == ASKED
    assert filtered(rules("1.31.13"), False, reply, ASKED, KNOWN).nodes == ()


def test_an_error_or_no_answer_is_an_error_and_an_empty_answer_is_none() -> None:
    for reply in (FilterReply(failed="no answer"), FilterReply(error="no answer", node_names=ASKED)):
        assert filtered(rules("1.31.13"), True, reply, ASKED, KNOWN) == ExtenderAnswer("no answer")
    assert filtered(rules("1.31.13"), True, FilterReply(), ASKED, KNOWN).nodes == ()
    assert (bound(BindReply()), bound(BindReply(error="x")).error) == (ExtenderAnswer(), "x")
    assert prioritized(PrioritizeReply(failed="x")).error == "x"


def passed(answer: ExtenderAnswer, *, ignorable: bool = False) -> tuple[Any, dict[str, Status]]:
    def reply(call: Call) -> ExtenderAnswer:
        return answer

    statuses: dict[str, Status] = {"n2": Status(Code.UNSCHEDULABLE, ("before",))}
    steps = find_nodes_that_pass_extenders([Extender("e", ignorable=ignorable)], ASKED, statuses)
    return driven(steps, reply), statuses


@pytest.mark.parametrize("ignorable", [False, True])
def test_a_nil_node_ends_the_process_also_of_an_ignorable_extender(ignorable: bool) -> None:
    answer = filtered(rules("1.15.12"), True, FilterReply(node_names=("n1", "gone")), ASKED, KNOWN)
    assert passed(answer, ignorable=ignorable)[0] == NIL_POINTER


def test_an_error_ends_the_cycle_unless_the_extender_is_ignorable() -> None:
    assert passed(ExtenderAnswer("x"))[0] == GoError("x")
    assert passed(ExtenderAnswer("x"), ignorable=True)[0] == ASKED


def test_a_node_refused_for_good_has_that_reason_alone() -> None:
    answer = ExtenderAnswer(nodes=("n1",), refused=(("n2", "now"),), refused_for_good=(("n2", "never"),))
    nodes, statuses = passed(answer)
    assert nodes == ("n1",)
    assert statuses["n2"] == Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, ("before", "never"))


@pytest.mark.parametrize(("release", "read"), [("1.20.15", False), ("1.21.0", True)])
def test_refused_for_good_is_read_from_1_21_on(release: str, read: bool) -> None:
    reply = FilterReply(node_names=("n1",), failed_and_unresolvable=(("n2", "never"),))
    assert (filtered(rules(release), True, reply, ASKED, KNOWN).refused_for_good != ()) == read
