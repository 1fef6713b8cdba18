"""The properties in Go: what a test asks of Go's own values when it plays a kept run.

A file beside this one has one property of one system: cpu_manager/shared_off_exclusive.go has sharedOffExclusive. It is
compiled together with the driver that plays the run, which says what a state is.
"""

import re
from importlib.resources import files
from pathlib import PurePath

# The function of a form.
_DECLARED = re.compile(r"^func (\w+)\(before observed, action observedAction, after observed\) string", re.M)

# Why a property that a kept run violates has no form, by system and property.
_TIME = "it speaks of time, and the driver has no clock"
_LIVENESS = "it speaks of all that may still come, and a test plays one run"
_PLUGINS = "the driver does not see which plugin holds what, beyond one plugin at Reserve"
WHY_NO_FORM = {
    ("scheduling", "leaves-backoff-queue-in-time"): _TIME,
    ("scheduling", "fitting-pod-is-bound"): _LIVENESS,
    ("scheduling", "preemptor-is-bound"): _LIVENESS,
    (
        "scheduling",
        "rejected-by-last-attempt",
    ): "the driver does not see which plugins rejected a pod in its last attempt",
    ("scheduling-cycle", "wait-at-permit-ends"): _LIVENESS,
    ("scheduling-cycle", "reservation-has-an-owner"): _PLUGINS,
    ("scheduling-cycle", "given-back-in-reverse"): _PLUGINS,
    (
        "scheduling-cycle",
        "assumed-volumes-have-an-owner",
    ): "the driver's volumes are bound or not, and nobody holds them",
    (
        "scheduling-cycle",
        "assumed-pod-has-an-owner",
    ): "the driver does not see whether a goroutine will still forget its pod",
    (
        "scheduling-cycle",
        "no-event-lost",
    ): "which events may help a pod is said by plugins that the driver does not have",
    ("scheduling-cycle", "no-error-hides-a-node"): "the driver has no plugin at PreFilter that names nodes",
    (
        "scheduling-cycle",
        "cycle-state-is-of-one-cycle",
    ): "one PluginContext for all cycles went with 1.15, and the driver begins with 1.16",
    (
        "scheduling-cycle",
        "interested-extender-is-asked-to-bind",
    ): "all extenders of the driver are interested in each pod",
    ("scheduling-cycle", "node-is-examined-in-turn"): "Go searches all nodes if there are fewer than 100",
    ("scheduling-cycle", "search-asks-each-node-once"): "the driver does not see which nodes a search asks",
    ("queueing-hints", "active-pod-is-popped"): _LIVENESS,
    ("queueing-hints", "one-done-for-each-pop"): "the driver does not see which Pop a Done ends",
    ("queueing-hints", "pending-pod-not-forgotten"): "its run stops inside the operations of the queue",
}


def go_name(form: str) -> str:
    """The function of the property that `form`, a Go file, has. Forms of one package have functions of other names.

    >>> go_name(go_form("queueing-hints", "no-event-lost") or "")
    'hintsNoEventLost'
    """
    found = _DECLARED.search(form)
    if found is None:
        raise ValueError("not the Go file of a property: expected a function of what was before, the action, and after")
    return found.group(1)


def go_form(system: str, property: str) -> str | None:
    """The Go file with the property, or None if the property has no form in Go."""
    file = files(__name__) / system.replace("-", "_") / f"{property.replace('-', '_')}.go"
    return file.read_text("utf-8") if file.is_file() else None


def with_go_form(system: str) -> frozenset[str]:
    """The names of the properties that have a form in Go."""
    folder = files(__name__) / system.replace("-", "_")
    found = (PurePath(each.name) for each in folder.iterdir()) if folder.is_dir() else ()
    return frozenset(each.stem.replace("_", "-") for each in found if each.suffix == ".go")
