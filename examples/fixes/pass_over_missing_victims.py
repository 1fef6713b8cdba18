"""A fix of PREEMPT-VICTIM-GONE: a victim that the API server no longer has is no error.

Upstream has half of this from 1.32 on (#128170): of the DELETE, and not of the patch that comes before. 1.34.1 has
both. Try it:

    kubeproof validate examples/fixes/pass_over_missing_victims.py --release 1.31.13 --engine explicit
"""

CURES = "PREEMPT-VICTIM-GONE"


def missing_victim_is_an_error() -> bool:
    """preemption.go prepareCandidate: `apierrors.IsNotFound(err)` of the patch and of the DELETE."""
    return False
