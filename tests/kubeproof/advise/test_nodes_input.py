"""Reading kubectl's output: both formats, both label generations, and one clear line for anything else."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings, strategies as st

from kubeproof.advise.nodes.cure import zone_keys
from kubeproof.advise.nodes.kubectl_nodes import EXPECTED, ClusterNode, ClusterNodes, nodes_from, read_nodes
from kubeproof.errors import InputError
from kubeproof.input import documents
from model.releases import NEWEST_PATCH, parse_release
from model.scheduler.cache.node_tree import BETA_REGION, BETA_ZONE, STABLE_REGION, STABLE_ZONE

DATA = Path(__file__).parents[2] / "data"


def nodes_from_text(data: bytes, name: str) -> ClusterNodes:
    return nodes_from(documents.parse(data, name, EXPECTED), name)


def node(name: Any = "n1", created: Any = "2020-06-02T06:21:40Z", **labels: Any) -> dict[str, Any]:
    metadata = {"name": name, "creationTimestamp": created, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": metadata}


def listed(*items: Any, kind: str = "List") -> bytes:
    return json.dumps({"apiVersion": "v1", "kind": kind, "items": list(items)}).encode()


def names(data: bytes) -> list[str]:
    return [one.name for one in nodes_from_text(data, "f").nodes]


def refused(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        nodes_from_text(data, "f.json")
    text = str(caught.value)
    assert text.startswith("f.json: ")
    assert text.isprintable()
    return text


def test_the_reports_cluster_reads_alike_from_json_and_yaml() -> None:
    from_json, from_yaml = read_nodes(DATA / "nodes-report.json"), read_nodes(DATA / "nodes-report.yaml")
    assert from_json == from_yaml
    assert [one.name for one in from_json.nodes] == ["ss-stg-ma-01", "ss-stg-ma-02", "ss-stg-ma-03", "ss-stg-test-01"]
    assert from_json.notes == ()
    keys = zone_keys(from_json.nodes, parse_release("1.18.4"))
    assert [key for _, key in keys] == ["sh:\x00:200002"] * 3 + ["sh:\x00:200004"]


def test_nodes_are_ordered_by_creation_in_any_time_zone() -> None:
    items = (
        node("c", "2020-06-02T08:00:00Z"),
        node("a", "2020-06-02T09:30:00+02:00"),
        node("b", "2020-06-02T07:45:00.5Z"),
    )
    assert names(listed(*items)) == ["a", "b", "c"]


def test_equal_times_are_ordered_by_name_and_it_is_said() -> None:
    read = nodes_from_text(listed(node("b"), node("a"), node("c", "2019-01-01T00:00:00Z")), "f")
    assert [one.name for one in read.nodes] == ["c", "a", "b"]
    assert "2 nodes share their creationTimestamp" in read.notes[0]


def test_without_any_time_the_files_order_counts_and_it_is_said() -> None:
    read = nodes_from_text(listed(node("b", None), node("a", None)), "f")
    assert [one.name for one in read.nodes] == ["b", "a"]
    assert "the order of the file" in read.notes[0]


def test_a_single_node_a_node_list_and_an_empty_list() -> None:
    assert names(json.dumps(node("solo")).encode()) == ["solo"]
    bare = {"metadata": {"name": "raw", "creationTimestamp": "2020-06-02T06:21:40Z"}}
    assert names(listed(bare, kind="NodeList")) == ["raw"]
    assert names(b'{"kind": "NodeList", "items": null}') == []
    assert names(b"apiVersion: v1\nitems: []\nkind: List\n") == []


def test_an_unquoted_yaml_time_is_a_time_too() -> None:
    text = b"kind: Node\nmetadata:\n  name: a\n  creationTimestamp: 2020-06-02T06:21:40Z\n"
    assert names(text) == ["a"]


def test_zone_key_of_each_generation_of_labels_by_release() -> None:
    nodes = [
        ClusterNode("beta", {BETA_REGION: "r", BETA_ZONE: "old"}),
        ClusterNode("stable", {STABLE_REGION: "r", STABLE_ZONE: "new"}),
        ClusterNode("both", {BETA_REGION: "r", BETA_ZONE: "old", STABLE_REGION: "r", STABLE_ZONE: "new"}),
        ClusterNode("mixed", {BETA_REGION: "r", STABLE_ZONE: "new"}),
        ClusterNode("hidden", {BETA_ZONE: "", STABLE_ZONE: "new"}),
        ClusterNode("none"),
    ]
    only_beta = {"beta": "r:\x00:old", "stable": "", "both": "r:\x00:old", "mixed": "r:\x00:", "hidden": "", "none": ""}
    beta_first = only_beta | {"stable": "r:\x00:new", "mixed": "r:\x00:new"}
    for minor in NEWEST_PATCH:
        expected = only_beta if minor <= 16 else beta_first
        assert dict(zone_keys(nodes, parse_release(f"1.{minor}.0"))) == expected, minor


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        (b"\xff\xfe{\x00}\x00", "UTF-16"),
        (b"\x89PNG\r\n", "byte 1: not UTF-8"),
        (b"kind: \x00", "line 1: a NUL byte"),
        (b'{"kind": "List", "items": [', "the file ends in the middle of the JSON"),
        (b'{"kind": "Li', "the file ends in the middle of the JSON"),
        (b'{"kind": nope}', "line 1, column 10: not JSON"),
        (b'{"kind": ' + b"1" * 5000 + b"}", "too many digits"),
        (b"[" * 100_000, "nested too deeply"),
        (b"a: " + b"[" * 100_000, "nested deeper than"),
        (b"a: &a [1]\nb: *a\n", "line 2: a YAML alias"),
        (b"kind: [\n", "not YAML"),
        (b"kind: !!bool maybe", "not YAML"),
        (b"kind: !!python/object/apply:os.getcwd []", "not YAML"),
        (b"kind: Node\n---\nkind: Node\n", "not YAML"),
        (b"a: 1\n\tb: 2\n", "line 2"),
        (b"[]", "top level: expected a List or a Node as kubectl prints it, found a list"),
        (b"NAME STATUS ROLES AGE VERSION", "top level: expected a List or a Node as kubectl prints it, found a string"),
        (b"apiVersion: v1\nitems:\n- apiVersion: v1\n", "kind: missing"),
        (listed(kind="PodList"), "kind: expected List or Node, found 'PodList'"),
        (listed({"kind": "Pod", "metadata": {"name": "p"}}), "items[0].kind: expected Node, found 'Pod'"),
        (b'{"kind": ["x"]}', "kind: expected List or Node, found a list"),
        (b'{"kind": "List"}', "items: expected a list of nodes, found nothing"),
        (b'{"kind": "List", "items": {"a": 1}}', "items: expected a list of nodes, found a mapping"),
        (listed(node("a"), 7), "items[1]: expected a Node, found a number"),
        (listed({"kind": "Node"}), "items[0].metadata: expected a mapping, found nothing"),
        (listed(node(None)), "items[0].metadata.name: expected a node's name, found nothing"),
        (listed(node("a\x1b[31m\n")), "items[0].metadata.name: expected a node's name (a DNS subdomain)"),
        (
            listed(node("a"), node("b"), node("a")),
            "items[2].metadata.name: expected each name once, found a at items[0]",
        ),
        (listed(node("a", None), node("b")), "items[0].metadata.creationTimestamp: missing"),
        (listed(node("a", "yesterday")), "items[0].metadata.creationTimestamp: expected a time"),
        (listed(node("a", "2020-13-45T00:00:00Z")), "items[0].metadata.creationTimestamp: expected a time"),
        (listed(node("a", 5)), "items[0].metadata.creationTimestamp: expected a time"),
        (listed(node("a", **{BETA_ZONE: 200002})), "items[0].metadata.labels: expected strings"),
        (listed(node("a", **{BETA_ZONE: "x y"})), f"items[0].metadata.labels: {BETA_ZONE}: expected a label value"),
        (listed({"kind": "Node", "metadata": {"name": "a", "labels": ["z"]}}), "labels: expected a mapping of strings"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(data: bytes, said: str) -> None:
    assert said in refused(data)


def test_the_reports_file_cut_anywhere_is_refused() -> None:
    """Cut YAML is often valid YAML: the kind, which kubectl writes last, is then missing."""
    for path in (DATA / "nodes-report.json", DATA / "nodes-report.yaml"):
        data = path.read_bytes()
        end = len(data.rstrip()) if path.suffix == ".json" else data.index(b"\nkind: List")
        for at in range(0, end, 97):
            refused(data[:at])


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_nodes(tmp_path / "absent.json")
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        read_nodes(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_nodes("nul\x00byte")
    monkeypatch.setattr(documents, "MAX_BYTES", 8)
    with pytest.raises(InputError, match="larger than"):
        read_nodes(DATA / "nodes-report.json")


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
KEYS = st.sampled_from(["kind", "items", "metadata", "name", "labels", "creationTimestamp", BETA_ZONE]) | st.text(
    max_size=3
)
WORDS = st.sampled_from(["List", "NodeList", "Node", "Pod", "a", "b", "2020-06-02T06:21:40Z"])
DOCUMENTS = st.recursive(
    SCALARS | WORDS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20
)
NODES = st.fixed_dictionaries({"kind": WORDS, "metadata": st.dictionaries(KEYS, SCALARS | WORDS | DOCUMENTS)})


def only_input_errors(data: bytes) -> None:
    said = ""
    try:
        nodes_from_text(data, "f")
    except InputError as error:
        said = str(error)
    assert said.isprintable()


@pytest.mark.slow
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=300, deadline=None)
def test_random_bytes_raise_nothing_but_input_errors(data: bytes) -> None:
    only_input_errors(data)


@given(st.text(alphabet="[]{}:,-!&*#|>'\"%@` \n\tabikn0<=?", max_size=40))
@settings(max_examples=300, deadline=None)
def test_random_yaml_raises_nothing_but_input_errors(text: str) -> None:
    only_input_errors(text.encode())


@pytest.mark.slow
@given(DOCUMENTS | st.fixed_dictionaries({"kind": WORDS, "items": st.lists(NODES | DOCUMENTS, max_size=3)}))
@settings(max_examples=300, deadline=None)
def test_random_documents_raise_nothing_but_input_errors(document: Any) -> None:
    only_input_errors(json.dumps(document).encode())
    only_input_errors(yaml.safe_dump(document, allow_unicode=False).encode())
