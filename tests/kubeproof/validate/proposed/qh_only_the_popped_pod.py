"""QH-RECREATE-LEAK: a pod that was created again meanwhile does not go back (#138324). Right."""

CURES = "QH-RECREATE-LEAK"


def goes_back(uid: str, listed: str) -> bool:
    return uid == listed
