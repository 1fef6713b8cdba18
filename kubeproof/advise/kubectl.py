"""Objects as kubectl prints them, for every command that reads lists of them. Raises InputError, one line."""

from collections.abc import Iterator, Sequence
from typing import Any

from attrs import field, frozen

from kubeproof.advise.pod_events.fields import Fields, Moment
from kubeproof.advise.pod_events.requests import amounts
from kubeproof.errors import InputError
from kubeproof.input.documents import kind_text, value_text

# The effects of taints that keep pods off a node. PreferNoSchedule does not.
TAINTS = ("NoSchedule", "NoExecute")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
# The volumes over which plugins decide: claims, and disks that one node alone may write.
VOLUMES = (
    "persistentVolumeClaim", "ephemeral", "gcePersistentDisk", "awsElasticBlockStore", "rbd", "iscsi", "azureDisk",
    "cinder", "csi",
)  # fmt: skip


@frozen
class Listed:
    """The objects of some kinds in what kubectl printed: of a List, a list of one kind, or one object."""

    # Each with its kind.
    objects: tuple[tuple[str, Fields], ...]
    # The kinds of these, and that of a list of one kind, which may be empty.
    kinds: frozenset[str]
    # How many objects of other kinds there were.
    passed_over: int = 0
    # Of a list of one kind its apiVersion, which the API server leaves out of the items.
    api_version: str = ""
    # Whether it is a list: one object alone says nothing of the others.
    whole: bool = True


def listed_objects(document: Any, name: str, kinds: Sequence[str], command: str) -> Listed:
    """The objects of these kinds in a parsed document. Errors begin with `name` and show the `command`."""
    if not isinstance(document, dict):
        found = kind_text(document)
        raise InputError(f"{name}: top level: expected a List as kubectl prints it, found {found}: {command}")
    top, kind = Fields(document, name, ""), document.get("kind")
    if isinstance(kind, str) and kind in kinds:
        return Listed(((kind, top),), frozenset([kind]), whole=False)
    lists = ("List", *(f"{each}List" for each in kinds))
    if kind not in lists:
        expected = f"{', '.join(lists[:-1])} or {lists[-1]}"
        raise InputError(f"{name}: kind: expected {expected}, found {value_text(kind)}: {command}")
    own = kind.removesuffix("List")
    if not own and document.get("items") is None:
        raise InputError(f"{name}: items: expected a list, found nothing")
    objects: list[tuple[str, Fields]] = []
    others: list[tuple[str, Fields]] = []
    for item in top.maps("items"):
        # The API server leaves the kind out of the items of a PodList; kubectl's List always has it.
        is_a = item.text("kind") or own
        (objects if is_a in kinds else others).append((is_a, item))
    if others and not objects:
        is_a, item = others[0]
        expected = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        raise InputError(f"{name}: {item.place}.kind: expected {expected}, found {value_text(is_a)}")
    every = {own, *(is_a for is_a, _ in objects)} - {""}
    return Listed(tuple(objects), frozenset(every), len(others), top.text("apiVersion") if own else "")


@frozen
class Node:
    """A node of a real cluster."""

    name: str
    created: Moment | None = None
    unschedulable: bool = False
    # Each resource and its amount, in the scheduler's units.
    allocatable: tuple[tuple[str, int], ...] = ()
    # Key, value and effect of the taints that keep pods off.
    taints: tuple[tuple[str, str, str], ...] = ()
    labels: dict[str, str] = field(factory=dict, eq=False)


def read_node(item: Fields) -> Node:
    metadata, spec = item.map("metadata"), item.map("spec")
    taints = ((each.text("key"), each.text("value"), each.text("effect")) for each in spec.maps("taints"))
    return Node(
        name=metadata.name("name"),
        created=metadata.moment("creationTimestamp"),
        unschedulable=spec.flag("unschedulable"),
        allocatable=tuple(sorted(amounts(item.map("status"), "allocatable").items())),
        taints=tuple(taint for taint in taints if taint[2] in TAINTS),
        labels=metadata.texts("labels"),
    )


def resource_version(metadata: Fields) -> int:
    """metadata.resourceVersion, if it is a number, else 0."""
    written = metadata.text("resourceVersion")
    return int(written) if written.isascii() and written.isdecimal() and len(written) < 40 else 0


def tolerations(spec: Fields) -> tuple[tuple[str, str, str, str], ...]:
    """Key, operator, value and effect of each toleration of a pod."""
    return tuple(
        (each.text("key"), each.text("operator"), str(each.value.get("value") or ""), each.text("effect"))
        for each in spec.maps("tolerations")
    )


def constraints(spec: Fields) -> Iterator[str]:
    """What decides of a pod's nodes beside resources, taints, labels of nodes and host ports, in words."""
    affinity = spec.map("affinity")
    if affinity.map("podAffinity").value.get(REQUIRED):
        yield "its pod affinity"
    if affinity.map("podAntiAffinity").value.get(REQUIRED):
        yield "its pod anti-affinity"
    if any(each.text("whenUnsatisfiable") != "ScheduleAnyway" for each in spec.maps("topologySpreadConstraints")):
        yield "its topology spread constraints"
    if any(kind in volume.value for volume in spec.maps("volumes") for kind in VOLUMES):
        yield "its volumes"
    if spec.value.get("resourceClaims"):
        yield "its resource claims"
