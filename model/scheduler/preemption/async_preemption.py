"""Preemption in a goroutine: the victims are deleted after the cycle has ended. Pure, one preemptor.

Go: `prepareCandidateAsync`, `PreemptPod` and `IsPodRunningPreemption` in pkg/scheduler/framework/preemption/
preemption.go (1.36 executor.go), 1.32 on (#128170). While a pod is in `preempting`, the PreEnqueue of DefaultPreemption
holds the pod back. `Evaluator.mu` makes each read and each write of the two maps atomic, and nothing more. All victims
but the last are asked for side by side; each request is a step of its own here.

A victim has two requests: a PATCH of its condition DisruptionTarget, if the scheduler's copy lacks the condition, and
the DELETE. Left out: the nominations that are taken from other pods first, whose failure counts as a failed request;
and pod groups.
"""

from collections.abc import Callable
from typing import Literal

from attrs import evolve, frozen

# What the requests for a victim come to. `gone`: the API server does not know the pod any more.
Answer = Literal["done", "gone", "failed"]


@frozen
class Preempting:
    """What the evaluator knows of the preemptor."""

    # Whether the pod is in `preempting`.
    running: bool = False
    # The pod's entry in `lastVictimsPendingPreemption`, "" for none.
    last_victim: str = ""


@frozen
class Goroutine:
    """One run of the function that `prepareCandidateAsync` starts."""

    # The victims that are still to be asked for before the last one.
    others: tuple[str, ...]
    # "" with the gate off.
    last: str
    # Those of the victims that have the condition, as far as the goroutine knows.
    marked: frozenset[str]
    next: Literal["others", "last", "end"] = "others"
    failed: bool = False
    # Whether every victim so far was gone before its request.
    all_gone: bool = True


def async_is_off() -> bool:
    """1.32: SchedulerAsyncPreemption is alpha."""
    return False


def async_is_on() -> bool:
    """1.33 on: beta, and on."""
    return True


def is_left_before_last_victim() -> bool:
    """To 1.34: the pod leaves `preempting` before the last victim is asked for."""
    return False


def is_left_after_last_victim() -> bool:
    """1.35 on (#134730): the pod leaves after that, and what was the last victim is written down meanwhile."""
    return True


def is_held_while_preempting(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    """To 1.34: as long as the pod is in `preempting`."""
    return known.running


def is_held_until_last_victim_goes(known: Preempting, is_there: Callable[[str], bool]) -> bool:
    """1.35 on (#134730): no longer than until the last victim, once written down, terminates or is gone."""
    return known.running and (not known.last_victim or is_there(known.last_victim))


def patch_of_gone_pod_fails() -> Answer:
    """To 1.33, and 1.34.2 to 1.34.9: NotFound is looked for after the DELETE only."""
    return "failed"


def patch_of_gone_pod_ends_well() -> Answer:
    """1.34.0 and 1.34.1 (#133167), and 1.35 on."""
    return "gone"


def after_a_failure(failed: bool, all_gone: bool) -> bool:
    """The preemptor is activated if a request failed."""
    return failed


def after_a_failure_or_if_all_are_gone(failed: bool, all_gone: bool) -> bool:
    """1.34.0 and 1.34.1 (#133167): also if no victim had to be deleted any more."""
    return failed or all_gone


def last_is_asked_for(failed: bool) -> bool:
    """To 1.35 the last victim is asked for whatever the others came to. After a failure the context is cancelled."""
    return True


def last_is_asked_for_unless_failed(failed: bool) -> bool:
    """1.36 on."""
    return not failed


@frozen(slots=False, kw_only=True)
class AsyncPreemptionRules:
    """What releases do differently."""

    # Whether SchedulerAsyncPreemption is on where nobody sets the gate.
    async_preemption_default: Callable[[], bool]
    # Whether the pod is in `preempting` while the last victim is asked for.
    preempting_with_last_victim: Callable[[], bool]
    # Whether PreEnqueue holds the pod back: `IsPodRunningPreemption`. The second argument says of a victim whether the
    # informer has the pod and it does not terminate.
    is_pod_running_preemption: Callable[[Preempting, Callable[[str], bool]], bool]
    # What a victim comes to that is gone before its PATCH.
    answer_of_patch_without_pod: Callable[[], Answer]
    # (whether a request failed, whether all victims were gone) -> whether the preemptor is activated in the end.
    activates_preemptor: Callable[[bool, bool], bool]
    # (whether a request failed) -> whether the last victim is asked for.
    asks_for_last_victim: Callable[[bool], bool]


def prepare_candidate_async(
    known: Preempting, victims: tuple[str, ...], marked: frozenset[str]
) -> tuple[Preempting, Goroutine | None]:
    """`victims`: those to be deleted, see `victims_to_delete`. Without any there is no goroutine.

    `marked`: those of which the scheduler's copy has the condition.
    """
    if not victims:
        return known, None
    *others, last = victims
    return evolve(known, running=True), Goroutine(tuple(others), last, marked)


def prepare_candidate(victims: tuple[str, ...], marked: frozenset[str]) -> Goroutine | None:
    """The gate is off: the cycle itself asks for all victims side by side. Arguments as above.

    Nothing is written into `preempting`, and none of the victims is the last one.
    """
    return Goroutine(victims, "", marked) if victims else None


def patched(goroutine: Goroutine, victim: str) -> Goroutine:
    """After the PATCH of a victim that is there."""
    return evolve(goroutine, marked=goroutine.marked | {victim})


def asked_for(goroutine: Goroutine, victim: str, answer: Answer) -> Goroutine:
    """After the requests for a victim that is not the last one."""
    others = tuple(each for each in goroutine.others if each != victim)
    return _after(evolve(goroutine, others=others), answer)


def begin_last(rules: AsyncPreemptionRules, known: Preempting, goroutine: Goroutine) -> tuple[Preempting, Goroutine]:
    """All others were asked for: the pod leaves `preempting`, or its last victim is written down."""
    if not rules.asks_for_last_victim(goroutine.failed):
        return known, evolve(goroutine, next="end")
    if rules.preempting_with_last_victim():
        return evolve(known, last_victim=goroutine.last), evolve(goroutine, next="last")
    return Preempting(), evolve(goroutine, next="last")


def asked_for_last(goroutine: Goroutine, victim: str, answer: Answer) -> Goroutine:
    """After the requests for the last victim, whose context a failure before has cancelled."""
    return evolve(_after(goroutine, "failed" if goroutine.failed else answer), next="end")


def _after(goroutine: Goroutine, answer: Answer) -> Goroutine:
    return evolve(
        goroutine, failed=goroutine.failed or answer == "failed", all_gone=goroutine.all_gone and answer == "gone"
    )


def finish(rules: AsyncPreemptionRules, known: Preempting, goroutine: Goroutine) -> tuple[Preempting, bool]:
    """The end of the goroutine, and whether the preemptor is activated then. With the gate off a cycle just goes on."""
    if not goroutine.last:
        return known, False
    known = Preempting() if rules.preempting_with_last_victim() else known
    return known, rules.activates_preemptor(goroutine.failed, goroutine.all_gone)
