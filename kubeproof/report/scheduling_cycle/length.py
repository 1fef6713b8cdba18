"""How long a cycle takes in the worst case because of extenders: found by trying every answer that they may give."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Literal

from attrs import frozen

from kubeproof.bugs.demonstrations.search import LiveTree, tree_of
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, rules, table
from model.go.errors import GoError
from model.releases import Release
from model.scheduler.extender_preemption import ExtenderPreemptionRules
from model.scheduler.extenders import Extender, find_nodes_that_pass_extenders
from model.scheduler.filtering import FilteringRules, FilterSetup, answered, find_nodes_that_fit_pod
from model.scheduler.framework.calls import Call, ExtenderAnswer, ExtenderCall, Steps, driven
from model.scheduler.framework.status import SUCCESS, Status
from model.scheduler.http_extender import DEFAULT_TIMEOUT

Answer = Literal["passes", "refuses", "fails"]
NODES = ("n1", "n2")


@frozen
class Waits:
    """The requests that a scheduling cycle waits for, each of them as long as its timeout."""

    # One after the other.
    filters: int
    # At the same time.
    prioritizes: bool
    # One after the other.
    preempts: int

    @property
    def milliseconds(self) -> int:
        return (self.filters + self.prioritizes + self.preempts) * DEFAULT_TIMEOUT


def waits(release: Release, extenders: int, answers: Sequence[Answer], *, nominated: bool, ignorable: bool) -> Waits:
    """One cycle of a pod that fits on two nodes, in which the requests with the verb Filter are answered so, in order.

    Every extender has the verbs Filter, Prioritize and Preempt. `nominated`: whether the pod has a nominated node.
    """
    left = iter(answers)
    asked = 0
    live = LiveTree(tree_of(release, *NODES))

    def narrow(nodes: tuple[str, ...], statuses: dict[str, Status]) -> Steps[tuple[str, ...] | GoError]:
        each = [Extender(f"e{number}", ignorable=ignorable) for number in range(extenders)]
        return find_nodes_that_pass_extenders(each, nodes, statuses)

    def answer(call: Call) -> Any:
        nonlocal asked
        if not isinstance(call, ExtenderCall):
            return live.answer(call)
        asked += 1
        kind = next(left)
        refused = call.nodes if kind == "refuses" else ()
        return ExtenderAnswer("no answer" if kind == "fails" else None, tuple((node, "no") for node in refused))

    setup = FilterSetup(rules(FilteringRules, release), 0, None, True, lambda node: answered(SUCCESS), narrow)
    found = driven(find_nodes_that_fit_pod(setup, NODES, 0, NODES[0] if nominated else "", None), answer)
    if found.error is not None:
        return Waits(asked, False, 0)
    preempts = rules(ExtenderPreemptionRules, release).asks_extenders_to_preempt()
    return Waits(asked, len(found.feasible) > 1, extenders if preempts and not found.feasible else 0)


def _every_answer(extenders: int) -> Iterator[tuple[Answer, ...]]:
    """No extender is asked more than twice in a cycle."""
    kinds: tuple[Answer, ...] = ("passes", "refuses", "fails")
    return product(kinds, repeat=2 * extenders)


def longest(release: Release, extenders: int, *, nominated: bool, ignorable: bool = True) -> Waits:
    """The cycle that waits longest, whatever the extenders answer."""
    every = (
        waits(release, extenders, answers, nominated=nominated, ignorable=ignorable)
        for answers in _every_answer(extenders)
    )
    return max(every, key=lambda found: found.milliseconds)


_KNOWN: dict[object, Waits] = {}


def _said(release: Release, extenders: int, nominated: bool) -> str:
    asked = (rules(FilteringRules, release), rules(ExtenderPreemptionRules, release))
    key = (tuple(rule for each in asked for rule in vars(each).values()), extenders, nominated)
    if key not in _KNOWN:
        _KNOWN[key] = longest(release, extenders, nominated=nominated)
    found = _KNOWN[key]
    parts = [f"{found.filters} of Filter", "1 of Prioritize" if found.prioritizes else f"{found.preempts} of Preempt"]
    return f"{found.milliseconds // 1_000} s ({', '.join(parts)})"


def rows() -> list[list[str]]:
    """By number of extenders: the longest cycle, without and with a nominated node."""
    return [
        [
            str(extenders),
            *(
                cell(by_release(lambda release, n=extenders, nominated=nominated: _said(release, n, nominated)))  # type: ignore[misc]
                for nominated in (False, True)
            ),
        ]
        for extenders in (1, 2, 3)
    ]


def _body() -> str:
    return f"""
The next pod is not scheduled before the cycle has ended. A request waits for `httpTimeout`, and where that is not set
for {DEFAULT_TIMEOUT // 1_000} s. Here each extender has the verbs Filter, Prioritize and Preempt. Each request takes
as long as it may. The longest cycle, over every combination of answers:

{table(("extenders", "a pod", "a pod with a nominated node"), rows())}

- Filter: one extender after the other. Where the nominated node is tried first and an extender refuses the node, all
  are asked again.
- Prioritize: all at the same time, so the slowest counts once. A pod with one feasible node is not scored.
- Preempt: one after the other, and only if the pod fits nowhere. So Prioritize and Preempt are not in one cycle.
- Bind is part of the binding cycle, which has a goroutine of its own.
"""


SECTIONS = (Section("How long may a cycle take?", _body),)
