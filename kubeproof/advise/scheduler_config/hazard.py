"""What a hazard is, and what both kinds of hazards, those of extenders and those of plugins, are made of."""

from attrs import frozen

from kubeproof.advise.scheduler_config.runs import Answer, Scheduler
from model.scheduler.framework.calls import Call, PluginAnswer, PluginCall
from model.scheduler.framework.status import Code, Status

NO_ROOM = PluginAnswer(Status(Code.UNSCHEDULABLE, ("no room",)))


@frozen
class Hazard:
    """What may go wrong with a configuration."""

    # Such as `dead-extender`.
    kind: str
    # The extender, plugin or profile that it is about.
    about: str
    profiles: tuple[str, ...]
    # What happens, in a sentence or two.
    what: str
    # What to do about it.
    mend: str
    # The model's calls; empty where the model has no whole cycle of the release.
    run: tuple[str, ...] = ()
    # Whether the release's default configuration has it too.
    default_too: bool = False


def hazard(scheduler: Scheduler, kind: str, about: str, what: str, mend: str, run: tuple[str, ...] = ()) -> Hazard:
    """A hazard of the scheduler's profile."""
    return Hazard(kind, about, (scheduler.profile.name,), what, mend, run)


def no_room(plugin: str, then: Answer) -> Answer:
    """The filter plugin finds no room on any node, until the preemption of 1.17 asks again; `then` says the rest."""
    in_dry_run = False

    def answered(call: Call) -> object:
        nonlocal in_dry_run
        in_dry_run = in_dry_run or getattr(call, "what", "") == "nodes with pods"
        mine = isinstance(call, PluginCall) and call.point == "Filter" and call.plugin == plugin
        return NO_ROOM if mine and not in_dry_run else then(call)

    return answered
