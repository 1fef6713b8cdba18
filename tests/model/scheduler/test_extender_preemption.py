"""Extenders in preemption: what an answer does to the candidates, release by release."""

import pytest

from model.go.errors import NIL_POINTER, GoError
from model.releases import parse_release, rules_for
from model.scheduler.extender_preemption import ExtenderPreemptionRules, MetaVictims, PreemptReply, call_extenders
from model.scheduler.preemption.objects import PreemptionNode, PreemptionPod, Victims

LOW, MORE, HIGH = PreemptionPod("low", 1), PreemptionPod("more", 2), PreemptionPod("high", 1_000)
NODES = {
    "n1": PreemptionNode("n1", 2, 110, (LOW, MORE)),
    "n2": PreemptionNode("n2", 2, 110, (HIGH,)),
}
CANDIDATES = {"n1": Victims((LOW, MORE), 1)}


def asked(release: str, reply: PreemptReply, *, ignorable: bool = False) -> dict[str, Victims] | GoError:
    rules = rules_for(ExtenderPreemptionRules, parse_release(release))
    return call_extenders(rules, [(lambda candidates: reply, ignorable)], CANDIDATES, NODES)


def answer(**victims: MetaVictims | None) -> PreemptReply:
    return PreemptReply(victims=victims)


@pytest.mark.parametrize("release", ["1.13.12", "1.20.10", "1.31.13"])
def test_an_answer_takes_the_place_of_what_was_sent(release: str) -> None:
    # A single victim is taken out, a node is left out, and a more important pod of another node is put in.
    assert asked(release, answer(n1=MetaVictims(("low",)))) == {"n1": Victims((LOW,), 0)}
    assert asked(release, answer(n2=MetaVictims(("high",)))) == {"n2": Victims((HIGH,), 0)}
    assert asked(release, PreemptReply()) == {}


@pytest.mark.parametrize(("release", "violations"), [("1.23.13", 0), ("1.24.0", 1)])
def test_the_number_of_violations_is_lost_up_to_1_23(release: str, violations: int) -> None:
    assert asked(release, answer(n1=MetaVictims(("low",), 1))) == {"n1": Victims((LOW,), violations)}


def test_a_failure_ends_preemption_unless_the_extender_is_ignorable() -> None:
    assert asked("1.31.13", PreemptReply(failed="x")) == GoError("x")
    assert asked("1.31.13", PreemptReply(failed="x"), ignorable=True) == CANDIDATES


@pytest.mark.parametrize(("release", "ends"), [("1.17.17", True), ("1.18.0", False), ("1.31.13", False)])
def test_a_node_that_is_gone_ends_the_process_up_to_1_17(release: str, ends: bool) -> None:
    found = asked(release, answer(gone=MetaVictims(("low",))), ignorable=True)
    assert found == (NIL_POINTER if ends else CANDIDATES)


@pytest.mark.parametrize("release", ["1.13.12", "1.17.17", "1.18.0", "1.31.13"])
def test_a_null_ends_the_process_in_every_release(release: str) -> None:
    assert asked(release, answer(n1=None), ignorable=True) == NIL_POINTER


def test_a_pod_that_is_not_on_the_node_is_an_error() -> None:
    assert isinstance(asked("1.31.13", answer(n1=MetaVictims(("high",)))), GoError)


@pytest.mark.parametrize("release", ["1.21.9", "1.22.0"])
def test_a_node_without_victims(release: str) -> None:
    reply = answer(n1=MetaVictims())
    if release == "1.21.9":
        assert asked(release, reply) == {"n1": Victims((), 0)}
        return
    assert isinstance(asked(release, reply), GoError)
    assert asked(release, reply, ignorable=True) == {}


@pytest.mark.parametrize("release", ["1.19.4", "1.20.9", "1.21.3"])
def test_an_extender_that_the_framework_does_not_know_is_not_asked(release: str) -> None:
    assert asked(release, answer(n1=None)) == CANDIDATES
