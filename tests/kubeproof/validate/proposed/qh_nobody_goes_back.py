"""QH-RECREATE-LEAK: the failure handler puts no pod back. Wrong: the queue forgets each pod that fails."""

CURES = "QH-RECREATE-LEAK"


def goes_back(uid: str, listed: str) -> bool:
    return False
