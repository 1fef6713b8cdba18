"""Every order in which asynchronous preemption and its surroundings may act, around one preemptor and one node.

Surroundings of `model.scheduler.preemption.async_preemption`: the API server's pods, an informer that is behind,
kubelets that end pods, somebody who deletes a victim, a victim that waits at Permit, and the queue as far as the
preemptor is in it. The preemptor needs the room of all victims. Hints are on; NodeResourcesFit moves the pod at each
deletion of a bound pod. The queue's flush after five minutes is left out: a pod that only the flush helps is stuck.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Literal

from attrs import evolve, frozen

from model.scheduler.preemption.async_preemption import (
    Answer,
    AsyncPreemptionRules,
    Goroutine,
    Preempting,
    asked_for,
    asked_for_last,
    begin_last,
    finish,
    is_pod_running_preemption,
    patched,
    prepare_candidate_async,
)
from model.scheduler.preemption.objects import Pods, PreemptionPod


@frozen(slots=False, kw_only=True)
class OrderRules(AsyncPreemptionRules):
    """What is asked of a release."""

    victims_to_delete: Callable[[Pods], Pods]


# `marked`: has the condition DisruptionTarget; `deleted`: terminates without the condition; `ending`: with it. A pod
# that waits at Permit is rejected, and no request is made; the pod is `queued` when it is forgotten.
Phase = Literal["runs", "marked", "deleted", "ending", "gone", "waits", "rejected", "queued"]
Place = Literal["active", "tried", "unschedulable", "gated", "bound"]
_TERMINATES = ("deleted", "ending", "gone")
_MARKED: dict[Phase, Phase] = {"runs": "marked", "deleted": "ending"}
_DELETED: dict[Phase, Phase] = {"marked": "ending", "runs": "deleted"}
_IN_WORDS = {"marked": "is a victim", "deleted": "terminates", "ending": "terminates", "gone": "is gone"}


@frozen
class Scope:
    """What may happen."""

    victims: int = 2
    # How often somebody else deletes a victim; how many victims wait at Permit; how often a request fails.
    deletions: int = 0
    waiting: int = 0
    failures: int = 0
    # Whether the handlers may be behind the informer's store; else the store and the handlers hear at once.
    lag: bool = True


@frozen
class Moment:
    """A state."""

    # Of each victim what is true, what the informer's store says, and what the scheduler's cache says.
    true: tuple[Phase, ...]
    listed: tuple[Phase, ...]
    known: tuple[Phase, ...]
    # What the informer sends, in order: victim and phase. The first `stored` of them are in the store.
    events: tuple[tuple[int, Phase], ...] = ()
    stored: int = 0
    place: Place = "active"
    # Whether an event for the preemptor came while it was tried.
    noted: bool = False
    preempting: Preempting = Preempting()
    goroutines: tuple[Goroutine, ...] = ()
    deletions: int = 0
    failures: int = 0


# What happens, in words, and the state then.
Step = tuple[str, Moment]
Run = tuple[Step, ...]


def _name(at: int) -> str:
    return f"v{at + 1}"


def _at(victim: str) -> int:
    return int(victim[1:]) - 1


def _put(phases: tuple[Phase, ...], at: int, phase: Phase) -> tuple[Phase, ...]:
    return (*phases[:at], phase, *phases[at + 1 :])


def _written(moment: Moment, at: int, phase: Phase) -> Moment:
    """The API server writes, and the informer will hear."""
    return evolve(moment, true=_put(moment.true, at, phase), events=(*moment.events, (at, phase)))


def _moved(moment: Moment) -> Moment:
    """The queue would take the preemptor to activeQ: PreEnqueue is asked."""
    if moment.place == "tried":
        return evolve(moment, noted=True)
    if moment.place not in ("unschedulable", "gated"):
        return moment
    held = is_pod_running_preemption(moment.preempting, lambda victim: moment.listed[_at(victim)] not in _TERMINATES)
    return evolve(moment, place="gated" if held else "active")


def _told_place(moment: Moment) -> str:
    if moment.place == "gated":
        return "PreEnqueue holds the preemptor back"
    if moment.place == "active":
        return "the preemptor is in activeQ"
    return "the event is kept for the preemptor, which is tried" if moment.noted else "nothing moves"


def _attempt(rules: OrderRules, moment: Moment) -> Step:
    if all(phase == "gone" for phase in moment.known):
        return "the preemptor is scheduled", evolve(moment, place="bound")
    tried = evolve(moment, place="tried", noted=False)
    if "ending" in moment.known:
        return "the preemptor is tried: a victim terminates already, so it preempts nobody", tried
    there = [(_name(at), phase) for at, phase in enumerate(moment.known) if phase != "gone"]
    victims = rules.victims_to_delete(
        tuple(PreemptionPod(name, terminating=phase == "deleted") for name, phase in there)
    )
    names = tuple(pod.name for pod in victims)
    marked = frozenset(name for name, phase in there if phase == "marked")
    preempting, goroutine = prepare_candidate_async(moment.preempting, names, marked)
    if goroutine is None:
        return "the preemptor is tried: all victims terminate already", tried
    started = evolve(tried, preempting=preempting, goroutines=(*moment.goroutines, goroutine))
    return f"the preemptor is tried: a goroutine preempts {', '.join(names)}", started


def _request(rules: OrderRules, moment: Moment, goroutine: Goroutine, victim: str) -> tuple[str, Answer | None, Moment]:
    """The next request for a victim: what happens, what the requests for it came to if this was the last, and then."""
    at, phase = _at(victim), moment.true[_at(victim)]
    if phase == "waits":
        rejected = evolve(moment, true=_put(moment.true, at, "rejected"))
        return f"{victim} waits at Permit and is rejected", "done", rejected
    if phase == "rejected":
        return f"{victim} is rejected again", "done", moment
    if phase == "queued":
        return f"{victim}, which waits for a node again, is deleted", "done", moment
    if victim not in goroutine.marked:
        if phase == "gone":
            return f"{victim} is not there to be patched", rules.answer_of_patch_without_pod(), moment
        changed = _written(moment, at, _MARKED[phase]) if phase in _MARKED else moment
        return f"{victim} gets the condition DisruptionTarget", None, changed
    if phase == "gone":
        return f"{victim} is not there to be deleted", "gone", moment
    changed = _written(moment, at, _DELETED[phase]) if phase in _DELETED else moment
    return f"{victim} is deleted", "done", changed


def _of_goroutine(rules: OrderRules, scope: Scope, moment: Moment, at: int) -> Iterator[Step]:
    goroutine = moment.goroutines[at]
    who = f"goroutine {at + 1}: " if len(moment.goroutines) > 1 else "the goroutine: "

    def then(after: Moment, new: Goroutine) -> Moment:
        return evolve(after, goroutines=(*after.goroutines[:at], new, *after.goroutines[at + 1 :]))

    if goroutine.next == "end":
        preempting, activates = finish(rules, moment.preempting, goroutine)
        left = (*moment.goroutines[:at], *moment.goroutines[at + 1 :])
        ended = evolve(moment, preempting=preempting, goroutines=left)
        if activates:
            ended = _moved(ended)
            yield f"{who}it ends and activates the preemptor; {_told_place(ended)}", ended
        else:
            yield f"{who}it ends", ended
    elif goroutine.next == "others" and not goroutine.others:
        preempting, new = begin_last(rules, moment.preempting, goroutine)
        left_early = new.next == "last" and not preempting.last_victim
        what = "the preemptor leaves `preempting`" if left_early else f"only {new.last} is left"
        yield who + what, then(evolve(moment, preempting=preempting), new)
    else:
        ends = asked_for_last if goroutine.next == "last" else asked_for
        for victim in (goroutine.last,) if goroutine.next == "last" else goroutine.others:
            said, answer, after = _request(rules, moment, goroutine, victim)
            if not goroutine.failed:
                new = patched(goroutine, victim) if answer is None else ends(goroutine, victim, answer)
                yield who + said, then(after, new)
            if goroutine.failed or moment.failures < scope.failures:
                failed = moment if goroutine.failed else evolve(moment, failures=moment.failures + 1)
                yield f"{who}a request for {victim} fails", then(failed, ends(goroutine, victim, "failed"))


def _of_victim(scope: Scope, moment: Moment, at: int) -> Iterator[Step]:
    true, victim = moment.true[at], _name(at)
    if true in ("runs", "marked") and moment.deletions < scope.deletions:
        yield (
            f"somebody else deletes {victim}",
            evolve(_written(moment, at, _DELETED[true]), deletions=moment.deletions + 1),
        )
    if true in ("deleted", "ending"):
        yield f"{victim} ends", _written(moment, at, "gone")
    if true == "rejected":
        forgotten = evolve(moment, true=_put(moment.true, at, "queued"), known=_put(moment.known, at, "gone"))
        moved = _moved(forgotten)
        yield f"the binding of {victim} fails, and {victim} is forgotten; {_told_place(moved)}", moved


def _of_informer(scope: Scope, moment: Moment) -> Iterator[Step]:
    """The store hears of an event first, then the handlers. Each hears of the events in their order."""
    if scope.lag and moment.stored < len(moment.events):
        yield f"the informer's store hears that {_said(moment.events[moment.stored])}", _stored(moment)
    if moment.events and (moment.stored or not scope.lag):
        told = moment if moment.stored else _stored(moment)
        event, *events = moment.events
        at, phase = event
        told = evolve(told, known=_put(told.known, at, phase), events=tuple(events), stored=told.stored - 1)
        told = _moved(told) if phase == "gone" else told
        moved = f"; {_told_place(told)}" if phase == "gone" else ""
        yield f"the handlers hear that {_said(event)}{moved}", told


def _stored(moment: Moment) -> Moment:
    at, phase = moment.events[moment.stored]
    return evolve(moment, listed=_put(moment.listed, at, phase), stored=moment.stored + 1)


def _said(event: tuple[int, Phase]) -> str:
    at, phase = event
    return f"{_name(at)} {_IN_WORDS[phase]}"


def steps(rules: OrderRules, scope: Scope, moment: Moment) -> Iterator[Step]:
    """Everything that may happen next."""
    if moment.place == "active":
        yield _attempt(rules, moment)
    if moment.place == "tried":
        back = evolve(moment, place="unschedulable", noted=False)
        back = _moved(back) if moment.noted else back
        yield f"the preemptor is back in the queue: {back.place}", back
    for at in range(len(moment.goroutines)):
        yield from _of_goroutine(rules, scope, moment, at)
    for at in range(scope.victims):
        yield from _of_victim(scope, moment, at)
    yield from _of_informer(scope, moment)


def preempts_twice(moment: Moment) -> bool:
    """A second preemption of the pod has begun, and the first has not ended."""
    return len(moment.goroutines) > 1


def is_stuck(moment: Moment) -> bool:
    """All victims are gone, nothing is under way, and the preemptor is not tried."""
    idle = moment.place in ("unschedulable", "gated") and not moment.goroutines
    return idle and not moment.events and all(phase == "gone" for phase in moment.known)


@cache
def shortest(rules: OrderRules, scope: Scope, bad: Callable[[Moment], bool]) -> Run | None:
    """A shortest run to a bad state, or None if there is none. After a second preemption nothing is looked at."""
    running = scope.victims - scope.waiting
    phases: tuple[Phase, ...] = tuple("runs" if at < running else "waits" for at in range(scope.victims))
    first = Moment(phases, phases, phases)
    came: dict[Moment, tuple[Moment, str] | None] = {first: None}
    front = [first]
    while front:
        following = []
        for moment in front:
            for said, after in steps(rules, scope, moment):
                if after in came:
                    continue
                came[after] = moment, said
                if bad(after):
                    return _run(came, after)
                if not preempts_twice(after):
                    following.append(after)
        front = following
    return None


def _run(came: dict[Moment, tuple[Moment, str] | None], last: Moment) -> Run:
    found: list[Step] = []
    at: Moment | None = last
    while at is not None and (before := came[at]) is not None:
        found.append((before[1], at))
        at = before[0]
    return tuple(reversed(found))
