"""PERMIT-DELETED-EARLY: the lister is asked by name.

Wrong where a deleted pod is created again: the namesake is there.
"""

from model.objects import Pod

CURES = "PERMIT-DELETED-EARLY"


def rejects_gone_pod(pod: Pod, listed: Pod | None) -> bool:
    return listed is None
