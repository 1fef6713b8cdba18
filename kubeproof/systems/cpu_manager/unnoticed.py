"""Fields of the state of cpu-manager in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

_BOOKS = "the books of the model: it bounds what the environment may do, and Kubernetes has no such field"
_LAST_ADMITTED = "a part of what the manager remembers of the last admitted pod, of which only the name is asked"

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "CPUManagerSystem.used": _BOOKS,
    "Used.crashes": _BOOKS,
    "ContainerSpec.cpu": _LAST_ADMITTED,
    "ContainerSpec.name": _LAST_ADMITTED,
    "ContainerSpec.restartable": _LAST_ADMITTED,
    "Kubelet.error": "a text for people: nothing depends on it",
    "Manager.last_update_state": "what a container was told last: shared-off-exclusive notices who is told no more",
    "PodSpec.app": _LAST_ADMITTED,
    "PodSpec.init": _LAST_ADMITTED,
    "Used.exits": _BOOKS,
    "Used.restarts": _BOOKS,
}
