"""What is seen from a state of a run: the run so far, what is violated, and what each enabled action would do."""

from collections.abc import Iterator, Mapping
from typing import Any

from kubeproof.engines.explicit.search import append_step
from kubeproof.errors import RuleError
from kubeproof.explore.run import MachineOf, Run, Side, going_round, taken, until, violated
from kubeproof.report.drawn import action_text, drawn_run, drawn_system
from kubeproof.report.go_links import linked
from kubeproof.report.told import told
from kubeproof.systems.releases import default_gates_note, newer_note
from kubeproof.systems.system import Facts, System, fact_text
from kubeproof.verdict.trace import Trace, as_far_as_possible
from model.machine import Action, Machine


def seen(run: Run, machine_of: MachineOf, at: int | None = None) -> dict[str, Any]:
    """What is seen after the first `at` actions of the run (default: all). Raises InputError, RuleError.

    `drawn`, `about`: the run and its system as the viewer draws them. `told`: each action in words. `enabled`: the
    actions that the state enables, told likewise; of one in which a rule of the fix raises an `error`. `violated`: what
    is wrong in the state, by property. `against`: the same actions on the other side.
    """
    system, release = run.system, run.side.release
    machine = machine_of(system, run.scope, run.side)
    trace = taken(machine, run.actions)
    at = trace.length if at is None else min(max(at, 0), trace.length)
    other = None if run.against is None else _Other(run, machine_of, machine, trace)
    ends = [until(trace, end) for end in range(trace.length + 1)]
    wrong = [violated(system, machine, end) for end in ends]
    return {
        "run": run.json(),
        "at": at,
        "about": drawn_system(system),
        "drawn": _drawn(system, run.side, machine, trace),
        "told": [
            _told(system, run.side, before, trace.actions[end], trace.steps[end + 1].state, wrong[end], wrong[end + 1])
            for end, before in enumerate(ends[:-1])
        ],
        "violated": wrong[at],
        "enabled": list(_enabled(system, run.side, machine, ends[at], wrong[at], other)),
        "notes": [*newer_note(release), *default_gates_note(system, release)],
        "against": None if other is None else other.json(at),
    }


def _drawn(system: System, side: Side, machine: Machine[Any], trace: Trace) -> dict[str, Any]:
    """The run as the viewer draws it; first comes the property that is violated first.

    That a run may stay in its last state for ever is no loop of it: the reader may go on.
    """
    found = drawn_run(system, side.release, machine, "", going_round(system, machine, trace))
    if found["loop"] == trace.length:
        found["loop"] = None
    found["properties"].sort(key=lambda each: each[1].find("v") if "v" in each[1] else len(trace.steps))
    return found


def _told(
    system: System,
    side: Side,
    before: Trace,
    action: Action,
    after: Any,
    wrong: Mapping[str, str],
    then: Mapping[str, str],
) -> dict[str, Any]:
    """One action in words. `wrong` and `then`: what is violated before and after it."""
    found = told(system, side.release, before.last, action, after)
    of_state = {each.name for each in system.properties if each.kind != "step"}
    return {
        "text": action_text(action),
        "sentence": found.sentence,
        "place": [[part.text, part.link] for part in linked(found.place, side.release)],
        "changes": [[change.subject, change.text] for change in found.changes],
        # What stays violated is not said again.
        "broken": [[name, why] for name, why in then.items() if not (name in of_state and name in wrong)],
    }


def _enabled(
    system: System, side: Side, machine: Machine[Any], trace: Trace, wrong: Mapping[str, str], other: "_Other | None"
) -> Iterator[dict[str, Any]]:
    """The actions that the last state enables."""
    for action in machine.actions(trace.last):
        try:
            after = machine.step(trace.last, action)
        except RuleError as error:
            yield {"text": action_text(action), "error": str(error)}
            continue
        then = violated(system, machine, append_step(trace, action, after))
        found = _told(system, side, trace, action, after, wrong, then)
        yield found if other is None else {**found, "there": other.says_of(trace.length, action, after)}


class _Other:
    """The same actions on the other side, as far as it has them."""

    def __init__(self, run: Run, machine_of: MachineOf, here: Machine[Any], trace: Trace) -> None:
        assert run.against is not None
        self._system, self._side, self._here, self._whole = run.system, run.against, here, trace
        self._machine = machine_of(run.system, run.scope, run.against)
        found = as_far_as_possible(self._machine, Trace(trace.steps))
        self._trace = found or Trace(trace.steps[:1])
        pairs = zip(self._facts(trace), self._facts(self._trace), strict=False)
        self._differing = [_differing(here, there) for here, there in pairs]

    def _facts(self, trace: Trace) -> list[Facts]:
        return [self._system.facts(step.state) for step in trace.steps]

    def says_of(self, at: int, action: Action, after: Any) -> str:
        """How the action differs there: "" if it does not, or if the sides have gone apart before."""
        if at > self._trace.length or any(self._differing[: at + 1]):
            return ""
        state = self._trace.steps[at].state
        if action not in set(self._machine.actions(state)):
            return "not enabled there"
        there = self._machine.step(state, action)
        return "other facts there" if _differing(self._system.facts(after), self._system.facts(there)) else ""

    def json(self, at: int) -> dict[str, Any]:
        """`differs`: after how many actions the sides differ, and how; null if they do not.

        `facts`: after each action what is not the same: the subject, how it is here and there. `only_there`: what the
        state `at` enables there alone.
        """
        first = next((number for number, facts in enumerate(self._differing) if facts), None)
        end = self._trace.length
        differs: dict[str, Any] | None = None
        if first is not None:
            differs = {"at": first, "why": f"other facts after action {first}" if first else "it begins otherwise"}
        elif end < self._whole.length:
            text = action_text(self._whole.actions[end])
            differs = {"at": end + 1, "why": f"action {end + 1}, {text}, is not enabled there"}
        return {
            "drawn": _drawn(self._system, self._side, self._machine, self._trace),
            "differs": differs,
            "facts": self._differing,
            "only_there": self._only_there(at),
            "violated": violated(self._system, self._machine, until(self._trace, min(at, end))),
        }

    def _only_there(self, at: int) -> list[str]:
        if at > self._trace.length:
            return []
        here = {action_text(each) for each in self._here.actions(self._whole.steps[at].state)}
        there = map(action_text, self._machine.actions(self._trace.steps[at].state))
        return [text for text in there if text not in here]


def _differing(here: Facts, there: Facts) -> list[tuple[str, str, str]]:
    """What is not the same: the subject, and how it is on each side."""
    return [
        (subject, fact_text(here.get(subject, "")), fact_text(there.get(subject, "")))
        for subject in {**here, **there}
        if here.get(subject) != there.get(subject)
    ]
