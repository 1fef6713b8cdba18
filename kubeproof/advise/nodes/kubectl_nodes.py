"""The nodes of a cluster from `kubectl get nodes -o json` or `-o yaml`, in the order in which they joined."""

import os
import re
from collections import Counter
from datetime import datetime
from typing import Any

from attrs import field, frozen

from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, kind_text, load, value_text
from kubeproof.input.files import shown
from model.scheduler.cache.node_tree import ZONE_LABELS


@frozen
class ClusterNode:
    """A node of a real cluster."""

    name: str
    # The labels that may decide the node's zone (`ZONE_LABELS` of `model.scheduler.cache.node_tree`).
    labels: dict[str, str] = field(factory=dict)


@frozen
class ClusterNodes:
    """The nodes of a real cluster."""

    # In the order of joining.
    nodes: tuple[ClusterNode, ...] = ()
    # What the order rests on where creationTimestamp does not decide it.
    notes: tuple[str, ...] = ()


_NAME = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)
_LISTS = ("List", "NodeList")
EXPECTED = Expected("kubectl get nodes -o json or -o yaml", "the nodes of one cluster")


def read_nodes(path: str | os.PathLike[str]) -> ClusterNodes:
    """The nodes in the file at `path`; `-` is standard input. Raises InputError, one line."""
    return nodes_from(load(path, EXPECTED), shown(path))


def nodes_from(document: Any, name: str) -> ClusterNodes:
    """The nodes in a parsed List, NodeList or single Node. Raises InputError."""
    if not isinstance(document, dict):
        raise InputError(
            f"{name}: top level: expected a List or a Node as kubectl prints it, found {kind_text(document)}"
        )
    if "kind" not in document:
        raise InputError(f"{name}: kind: missing: expected List or Node, in the whole output of kubectl get nodes")
    kind = document["kind"]
    if kind == "Node":
        return _in_joining_order([_node(document, name, "")], name)
    if kind not in _LISTS:
        raise InputError(f"{name}: kind: expected List or Node, found {value_text(kind)}")
    items = document.get("items")
    if items is None and kind == "NodeList":  # Go writes an empty list so
        items = []
    if not isinstance(items, list):
        raise InputError(f"{name}: items: expected a list of nodes, found {kind_text(items)}")
    return _in_joining_order([_node(item, name, f"items[{i}].", kind) for i, item in enumerate(items)], name)


def _node(item: Any, name: str, place: str, list_kind: str = "List") -> tuple[ClusterNode, datetime | None, str]:
    """The node, when it was created, and the place of its metadata."""
    if not isinstance(item, dict):
        raise InputError(f"{name}: {place.rstrip('.')}: expected a Node, found {kind_text(item)}")
    # The API server leaves the kind out of the items of a NodeList; kubectl's List always has it.
    kind = item.get("kind", "Node" if list_kind == "NodeList" else None)
    if kind != "Node":
        found = "nothing" if kind is None else value_text(kind)
        raise InputError(f"{name}: {place}kind: expected Node, found {found}: use kubectl get nodes")
    metadata = item.get("metadata")
    place += "metadata"
    if not isinstance(metadata, dict):
        raise InputError(f"{name}: {place}: expected a mapping, found {kind_text(metadata)}")
    node = metadata.get("name")
    if not isinstance(node, str):
        raise InputError(f"{name}: {place}.name: expected a node's name, found {kind_text(node)}")
    if not _NAME.fullmatch(node):
        raise InputError(f"{name}: {place}.name: expected a node's name (a DNS subdomain), found {value_text(node)}")
    labels = _labels(metadata.get("labels"), name, f"{place}.labels")
    return ClusterNode(node, labels), _created(metadata.get("creationTimestamp"), name, place), place


def _labels(labels: Any, name: str, place: str) -> dict[str, str]:
    if labels is None:
        return {}
    if not isinstance(labels, dict):
        raise InputError(f"{name}: {place}: expected a mapping of strings, found {kind_text(labels)}")
    for key, value in labels.items():
        if not isinstance(key, str) or not isinstance(value, str):
            found = f"{value_text(key)}: {value_text(value)}"
            raise InputError(f"{name}: {place}: expected strings, found {found}")
        if key in ZONE_LABELS and not _LABEL_VALUE.fullmatch(value):
            raise InputError(f"{name}: {place}: {key}: expected a label value, found {value_text(value)}")
    return {key: labels[key] for key in ZONE_LABELS if key in labels}


def _created(created: Any, name: str, place: str) -> datetime | None:
    if created is None:
        return None
    if isinstance(created, str) and _RFC3339.fullmatch(created):
        try:
            return datetime.fromisoformat(created.upper())
        except ValueError:
            pass
    expected = "expected a time such as 2020-07-01T08:00:00Z"
    raise InputError(f"{name}: {place}.creationTimestamp: {expected}, found {value_text(created)}")


def _in_joining_order(read: list[tuple[ClusterNode, datetime | None, str]], name: str) -> ClusterNodes:
    places: dict[str, str] = {}
    for node, _, place in read:
        if node.name in places:
            first = f"{places[node.name]}.name"
            raise InputError(f"{name}: {place}.name: expected each name once, found {node.name} at {first} too")
        places[node.name] = place
    dated = [(created, node.name, node) for node, created, _ in read if created is not None]
    if not dated:
        note = "no node has a creationTimestamp: the order of the file is taken for the order of joining"
        return ClusterNodes(tuple(node for node, _, _ in read), (note,) if len(read) > 1 else ())
    for _, created, place in read:
        if created is None:
            raise InputError(f"{name}: {place}.creationTimestamp: missing: expected one in each node or in none")
    dated.sort(key=lambda entry: entry[:2])
    ties = [count for count in Counter(created for created, _, _ in dated).values() if count > 1]
    notes: tuple[str, ...] = ()
    if ties:
        notes = (
            f"{sum(ties)} nodes share their creationTimestamp with another: among those the name decides the order",
        )
    return ClusterNodes(tuple(node for _, _, node in dated), notes)
