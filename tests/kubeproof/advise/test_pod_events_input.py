"""Reading pods, events and nodes: quantities, times, requests, both APIs, and one clear line for anything else."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from kubeproof.advise.pod_events import Picture, analyse, pending, picture_of, read_files, reading, render
from kubeproof.advise.pod_events.failure import Claims, claims_of, node_assigned
from kubeproof.advise.pod_events.quantity import QuantityError, amount_text, counted, parse_quantity
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.pod_lists import T0, T1, event, failed, node, pod

Captured = pytest.CaptureFixture[str]
GI = 1024**3


def picture(document: Any) -> Picture:
    return picture_of([(document, "f.json")])


def refused(document: Any) -> str:
    with pytest.raises(InputError) as caught:
        picture(document)
    text = str(caught.value)
    assert text.startswith("f.json: ")
    assert text.isprintable()
    return text


def listed(*items: Any, kind: str = "List") -> Any:
    return {"kind": kind, "items": list(items)}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("500m", Fraction(1, 2)), ("2", 2), ("1Gi", GI), ("128974848", 128974848), ("1e3", 1000), ("1E3", 1000),
        ("1E", 10**18), ("1Ei", 2**60), ("129e6", 129_000_000), ("123Mi", 123 * 2**20), ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)), ("2.", 2), ("100n", Fraction(1, 10**7)), ("1u", Fraction(1, 10**6)), ("5k", 5000),
        ("1e-3", Fraction(1, 1000)), ("+1", 1), ("-1", -1),
    ],
)  # fmt: skip
def test_quantities_are_read_exactly(text: str, value: Any) -> None:
    assert parse_quantity(text) == value


@pytest.mark.parametrize(
    "text", ["", "m", "1K", "1 Gi", "1gi", "one", "1e", "0x10", "1e999999999", "9" * 99, "١", "1m\n"]
)
def test_what_is_no_quantity(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text)


def test_amounts_are_rounded_up_and_written_as_kubernetes_does() -> None:
    assert counted("cpu", "100u") == 1
    assert counted("memory", "1500m") == 2
    shown = [amount_text(*each) for each in (("cpu", 1500), ("cpu", 2000), ("memory", 3 * GI), ("memory", 3 * GI // 2))]
    assert shown == ["1500m", "2", "3Gi", "1.5Gi"]
    assert amount_text("nvidia.com/gpu", 3) == "3"


def test_what_a_failure_claims() -> None:
    old = "0/3 nodes are available: 1 Insufficient memory, 2 Insufficient cpu."
    assert claims_of(old) == Claims(3, (("cpu", 2), ("memory", 1)))
    new = (
        "0/5 nodes are available: 1 Too many pods, 3 Insufficient nvidia.com/gpu. preemption: 0/5 nodes are available."
    )
    assert claims_of(new) == Claims(5, (("nvidia.com/gpu", 3), ("pods", 1)))
    assert claims_of("(combined from similar events): " + old) == claims_of(old)
    assert claims_of("no nodes available to schedule pods") == Claims()
    assert node_assigned("Successfully assigned web/p to node-1.example.com") == "node-1.example.com"
    assert node_assigned("nothing of the kind") == ""


def test_both_apis_and_both_list_forms_read_alike() -> None:
    old = {"kind": "Event", "reason": "FailedScheduling", "message": "m", "count": 4,
           "involvedObject": {"kind": "Pod", "namespace": "web", "name": "p", "uid": "u"},
           "metadata": {"namespace": "web", "name": "p.1", "uid": "e"}, "eventTime": "2024-01-01T00:00:00.250000Z",
           "series": {"count": 4, "lastObservedTime": "2024-01-01T00:05:00.500000Z"},
           "firstTimestamp": None, "lastTimestamp": None,
           "source": {}, "reportingComponent": "default-scheduler", "reportingInstance": "m1"}  # fmt: skip
    new = {key: value for key, value in old.items() if key not in ("involvedObject", "message", "reportingComponent")}
    new |= {"regarding": old["involvedObject"], "note": "m", "reportingController": "default-scheduler"}
    assert picture(listed(old)).events == picture(listed(new)).events
    bare = {key: value for key, value in old.items() if key != "kind"}
    assert picture(listed(bare, kind="EventList")).events == picture(listed(old)).events
    only = picture(listed(old)).events[0]
    assert (str(only.first), str(only.last), only.count, only.series) == (
        "2024-01-01T00:00:00.250000Z", "2024-01-01T00:05:00.500000Z", 4, True,
    )  # fmt: skip
    # The same event of both APIs, in two files, is one event.
    assert len(picture_of([(listed(old), "a"), (listed(new), "b")]).events) == 1


def test_a_mixed_list_and_several_files_are_one_picture(tmp_path: Path) -> None:
    parts = [json.loads((DATA / f"pod-events-{name}.json").read_text()) for name in ("pods", "events", "nodes")]
    mixed = tmp_path / "all.json"
    mixed.write_text(json.dumps(listed(*(item for part in parts for item in part["items"]), {"kind": "Service"})))
    together = read_files([mixed])
    assert together.passed_over == 1
    apart = read_files(DATA / f"pod-events-{name}.json" for name in ("pods", "events", "nodes"))
    assert analyse(together).findings == analyse(apart).findings
    as_yaml = tmp_path / "all.yaml"
    as_yaml.write_text(yaml.safe_dump(json.loads(mixed.read_text())))
    assert analyse(read_files([as_yaml])).findings == analyse(apart).findings


def test_of_a_pod_that_is_listed_twice_the_later_one_counts() -> None:
    early, late = (pod(metadata={"resourceVersion": version}) for version in ("99", "100"))
    late["spec"]["nodeName"] = "n1"
    for items in ((early, late), (late, early)):
        assert [one.node for one in picture(listed(*items)).pods or ()] == ["n1"]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "top level: expected a List as kubectl prints it, found a list"),
        ({}, "kind: expected List, PodList, EventList or NodeList, found nothing: kubectl get pods -A"),
        ({"kind": "Service"}, "kind: expected List, PodList, EventList or NodeList, found 'Service'"),
        ({"kind": ["x"]}, "kind: expected List, PodList, EventList or NodeList, found a list"),
        ({"kind": "List"}, "items: expected a list, found nothing"),
        ({"kind": "PodList", "items": {}}, "items: expected a list, found a mapping"),
        (listed(7), "items[0]: expected a mapping, found a number"),
        (listed({"kind": "Service"}), "items[0].kind: expected Pod, Event or Node, found 'Service'"),
        (listed({"kind": 5}), "items[0].kind: expected a string, found the number 5"),
        (listed({"kind": "Pod"}), "items[0].metadata.namespace: missing"),
        (listed({"kind": "Node"}), "items[0].metadata.name: missing"),
        (listed({"kind": "Event", "reason": "Scheduled"}), "items[0]: expected an Event, with involvedObject"),
        (listed(pod(), pod(uid="x", cpu="much")),
         "items[1].spec.containers[0].resources.requests.cpu: expected a quantity such as 500m or 1Gi, found 'much'"),
        (listed(pod(priority="high")), "items[0].spec.priority: expected a whole number, found 'high'"),
        (listed(pod(since="soon")), "items[0].status.conditions[0].lastTransitionTime: expected a time"),
        (listed(node("n", created="2020-13-45T00:00:00Z")), "items[0].metadata.creationTimestamp: expected a time"),
        (listed(node("n", unschedulable="yes")), "items[0].spec.unschedulable: expected true or false"),
        (listed(node("n", taints=["x"])), "items[0].spec.taints[0]: expected a mapping"),
        (listed(failed(series="x")), "items[0].series: expected a mapping"),
        (listed(failed(eventTime="0001-01-01T00:00:00+23:00")), "items[0].eventTime: expected a time"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_named_in_one_line(document: Any, said: str) -> None:
    assert said in refused(document)


def test_of_events_that_do_not_count_nothing_is_asked() -> None:
    odd = event("Pulled", "x", "not a time", by="kubelet")
    read = picture(listed(odd))
    assert (read.events, read.events_read) == ((), 1)
    assert picture(listed(failed("0001-01-01T00:00:00Z"))).events[0].last is None


def test_bad_files_get_one_line_and_exit_2(capsys: Captured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, empty, cut = str(DATA / "pod-events-pods.json"), tmp_path / "empty", tmp_path / "cut.json"
    empty.write_text("")
    cut.write_text((DATA / "pod-events-pods.json").read_text()[:500])
    table = tmp_path / "table"
    table.write_text("NAMESPACE NAME READY STATUS RESTARTS AGE\n")
    for args, says in (
        ((str(empty),), "the file is empty: expected the output of kubectl get pods -A -o json"),
        ((good, str(cut)), "the file ends in the middle of the JSON"),
        ((str(table),), "top level: expected a List as kubectl prints it, found a string"),
        ((str(tmp_path),), "cannot be read"),
        ((str(tmp_path / "none.json"),), "cannot be read"),
        (("-", "-"), "standard input can be read only once"),
        ((good,) * 17, "expected at most 16"),
        ((good, "--release", "1.12"), "outside the modelled range"),
        ((str(DATA / "cpu-state-v2.json"),), "kind: expected List, PodList, EventList or NodeList, found nothing"),
    ):
        status = run(lambda args=args: app(["pod-events", *args], prog_name="kubeproof", standalone_mode=False))
        captured = capsys.readouterr()
        assert (status, captured.out) == (2, ""), args
        assert captured.err.startswith("kubeproof: "), args
        assert says in captured.err, args
        assert captured.err.count("\n") == 1, args
    small = reading.Expected("kubectl", "pods", 300, 10)
    monkeypatch.setattr(reading, "EXPECTED", small)
    with pytest.raises(InputError, match="larger than"):
        read_files([good])
    table.write_text("kind: List\nitems: []\n")
    with pytest.raises(InputError, match="YAML larger than"):
        read_files([table])


def test_a_large_cluster_takes_bounded_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "EFFORT", 1000)
    nodes = [node(f"n{i}") for i in range(100)]
    text = "0/100 nodes are available: 100 Insufficient cpu."
    waits = [pod(f"p{i}", cpu=f"{i + 1}m", message=text) for i in range(20)]
    events = [failed(T1, text, of=f"p{i}") for i in range(20)]
    answer = analyse(picture(listed(*nodes, *waits, *events, pod("s", "n1", namespace="kube-system"))))
    assert [note.count for note in answer.not_judged if "too many different pods" in note.what] == [9]
    assert [finding.kind for finding in answer.findings].count("short-with-room") == 11
    # Pods that ask for the same are one question.
    alike = [pod(f"p{i}", message=text) for i in range(20)]
    answer = analyse(picture(listed(*nodes, *alike, *events, pod("s", "n1", namespace="kube-system"))))
    assert len(answer.findings) == 20


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
WORDS = st.sampled_from(
    [
        "List",
        "Pod",
        "Event",
        "Node",
        "Scheduled",
        "FailedScheduling",
        "OutOfcpu",
        "Preempted",
        "Failed",
        "False",
        "PodScheduled",
        "kubelet",
        "kube-scheduler",
        T0,
        T1,
        "1Gi",
        "n1",
        "Pending",
    ]
)
KEYS = st.sampled_from(
    ["kind", "items", "metadata", "name", "namespace", "uid", "spec", "status", "nodeName", "nominatedNodeName",
     "reason", "involvedObject", "regarding", "message", "lastTimestamp", "eventTime", "series", "conditions",
     "allocatable", "containers", "resources", "requests", "cpu", "taints", "managedFields", "schedulingGates",
     "deletionTimestamp", "creationTimestamp", "annotations", "containerStatuses", "restartCount", "lastState",
     "state", "terminated", "waiting", "phase", "reportingInstance", "type", "lastTransitionTime"]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
OBJECTS = st.sampled_from(["pod", "node", "event"]).flatmap(
    lambda kind: st.tuples(
        st.just(kind), st.dictionaries(KEYS, VALUES, max_size=3), st.dictionaries(KEYS, VALUES, max_size=3)
    )
)


def built(kind: str, outer: dict[str, Any], inner: dict[str, Any]) -> Any:
    """A good object with some of its fields replaced by anything."""
    if kind == "event":
        return failed(T1) | outer
    made = pod("p", nominated="n1") if kind == "pod" else node("n1")
    return made | {"spec": made["spec"] | inner, "status": made["status"] | inner} | outer


@pytest.mark.slow
@given(st.lists(OBJECTS, max_size=4))
@settings(max_examples=150, deadline=None)
def test_random_objects_raise_nothing_but_input_errors(objects: list[Any]) -> None:
    said = ""
    try:
        text = render(analyse(picture(listed(*(built(*each) for each in objects)))))
    except InputError as error:
        said, text = str(error), ""
    assert said.isprintable()
    assert all(line.isprintable() for line in text.split("\n"))
