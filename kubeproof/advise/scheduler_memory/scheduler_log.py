"""Reads the scheduler's log, in klog's text or in JSON, for the lines that tell of the list. Raises InputError only.

Go: `clusterEventsForPod` and its forerunners in the scheduling queue log the sizes at -v=5, from 1.28.2 on. Up to 1.30
a pod that is not in flight is logged there as an error, from 1.31 on the caller logs the error.
"""

import re

from attrs import Factory, define

from kubeproof.advise.log_lines import HEAD, time_of
from kubeproof.advise.scheduler_memory.picture import Log
from kubeproof.bugs.signatures import NOT_IN_FLIGHT, TRACKED_TWICE
from kubeproof.errors import InputError

CHECKING = "Checking events for in-flight pod"

_SIZE = re.compile(r'"?inFlightEventsSize"?[=:] ?(\d{1,12})(?!\d)', re.ASCII)
_PODS = re.compile(r'"?inFlightPodsSize"?[=:] ?(\d{1,12})(?!\d)', re.ASCII)
_TRACKED_POD = re.compile(TRACKED_TWICE + r' in the scheduler: ([^"\\\s]{1,300})')
_POD = re.compile(r'"?\bpod"?[=:] ?(?:"([^"\\]{1,300})"|\{"name":"([^"\\]{1,253})","namespace":"([^"\\]{1,63})")')


@define
class _Found:
    sizes: list[int] = Factory(list)
    pods: list[int] = Factory(list)
    not_found: dict[str, None] = Factory(dict)
    tracked_twice: dict[str, None] = Factory(dict)


def read_log(text: str, name: str) -> Log:
    """What the log in `text` says of the list, in the order of its lines. Errors begin with `name`."""
    found = _Found()
    for number, line in enumerate(text.split("\n"), 1):
        if CHECKING in line:
            size, pods = _SIZE.search(line), _PODS.search(line)
            if size is None or pods is None:
                place = f"{name}: line {number}"
                raise InputError(f"{place}: no inFlightEventsSize: expected whole lines of kube-scheduler's log")
            found.sizes.append(int(size[1]))
            found.pods.append(int(pods[1]))
        elif NOT_IN_FLIGHT in line:
            found.not_found[_pod(line)] = None
        elif TRACKED_TWICE in line:
            named = _TRACKED_POD.search(line)
            found.tracked_twice[named[1] if named else _pod(line)] = None
    begins, lost, twice = time_of(text[:HEAD]), tuple(found.not_found), tuple(found.tracked_twice)
    return Log(name, begins, tuple(found.sizes), tuple(found.pods), lost, twice)


def _pod(line: str) -> str:
    found = _POD.search(line)
    if found is None:
        return "a pod that the line does not name"
    return found[1] or f"{found[3]}/{found[2]}"
