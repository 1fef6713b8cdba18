"""Counterexamples to induction, taken by the Python machine.

The timeline before the step becomes a state of the machine (`states`). From there an action leads to a state whose
timeline breaks the lemma. If no action does, the formulas say more than the machine does.
"""

from collections.abc import Mapping
from itertools import permutations, product

from attrs import evolve, frozen

from model.machine import Action
from model.systems.queueing_hints import QueueingHintsMachine
from properties.smt.queueing_hints.counterexample import Counterexample
from properties.smt.queueing_hints.lemmas import Lemma
from properties.smt.queueing_hints.states import States
from properties.smt.queueing_hints.timeline_steps import GONE, LOSES, NEW_POD, NO_PROFILE, SKIP, UPDATED, Environment
from properties.smt.queueing_hints.watched_run import Moment, facts

_EVENTS = ("cluster_event", "uninteresting_event")
_HANDLERS = ("deliver_pod", "handle_assigned", "handle_unassigned", "handle_pod")
# By the name of a step: the actions that may take it.
ACTIONS: Mapping[str, tuple[str, ...]] = {
    NEW_POD: _HANDLERS,
    UPDATED: _HANDLERS,
    LOSES: _HANDLERS,
    "Pop": ("pop",),
    "an event is kept": _EVENTS,
    "an event is not kept": _EVENTS,
    "a pod is assumed": ("assume",),
    "a binding fails": ("binding_failed",),
    "Done before Bind": ("done_after_permit", "pre_bind"),
    "Done after Bind": ("bind", "finish_binding"),
    SKIP: ("schedule",),
    NO_PROFILE: ("schedule",),
    "Done after the failure handler": ("done_again",),
    "a failed pod goes back before its Done": ("requeue",),
    "a failed pod goes back": ("requeue", "done_after_requeue"),
    GONE: ("patch_failure", "done_after_failure"),
    "an attempt ends after its Done": ("patch_failure", "bind", "finish_binding"),
}


@frozen
class Replayed:
    """What the machine does."""

    action: Action
    before: Moment
    after: Moment


def replayed(environment: Environment, lemmas: tuple[Lemma, ...], it: Counterexample) -> Replayed | None:
    """The machine's action from the timeline `before`, or None if no state was found that takes the step."""
    bounds = {"pods": it.facts.pods, "plugins": 1, "goroutines": 3, "stale_binds": 0, "events": 1, "uninteresting": 1}
    others = dict.fromkeys(("tolerations", "assigned", "hint_errors", "pre_check"), 0)
    scope = evolve(environment.scope, gate=1, **bounds, **others)
    grains = [evolve(scope, fine=0, listeners=0, clock=0, flush=0)]
    if environment.pop_between:
        grains.append(evolve(scope, fine=1, listeners=0, clock=1, flush=0))
    apart = tuple(f"p{k + 1}#1" for k in range(it.facts.pods))
    namesakes = permutations(f"p1#{k + 1}" for k in range(it.facts.pods)) if environment.namesakes else ()
    for grain, uids in product(grains, (apart, *namesakes)):
        machine = QueueingHintsMachine(grain, environment.rules)
        for moment in States(environment, machine, it, uids).every():
            found = _taken(moment, lemmas, it)
            if found is not None:
                return found
    return None


def holds(lemma: Lemma, moment: Moment) -> bool:
    """Whether the lemma holds of the timeline of a moment."""
    pods = sorted({f"p{i + 1}#{k + 1}" for i, count in enumerate(moment.state.incarnations) for k in range(count)})
    keep = sorted(moment.kept_places())
    return lemma(facts(moment, pods, keep), moment.timeline(pods, keep)) is True


def _taken(moment: Moment, lemmas: tuple[Lemma, ...], it: Counterexample) -> Replayed | None:
    assert it.broken is not None
    if not all(holds(lemma, moment) for lemma in lemmas):
        return None
    for action in moment.machine.actions(moment.state):
        for after in moment.after(action) if _may_be(it.step, action) else ():
            if not holds(it.broken, after):
                return Replayed(action, moment, after)
    return None


def _may_be(step: str, action: Action) -> bool:
    """Whether the action may take the step of this name."""
    unknown = dict(action.args).get("outcome") == "unknown profile"
    return action.name in ACTIONS[step] and unknown == (step == NO_PROFILE)
