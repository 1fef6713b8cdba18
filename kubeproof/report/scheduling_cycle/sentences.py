"""What a walk through the code of 1.19.4 says of the cycle, sentence by sentence: does a release do so?

A sentence is judged by runs of the model under the rules of each release. `WHOLE` are the releases whose whole cycles
are modelled; a sentence about the search for nodes is judged in all.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from attrs import frozen

from kubeproof.bugs.catalogue import bug_named
from kubeproof.bugs.known import shown_in
from kubeproof.report.scheduling_cycle.driven import GROUPS, NEW, NOTHING, Failing, Pods, phases, run, said
from kubeproof.report.scheduling_cycle.extenders import FILTER_WIDENS
from kubeproof.report.scheduling_cycle.failures import FAILINGS, points
from kubeproof.report.scheduling_cycle.fairness import WITH, verdict_of
from kubeproof.report.scheduling_cycle.scores import verdict as verdict_of_claim
from kubeproof.report.scheduling_cycle.section import Section, by_release, cell, patches, table
from kubeproof.report.scheduling_cycle.system_runs import does_not_wait_for_binding, next_is_first, starts_with_all_pods
from model.releases import Release
from model.scheduler import schedule_one
from model.scheduler.cycle import forget_then_move
from model.scheduler.extenders import extenders_binding, find_nodes_that_pass_extenders
from model.scheduler.filtering import find_nodes_that_fit_pod, select_host
from model.scheduler.framework.calls import Ask, PluginCall
from model.scheduler.framework.runtime import run_filter_plugins
from model.scheduler.framework.status import Code
from model.scheduler.queue import scheduling_queue
from model.scheduler.scheduling_cycle import scheduling_cycle
from model.scheduler.start import waits_for_handlers
from model.systems.scheduling_cycle.cycle_steps import start_binding
from properties.scoring.catalogue import CLAIMS

WHOLE = tuple(release for _, releases in GROUPS for release in releases)


@frozen
class Sentence:
    """A sentence of the walk, and how the model judges it."""

    says: str
    # Whether the release does so.
    holds: Callable[[Release], bool]
    # The releases that are judged.
    among: Sequence[Release]
    # The function of the model.
    model: Callable[..., Any]
    # `FILE FUNCTION[, FUNCTION]` in the Go sources of `GO_OF`.
    go: str
    # What holds where the sentence does not; "" if it holds everywhere.
    instead: str = ""


def _points(release: Release, failing: Failing = NOTHING) -> list[str]:
    return [call.point for call in run(release, failing).calls if isinstance(call, PluginCall)]


def points_in_order(release: Release) -> bool:
    """No point comes after a later one, whatever fails."""
    order = [*phases(release)[0], *phases(release)[1]]
    for failing in (NOTHING, *FAILINGS):
        found = [order.index(point) for point in _points(release, failing) if point in order]
        # A pod that does not fit is told to PostFilter after Filter; in 1.17 the point is part of every cycle.
        if found != sorted(found):
            return False
    return True


def one_refusal_excludes(release: Release) -> bool:
    """The first of two plugins refuses each node: the second is not asked, and no node is scored."""
    refused = run(release, Failing("Filter", Code.UNSCHEDULABLE))
    asked = [call.plugin for call in refused.calls if isinstance(call, PluginCall) and call.point == "Filter"]
    return asked == ["P", "P"] and not any(
        isinstance(call, PluginCall) and call.point == "Score" for call in refused.calls
    )


def filters_twice(release: Release) -> bool:
    """Where pods are nominated to a node, all filters are asked a second time about that node."""
    return run(release).calls.count(PluginCall("P", "Filter", "n1")) == 1 and (
        run(release, given=Pods(nominated=True)).calls.count(PluginCall("P", "Filter", "n1")) == 2
    )


def same_chance(release: Release) -> bool:
    """Each node is examined within the bound, whatever searches come in between."""
    return all(verdict_of(release, power) == "the bound holds" for _, power in WITH)


def never_widens(release: Release) -> bool:
    """No answer of an extender leads to a node that was not sent."""
    return not any("**" in asked.outcome(release, False) for asked in FILTER_WIDENS)


def equal_ones_at_random(release: Release) -> bool:
    """Only a node of the highest total is chosen, and each of them with the same probability."""
    claims = [claim for claim in CLAIMS if claim.name in ("the-highest-total-wins", "equals-are-equally-likely")]
    return all(verdict_of_claim(claim, release).startswith("holds") for claim in claims)


def reserves_and_permits_in_the_cycle(release: Release) -> bool:
    """Assume, Reserve and Permit, in this order, before the goroutine begins."""
    cycle = [words for words in points(release, "points_in_cycle") if words in ("AssumePod", "Reserve", "Permit")]
    return cycle == ["AssumePod", "Reserve", "Permit"]


def waits_first(release: Release) -> bool:
    """The goroutine begins with the wait."""
    first, *_ = points(release, "points_in_binding")
    return first == "wait for Permit"


def extender_binds_first(release: Release) -> bool:
    """An extender binds, and the Bind plugin of the profile is not asked."""
    words = list(map(said, run(release, given=Pods(binder=True)).calls))
    return "extender Bind" in words and "Bind" not in words


def unreserves_after_every_failure(release: Release) -> bool:
    """Whatever fails once Reserve was asked, Unreserve follows."""
    if "Reserve" not in points(release, "points_in_cycle"):
        return False
    failures = ["after_failed_reserve", "after_failed_permit", "after_failed_bind"]
    return all("Unreserve" in points(release, field) for field in failures)


def only_a_misfit_preempts(release: Release) -> bool:
    """PostFilter is asked if the pod does not fit, and after no other failure."""
    misfits = {failing for failing in FAILINGS if "PostFilter" in _points(release, failing)}
    return misfits == {Failing(point, Code.UNSCHEDULABLE) for point in ("PreFilter", "Filter")}


def skips_a_deleted_pod(release: Release) -> bool:
    """A pod that is being deleted is asked about at no point."""
    return not any(isinstance(call, PluginCall) for call in run(release, given=Pods(terminating=True)).calls)


def skips_an_assumed_pod(release: Release) -> bool:
    """A pod that the cache has assumed is asked about at no point."""
    return not any(isinstance(call, PluginCall) for call in run(release, given=Pods(assumed=True)).calls)


def reads_the_snapshot_once(release: Release) -> bool:
    """Nodes are read in the beginning, and not again."""
    return sum(call == Ask("snapshot") for call in run(release).calls) == 1


def post_bind_only_if_bound(release: Release) -> bool:
    """PostBind is asked after a binding that succeeded, and after no failure."""
    failed = [each for each in FAILINGS if run(release, each).failed_at is not None]
    return "PostBind" in _points(release) and not any("PostBind" in _points(release, each) for each in failed)


def offers_room(release: Release) -> bool:
    """No page shows a pod in this release that waits because nobody tells it of such room."""
    return not any(shown_in(bug_named(name), release) for name in ("QUEUE-FORGET-NO-EVENT", "CYCLE-FORGET-NO-EVENT"))


GO_OF = "v1.31.13"
_ONE, _RUNTIME = "pkg/scheduler/schedule_one.go", "pkg/scheduler/framework/runtime/framework.go"
SENTENCES = (
    Sentence(
        "No cycle begins before the scheduler knows the pods that there are.", starts_with_all_pods, patches(),
        waits_for_handlers, "pkg/scheduler/eventhandlers.go WaitForHandlersSync",
        "Up to 1.27 `Run` waits for the stores of the informers (`WaitForCacheSync`) and not for the handlers, which "
        "fill the cache (CACHE-START-UNSYNCED).",
    ),
    Sentence(
        "QueueSort says who is next.", next_is_first, patches(), scheduling_queue.pop,
        "pkg/scheduler/internal/queue/scheduling_queue.go Pop",
    ),
    Sentence(
        "The next cycle does not wait for the binding cycle.", does_not_wait_for_binding, patches(),
        start_binding, f"{_ONE} ScheduleOne",
    ),
    Sentence(
        "A pod that is being deleted is left alone.", skips_a_deleted_pod, WHOLE, schedule_one.schedule_one,
        f"{_ONE} skipPodSchedule",
    ),
    Sentence(
        "A pod that is placed already and met again is left alone.", skips_an_assumed_pod, WHOLE,
        schedule_one.schedule_one, f"{_ONE} skipPodSchedule",
        "1.17 skips such a pod where an update of the pod comes, and schedules what is popped.",
    ),
    Sentence(
        "The points come in their order, and none comes after a later one.", points_in_order, WHOLE,
        schedule_one.schedule_one, f"{_ONE} schedulingCycle, bindingCycle",
    ),
    Sentence(
        "All of a cycle goes by one snapshot.", reads_the_snapshot_once, WHOLE, scheduling_cycle,
        f"{_ONE} schedulePod",
    ),
    Sentence(
        "One refusal excludes the node.", one_refusal_excludes, WHOLE, run_filter_plugins,
        f"{_RUNTIME} RunFilterPlugins",
    ),
    Sentence(
        "The filters are run twice on a node to which pods are nominated.", filters_twice, WHOLE,
        run_filter_plugins, f"{_RUNTIME} RunFilterPluginsWithNominatedPods",
    ),
    Sentence(
        "All nodes have the same chance of being examined.", same_chance, patches(), find_nodes_that_fit_pod,
        f"{_ONE} findNodesThatPassFilters",
        "With one worker each node is examined within a bound as long as no pod is tried on one node alone. See below.",
    ),
    Sentence(
        "`findNodesThatPassExtenders` narrows further and never widens.", never_widens, patches(),
        find_nodes_that_pass_extenders, f"{_ONE} findNodesThatPassExtenders",
        "An extender that answers with names (`nodeCacheCapable`) narrows from 1.18 on. One that answers with whole "
        "Node objects may name any node.",
    ),
    Sentence(
        "The highest total wins, and equal ones at random.", equal_ones_at_random, patches(), select_host,
        f"{_ONE} selectHost",
        "To 1.15 equal ones are taken in turn. From 1.35 on nothing is drawn for nodes that no extender has scored "
        "(SCORE-EQUALS-NOT-DRAWN). See below.",
    ),
    Sentence(
        "Assume, then Reserve, then Permit, before the goroutine.", reserves_and_permits_in_the_cycle, patches(),
        scheduling_cycle, f"{_ONE} schedulingCycle",
        "1.13 has no such points. From 1.14 to 1.18 Reserve comes before assume. From 1.15 to 1.17 Permit is asked in "
        "the goroutine.",
    ),
    Sentence(
        "In the goroutine `WaitOnPermit` comes first.", waits_first, patches(), schedule_one.binding_cycle,
        f"{_ONE} bindingCycle",
        "To 1.14 nothing waits. From 1.15 to 1.17 the goroutine asks Permit first, and waits there.",
    ),
    Sentence(
        "If an extender has bound, no Bind plugin is asked.", extender_binds_first, WHOLE, extenders_binding,
        f"{_ONE} bind, extendersBinding",
        "In 1.17 the Bind plugins are asked first, and the extender if all of them skip.",
    ),
    Sentence(
        "Whatever fails after Reserve is followed by Unreserve.", unreserves_after_every_failure, patches(),
        schedule_one.handle_binding_cycle_error, f"{_ONE} handleBindingCycleError",
        "1.13 has no Reserve, 1.14 no Unreserve. Up to 1.18 what was reserved before a Reserve plugin failed stays "
        "reserved (#92391).",
    ),
    Sentence(
        "Room that a failed binding cycle gives back is offered to the pods that found none.", offers_room, patches(),
        forget_then_move, f"{_ONE} handleBindingCycleError",
        "Up to 1.22 nobody tells these pods, and they wait for the flush (QUEUE-FORGET-NO-EVENT, "
        "CYCLE-FORGET-NO-EVENT).",
    ),
    Sentence(
        "PostBind follows a binding, and nothing else.", post_bind_only_if_bound, WHOLE, schedule_one.binding_cycle,
        f"{_ONE} bindingCycle",
    ),
    Sentence(
        "A `FitError`, and nothing else, starts preemption.", only_a_misfit_preempts, NEW, scheduling_cycle,
        f"{_ONE} schedulingCycle",
    ),
)  # fmt: skip


def verdict(sentence: Sentence) -> str:
    """Whether the sentence holds, by release."""
    found = by_release(lambda release: "yes" if sentence.holds(release) else "**no**", sentence.among)
    if sentence.among == patches():
        return cell(found)
    first, last = sentence.among[0], sentence.among[-1]
    return cell([(_within(span, first, last), says) for span, says in found])


def _within(span: str, first: Release, last: Release) -> str:
    """A span of releases among those from `first` to `last`: what comes after them nobody has judged."""
    begins = span.removesuffix(" on") if span.endswith(" on") else ""
    return f"{begins or first} to {last}" if begins or not span else span


def _links(sentence: Sentence) -> list[str]:
    """To the function of the model, and to the Go file."""
    file = Path(*sentence.model.__module__.split(".")).as_posix()
    go, names = sentence.go.split(" ", 1)
    return [
        f"[`{sentence.model.__name__}`](../{file}.py)",
        f"[`{names}`](https://github.com/kubernetes/kubernetes/blob/{GO_OF}/{go})",
    ]


def _body() -> str:
    rows = [[each.says, verdict(each), each.instead or "–", *_links(each)] for each in SENTENCES]
    return f"""
