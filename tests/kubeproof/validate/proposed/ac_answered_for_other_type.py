"""API-ANSWERED-IN-FLIGHT, the condition of #135180 turned round.

Wrong: now a Binding behind a PATCH answers it early.
"""

CURES = "API-ANSWERED-IN-FLIGHT"


def answers_call_in_flight(same_type: bool) -> bool:
    return not same_type
