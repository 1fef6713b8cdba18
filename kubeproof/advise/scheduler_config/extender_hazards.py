"""What an extender may do to the scheduler: be dead, refuse a node after pods were evicted for it, bind too late.

Go: `findNodesThatPassExtenders`, `extendersBinding` in pkg/scheduler/schedule_one.go, `send` in
pkg/scheduler/extender.go, `callExtenders` in pkg/scheduler/framework/preemption/preemption.go (1.23 on).
"""

from collections.abc import Iterator
from typing import Any

from attrs import evolve

from kubeproof.advise.scheduler_config.configuration import ExtenderGiven
from kubeproof.advise.scheduler_config.hazard import NO_ROOM, Hazard, hazard, no_room
from kubeproof.advise.scheduler_config.numbers import names_of, span_text, timeout_of
from kubeproof.advise.scheduler_config.runs import TOO_LATE, Scheduler, driver, pod_named
from model.releases import Release, rules_for
from model.scheduler.extender_preemption import ExtenderPreemptionRules
from model.scheduler.framework.calls import Call, ExtenderAnswer, ExtenderCall, PluginAnswer, PluginCall
from model.scheduler.framework.status import Code, Status

# In seconds: faster than this nothing is answered over a network.
SHORTEST_TIMEOUT = 0.001


def extender_hazards(scheduler: Scheduler) -> Iterator[Hazard]:
    """The hazards of each extender, in the file's order."""
    given = scheduler.configuration.extenders
    for name, extender in zip(names_of(given), given, strict=True):
        yield from _timeout(scheduler, name, extender)
        yield from _dead(scheduler, name, extender)
        yield from _refuses_after_preemption(scheduler, name, extender)
        yield from _late_binder(scheduler, name, extender)


def _pods(extender: ExtenderGiven, which: str) -> str:
    """Whose pods an extender is asked about, as `every pod that asks for aliyun.com/gpu-mem`."""
    if not extender.resources:
        return f"{which} pod"
    return f"{which} pod that asks for {' or '.join(resource.name for resource in extender.resources)}"


