"""A fix of API-ANSWERED-IN-FLIGHT: a call in flight answers itself, whatever comes behind it.

#135180 has done so for a newer call of another type. Try it:

    kubeproof validate examples/fixes/answer_when_done.py --release 1.36.2 --engine explicit
"""

CURES = "API-ANSWERED-IN-FLIGHT"


def answers_call_in_flight(same_type: bool) -> bool:
    """call_queue.go merge: for the same type too, `sendOnFinish` only if the older call is not in flight."""
    return False
