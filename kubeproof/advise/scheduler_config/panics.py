"""Which pods end the scheduler's process with this configuration.

Go: `RunScorePlugins` in pkg/scheduler/framework/runtime/framework.go; see SCORE-SKIP-PANIC.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from kubeproof.advise.cpu_state.wording import listed
from kubeproof.advise.scheduler_config.hazard import Hazard, hazard
from kubeproof.advise.scheduler_config.runs import Run, Scheduler, driver, pod_named
from model.scheduler.framework.calls import Call, PluginAnswer, PluginCall
from model.scheduler.framework.status import Code, Status

_PLAIN = "a pod without affinity and spread constraints"
_BARE = f"{_PLAIN} that no Service, ReplicaSet or StatefulSet selects, such as a bare pod or one of a Job,"


def panics(scheduler: Scheduler) -> Iterator[Hazard]:
    """More plugins say Skip at PreScore than there are Score plugins."""
    if scheduler.how_whole == "search":
        return
    profile = scheduler.profile
    unknown = [name for name in profile.at("preScore") if name in profile.unknown]
    says = f" If {listed(unknown)} {'says' if len(unknown) == 1 else 'say'} Skip too,"
    # The first case is that of the most pods: PodTopologySpread has default constraints for those that something
    # selects. What a plugin says that is not in the tree nobody knows.
    for who, scores, skip, lead in (
        (_PLAIN, ("PodTopologySpread",), (), ""),
        (_BARE, (), (), ""),
        (_PLAIN, (), unknown, says),
    ):
        run = _run(scheduler, scores, skip)
        if run.panic:
            what = (
                f"{lead or ' As soon as two nodes are feasible,'} {who} ends the process, and again after each start "
                f"while the pod waits (SCORE-SKIP-PANIC): more plugins say Skip at PreScore than there are Score "
                f"plugins ({len(profile.at('score'))}), and Go panics: {run.panic}."
            ).lstrip()
            mend = (
                "Upgrade to 1.27.9, 1.28.5, 1.29.0 or later. Until then disable at preScore the plugins that are "
                "disabled at score."
            )
            yield hazard(scheduler, "panic", profile.name, what, mend, run.lines)
            return


def _run(scheduler: Scheduler, score: Sequence[str], skip: Sequence[str]) -> Run:
    """A cycle of a plain pod for which the plugins `score` have something to score, and the plugins `skip` nothing."""

    def answer(call: Call) -> Any:
        if not isinstance(call, PluginCall) or call.point != "PreScore" or call.plugin not in (*score, *skip):
            return None
        return PluginAnswer(Status(Code.SKIP) if call.plugin in skip else Status())

    return driver(scheduler, pod_named("p"), answer, plain=True).go().run()
