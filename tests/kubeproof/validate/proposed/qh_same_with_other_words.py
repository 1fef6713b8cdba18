"""The namesake goes back, as in the release, said with a comparison of the UIDs. It changes nothing."""


def goes_back(uid: str, listed: str) -> bool:
    return uid == listed or uid != listed
