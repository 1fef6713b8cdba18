"""Reading pods, nodes, budgets and priority classes: one clear line for anything else, and no traceback ever."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from kubeproof.advise.preemption import exit_status, picture_of, read_files, reading, render
from kubeproof.advise.preemption.selectors import NodeTerm, Requirement
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.preemption_lists import ask, budget, node, picture, pod, waiting

Captured = pytest.CaptureFixture[str]
CLUSTER = DATA / "preemption-cluster.json"
NEVER = {"kind": "PriorityClass", "metadata": {"name": "c"}, "value": 7, "preemptionPolicy": "Never"}


def refused(*items: Any) -> str:
    with pytest.raises(InputError) as caught:
        picture(*items)
    text = str(caught.value)
    assert text.startswith("f.json: ")
    assert text.isprintable()
    return text


def test_several_files_and_list_kinds_and_yaml_are_one_picture(tmp_path: Path) -> None:
    whole = json.loads(CLUSTER.read_text())
    one = read_files([CLUSTER])
    assert (len(one.pods), len(one.nodes), len(one.budgets), one.classes) == (15, 4, 3, 4)
    paths = []
    for kind in reading.KINDS:
        items = [{key: item[key] for key in item if key not in ("kind", "apiVersion")} for item in whole["items"]
                 if item["kind"] == kind]  # fmt: skip
        paths.append(tmp_path / f"{kind}.yaml")
        version = "policy/v1beta1" if kind == "PodDisruptionBudget" else "v1"
        paths[-1].write_text(yaml.safe_dump({"kind": f"{kind}List", "apiVersion": version, "items": items}))
    apart = read_files(paths)
    assert (apart.pods, apart.nodes, apart.budgets, apart.classes) == (one.pods, one.nodes, one.budgets, one.classes)


def test_of_a_pod_that_is_listed_twice_the_newer_one_counts() -> None:
    old, new = (pod("v", at, metadata={"resourceVersion": version}) for at, version in (("n1", "99"), ("n2", "100")))
    for items in ((old, new), (new, old)):
        assert [each.node for each in picture(node(), *items).pods] == ["n2"]


def test_what_a_selector_selects() -> None:
    labels = {"a": "1", "n": "5"}
    for requirement, matches in (
        (Requirement("a", "In", frozenset("12")), True),
        (Requirement("b", "In", frozenset("12")), False),
        (Requirement("a", "NotIn", frozenset("1")), False),
        (Requirement("b", "NotIn", frozenset("1")), True),
        (Requirement("a", "Exists"), True),
        (Requirement("a", "DoesNotExist"), False),
        (Requirement("n", "Gt", frozenset("4")), True),
        (Requirement("n", "Gt", frozenset("5")), False),
        (Requirement("n", "Lt", frozenset("6")), True),
        (Requirement("b", "Lt", frozenset("6")), False),
    ):
        assert requirement.matches(labels) is matches, requirement
    assert not NodeTerm((), ()).matches("n1", labels)
    assert NodeTerm((), (Requirement("metadata.name", "In", frozenset({"n1"})),)).matches("n1", labels)
    # The API server shows a policy/v1 budget with an empty selector so in policy/v1beta1.
    key = "pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match"
    all_of_it = budget(
        selector={"matchExpressions": [{"key": key, "operator": "DoesNotExist"}]}, version="policy/v1beta1"
    )
    shown, plain = (picture(node(), each).budgets[0] for each in (all_of_it, budget(selector={})))
    assert shown == plain


@pytest.mark.parametrize(
    ("items", "said"),
    [
        ([], "no Node in there: expected the output of kubectl get pods,nodes,pdb,pc -A -o json"),
        ([7], "items[0]: expected a mapping, found a number"),
        ([{"kind": "Deployment"}],
         "items[0].kind: expected Pod, Node, PodDisruptionBudget or PriorityClass, found 'Deployment'"),
        ([{"kind": "Pod"}], "items[0].metadata.namespace: missing"),
        ([pod("v", cpu="much")], "items[0].spec.containers[0].resources.requests.cpu: expected a quantity"),
        ([pod("v", priority="high")], "items[0].spec.priority: expected a whole number, found 'high'"),
        ([node(), pod("v", priority=None, priorityClassName="high")],
         "items[1].spec.priorityClassName: expected spec.priority, or this PriorityClass in a file, found 'high'"),
        ([pod("v", priority=2**31)], "items[0].spec.priority: expected a whole number of 32 bits, found the number"),
        ([pod("v", status={"startTime": "soon"})], "items[0].status.startTime: expected a time"),
        ([node(taints=["x"])], "items[0].spec.taints[0]: expected a mapping"),
        ([budget(version="policy/v2")],
         "items[0].apiVersion: expected policy/v1 or policy/v1beta1 of a PodDisruptionBudget, found 'policy/v2'"),
        ([budget(selector={"matchExpressions": [{"key": "a", "operator": "Gt"}]})],
         "items[0].spec.selector.matchExpressions[0].operator: expected one of In, NotIn, Exists, DoesNotExist"),
        ([budget(selector={"matchExpressions": [{"key": "a", "operator": "In", "values": "b"}]})],
         "items[0].spec.selector.matchExpressions[0].values: expected a list of strings, found 'b'"),
        ([budget(allowed="one")], "items[0].status.disruptionsAllowed: expected a whole number, found 'one'"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_in_one_line(items: list[Any], said: str) -> None:
    assert said in refused(*items)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "top level: expected a List as kubectl prints it, found a list"),
        ({}, "PodDisruptionBudgetList or PriorityClassList, found nothing: kubectl get pods,nodes,pdb,pc"),
        ({"kind": "KubeletConfiguration"}, "found 'KubeletConfiguration'"),
        ({"kind": "Deployment", "items": []}, "found 'Deployment'"),
        ({"kind": "List"}, "items: expected a list, found nothing"),
    ],
)
def test_a_document_that_is_no_list_is_named(document: Any, said: str) -> None:
    with pytest.raises(InputError, match=r"^f: ") as caught:
        picture_of([(document, "f")])
    assert said in str(caught.value)


def test_bad_files_and_pods_get_one_line_and_exit_2(capsys: Captured, tmp_path: Path) -> None:
    good = str(CLUSTER)
    texts = {
        "empty": "", "tabs": "kind: List\nitems:\n\t- kind: Pod\n", "two": "kind: List\nitems: []\n---\nkind: List\n",
        "cut": CLUSTER.read_text()[:500], "table": "NAMESPACE NAME READY\n",
    }  # fmt: skip
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = {name: str(tmp_path / name) for name in texts}
    for args, says in (
        ((files["empty"], "--pod", "a/b"), "the file is empty: expected the output of kubectl get pods,nodes,pdb,pc"),
        ((files["tabs"], "--pod", "a/b"), "line 3, column 1: not YAML"),
        ((files["two"], "--pod", "a/b"), "not YAML: but found another document"),
        ((files["cut"], "--pod", "a/b"), "the file ends in the middle of the JSON"),
        ((files["table"], "--pod", "a/b"), "top level: expected a List as kubectl prints it, found a string"),
        ((str(tmp_path), "--pod", "a/b"), "cannot be read"),
        (("-", "-", "--pod", "a/b"), "standard input can be read only once"),
        ((good,) * 17 + ("--pod", "a/b"), "expected at most 16"),
        ((good,), "Missing option '--pod'"),
        ((good, "--pod", "web"), "--pod web: not a pod's namespace/name: expected one such as default/web-0"),
        ((good, "--pod", "shop/none"), "expected one without a node, such as shop/checkout-84c5d7f9bb-k5wxz"),
        ((good, "--pod", "shop/orders-db-0"), "not a pod that waits: it has the node ip-10-0-2-34"),
        ((good, "--pod", "a/b", "--release", "1.12"), "outside the modelled range 1.13 to 1.36"),
    ):
        status = run(lambda args=args: app(["preemption", *args], prog_name="kubeproof", standalone_mode=False))  # type: ignore[misc]
        captured = capsys.readouterr()
        assert (status, captured.out) == (2, ""), args
        assert captured.err.startswith("kubeproof: "), args
        assert says in captured.err, (args, captured.err)
        assert captured.err.count("\n") == 1, args


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"status": {"phase": "Failed"}}, "its phase is Failed"),
        ({"metadata": {"deletionTimestamp": "2024-01-02T00:00:00Z"}}, "it is being deleted"),
    ],
)
def test_a_pod_that_the_scheduler_does_not_try(more: Any, said: str) -> None:
    with pytest.raises(InputError, match="expected a pod without a node, and none is in there") as caught:
        ask(node(), waiting(**more))
    assert said in str(caught.value)


def test_what_was_not_given_is_said() -> None:
    notes = picture(node(), waiting()).notes
    assert len(notes) == 1
    assert notes[0].startswith("no PodDisruptionBudget is given")
    (note,) = picture(node(), budget(selector=None)).notes
    assert note.startswith("f.json: items[1].spec.selector: missing: the budget web/b selects no pod: expected")


def test_pods_that_are_missing_are_noted() -> None:
    other = pod("w", "gone", metadata={"namespace": "dev"})
    full = (node(), pod("v", "n1", cpu="2"), budget(9), waiting())
    assert ask(*full).notes == ("all pods are of the namespace web: with -A kubectl gives those of the others too",)
    assert ask(*full, other).notes == ("the nodes of dev/w are not in these files, so these pods count nowhere",)


@pytest.mark.slow
def test_very_many_pods_of_one_importance_on_one_node() -> None:
    pods = [pod(f"v{at}", "n1", f"{1 + at % 9}m") for at in range(1200)]
    there = node() | {"status": {"allocatable": {"cpu": f"{sum(1 + at % 9 for at in range(1200))}m", "pods": "2000"}}}
    answer = ask(there, *pods, waiting("20m"))
    assert answer.outcome == "preempts"
    assert "so many pods are equally important that not every order" in " ".join(answer.undecided)


@pytest.mark.slow
def test_a_large_cluster() -> None:
    nodes = [node(f"n{at}", cpu="10") for at in range(500)]
    pods = [pod(f"v{at}", f"n{at % 500}", f"{900 + at % 100}m", at % 7, at % 3000) for at in range(5000)]
    answer = ask(*nodes, *pods, budget(1), waiting("4"), release="1.28.14")
    assert answer.outcome == "preempts"


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = st.sampled_from(["List", "Pod", "policy/v1", "n1", "In", "Exists", "1Gi", "2024-01-01T00:00:00Z", "Never"])
KEYS = st.sampled_from(
    ["kind", "metadata", "name", "namespace", "spec", "status", "nodeName", "selector", "matchLabels", "operator",
     "matchExpressions", "key", "values", "allocatable", "containers", "resources", "requests", "cpu", "priority",
     "taints", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "conditions",
     "disruptionsAllowed", "disruptedPods", "startTime", "labels", "ports", "hostPort", "overhead"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
CHANGE = st.tuples(st.sampled_from(["spec", "status", "metadata", ""]), st.dictionaries(KEYS, VALUES, max_size=3))
CHANGES = st.dictionaries(st.integers(0, 4), CHANGE, max_size=3)


@pytest.mark.slow
@given(CHANGES, st.sampled_from(["1.13.0", "1.18.0", "1.31.13"]))
@settings(max_examples=150, deadline=None)
def test_random_objects_raise_nothing_but_input_errors(changes: Any, release: str) -> None:
    items = [node(), pod("v", "n1"), budget(), NEVER, waiting()]
    for at, (place, fields) in changes.items():
        items[at] = items[at] | (fields if not place else {place: items[at].get(place, {}) | fields})
    said = ""
    try:
        answer = ask(*items, release=release)
        assert exit_status(answer) in (0, 1, 3)
        text = render(answer)
    except InputError as error:
        said, text = str(error), ""
    assert said.isprintable()
    assert all(line.isprintable() for line in text.split("\n"))
