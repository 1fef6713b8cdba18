"""Fields of the state of api-calls in which no property notices a wrong value in a step, and why none has to."""

from collections.abc import Mapping

_COUNTS = "counts how often something happened, and bounds the runs with it"
_LATER = "decides in a later step what the API server is asked for"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "ApiCalling.attempts": _COUNTS,
    "ApiCalling.refusals": _COUNTS,
    "CallQueue.calls_queue": "no rule decides it; the tests hold that every call comes to its end",
    "LatePatch.status": _LATER,
    "PodBindingCall.node": _LATER,
    "PodStatusPatchCall.pod_status": _LATER,
}
