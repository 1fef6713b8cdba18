"""The code of a fix, in processes of its own with limits. kubeproof itself never executes the file.

The file is executed in two processes with different hash seeds. Each call goes to both, and the second process calls
twice: a rule that answers differently is no pure function. Equal arguments are asked once, and a sample of the calls
again in the end (`purity.py`). What the fix prints goes nowhere; what it starts is killed with it.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any
from weakref import finalize

import attrs
from attrs import frozen

from kubeproof.errors import InputError, RuleError
from kubeproof.fix.process import RESULTS, WROTE, Ended, Process, begun, end, field_of, packed
from kubeproof.fix.rule_results import difference, short, wrong_shape
from kubeproof.fix.said import are_notes, note_again, with_notes
from kubeproof.fix.wire import FUNCTIONS, has_name
from kubeproof.processes.left_behind import kill_left_behind, owned_prefix
from model.go.errors import MetError
from model.scheduler.queue.events import ClusterEvent

RULE_SECONDS = 5.0  # a rule is a pure function over a handful of objects; it takes microseconds
LOAD_SECONDS = 20.0
FORM_SECONDS = 900.0  # Z3 on the formulas of a fix
REMEMBERED = 500_000  # calls
PARTS = 100_000  # records of which these are made
TOGETHER = 50  # calls in one message
SAMPLE = 500  # calls that are asked again in the end
FAILURES = 5  # how often a rule may end its process or not return before it is not called any more
SEEDS = ("0", "1")
# What a file defines: the rules (the field, and the fields of `Found`), CURES as it is or as its text, and the forms.
_Loaded = tuple[
    tuple[tuple[str, str, str, int | None, str | None], ...],
    str | int | float | bool | tuple[str, ...] | None,
    tuple[str, ...],
]
_GIVEN = object()  # stands for a function without a name


@frozen
class Found:
    """A function of the file that takes the place of a rule."""

    # The module and the name of the function, as the function says.
    module: str
    name: str
    # Where the function begins in the file, if it is a Python function.
    line: int | None
    # Why it cannot be called as the rule is; None if it can.
    unbound: str | None


@frozen
class _Call:
    """A call that is remembered."""

    # What the rule asked of the functions that it was given: the place of the function, its arguments, its answer.
    asked: tuple[tuple[int, tuple[Any, ...], Any], ...]
    # The kind and the value.
    answer: tuple[str, Any]

    def is_of(self, args: tuple[Any, ...]) -> bool:
        """Whether the functions among `args` answer as they did. Then the rule answers as it did."""
        return all(with_notes(partial(args[place], *given)) == told for place, given, told in self.asked)


@frozen
class Asked:
    """A call of a rule."""

    field: str
    args: tuple[Any, ...]
    # The kind and the value.
    answer: tuple[str, Any]


class Stranger:
    """The functions of the file at `path`, each called in the processes of the fix."""

    def __init__(self, path: Path, source: bytes, fields: Mapping[str, int]) -> None:
        """Execute the file. `fields`: with how many arguments the rule of a field is called. Raises InputError."""
        self.path, self.source = path, source
        self._load = ("load", str(path), source, dict(fields))
        self._processes: list[Process] = []
        self._seeds: tuple[str, ...] = SEEDS
        self._mark = f"{owned_prefix('fix', os.getpid())}{id(self)}"
        self._failures = 0
        self._failed: str | None = None
        self._memory: dict[Any, list[_Call]] = {}
        self._remembered = 0
        self._rules: dict[str, Callable[..., Any]] = {}
        # The records of which the calls that are remembered are made.
        self._parts: dict[Any, Any] = {}
        # Some of all calls that were sent, in their order.
        self.sample: list[Asked] = []
        self._every, self._sent = 1, 0
        # The calls that somebody wants to know, whether they are sent or remembered.
        self._noted: list[Asked] | None = None
        finalize(self, end, self._processes, self._mark)
        kill_left_behind()
        try:
            found, self.cures, self.forms = self._start()
            if not set(fields).issuperset(field for field, *_ in found):
                raise Ended(WROTE)
        except Ended as ended:
            self.close()
            raise InputError(f"{path}: {ended}: expected a Python file with a rule") from None
        except BaseException:
            self.close()
            raise
        self.found = {field: Found(*each) for field, *each in found}
        self._rules = {field: self._rule(field, each.name) for field, each in self.found.items()}

    def close(self) -> None:
        """Kill the processes, and all that they have started. A later call starts them again."""
        end(self._processes, self._mark)

    def rule(self, field: str) -> Callable[..., Any]:
        """The function that takes the place of the rule `field`. Whatever goes wrong in it is a RuleError."""
        return self._rules[field]

    def _rule(self, field: str, name: str) -> Callable[..., Any]:
        def rule(*args: Any) -> Any:
            return self._call(field, args)

        rule.__dict__["ahead"] = partial(self._ask_ahead, field)
        rule.__name__ = rule.__qualname__ = name
        rule.__module__ = self.path.stem
        return rule

    def _start(self) -> Any:
        """Execute the file in fresh processes, and return what it defines. Raises InputError and Ended."""
        self.close()
        for seed in self._seeds:
            self._processes.append(begun(seed, self._mark))
        for number, process in enumerate(self._processes):
            process.send(packed((*self._load, number > 0), {}, []))
        answers = [process.answer({}, "loaded", LOAD_SECONDS, "did not end its import") for process in self._processes]
        for kind, value in answers:
            if kind == "refused":
                raise InputError(f"{self.path}: {value}")
            if kind != "loaded":
                raise Ended(str(value))
            if wrong_shape(_Loaded, value) is not None:
                raise Ended(WROTE)
        if answers[0] != answers[-1]:
            raise Ended("defined other rules when it was executed again")
        return answers[0][1]

    def _call(self, field: str, args: tuple[Any, ...]) -> Any:
        key = self._key(field, args)
        known = next((call.answer for call in self._memory.get(key, ()) if call.is_of(args)), None)
        if known is None:
            (known,) = self._asked(field, [args])
            self._remember(key, Asked(field, args, known))
        if self._noted is not None:
            self._noted.append(Asked(field, args, known))
        kind, value = known
        if kind != "returned":
            raise RuleError(f"{field} {value}")
        answer, notes = value
        note_again(notes)
        return answer

    def _ask_ahead(self, field: str, calls: Iterable[tuple[Any, ...]]) -> None:
        """Ask in few messages what is asked next. If anything goes wrong, the call by itself tells."""
        new = {key: args for args in calls if (key := self._key(field, args)) and key not in self._memory}
        if any(_GIVEN in key for key in new):
            return
        left = list(new.items())
        while left:
            some, left = left[:TOGETHER], left[TOGETHER:]
            answers = self._asked(field, [args for _, args in some])
            if any(kind != "returned" for kind, _ in answers):
                return
            for (key, args), answer in zip(some, answers, strict=True):
                self._remember(key, Asked(field, args, answer))

    def _key(self, field: str, args: tuple[Any, ...]) -> Any:
        """What is the same for calls that may have one answer; None if this cannot be told."""
        # Of a function that has no name its answers are part of the call, and not which function it is.
        key = (field, *(_GIVEN if self._is_given(arg) else self._part(arg) for arg in args))
        try:
            hash(key)
        except TypeError:
            return None
        return key

    def _part(self, value: Any) -> Any:
        """`value`, as the record that was first equal to it: many calls are made of few records."""
        try:
            return self._parts.setdefault(value, value) if attrs.has(type(value)) else value
        except TypeError:
            return value

    def _remember(self, key: Any, asked: Asked) -> None:
        self._sample(asked)
        call = self._call_of(asked.args, asked.answer)
        if key is None or call is None:
            return
        if self._remembered >= REMEMBERED or len(self._parts) >= PARTS:
            self._memory.clear()
            self._parts.clear()
            self._remembered = 0
        self._remembered += 1
        self._memory.setdefault(key, []).append(call)

    def _sample(self, call: Asked) -> None:
        """Keep each call that is sent, later each second one, and so on."""
        if self._sent % self._every == 0:
            self.sample.append(call)
            if len(self.sample) >= SAMPLE:
                del self.sample[1::2]
                self._every *= 2
        self._sent += 1

    def _is_given(self, arg: Any) -> bool:
        return isinstance(arg, FUNCTIONS) and not has_name(arg) and field_of(arg, self._rules) is None

    def _call_of(self, args: tuple[Any, ...], answer: tuple[str, Any]) -> "_Call | None":
        """The call with what it asked of the functions among `args`; None if it has to be asked again each time."""
        if not any(map(self._is_given, args)):
            kind, value = answer
            if kind == "returned" and type(value[0]) is tuple:
                answer = kind, (tuple(map(self._part, value[0])), value[1])
            return _Call((), answer)
        if not self._processes or self._processes[0].gives_back:
            return None
        asked = []
        for function, given, told in self._processes[0].heard:
            place = next((number for number, arg in enumerate(args) if arg is function), None)
            if place is None:
                return None
            asked.append((place, given, told))
        return _Call(tuple(asked), answer)

    def _asked(self, field: str, calls: Sequence[tuple[Any, ...]]) -> list[tuple[str, Any]]:
        """What the rule answers to each of these arguments: the kind and the value."""
        if self._failed is not None:
            return [("raised", self._failed)] * len(calls)
        try:
            self._ready()
            given: list[Callable[..., Any]] = []
            request = packed(("call", field, tuple(calls)), self._rules, given)
            for process in self._processes:
                process.send(request, given)
            late = "did not return"
            answers = [p.answer(self._rules, "returned differs", RULE_SECONDS, late) for p in self._processes]
            for kind, value in answers:
                if kind == "returned" and (type(value) is not tuple or len(value) != len(calls)):
                    raise Ended(WROTE)
        except (Ended, InputError) as ended:
            self.close()
            self._failures += 1
            if self._failures >= FAILURES:
                self._failed = str(ended)
            return [("raised", str(ended))] * len(calls)
        except BaseException:
            # An interrupt: the answer that comes later is no answer to the next request.
            self.close()
            raise
        each = [
            [(kind, one) for one in value] if kind == "returned" else [(kind, value)] * len(calls)
            for kind, value in answers
        ]
        return [_agreed(one, other, args) for args, one, other in zip(calls, each[0], each[-1], strict=True)]

    def calls_of(self, run: Callable[[], object]) -> list[Asked]:
        """The calls that `run` makes."""
        calls: list[Asked] = []
        self._noted = calls
        try:
            run()
        finally:
            self._noted = None
        return calls

    def ask_again(self, calls: Iterable[Asked]) -> None:
        """Ask `calls` in this order in a process that was asked nothing yet. Raises RuleError for another answer."""
        self.close()
        self._seeds = SEEDS[:1]
        try:
            for call in calls:
                (again,) = self._asked(call.field, [call.args])
                if again != call.answer and (again[0], call.answer[0]) != ("raised", "raised"):
                    raise RuleError(f"{call.field} {_two_answers(call.answer, again, call.args)}")
        finally:
            self._seeds = SEEDS
            self.close()

    def judged(self, module: str, function: str, args: Sequence[Any]) -> Any:
        """What a function of kubeproof makes of the file's rules and forms: that function runs where the file does.

        Its arguments are the rules by field, the forms by field, and `args`. Raises RuleError.
        """
        try:
            self._ready()
            process = self._processes[0]
            given: list[Callable[..., Any]] = []
            process.send(packed(("forms", module, function, tuple(args)), self._rules, given), given)
            kind, value = process.answer(self._rules, "returned", FORM_SECONDS, "did not return", RESULTS)
        except (Ended, InputError) as ended:
            self.close()
            kind, value = "raised", str(ended)
        except BaseException:
            self.close()
            raise
        if kind != "returned":
            raise RuleError(f"{', '.join(self.forms)} {value}")
        return value

    def _ready(self) -> None:
        if not self._processes:
            self._start()


def _agreed(one: tuple[str, Any], other: tuple[str, Any], args: tuple[Any, ...]) -> tuple[str, Any]:
    """The answer of both processes; an error if they differ."""
    if one[0] == "differs" or (other[0] == "differs" and (type(other[1]) is not tuple or len(other[1]) != 2)):
        return "raised", WROTE
    if other[0] == "differs":
        one, other = (("returned", value) for value in other[1])
    elif other[0] == "raised" and (one[0] == "raised" or str(other[1]).startswith("changed what")):
        return other
    if any(kind == "returned" and not _is_answer(value) for kind, value in (one, other)):
        return "raised", WROTE
    return one if one == other else ("raised", _two_answers(one, other, args))


def _two_answers(one: tuple[str, Any], other: tuple[str, Any], args: tuple[Any, ...]) -> str:
    """What is wrong with a rule that answers so, each time to `args`. Goes on from the name of the rule."""
    if one[0] == other[0]:
        # What the rule returned, else what it said on the way.
        both = (one[1], other[1]) if one[1][0] == other[1][0] else (one[1][0], other[1][0])
        told = [f"returned {short(part)}" for part in difference(*both)]
    else:
        told = [value if kind == "raised" else f"returned {short(value[0])}" for kind, value in (one, other)]
    return f"is not a pure function: of the same arguments {short(args)} it {told[0]}, and {told[1]}"


def _is_answer(value: Any) -> bool:
    """Whether this is what a rule answered and what it said on the way."""
    return isinstance(value, tuple) and len(value) == 2 and are_notes(value[1], MetError, ClusterEvent)
