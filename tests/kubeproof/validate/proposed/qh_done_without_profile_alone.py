"""QH-DONE-SKIP: Done where no profile has the pod's scheduler name.

Wrong: a pod that is skipped still stays in flight.
"""

CURES = "QH-DONE-SKIP"


def done_without_profile() -> bool:
    return True
