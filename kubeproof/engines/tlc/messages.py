"""Reads TLC's `-tool` output into messages. Pure.

A message may have another message inside, and plain lines stand between messages. So the reader keeps a stack.
"""

import re

from attrs import frozen

_START = re.compile(r"@!@!@STARTMSG (\d+):(\d+) @!@!@")
_END = re.compile(r"@!@!@ENDMSG (\d+) @!@!@")

SUCCESS = 2193
INVARIANT_VIOLATED = 2110
INVARIANT_VIOLATED_INITIALLY = 2107
ACTION_PROPERTY_VIOLATED = 2112
TEMPORAL_VIOLATED = 2116
DEADLOCK = 2114
BEHAVIOUR = 2121
STATE = 2217
STUTTERING = 2218
BACK_TO_STATE = 2122
PROGRESS = 2200
STATISTICS = 2199
DEPTH = 2194
OUT_OF_MEMORY = 1001
SYMMETRY_WITH_LIVENESS = 2279
WORKER_CAME, WORKER_LOST = 7001, 7002

# Message classes.
ERROR, BUG = 1, 2


@frozen
class Message:
    """One message of TLC."""

    code: int
    # TLC's class of the message: 0 none, 1 error, 2 bug in TLC, 3 warning, 4 state.
    kind: int
    # The text without the messages inside.
    text: str


@frozen
class Output:
    """All that TLC printed."""

    # In the order in which they begin.
    messages: tuple[Message, ...]
    # The lines outside of messages.
    plain: tuple[str, ...]
    # Whether the last message did not end.
    cut: bool

    def having(self, *codes: int) -> tuple[Message, ...]:
        return tuple(message for message in self.messages if message.code in codes)

    def last(self, *codes: int) -> Message | None:
        found = self.having(*codes)
        return found[-1] if found else None


class OutputError(ValueError):
    """Messages that end in another order than they began."""


def parse_output(text: str) -> Output:
    """The messages in what TLC printed. A message that did not end is left out. Raises OutputError."""
    ended: dict[int, Message] = {}
    stack: list[tuple[int, int, int, list[str]]] = []
    plain: list[str] = []
    started = 0
    for line in text.splitlines():
        if start := _START.fullmatch(line.strip()):
            stack.append((started, int(start[1]), int(start[2]), []))
            started += 1
        elif end := _END.fullmatch(line.strip()):
            if not stack or stack[-1][1] != int(end[1]):
                raise OutputError(f"TLC's message {end[1]} ends but has not begun")
            number, code, kind, lines = stack.pop()
            ended[number] = Message(code, kind, "\n".join(lines).strip())
        elif stack:
            stack[-1][3].append(line)
        elif line.strip():
            plain.append(line)
    return Output(tuple(ended[number] for number in sorted(ended)), tuple(plain), bool(stack))
