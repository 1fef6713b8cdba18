"""Runs of one pod among others in Z3: what the others do to it is open, so that a run speaks of any number of them.

The pod's own actions are those of `scheduling_alone_steps`. The others may fill a node or not (`full`), be victims on
any node but the one that counts the pod itself, and make move requests or end their effect by a Pop. So no run is left
out in which a pod of the highest priority is one of several; tests compare every step of small scopes. Whether the
machine has a run that Z3 finds here is for `projects` to say, which looks for it among all that the others may do.
"""

from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from itertools import product

from attrs import define, evolve

from model.machine import Action
from model.systems.scheduling import Scheduling, SchedulingMachine
from properties.smt.bits import Bit, all_of, any_of, negate
from properties.smt.scheduling.alone import POD, Bits, View
from properties.smt.scheduling.alone_steps import Steps

Does = tuple[Callable[[View], Bit], Callable[[View], View]]


@define(frozen=True, slots=False)
class Among(Steps):
    """The actions of one pod, the others being any. Its scope has one pod, as the bits have.

    From 1.19 on, where preemption is one action with the deletion of the victims.
    """

    @cached_property
    def every(self) -> Mapping[Action, Does]:
        assert not self.own
        found = dict(Steps.every.func(self))  # type: ignore[attr-defined]
        del found[Action.of("schedule", pod=POD)]
        for full in product((False, True), repeat=self.scope.nodes):
            nodes = " ".join(node for node, is_full in zip(self.nodes, full, strict=True) if is_full)
            action = Action.of("schedule", pod=POD, full=nodes)
            found[action] = self._stands("schedule"), partial(self._schedule_beside, full)
        if self.scope.preemption:
            for i, node in enumerate(self.nodes):
                action = Action.of("post_filter", pod=POD, node=node, victims="one that is gone")
                found[action] = partial(self._may_preempt, "post_filter", i), self._nominated_nowhere
        found[Action("others_move")] = (lambda v: True), self._others_move
        found[Action("others_ask")] = (lambda v: True), self._others_ask
        found[Action("others_pop")] = (lambda v: True), lambda v: evolve(v, moved=False)
        return found

    def _schedule_beside(self, full: Bits, v: View) -> View:
        return self._schedule(v, full)

    def _nominated_nowhere(self, v: View) -> View:
        """The deletion of a victim is refused, for example because the victim is gone."""
        return self._at(evolve(v, target=self._nobody, taken=self._nobody[:-1]), "requeue")

    def _others_ask(self, v: View) -> View:
        """A move request, because of another pod or a node, that concerns the pod only while it is in flight."""
        late = tuple(evolve(retry, late=retry.here) for retry in v.retries)
        return self._sorted(evolve(v, moved=True, retries=late))

    def _others_move(self, v: View) -> View:
        """A move request that the waiting pod follows."""
        asked = self._others_ask(v)
        return evolve(asked, active=any_of(v.active, v.waiting), waiting=False)

    def _may_preempt(self, kind: str, i: int, v: View) -> Bit:
        """Others may have to go from any node but the one where the pod counts itself."""
        return all_of(self._stands(kind)(v), negate(v.taken[i]), self._let_in(i, v))

    def _has_no_candidate(self, kind: str, v: View) -> Bit:
        return self._stands(kind)(v)


def own(action: Action) -> tuple[str, tuple[tuple[str, object], ...]] | None:
    """What the pod itself does, without what tells of others; None for an action of others."""
    arguments = tuple((key, value) for key, value in action.args if key not in ("full", "victims"))
    return (action.name, arguments) if dict(arguments).get("pod") == POD else None


def projects(machine: SchedulingMachine, run: list[Action]) -> list[Action] | None:
    """A shortest run of the machine in which p1 does what it does in `run`, and the others what they like; or None."""
    wanted = [step for step in map(own, run) if step is not None]
    start = [(state, 0) for state in machine.initial_states()]
    reached: dict[tuple[Scheduling, int], tuple[tuple[Scheduling, int], Action] | None] = dict.fromkeys(start)
    queue = deque(start)
    while queue:
        here = queue.popleft()
        state, done = here
        if done == len(wanted):
            actions: list[Action] = []
            back = reached[here]
            while back is not None:
                actions.append(back[1])
                back = reached[back[0]]
            return actions[::-1]
        for action in machine.actions(state):
            step = own(action)
            if step is not None and step != wanted[done]:
                continue
            there = (machine.step(state, action), done + (step is not None))
            if there not in reached:
                reached[there] = (here, action)
                queue.append(there)
    return None
