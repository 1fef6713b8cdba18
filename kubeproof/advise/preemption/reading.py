"""Reads kubectl's lists of pods, nodes, disruption budgets and priority classes into a Picture, or refuses them.

`kubectl get pods,nodes,pdb,pc -A -o json` writes one List of mixed kinds. Several files are put together. Only the
fields that are used are read. What cannot be read is one line: the file, the place, and what was expected. So is a pod
that is asked about and does not wait for a node.
"""

import os
from collections.abc import Iterable
from typing import Any

from attrs import Factory, define, evolve

from kubeproof.advise.kubectl import Node, listed_objects, read_node, resource_version
from kubeproof.advise.pod_events.fields import Fields
from kubeproof.advise.preemption.picture import Budget, Picture, Pod
from kubeproof.advise.preemption.pods import PriorityClass, admitted, read_pod
from kubeproof.advise.preemption.selectors import Requirement, label_selector
from kubeproof.errors import InputError
from kubeproof.input.documents import Expected, load
from kubeproof.input.files import several, shown
from kubeproof.visible import shortened, visible

COMMAND = "kubectl get pods,nodes,pdb,pc -A -o json"
EXPECTED = Expected(COMMAND, "pods, nodes and disruption budgets of one cluster", 256 << 20, 16 << 20)
FILES = 16
# So many pods an error names.
NAMED = 3
KINDS = ("Pod", "Node", "PodDisruptionBudget", "PriorityClass")
# The API server shows a policy/v1 budget with an empty selector so in policy/v1beta1 (pkg/apis/policy).
MATCH_ALL = (Requirement("pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match", "DoesNotExist"),)


@define
class _Lists:
    """What was read so far. An object that is read twice is kept once, the newer one."""

    # The pod, its resourceVersion, and its spec, which is asked again when all priority classes are known.
    pods: dict[str, tuple[Pod, int, Fields]] = Factory(dict)
    nodes: dict[str, Node] = Factory(dict)
    budgets: dict[str, Budget] = Factory(dict)
    classes: dict[str, PriorityClass] = Factory(dict)
    passed_over: int = 0
    notes: list[str] = Factory(list)


def read_files(paths: Iterable[str | os.PathLike[str]]) -> Picture:
    """The picture that all files together give; `-` is standard input. Raises InputError, one line."""
    given = several(paths, FILES, "with pods, nodes and budgets")
    return picture_of((load(path, EXPECTED), shown(path)) for path in given)


def picture_of(documents: Iterable[tuple[Any, str]]) -> Picture:
    """The picture that parsed documents give, each with the name of its file. Raises InputError."""
    lists, names = _Lists(), []
    for document, name in documents:
        names.append(name)
        found = listed_objects(document, name, KINDS, COMMAND)
        lists.passed_over += found.passed_over
        for kind, item in found.objects:
            _object(lists, kind, item, found.api_version)
    where = " and ".join(names)
    if not lists.nodes:
        raise InputError(f"{where}: no Node in there: expected the output of {COMMAND}")
    if not lists.budgets:
        lists.notes.append(f"no PodDisruptionBudget is given, so no pod counts as protected: {COMMAND} has them")
    return Picture(
        files=tuple(names),
        pods=tuple(admitted(pod, spec, lists.classes) for pod, _, spec in lists.pods.values()),
        nodes=tuple(lists.nodes.values()),
        budgets=tuple(lists.budgets.values()),
        classes=len(lists.classes),
        passed_over=lists.passed_over,
        notes=tuple(lists.notes),
    )


def _object(lists: _Lists, kind: str, item: Fields, version: str) -> None:
    match kind:
        case "Pod":
            pod = read_pod(item)
            number = resource_version(item.map("metadata"))
            before = lists.pods.get(pod.full_name)
            if before is None or before[1] <= number:
                lists.pods[pod.full_name] = (pod, number, item.map("spec"))
        case "Node":
            node = read_node(item)
            lists.nodes[node.name] = node
        case "PodDisruptionBudget":
            budget = _budget(item, item.text("apiVersion") or version)
            if budget.selector is None:
                place = item.place or "top level"
                lists.notes.append(
                    f"{item.file}: {place}.spec.selector: missing: the budget {budget.full_name} selects no pod: "
                    "expected the labels of the pods that the budget protects"
                )
            lists.budgets[budget.full_name] = budget
        case _:
            name = item.map("metadata").name("name")
            lists.classes[name] = PriorityClass(item.number("value"), item.text("preemptionPolicy") == "Never")


def _budget(item: Fields, version: str) -> Budget:
    if version not in ("policy/v1", "policy/v1beta1"):
        raise item.refuse("apiVersion", "policy/v1 or policy/v1beta1 of a PodDisruptionBudget", version or "nothing")
    metadata, status = item.map("metadata"), item.map("status")
    budget = Budget(
        namespace=metadata.name("namespace"),
        name=metadata.name("name"),
        beta=version == "policy/v1beta1",
        selector=label_selector(item.map("spec"), "selector"),
        allowed=status.number("disruptionsAllowed"),
        disrupted=frozenset(status.map("disruptedPods").value),
    )
    return evolve(budget, beta=False, selector=()) if budget.beta and budget.selector == MATCH_ALL else budget


def pod_named(picture: Picture, text: str) -> Pod:
    """The pod that `--pod` names. Raises InputError for one that is not there, or does not wait for a node."""
    place = f"--pod {shortened(text)}"
    namespace, slash, name = text.partition("/")
    if not slash or not namespace or not name or "/" in name:
        raise InputError(f"{place}: not a pod's namespace/name: expected one such as default/web-0")
    pod = next((each for each in picture.pods if each.full_name == text), None)
    if pod is None:
        raise InputError(f"{place}: not a pod of {' or '.join(picture.files)}: expected {_waiting(picture)}")
    if pod.node:
        raise InputError(
            f"{place}: not a pod that waits: it has the node {visible(pod.node)}: expected {_waiting(picture)}"
        )
    if pod.terminal or pod.deleting:
        how = f"its phase is {visible(pod.phase)}" if pod.terminal else "it is being deleted"
        raise InputError(f"{place}: not a pod that waits: {how}: expected {_waiting(picture)}")
    return pod


def _waiting(picture: Picture) -> str:
    names = [pod.full_name for pod in picture.pods if not pod.node and not pod.terminal and not pod.deleting]
    if not names:
        return "a pod without a node, and none is in there"
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"one without a node, such as {', '.join(map(visible, names[:NAMED]))}{more}"
