"""A fix of API-CLEAR-LEAVES-MEMORY: a preemption that takes a nomination away ends the nomination in memory too.

Where the PATCH that nominates has not been made, `Merge` drops the nomination, and no update tells of the end. Try it:

    kubeproof validate examples/fixes/forget_the_cleared_nomination.py --release 1.36.2 --engine explicit
"""

CURES = "API-CLEAR-LEAVES-MEMORY"


def clears_nomination_in_memory() -> bool:
    """executor.go clearNominatedNodeName: `DeleteNominatedPodIfExists` beside `PatchPodStatus`."""
    return True
