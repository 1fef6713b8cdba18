"""Reading what TLC prints: recorded -tool output, TLA+ values, the agreement of messages and exit code."""

import pytest

from kubeproof.engines.tlc import messages as m
from kubeproof.engines.tlc.answer import read_answer
from kubeproof.engines.tlc.values import Record, ValueSyntaxError, parse_state, parse_value
from kubeproof.processes.command import Finished
from kubeproof.verdict.result import Outcome
from tests.conftest import DATA


def recorded(name: str) -> str:
    return (DATA / f"tlc-{name}.txt").read_text("utf-8")


def judged(name: str, returncode: int, **other: object):
    finished = Finished(returncode, recorded(name), "", **other)
    return read_answer(finished, timeout=7, memory_mb=100)


def test_nested_messages_are_told_apart():
    text = "plain\n" + "\n".join(
        (
            "@!@!@STARTMSG 2111:1 @!@!@",
            "Evaluating invariant Bad failed.",
            "@!@!@STARTMSG 2132:0 @!@!@",
            "inner",
            "@!@!@ENDMSG 2132 @!@!@",
            "outer again",
            "@!@!@ENDMSG 2111 @!@!@",
        )
    )
    output = m.parse_output(text)
    assert output.messages == (
        m.Message(2111, 1, "Evaluating invariant Bad failed.\nouter again"),
        m.Message(2132, 0, "inner"),
    )
    assert output.plain == ("plain",)
    assert not output.cut


def test_recorded_nested_messages():
    text = recorded("nested")
    outer = text[text.index("STARTMSG 2111") : text.index("ENDMSG 2111")]
    inner = outer.count("STARTMSG") - 1
    output = m.parse_output(text)
    assert inner > 0
    assert len(output.messages) == text.count("STARTMSG")
    assert all("@!@!@" not in message.text for message in output.messages)


def test_cut_output_keeps_what_ended():
    text = recorded("invariant-violated")
    cut = m.parse_output(text[: text.index("The behavior up to this point")])
    assert cut.cut
    assert cut.last(m.INVARIANT_VIOLATED)


def test_messages_that_cross_are_refused():
    with pytest.raises(m.OutputError):
        m.parse_output("@!@!@STARTMSG 1:0 @!@!@\n@!@!@ENDMSG 2 @!@!@")
    answer = read_answer(Finished(0, "@!@!@ENDMSG 2 @!@!@", ""), timeout=1, memory_mb=1)
    assert answer.outcome is Outcome.INCONCLUSIVE


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-3", -3),
        ("TRUE", True),
        ("n1", "n1"),
        (r'"a\"b\\c\n"', 'a"b\\c\n'),
        ("<<>>", ()),
        ("{}", frozenset()),
        ("2..4", frozenset({2, 3, 4})),
        ("<<1, <<n2>>, {n1, n1}>>", (1, ("n2",), frozenset({"n1"}))),
        ("[a |-> 1,\n  b |-> [c |-> <<>>] ]", {"a": 1, "b": {"c": ()}}),
        ("(n1 :> 0 @@ n2 :> {1})", {"n1": 0, "n2": frozenset({1})}),
    ],
)
def test_values(text, value):
    parsed = parse_value(text)
    assert parsed == value
    hash(parsed)


@pytest.mark.parametrize("text", ["", "<<1", "{1 2}", "[a -> 1]", "1 2", "?", '"a'])
def test_no_values(text):
    with pytest.raises(ValueSyntaxError):
        parse_value(text)


def test_states():
    assert parse_state("/\\ x = 1\n/\\ y = [a |-> 2]\n") == {"x": 1, "y": Record(frozenset({("a", 2)}))}
    assert parse_state("x = 1") == {"x": 1}
    with pytest.raises(ValueSyntaxError):
        parse_state("/\\ x = 1 y = 2")


def test_invariant_violated():
    answer = judged("invariant-violated", 12)
    assert answer.outcome is Outcome.VIOLATED
    assert (answer.states, answer.generated, answer.depth, len(answer.variables)) == (66, 135, 5, 6)
    assert answer.back_to is None
    assert answer.variables[-1]["snapshot"]["nodeInfoList"] == ("n3", "n1", "n3")


def test_lassos():
    stuttering = judged("stuttering", 13)
    assert stuttering.outcome is Outcome.VIOLATED
    assert stuttering.back_to == len(stuttering.variables) - 1 == 5
    back = judged("back", 13)
    assert (len(back.variables), back.back_to) == (3, 0)


def test_initial_state_violates():
    assert judged("initial", 12).variables == ({"x": 0, "y": "a"},)


def test_deadlock_is_no_verdict():
    answer = judged("deadlock", 11)
    assert (answer.outcome, answer.deadlock, len(answer.variables)) == (Outcome.INCONCLUSIVE, True, 3)


@pytest.mark.parametrize(
    ("name", "returncode", "reason"),
    [
        ("config", 151, "Nxt"),
        ("nested", 76, "exit 76 and no verdict"),
        ("invariant-violated", 0, "contradicts itself"),
        ("invariant-violated", 13, "contradicts itself"),
        ("stuttering", -9, "killed by SIGKILL"),
    ],
)
def test_inconclusive(name, returncode, reason):
    answer = judged(name, returncode)
    assert answer.outcome is Outcome.INCONCLUSIVE
    assert reason in (answer.reason or "")


def test_success_needs_exit_0():
    text = "@!@!@STARTMSG 2193:0 @!@!@\nNo error has been found.\n@!@!@ENDMSG 2193 @!@!@\n"
    assert read_answer(Finished(0, text, ""), timeout=1, memory_mb=1).outcome is Outcome.HOLDS
    assert read_answer(Finished(12, text, ""), timeout=1, memory_mb=1).outcome is Outcome.INCONCLUSIVE
    error = "@!@!@STARTMSG 2102:1 @!@!@\nodd\n@!@!@ENDMSG 2102 @!@!@\n"
    assert read_answer(Finished(0, error + text, ""), timeout=1, memory_mb=1).outcome is Outcome.INCONCLUSIVE


def test_partial_counts_of_a_stopped_run():
    text = recorded("invariant-violated")
    progress = text[: text.index("@!@!@STARTMSG 2199")]
    answer = read_answer(Finished(-9, progress, "", timed_out=True), timeout=7, memory_mb=100)
    assert answer.outcome is Outcome.INCONCLUSIVE
    assert "7 s" in (answer.reason or "")
    assert (answer.states, answer.generated) == (66, 135)


def test_out_of_memory():
    text = "@!@!@STARTMSG 1001:1 @!@!@\nJava ran out of memory.\n@!@!@ENDMSG 1001 @!@!@\n"
    answer = read_answer(Finished(1, text, ""), timeout=7, memory_mb=100)
    assert answer.outcome is Outcome.INCONCLUSIVE
    assert "100 MB" in (answer.reason or "")
