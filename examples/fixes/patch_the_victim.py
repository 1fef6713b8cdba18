"""The upstream fix of PREEMPT-QOS-PATCH: the condition is put into the victim's own status.

Pull request #126644, in 1.28 #126695. The built-in rule is the same: `--rule status_of_victim=from_victim`. Try it:

    kubeproof validate examples/fixes/patch_the_victim.py --release 1.28.4 --engine explicit
"""

from model.scheduler.preemption.writes import DISRUPTION_TARGET, PodStatus, with_condition

CURES = "PREEMPT-QOS-PATCH"


def status_of_victim(victim: PodStatus, preemptor: PodStatus) -> PodStatus | None:
    return with_condition(victim, DISRUPTION_TARGET)
