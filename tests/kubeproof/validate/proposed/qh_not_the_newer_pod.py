"""QH-RECREATE-LEAK: the listed pod goes back unless its UID is the larger one.

Wrong: UIDs are drawn, and have no order.
"""

CURES = "QH-RECREATE-LEAK"


def goes_back(uid: str, listed: str) -> bool:
    return listed <= uid
