"""Which verdict the growth, the list and what was seen at work give, and which bugs fit. Pure."""

from math import inf
from typing import Literal

from attrs import frozen

from kubeproof.advise.cpu_state.wording import listed
from kubeproof.advise.scheduler_memory.bugs import HintsBug, of_release
from kubeproof.advise.scheduler_memory.figures import SHOWN_AS
from kubeproof.advise.scheduler_memory.growth import Growth
from kubeproof.advise.scheduler_memory.in_flight import InFlight
from kubeproof.advise.scheduler_memory.picture import Picture
from kubeproof.advise.scheduler_memory.question import MemoryQuestion

# `fits`: a modelled bug fits; `steady`: nothing grows; `unexplained`: it grows, or may grow, and the files do not tell.
Verdict = Literal["fits", "steady", "unexplained"]


@frozen
class AtWork:
    """A bug that was seen at work, as far as the release has it."""

    bug: str
    # What was seen.
    what: str
    # Namespace/name, each once.
    pods: tuple[str, ...]


@frozen
class Judgement:
    """The verdict, why, and the bugs that fit."""

    verdict: Verdict
    why: str
    bugs: tuple[HintsBug, ...] = ()


def seen_at_work(asked: MemoryQuestion, picture: Picture) -> tuple[AtWork, ...]:
    """What the events and the log show of the bugs that the release has with the gate on."""
    own = {bug.id for bug in of_release(asked.release)} if asked.release is not None and asked.has_list else set()
    skipped = dict.fromkeys(each.pod for each in picture.skipped)
    not_found = dict.fromkeys(pod for log in picture.logs for pod in log.not_found)
    seen = (
        AtWork("QH-DONE-SKIP", "skipped while being deleted, and never done", tuple(skipped)),
        AtWork("QH-DUP-ELEMENT", "not in flight when it came back from an attempt", tuple(not_found)),
    )
    return tuple(each for each in seen if each.pods and each.bug in own)


def judged(
    asked: MemoryQuestion, growth: Growth | None, in_flight: InFlight, picture: Picture, at_work: tuple[AtWork, ...]
) -> Judgement:
    """What all that is known says together. `at_work`: what `seen_at_work` found."""
    own = of_release(asked.release) if asked.release is not None and asked.has_list else ()
    long = in_flight.grows or in_flight.estimated_long or in_flight.many_without_cycle
    if growth is not None and not growth.memory_grows and not long:
        though = f", though {'; '.join(map(_named, at_work))}" if at_work else ""
        return Judgement("steady", f"neither resident memory nor the Go heap grows by more than noise{though}")
    if at_work:
        seen = [each.bug for each in at_work]
        ordered = tuple(sorted(own, key=lambda bug: bug.id not in seen))
        grows = in_flight.grows or (growth is not None and growth.memory_grows and growth.heap_grows)
        return Judgement("fits", _named(at_work[0]), ordered if grows else ordered[: len(seen)])
    if in_flight.without_cycle and (in_flight.grows or in_flight.many_without_cycle):
        left = f"{in_flight.without_cycle} pods or more of the list belong to no running cycle"
        if any(bug.leaks for bug in own):
            return Judgement("fits", left, own)
        return Judgement("unexplained", f"{left}, which no modelled bug of the release leaves, or updates were lost")
    if in_flight.grows or in_flight.estimated_long:
        if own:
            return Judgement("fits", _length(in_flight), own)
        return Judgement("unexplained", f"{_length(in_flight)}; which bugs leave it long depends on the release")
    if growth is None:
        return Judgement("unexplained", _no_growth(picture, in_flight))
    return _by_growth(asked, growth, in_flight, own)


def _named(seen: AtWork) -> str:
    """What was seen at work, in a sentence."""
    many = " was" if len(seen.pods) == 1 else f" and {len(seen.pods) - 1} more were"
    return f"{seen.pods[0]}{many} {seen.what}"


def _length(in_flight: InFlight) -> str:
    """How long a list is that is seen or estimated, and whether the list gets longer."""
    first, last = in_flight.lengths[0], in_flight.lengths[-1]
    about = f" (± {in_flight.error:.0%})" if in_flight.error is not None else ""
    if in_flight.grows:
        return f"the list of pods in flight and events gets longer, from {first} to {last} elements{about}"
    if in_flight.how == "estimated":
        return f"the list has about {last} elements{about} by the heap profile"
    if in_flight.grows is False:
        return f"the list does not get longer by more than noise: {first} elements, then {last}"
    if len(in_flight.lengths) > 1:
        return f"whether the list gets longer is not known: {in_flight.caution}"
    return f"the list is seen once only, with {last} elements"


def _no_growth(picture: Picture, in_flight: InFlight) -> str:
    """Why no growth is known."""
    if in_flight.grows is False:
        return f"{_length(in_flight)}, and no two dumps of a process tell of its memory"
    few = "one dump of a process tells no growth" if picture.dumps else "no dump of /metrics is given"
    killed = any(pod.oom_killed for pod in picture.pods)
    return f"{few}, though the pod was killed for its memory" if killed else few


def _by_growth(asked: MemoryQuestion, growth: Growth, in_flight: InFlight, own: tuple[HintsBug, ...]) -> Judgement:
    """The verdict where the memory grows, and nothing shows a list that gets longer."""
    if not growth.heap_grows:
        runtime = "look at the runtime or at transparent huge pages"
        return Judgement("unexplained", f"the Go heap does not grow with it: {runtime}")
    if in_flight.how == "there is none":
        absent = "the gate SchedulerQueueingHints is off" if asked.gate.by else "the release has no queueing hints"
        return Judgement("unexplained", f"{absent}, so that no event is kept for pods in flight")
    if in_flight.how == "seen":
        return Judgement("unexplained", _length(in_flight))
    if in_flight.how == "estimated":
        if in_flight.lengths[-1]:
            return Judgement("unexplained", f"{_length(in_flight)}, too few samples to call the list long")
        return Judgement("unexplained", "the heap profile shows no long list")
    if not growth.run.dumps[-1].figures.get("attempts"):
        idle = "this process has scheduled no pod, perhaps since it does not lead"
        return Judgement("unexplained", f"{idle}: its list is empty")
    others = growth.explained_by()
    if others:
        names = listed([SHOWN_AS[name] for name in others])
        return Judgement("unexplained", f"{names} may explain it, and these files do not show the list")
    if not own:
        return Judgement("unexplained", "whether this scheduler keeps events for pods in flight is not known")
    if in_flight.how == "not in these files":
        missing = "scheduler_inflight_events, which this release has, is not in these files"
        return Judgement("unexplained", missing)
    return Judgement("fits", f"the Go heap grows, and nothing that the dumps show grows as much{_less(growth)}", own)


def _less(growth: Growth) -> str:
    """What grows less than the heap, with the parts by which both grow; or ""."""
    less = [f"{SHOWN_AS[name]} by {growth.changes[name].part:.0%}" for name in growth.grows_less()]
    heap = growth.changes["heap"].part
    return f" ({listed(less)}, the heap {f'by {heap:.0%}' if heap < inf else 'from 0'})" if less else ""