def _timeout(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> Iterator[Hazard]:
    seconds, _ = timeout_of(extender)
    if seconds is None:
        what = (
            f"httpTimeout is negative, and Go takes that for no timeout: a call to {name} may last for ever, and all "
            "other pods wait."
        )
        yield hazard(scheduler, "no-timeout", name, what, "Give httpTimeout a positive duration.")
    elif seconds < SHORTEST_TIMEOUT:
        legacy = scheduler.configuration.version in ("Policy", "v1alpha2")
        unit = " In this version the number is one of nanoseconds: 5 seconds are 5000000000." if legacy else ""
        what = (
            f"httpTimeout is {extender.timeout} ns: hardly any call to {name} is answered so fast, and the extender is "
            f"as good as dead.{unit}"
        )
        yield hazard(scheduler, "short-timeout", name, what, "Give httpTimeout a longer time, or leave it out.")


# --- nobody answers ---------------------------------------------------------------------------------------------------


def _dead(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> Iterator[Hazard]:
    serial = bool(extender.filter_verb or extender.prioritize_verb)
    if not serial and not extender.bind_verb:
        return
    seconds, _ = timeout_of(extender)
    slow = ""
    if serial:
        # After an error of Filter nobody is asked to prioritize, unless the extender is ignorable.
        calls = 2 if extender.filter_verb and extender.prioritize_verb and extender.ignorable else 1
        waits = "for ever" if seconds is None else span_text(calls * seconds)
        slow = f" Each try lasts {waits} if nobody answers at all, and no other pod is scheduled meanwhile."
    stops, run = _stopped(scheduler, name, extender)
    if not stops:
        unasked = " Its pods are placed without its word." if extender.filter_verb or extender.bind_verb else ""
        what = f"If {name} does not answer, no pod is stopped.{slow}{unasked}"
        yield hazard(scheduler, "dead-extender", name, what, "Give httpTimeout a short duration.", run)
        return
    mend = ["Run more than one instance behind its address."]
    if not extender.ignorable:
        # Whether the field helps is asked of the model, too.
        willing = evolve(extender, ignorable=True)
        others = tuple(willing if each is extender else each for each in scheduler.configuration.extenders)
        changed = evolve(scheduler, configuration=evolve(scheduler.configuration, extenders=others))
        if _stopped(changed, name, willing)[0]:
            mend.append(
                f"ignorable: true does not help in {scheduler.release}: a binder that fails stops the pod still."
            )
        else:
            mend.append("ignorable: true lets the pods through, without the extender's word.")
    if not extender.resources:
        mend.append("With managedResources only those pods wait that need the extender.")
    what = f"If {name} does not answer, {_pods(extender, 'every')} stays pending.{slow}"
    yield hazard(scheduler, "dead-extender", name, what, " ".join(mend), run)


def _stopped(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> tuple[bool, tuple[str, ...]]:
    """Whether a dead extender stops its pods, and the run."""
    paths = {"Filter": extender.filter_verb, "Prioritize": extender.prioritize_verb, "Bind": extender.bind_verb}

    def dead(call: Call) -> Any:
        if isinstance(call, ExtenderCall) and call.extender == name and paths[call.verb]:
            return ExtenderAnswer(error=_no_answer(extender, paths[call.verb]))
        return None

    ended = driver(scheduler, pod_named("p"), dead, extender).go().run()
    if scheduler.how_whole == "search":
        # The run ends with the search. Before 1.30 `extendersBinding` passes over no binder that fails.
        return bool(ended.failure or extender.bind_verb), ended.lines if extender.filter_verb else ()
    return bool(ended.failure), ended.lines


def _no_answer(extender: ExtenderGiven, verb: str) -> str:
    """As Go's HTTP client says that it has given up."""
    return f'Post "{extender.url.rstrip("/")}/{verb}": {TOO_LATE}'


# --- evicted for nothing ----------------------------------------------------------------------------------------------


def asks_extenders_in_preemption(release: Release) -> bool:
    """Whether preemption asks extenders at all: see PREEMPT-EXT-NOT-CALLED."""
    return rules_for(ExtenderPreemptionRules, release).asks_extenders_to_preempt()


def _refuses_after_preemption(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> Iterator[Hazard]:
    if not scheduler.preempts or not extender.filter_verb:
        return
    if not extender.preempt_verb:
        what = (
            f"Preemption does not ask {name}, which has no preemptVerb: pods are evicted from a node for "
            f"{_pods(extender, 'a')}, and then the extender may refuse the node. The pod stays pending, and the next "
            "try may evict more."
        )
        mend = "Give the extender a preemptVerb that takes away the nodes which it would refuse."
    elif not asks_extenders_in_preemption(scheduler.release):
        what = (
            f"{scheduler.release} does not ask {name} when it preempts, although the extender has a preemptVerb "
            "(PREEMPT-EXT-NOT-CALLED): pods are evicted from a node that the extender may refuse."
        )
        mend = "Upgrade to 1.20.10, 1.21.4 or later: 1.19 has no cure."
    else:
        return
    run = _evicted_for_nothing(scheduler, name, extender)
    yield hazard(scheduler, "refused-after-preemption", name, what, mend, run)


def _evicted_for_nothing(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> tuple[str, ...]:
    """One cycle that preempts on n1, and the next, in which the extender refuses n1."""
    looks_at_room = scheduler.room_plugin
    if scheduler.how_whole == "search" or not looks_at_room:
        return ()

    def preempts(call: Call) -> Any:
        mine = isinstance(call, PluginCall) and call.point == "PostFilter" and call.plugin == "DefaultPreemption"
        return PluginAnswer(nominated="n1") if mine else None

    def refuses(call: Call) -> Any:
        match call:
            case ExtenderCall(verb="Filter") if call.extender == name:
                return ExtenderAnswer(refused=tuple((node, "the extender refuses") for node in call.nodes))
            case PluginCall(point="Filter", node="n2") if call.plugin == looks_at_room:
                return NO_ROOM
            case PluginCall(point="PostFilter"):
                return PluginAnswer(Status(Code.UNSCHEDULABLE, ("no more victims",)))
        return None

    first = driver(scheduler, pod_named("p"), no_room(looks_at_room, preempts), extender).go().run()
    second = driver(scheduler, pod_named("p", "n1"), refuses, extender).go().run()
    between = "the victims on n1 are gone; the second try"
    return "the first try", *first.lines, between, *second.lines


# --- bound, and not heard of ------------------------------------------------------------------------------------------


def _late_binder(scheduler: Scheduler, name: str, extender: ExtenderGiven) -> Iterator[Hazard]:
    if not extender.bind_verb:
        return
    seconds, by = timeout_of(extender)
    after = "after its timeout" if seconds is None else f"after {span_text(seconds)} ({by})"
    what = (
        f"If {name} binds a pod and answers only {after}, the scheduler takes the binding for failed: it gives back "
        "the room that the pod now uses, and tries the pod again until its informer has heard of the binding. What the "
        "extender took on the node stays taken."
    )
    mend = "Give the binder a longer httpTimeout: Bind has its own goroutine, and no other pod waits for it."
    run: tuple[str, ...] = ()
    if scheduler.how_whole != "search":
        late = ExtenderAnswer(error=_no_answer(extender, extender.bind_verb))

        def too_late(call: Call) -> Any:
            mine = isinstance(call, ExtenderCall) and call.extender == name and call.verb == "Bind"
            return late if mine else None

        run = driver(scheduler, pod_named("p"), too_late, extender).go().run().lines
    yield hazard(scheduler, "late-binder", name, what, mend, run)
