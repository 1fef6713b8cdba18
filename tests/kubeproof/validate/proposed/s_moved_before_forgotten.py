"""QUEUE-FORGET-NO-EVENT: after a failed binding pods move, then the pod is forgotten.

Wrong: they find no room yet.
"""

CURES = "QUEUE-FORGET-NO-EVENT"


def after_bind_error() -> tuple[str, ...]:
    return ("move_after_forget", "forget_pod")
