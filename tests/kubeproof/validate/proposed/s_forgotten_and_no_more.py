"""QUEUE-FORGET-NO-EVENT: the pod is forgotten, as it is already. Wrong: it changes nothing, and claims a cure."""

CURES = "QUEUE-FORGET-NO-EVENT"


def after_bind_error() -> tuple[str, ...]:
    return ("forget_pod",)