A walk through kube-scheduler 1.19.4 says these sentences. Whole cycles are modelled from 1.17 to
{NEW[-1]}, where the recordings of whole cycles of the real code end. The search for nodes and the points after a host
are modelled of all releases. Links to Go go to {GO_OF}.

{table(("sentence", "verdict", "what holds instead", "model", "Go"), rows)}

Other sentences of the walk are judged elsewhere, or not at all:

- That others may take the room of a nomination: by the system `scheduling`, whose property `preempted-room-is-kept`
  says who must not.
- The five steps of preemption, and "the least sacrifice": by the system `preemption`.
- Whether two groups that each hold half of the room go on: they do not, until a plugin, a timer or a user ends the wait
  of one pod. See [PERMIT-GROUP-HOLDS](../counterexamples/permit-group-holds/README.md).
- That a pod which fits is bound in the end: by the property `fitting-pod-is-bound` of `scheduling-cycle`. The pages of
  bugs say in which releases it is violated.
- That `CycleState` is of one pod in one cycle: by the property `cycle-state-is-of-one-cycle` of `scheduling-cycle`.
  1.14 violates it: see [CYCLE-CONTEXT-SHARED](../counterexamples/cycle-context-shared/README.md). From 1.15 on the
  model gives each cycle a state of its own, as the source does. So only a wrong rule can break the property there.
"""


SECTIONS = (Section("The walk, sentence by sentence", _body),)
