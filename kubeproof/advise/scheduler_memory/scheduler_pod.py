"""Reads the pod of a scheduler, as kubectl prints it. Raises InputError only."""

from collections.abc import Iterator
from itertools import pairwise
from math import ceil

from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.pod_events.quantity import QuantityError, parse_quantity
from kubeproof.advise.scheduler_memory.picture import SchedulerPod
from kubeproof.advise.scheduler_memory.question import gate_in, version_in_image
from kubeproof.errors import InputError
from kubeproof.input.documents import value_text

COMMAND = "kubectl -n kube-system get pod -l component=kube-scheduler -o json"
FLAG = "--feature-gates"


def read_pod(item: Fields) -> SchedulerPod | None:
    """The pod, if one of its containers runs kube-scheduler."""
    metadata, spec, status = item.map("metadata"), item.map("spec"), item.map("status")
    container = next((each for each in spec.maps("containers") if is_scheduler(each)), None)
    if container is None:
        return None
    restarts, killed = 0, ""
    for each in status.maps("containerStatuses"):
        if each.text("name") != container.text("name"):
            continue
        restarts = each.number("restartCount")
        for state in ("state", "lastState"):
            ended = each.map(state).map("terminated")
            if ended.text("reason") == "OOMKilled":
                killed = str(ended.moment("finishedAt") or "at a time that the pod does not say")
    gate = None
    for word, following in words_of_flags(container):
        if word == FLAG or word.startswith(f"{FLAG}="):
            value = following if word == FLAG else word.partition("=")[2]
            gate = gate_in(value, f"{item.file}: {container.place}: {FLAG}")
    return SchedulerPod(
        file=item.file,
        name=f"{metadata.text('namespace') or 'default'}/{metadata.name('name')}",
        version=version_in_image(container.text("image")),
        gate=gate,
        limit=_limit(container),
        restarts=restarts,
        oom_killed=killed,
    )


def is_scheduler(container: Fields) -> bool:
    words = _command_line(container)
    image = container.text("image").partition("@")[0].rpartition("/")[2].partition(":")[0]
    return image.startswith("kube-scheduler") or any(
        word.rpartition("/")[2] == "kube-scheduler" for text in words[:3] for word in text.split()[:3]
    )


def _command_line(container: Fields) -> list[str]:
    """The words of `command` and `args`. A pod may have neither: then the image's entrypoint runs."""
    words: list[str] = []
    for key in ("command", "args"):
        found = container.value.get(key)
        if found is None:
            continue
        if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
            raise container.refuse(key, "a list of strings", found)
        words += found
    return words


def words_of_flags(container: Fields) -> Iterator[tuple[str, str]]:
    """Each word of the command line with the word after it, or "". Flags may also stand in one word of a shell."""
    return pairwise([*(part for text in _command_line(container) for part in text.split()), ""])


def _limit(container: Fields) -> int | None:
    limits = container.map("resources").map("limits")
    found = limits.value.get("memory")
    if found is None:
        return None
    try:
        size = parse_quantity(found) if isinstance(found, str) else None
    except QuantityError:
        size = None
    if size is None or not 0 < size < 1 << 60:
        raise InputError(f"{limits.file}: {limits.place}.memory: expected such as 2Gi, found {value_text(found)}")
    return ceil(size)
