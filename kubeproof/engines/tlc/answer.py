"""What one run of TLC established. TLC's messages and its exit code must agree. Pure."""

import re
import signal
from typing import Any

from attrs import evolve, field, frozen

from kubeproof.engines.tlc import messages as m
from kubeproof.engines.tlc.values import ValueSyntaxError, parse_state
from kubeproof.processes.command import Finished
from kubeproof.verdict.result import Outcome

# The exit code for each message with which TLC gives an outcome.
EXIT_CODES = {
    m.SUCCESS: 0,
    m.INVARIANT_VIOLATED: 12,
    m.INVARIANT_VIOLATED_INITIALLY: 12,
    m.ACTION_PROPERTY_VIOLATED: 13,
    m.TEMPORAL_VIOLATED: 13,
    m.DEADLOCK: 11,
}
_STATISTICS = re.compile(r"([\d,]+) states generated.*?([\d,]+) distinct states found", re.DOTALL)


@frozen(kw_only=True)
class Answer:
    """What one run of TLC said. A count is None where TLC did not say it."""

    outcome: Outcome
    # Why the outcome is inconclusive.
    reason: str | None = None
    # Distinct states.
    states: int | None = None
    # Initial states and successors.
    generated: int | None = None
    # Actions.
    depth: int | None = None
    # The error trace: the variables of each state.
    variables: tuple[dict[str, Any], ...] = field(default=(), repr=False)
    # The index of the state to which a lasso returns; the last index if the lasso stutters in the last state.
    back_to: int | None = None
    # Whether TLC stopped in a state without a successor.
    deadlock: bool = False


def read_answer(finished: Finished, *, timeout: float, memory_mb: int) -> Answer:
    """What a finished run of TLC says. An output that is not clearly an outcome is inconclusive, with the reason."""
    try:
        output = m.parse_output(finished.output)
        states, generated, depth = _counts(output)
        variables, back_to = _trace(output)
    except (m.OutputError, ValueSyntaxError) as error:
        return Answer(outcome=Outcome.INCONCLUSIVE, reason=f"TLC's output cannot be read: {error}")
    found = Answer(
        outcome=Outcome.INCONCLUSIVE,
        states=states,
        generated=generated,
        depth=depth,
        variables=variables,
        back_to=back_to,
    )
    return _judged(found, output, finished, timeout, memory_mb)


def _judged(found: Answer, output: m.Output, finished: Finished, timeout: float, memory_mb: int) -> Answer:
    if finished.timed_out:
        return evolve(found, reason=f"TLC was stopped after {timeout:.3g} s; give it more time or a smaller scope")
    if output.having(m.OUT_OF_MEMORY) or "OutOfMemoryError" in finished.output + finished.errors:
        return evolve(found, reason=f"TLC ran out of memory at {memory_mb} MB; give it more, or a smaller scope")
    if finished.returncode < 0:
        name = signal.Signals(-finished.returncode).name
        return evolve(found, reason=f"TLC was killed by {name} (out of memory?); run it again, or in a smaller scope")
    if output.having(m.SYMMETRY_WITH_LIVENESS):
        return evolve(found, reason="TLC checked liveness under symmetry, which is not sound")
    verdicts = sorted({message.code for message in output.messages if message.code in EXIT_CODES})
    if not verdicts:
        return evolve(found, reason=_failure(output, finished))
    if len(verdicts) > 1 or output.cut or EXIT_CODES[verdicts[0]] != finished.returncode:
        said = ", ".join(f"message {code} (exit {EXIT_CODES[code]})" for code in verdicts)
        return evolve(found, reason=f"TLC contradicts itself: {said}, but it ended with exit {finished.returncode}")
    if verdicts[0] == m.SUCCESS:
        if any(message.kind in (m.ERROR, m.BUG) for message in output.messages):
            return evolve(found, reason=f"TLC reports success and an error: {_failure(output, finished)}")
        return evolve(found, outcome=Outcome.HOLDS)
    if verdicts[0] == m.DEADLOCK:
        return evolve(found, deadlock=True, reason="TLC stopped at a deadlock; the rest was not searched")
    return evolve(found, outcome=Outcome.VIOLATED)


def _failure(output: m.Output, finished: Finished) -> str:
    errors = [message.text for message in output.messages if message.kind in (m.ERROR, m.BUG) and message.text]
    # SANY prints its errors as plain lines.
    plain = [line for line in output.plain if not re.match(r"(Parsing file|Semantic processing)", line)]
    text = " ".join(" ".join(errors or plain[-6:] or finished.errors.split("\n")[-6:]).split())
    return f"TLC ended with exit {finished.returncode} and no verdict: {text or 'it said nothing'}"


def _counts(output: m.Output) -> tuple[int | None, int | None, int | None]:
    message = output.last(m.STATISTICS) or output.last(m.PROGRESS)
    found = _STATISTICS.search(message.text) if message else None
    deepest = output.last(m.DEPTH)
    digits = re.search(r"is (\d+)", deepest.text) if deepest else None
    depth = int(digits[1]) - 1 if digits else None
    if found is None:
        return None, None, depth
    return int(found[2].replace(",", "")), int(found[1].replace(",", "")), depth


def _trace(output: m.Output) -> tuple[tuple[dict[str, Any], ...], int | None]:
    states: list[dict[str, Any]] = []
    back_to = None
    for message in output.messages:
        if message.code == m.STATE:
            header, _, body = message.text.partition("\n")
            # Up to TLC 2.15 a lasso may end with a state message of one line.
            if not body.strip() and "Stuttering" in header:
                back_to = len(states) - 1
            else:
                states.append(parse_state(body))
        elif message.code == m.STUTTERING:
            back_to = len(states) - 1
        elif message.code == m.BACK_TO_STATE:
            number = re.search(r"(?:Back to state:?|^)\s*(\d+)", message.text)
            if number is None:
                raise ValueSyntaxError(f"no state number in {message.text!r}")
            back_to = int(number[1]) - 1
    # A violation in an initial state has no trace messages: the message itself has the state.
    initial = output.last(m.INVARIANT_VIOLATED_INITIALLY)
    if initial is not None and not states:
        states.append(parse_state(initial.text.partition("\n")[2]))
    return tuple(states), back_to
