"""Reads the pod that wants CPUs: a number of CPUs, or a manifest of a pod or of what makes pods.

Go: ComputePodQOS in pkg/apis/core/v1/helper/qos/qos.go; the API server's defaults in pkg/apis/core/v1/defaults.go: a
limit without a request is the request.
"""

import os
import re
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from kubeproof.advise.cpu_state.other_files import what_it_is
from kubeproof.advise.pod_events.fields import Fields
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, parse_each
from kubeproof.input.files import read_bytes, shown
from model.cpu.policy.pods import ContainerSpec, PodSpec, quantity

MAX_BYTES = 1 << 20
WHAT = "a pod, a workload with a pod template, or a number of CPUs"
_EXPECTED = Expected("", WHAT, MAX_BYTES, MAX_BYTES)
# More containers than any node has CPUs for.
MAX_CONTAINERS = 256
# More CPUs than Linux can have.
MAX_CPUS = 8192
OF_NUMBER = "container"


@frozen
class AskedPod:
    """The pod, and what the file says of it."""

    # The file and the pod's name, or the number.
    name: str
    spec: PodSpec
    # Why the pod is not Guaranteed, of each container that is to blame: its name, and what is wrong.
    not_guaranteed: tuple[tuple[str, str], ...] = ()


def asked_pod(text: str) -> AskedPod:
    """The pod: one container that asks for a number of CPUs, or the pod in a file; `-` reads standard input.

    Raises InputError.
    """
    if _QUANTITY.fullmatch(text) is None:
        return read_pod(text)
    if len(text) > _LONGEST or not 0 < quantity(text) <= MAX_CPUS:
        raise InputError(f"{text[:_LONGEST]}: not a number of CPUs: expected one from 1 to {MAX_CPUS}")
    name = f"a container of {text} CPU{'' if text == '1' else 's'}"
    return AskedPod(name, PodSpec(OF_NUMBER, app=(ContainerSpec(OF_NUMBER, text),)))


# A number of CPUs as a request has it.
_QUANTITY = re.compile(r"\d+(\.\d+)?m?", re.ASCII)
_LONGEST = 20


def read_pod(path: str | os.PathLike[str]) -> AskedPod:
    """The pod in the file at `path`. Raises InputError."""
    return pod_in(read_bytes(path, MAX_BYTES, WHAT), shown(path))


def pod_in(data: bytes, name: str) -> AskedPod:
    """The pod in `data`. Errors begin with `name`."""
    found = [each for value in parse_each(data, name, _EXPECTED) for each in _pods(value, name)]
    if not found:
        other = what_it_is(data.decode("utf-8", "replace"))
        raise InputError(f"{name}: {f'this is {other}' if other else 'not a pod'}: expected {WHAT}")
    if len(found) > 1:
        raise InputError(f"{name}: {len(found)} pods: expected one")
    return _pod(found[0])


def _pods(value: Any, name: str) -> Iterator[Fields]:
    """Each pod or pod template in a document."""
    if not isinstance(value, dict):
        return
    top = Fields(value, name, "")
    kind = top.text("kind")
    if kind == "Pod":
        yield top
    elif kind in ("List", "PodList"):
        for item in top.maps("items"):
            yield from (item,) if kind == "PodList" or item.text("kind") == "Pod" else ()
    elif kind == "CronJob":
        yield top.map("spec").map("jobTemplate").map("spec").map("template")
    elif kind == "PodTemplate":
        yield top.map("template")
    elif isinstance(value.get("spec"), dict) and isinstance(value["spec"].get("template"), dict):
        yield top.map("spec").map("template")


def _pod(top: Fields) -> AskedPod:
    metadata, spec = top.map("metadata"), top.map("spec")
    app, init = [*spec.maps("containers")], [*spec.maps("initContainers")]
    if not app:
        raise InputError(f"{top.file}: {spec.place}.containers: missing: expected at least one container")
    if len(app) + len(init) > MAX_CONTAINERS:
        raise InputError(
            f"{top.file}: {spec.place}: more than {MAX_CONTAINERS} containers: expected a pod of a cluster"
        )
    judged = [(each.name("name"), _not_guaranteed(each.map("resources"))) for each in (*init, *app)]
    blame = tuple((name, why) for name, why in judged if why is not None)
    own = spec.map("resources")
    name = metadata.text("name") or metadata.text("generateName") or "pod"
    made = PodSpec(
        metadata.text("uid") or name,
        tuple(map(_container, init)),
        tuple(map(_container, app)),
        guaranteed=not blame,
        pod_level=_not_guaranteed(own) is None if own.map("requests").value or own.map("limits").value else None,
    )
    names = [each.name for each in made.containers]
    if len(names) != len(set(names)):
        raise InputError(f"{top.file}: {spec.place}: two containers have one name: expected each name once")
    return AskedPod(f"{name} of {top.file}", made, blame)


def _container(container: Fields) -> ContainerSpec:
    resources = container.map("resources")
    request = _requests(resources).get("cpu", "0")
    return ContainerSpec(container.name("name"), request, container.text("restartPolicy") == "Always")


def _requests(resources: Fields) -> dict[str, str]:
    """The requests, with the API server's defaults. Raises InputError for what is not a quantity."""
    both = {key: resources.texts(key) for key in ("limits", "requests")}
    for key, amounts in both.items():
        for name in ("cpu", "memory"):
            try:
                quantity(amounts.get(name, "0"))
            except ValueError:
                raise resources.map(key).refuse(name, "a quantity such as 500m or 1Gi", amounts[name]) from None
    return both["limits"] | both["requests"]


def _not_guaranteed(resources: Fields) -> str | None:
    """Why resources do not make a pod Guaranteed, or None."""
    requests, limits = _requests(resources), resources.texts("limits")
    for name in ("cpu", "memory"):
        if quantity(limits.get(name, "0")) <= 0:
            return f"no {name} limit"
        if quantity(requests[name]) != quantity(limits[name]):
            return f"a {name} request of {requests[name]} and a limit of {limits[name]}"
    return None
