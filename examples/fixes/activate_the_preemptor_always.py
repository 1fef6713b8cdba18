"""A fix of ASYNC-PREEMPT-STUCK: a preemption that has ended activates the preemptor, whatever became of the victims.

Up to 1.36 the goroutine activates the pod only if a request failed, in 1.34.0 and 1.34.1 also if all victims were gone.
Upstream has this as #142294, open; #139127 and #140148 were closed. Try it:

    kubeproof validate examples/fixes/activate_the_preemptor_always.py --release 1.36.2 --engine explicit
"""

CURES = "ASYNC-PREEMPT-STUCK"


def activates_preemptor(failed: bool, all_gone: bool) -> bool:
    """executor.go prepareCandidateAsync: `Activate` without `if result == metrics.GoroutineResultError`."""
    return True
