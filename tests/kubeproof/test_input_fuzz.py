"""Every command that reads, on valid inputs and on mutations of them: the known exit statuses, and no traceback.

What must be: status 2 comes with one line on stderr and nothing on stdout; no line has a character that a terminal
obeys; `--json` prints one document; an answer takes a second or so, whatever the input is.
"""

import gzip
import io
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from kubeproof.bugs import runs
from kubeproof.bugs.runs import RUNS
from kubeproof.cli import app, run
from kubeproof.conform.conform import PLAYERS
from kubeproof.errors import InputError
from kubeproof.hunt.found import Asked
from kubeproof.hunt.hunt import hunt
from kubeproof.mutants.kept import read_kept
from kubeproof.systems.registry import SYSTEMS, system_named
from model.releases import known_release
from tests.conftest import DATA, ROOT

FEW, MANY = 8, 200  # examples of each test, with the fast tests and with the slow ones
SECONDS = 5.0  # of CPU that one command may take: a second on an idle machine

MEMORY = ("1.txt", "2.txt", "3.txt", "pod.json", "heap.txt", "log.txt", "events.json", "query.json")
KUBELET_CONFIGURATION = {
    "apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "cpuManagerPolicy": "static",
    "cpuManagerPolicyOptions": {"full-pcpus-only": "true"}, "reservedSystemCPUs": "0", "kubeReserved": {"cpu": "500m"},
    "featureGates": {"CPUManagerPolicyAlphaOptions": True}, "topologyManagerPolicy": "restricted",
}  # fmt: skip
PASTED = (
    "CPU NODE SOCKET CORE L1d:L1i:L2:L3 ONLINE\n0 0 0 0 0:0:0:0 yes\n1 0 0 1 1:1:1:0 yes\n2 - - - - no\n",
    "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,,,,,,,,\n",
    "/sys/devices/system/cpu/cpu0/topology/core_id:0\n/sys/devices/system/cpu/cpu0/topology/physical_package_id:0\n"
    "/sys/devices/system/cpu/cpu0/topology/thread_siblings_list:0-1\n/sys/devices/system/node/node0/cpulist:0-1\n",
    "Architecture: x86_64\nCPU(s): 2\nOn-line CPU(s) list: 0,1\nThread(s) per core: 1\nSocket(s): 1\n",
    "available: 1 nodes (0)\nnode 0 cpus: 0 1\n",
)
KEPT = ("nodetree-cursor", "cpu-init-overlap", "queue-inflight-dup")
HARMFUL = "\x1b[31m\r\x9b\u202e\n[bold]"
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 7, 99999, 2**31, -(2**63), 2**63, 10**400, 1.5, -0.0, 1e300),
    *("", "x", "0", "-1", "0-3", "3-1", "0-99999999999", "1e9", "9" * 5000, "n1", "2020-06-02T06:21:40Z", "1.18.4"),
    *(HARMFUL, "\ud800", "\x00", "é日本😀", "a" * 5000),
    *([], {}, [[]], [None], [0], ["x"], {"": None}, {"op": "x"}, {"a": {"b": []}}, {HARMFUL: HARMFUL}),
)
NUMBER = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]\d+)?(?![\w.])")
NUMBERS = (b"0", b"1", b"7", b"-1", b"0.5", b"1e-300", b"4096", b"123456", b"9e8", b"1705060000", b"1e17", b"1e19")


def kubeproof(*args: str, stdin: bytes | None = None) -> tuple[int, str]:
    """The exit status and stdout, after all that must be was checked."""
    out, err, given_in = io.StringIO(), io.StringIO(), sys.stdin
    before, sys.stdout, sys.stderr = (sys.stdout, sys.stderr), out, err
    if stdin is not None:
        sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    started = process_time()
    try:
        status = run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False))
    finally:
        (sys.stdout, sys.stderr), sys.stdin = before, given_in
    taken, said, wrong = process_time() - started, out.getvalue(), err.getvalue()
    assert status in (0, 1, 2, 3), status
    assert all(line.isprintable() for text in (said, wrong) for line in text.split("\n"))
    # What a message says of an error's own text is said in the words of a person.
    assert not re.search(r"line (None|0|\?)\b|sub-exception|While structuring|<class '|object at 0x", said + wrong)
    if status == 2:
        assert said == ""
        assert wrong.startswith("kubeproof: ")
        assert wrong.endswith("\n")
        assert wrong.count("\n") == 1
    else:
        assert all(line.startswith("note: ") for line in wrong.splitlines())
        if "--json" in args:
            json.loads(said, parse_constant=lambda constant: pytest.fail(f"{constant} is not JSON"))
    assert taken < SECONDS, taken
    return status, said


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in a JSON document."""
    yield at
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from places(each, (*at, index))


def mutated(draw: Callable[[Any], Any], document: Any) -> Any:
    """`document` with one to three changes: a value replaced, left out, doubled, or exchanged with another."""
    whole = [deepcopy(document)]
    for _ in range(draw(st.integers(1, 3))):
        every = list(places(whole))[1:]
        path = every[draw(st.integers(0, len(every) - 1))]
        parent: Any = whole
        for key in path[:-1]:
            parent = parent[key]
        match draw(st.sampled_from(["replace", "alike", "alike", "leave out", "double", "exchange", "rename"])):
            case "replace":
                parent[path[-1]] = deepcopy(draw(st.sampled_from(VALUES)))
            case "alike" if alike := [each for each in VALUES if type(each) is type(parent[path[-1]])]:
                parent[path[-1]] = deepcopy(draw(st.sampled_from(alike)))
            case "leave out" if len(path) > 1:
                del parent[path[-1]]
            case "double" if isinstance(parent, list) and len(path) > 1:
                parent.insert(path[-1], deepcopy(parent[path[-1]]))
            case "exchange":
                value: Any = whole
                for key in every[draw(st.integers(0, len(every) - 1))]:
                    value = value[key]
                parent[path[-1]] = deepcopy(value)
            case "rename" if isinstance(parent, dict):
                parent[draw(st.sampled_from([HARMFUL, "op", "", "\ud800", "cpus"]))] = parent.pop(path[-1])
    return whole[0]


def entrypoint(pod: Any) -> Any:
    """A pod whose containers have neither command nor args: the images say what runs."""
    changed = deepcopy(pod)
    for container in changed["spec"]["containers"]:
        container.pop("command", None)
        container.pop("args", None)
    return changed


def text_of(document: Any) -> bytes:
    return json.dumps(document, allow_nan=True).encode()


def damaged(draw: Callable[[Any], Any], data: bytes) -> bytes:
    """`data` with some bytes cut out, put in or changed."""
    at = draw(st.integers(0, len(data)))
    match draw(st.sampled_from(["cut", "drop", "insert", "change", "nothing"])):
        case "cut":
            return data[:at]
        case "drop":
            return data[:at] + data[at + draw(st.integers(1, 9)) :]
        case "insert":
            texts = (
                b"\x00",
                b"\xff",
                b"\x1b[2J",
                b"[" * 3000,
                b"NaN",
                b"1e999",
                b"9" * 5000,
                b"\n\n",
                b"&a [*a]",
                b"'",
                b"\\ud800",
            )
            return data[:at] + draw(st.sampled_from(texts)) + data[at:]
        case "change":
            return data[:at] + draw(st.binary(min_size=1, max_size=3)) + data[at + 1 :]
    return data


def renumbered(draw: Callable[[Any], Any], data: bytes) -> bytes:
    """`data` with one to three of its numbers replaced by numbers, so that the text keeps its form."""
    for _ in range(draw(st.integers(1, 3))):
        if numbers := list(NUMBER.finditer(data)):
            number = draw(st.sampled_from(numbers))
            data = data[: number.start()] + draw(st.sampled_from(NUMBERS)) + data[number.end() :]
    return data


def recordings() -> dict[str, list[Any]]:
    """Short cases of each recorded component."""
    found: dict[str, list[Any]] = {}
    for component in PLAYERS:
        cases: list[Any] = []
        for path in sorted(DATA.glob(f"{component}-*.jsonl")):
            lines = path.read_text(encoding="utf-8").splitlines()
            cases += [json.loads(line) for line in sorted(lines, key=len)[: len(lines) : 9] if len(line) < 6000]
        if not cases:
            # Of this component there are results of a driver alone, which name no release.
            results = (DATA / "go" / f"{component}-1.31.13.jsonl").read_text(encoding="utf-8").splitlines()
            cases = [{**json.loads(line), "release": "1.31.13"} for line in results[1:-1]]
        found[component] = cases
    return found


RECORDED = recordings()
budget = pytest.mark.parametrize(
    "examples", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)]
)


def each_example(examples: int, test: Callable[[Callable[[Any], Any]], None]) -> None:
    """`test` with `examples` choices of whatever it draws; the same ones each time."""

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],  # a mutation is small already
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def one(data: st.DataObject) -> None:
        test(data.draw)

    one()


def as_json(draw: Callable[[Any], Any]) -> Sequence[str]:
    return ("--json",) if draw(st.booleans()) else ()


@budget
@pytest.mark.parametrize("component", PLAYERS)
def test_conform(component: str, examples: int) -> None:
    def test(draw: Callable[[Any], Any]) -> None:
        document = mutated(draw, draw(st.sampled_from(RECORDED[component])))
        data = text_of(document) + b"\n"
        if draw(st.integers(0, 4)) == 0:
            data = damaged(draw, data)
        if draw(st.integers(0, 4)) == 0:
            data = damaged(draw, gzip.compress(data, mtime=0))
        kubeproof("conform", "-", *as_json(draw), stdin=data)

    each_example(examples, test)


@pytest.mark.slow
@budget
@pytest.mark.parametrize("name", ["nodes-report.json", "nodes-report.yaml"])
def test_nodes(name: str, examples: int) -> None:
    raw = (DATA / name).read_bytes()

    def test(draw: Callable[[Any], Any]) -> None:
        data = text_of(mutated(draw, json.loads(raw))) if name.endswith("json") else damaged(draw, raw)
        kubeproof("nodes", "-", "--release", "1.18.4", *as_json(draw), stdin=damaged(draw, data))

    each_example(examples, test)


@budget
def test_pod_events(examples: int, tmp_path: Path) -> None:
    files = [json.loads((DATA / f"pod-events-{kind}.json").read_bytes()) for kind in ("pods", "events", "nodes", "new")]

    def test(draw: Callable[[Any], Any]) -> None:
        paths = []
        for number, document in enumerate(files):
            path = tmp_path / f"{number}.json"
            path.write_bytes(
                damaged(draw, text_of(mutated(draw, document))) if draw(st.booleans()) else text_of(document)
            )
            paths.append(str(path))
        kubeproof("pod-events", *paths, *as_json(draw))

    each_example(examples, test)


@budget
def test_symptoms(examples: int) -> None:
    texts = [each["text"].encode() for each in yaml.safe_load((DATA / "public-texts.yaml").read_text())]
    statuses: set[int] = set()

    def test(draw: Callable[[Any], Any]) -> None:
        data = b"\n".join(draw(st.lists(st.sampled_from(texts), min_size=1, max_size=4)))
        data = damaged(draw, data) if draw(st.booleans()) else data
        release = ("--release", draw(st.sampled_from(["1.18.4", "1.28.3", "1.36.3"]))) if draw(st.booleans()) else ()
        statuses.add(kubeproof("bugs", "--text", "-", *release, *as_json(draw), stdin=data)[0])

    each_example(examples, test)
    assert statuses >= {0, 1}


@budget
def test_preemption(examples: int) -> None:
    document = json.loads((DATA / "preemption-cluster.json").read_bytes())

    def test(draw: Callable[[Any], Any]) -> None:
        data = text_of(mutated(draw, document) if draw(st.integers(0, 3)) else document)
        data = damaged(draw, data) if draw(st.integers(0, 3)) == 0 else data
        pod = draw(st.sampled_from(["shop/checkout-84c5d7f9bb-k5wxz"] * 4 + ["shop/orders-db-0", "shop/", HARMFUL]))
        release = ("--release", draw(st.sampled_from(["1.13", "1.17.10", "1.18.0", "1.31"])))
        kubeproof("preemption", "-", "--pod", pod, *release, *as_json(draw), stdin=data)

    each_example(examples, test)


@budget
def test_scheduler_memory(examples: int, tmp_path: Path) -> None:
    files = {name: (DATA / f"scheduler-memory-{name}").read_bytes() for name in MEMORY}
    statuses: set[int] = set()

    def test(draw: Callable[[Any], Any]) -> None:
        names = draw(st.lists(st.sampled_from(MEMORY), min_size=1, max_size=3, unique=True))
        # A time, or an ending that is no file's, stands behind one file in every fifth example.
        odd = draw(st.sampled_from(names)) if draw(st.integers(0, 4)) == 0 else ""
        paths = []
        for name in names:
            data = files[name]
            if name == "pod.json" and draw(st.booleans()):
                data = text_of(entrypoint(json.loads(data)))
            match draw(st.sampled_from(["as it is", "other numbers", "other numbers", "damaged"])):
                case "other numbers":
                    data = renumbered(draw, data)
                case "damaged":
                    data = text_of(mutated(draw, json.loads(data))) if data.startswith(b"{") else damaged(draw, data)
            path = tmp_path / name
            path.write_bytes(data)
            paths.append(f"{path}{draw(st.sampled_from(['@2024-01-12T10:00Z', HARMFUL])) if name == odd else ''}")
        limit = ("--limit", draw(st.sampled_from(["2Gi", "1", "0", HARMFUL]))) if draw(st.integers(0, 3)) == 0 else ()
        texts = ["A=true", "SchedulerQueueingHints=0", HARMFUL, "="]
        gates = ("--feature-gates", draw(st.sampled_from(texts))) if draw(st.integers(0, 3)) == 0 else ()
        release = ("--release", draw(st.sampled_from(["1.28.3", "1.34.1"]))) if draw(st.booleans()) else ()
        statuses.add(kubeproof("scheduler-memory", *paths, *limit, *gates, *release, *as_json(draw))[0])

    each_example(examples, test)
    # The answer is reached: some bug fits, some files are refused, some do not tell.
    assert statuses >= {1, 2, 3}


@budget
def test_scheduler_config(examples: int, tmp_path: Path) -> None:
    names = ("gpushare.json", "gpushare.yaml", "coscheduling.yaml", "pod.yaml")
    documents = [yaml.safe_load((DATA / f"scheduler-config-{name}").read_bytes()) for name in names]
    documents.append(entrypoint(documents[3]))
    maps = [f"{json.dumps(documents[1])}{end}" for end in ("", "\n# \ud800")]
    documents += [{"kind": "ConfigMap", "data": {"a": text}} for text in maps]
    statuses: set[int] = set()

    def test(draw: Callable[[Any], Any]) -> None:
        paths = []
        for number, document in enumerate(draw(st.lists(st.sampled_from(documents), min_size=1, max_size=2))):
            path = tmp_path / f"{number}.json"
            if draw(st.booleans()):
                document = mutated(draw, document)
            path.write_bytes(damaged(draw, text_of(document)) if draw(st.integers(0, 3)) == 0 else text_of(document))
            paths.append(str(path))
        releases = ["1.13", "1.17.10", "1.18", "1.22.3", "1.25.0", "1.28.14", "1.31.13", HARMFUL]
        release = ("--release", draw(st.sampled_from(releases))) if draw(st.booleans()) else ()
        nodes = ("--nodes", draw(st.sampled_from(["1", "5000", "1000000", HARMFUL]))) if draw(st.booleans()) else ()
        statuses.add(kubeproof("scheduler-config", *paths, *release, *nodes, *as_json(draw))[0])

    each_example(examples, test)
    assert statuses >= {1, 2}


@budget
def test_cpu_take(examples: int, tmp_path: Path) -> None:
    pod = {"kind": "Pod", "metadata": {"name": "a", "uid": "7be1"}, "spec": {
        "initContainers": [{"name": "i", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}}],
        "containers": [{"name": "db", "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": 2}}}],
    }}  # fmt: skip
    machine = str(DATA / "lscpu-2.38-two-sockets.json")
    statuses = set()

    def test(draw: Callable[[Any], Any]) -> None:
        asked = damaged(draw, text_of(mutated(draw, pod)))
        configured = tmp_path / "config.yaml"
        configured.write_bytes(text_of(mutated(draw, KUBELET_CONFIGURATION)))
        more = ("--config", str(configured)) if draw(st.booleans()) else ("--reserved-cpus", "0")
        more += ("--state", str(DATA / "cpu-state-v2.json")) if draw(st.booleans()) else ()
        more += ("--hint", draw(st.sampled_from(["0", "1,2", "0-1", HARMFUL]))) if draw(st.booleans()) else ()
        more += ("--release", draw(st.sampled_from(["1.17.10", "1.27.3"]))) if draw(st.booleans()) else ()
        name = draw(st.sampled_from(["-", "-", "3", "0", "99999", "9" * 5000]))
        statuses.add(kubeproof("cpu-take", name, "--topology", machine, *more, *as_json(draw), stdin=asked)[0])

    each_example(examples, test)
    assert 2 in statuses


@budget
def test_cpu_state(examples: int, tmp_path: Path) -> None:
    states = [(DATA / f"cpu-state-{name}.json").read_bytes() for name in ("v1", "v2", "report")]
    machines = [
        path.read_bytes() for path in sorted(DATA.glob("lscpu-*.json")) + sorted(DATA.glob("machine-info-*.json"))
    ]

    def test(draw: Callable[[Any], Any]) -> None:
        state, machine = draw(st.sampled_from(states)), draw(st.sampled_from(machines))
        match draw(st.integers(0, 2)):
            case 0:
                state = damaged(draw, text_of(mutated(draw, json.loads(state))))
            case 1 if b": -" not in machine:  # a bare dash, which lscpu prints, is no JSON
                machine = damaged(draw, text_of(mutated(draw, json.loads(machine))))
            case 2:
                machine = damaged(draw, draw(st.sampled_from(PASTED)).encode())
        path = tmp_path / "machine.json"
        path.write_bytes(machine)
        cpus = draw(st.sampled_from(["0-7", "", "3-1", "0-99999999999", "9" * 5000, HARMFUL, "0,0", "-"]))
        given = ("--topology", str(path)) if draw(st.booleans()) else ("--cpus", cpus)
        reserved = ("--reserved-cpus", draw(st.sampled_from(["0", cpus]))) if draw(st.booleans()) else ()
        configured = tmp_path / "config.yaml"
        configured.write_bytes(damaged(draw, text_of(mutated(draw, KUBELET_CONFIGURATION))))
        reserved += ("--config", str(configured)) if draw(st.booleans()) else ()
        release = ("--release", draw(st.sampled_from(["1.17.10", "1.27.3"]))) if draw(st.booleans()) else ()
        kubeproof("cpu-state", "-", *given, *reserved, *release, *as_json(draw), stdin=state)

    each_example(examples, test)


@budget
@pytest.mark.parametrize("name", KEPT)
def test_reproduce(name: str, examples: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / name
    folder.mkdir()
    document = json.loads((ROOT / "counterexamples" / name / RUNS).read_bytes())
    monkeypatch.setattr(runs, "files", lambda package: tmp_path)

    def test(draw: Callable[[Any], Any]) -> None:
        (folder / RUNS).write_bytes(damaged(draw, text_of(mutated(draw, document))))
        kubeproof("reproduce", name, *as_json(draw))

    each_example(examples, test)


@budget
def test_go_played(examples: int, tmp_path: Path) -> None:
    printed = (DATA / "go-played-cpumanager-1.31.13.txt").read_bytes()
    bug = "CPU-STALE-LAST-UPDATE"
    kept = (ROOT / "counterexamples" / bug.lower() / "played.json").read_bytes()
    path, own = tmp_path / "printed.txt", tmp_path / "kept" / bug.lower() / "played.json"
    own.parent.mkdir(parents=True)

    def test(draw: Callable[[Any], Any]) -> None:
        events = [{"Time": "2026-11-23T08:11:05.1Z", "Output": f"{line}\n"} for line in printed.decode().splitlines()]
        changed = mutated(draw, events)
        as_events = b"\n".join(map(text_of, changed if isinstance(changed, list) else [changed]))
        path.write_bytes(draw(st.sampled_from([printed, damaged(draw, printed), as_events])))
        own.write_bytes(draw(st.sampled_from([kept, damaged(draw, text_of(mutated(draw, json.loads(kept))))])))
        kept_in = ("--counterexamples", str(tmp_path / "kept"))
        kubeproof("go", "played", bug, str(path), "--release", "1.31.13", *kept_in, *as_json(draw))

    each_example(examples, test)


@budget
def test_mutants(examples: int, tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    kept = json.loads((ROOT / "mutants" / "node-listing.json").read_bytes())

    def test(draw: Callable[[Any], Any]) -> None:
        path.write_bytes(damaged(draw, text_of(mutated(draw, kept))))
        with suppress(InputError):
            read_kept(path, "node-listing")

    each_example(examples, test)


@pytest.mark.slow
@budget
def test_hunt(examples: int, tmp_path: Path) -> None:
    path, system = tmp_path / "kept.json", system_named("node-listing")
    asked = Asked(system, known_release("1.18.4"))
    hunt(asked, 60.0, path, workers=1, scopes=[system.parse_scope("0,nodes=3,zones=2,moves=0")])
    found = json.loads(path.read_bytes())
    of_no_rule, of_nothing = deepcopy(found), deepcopy(found)
    of_no_rule["bugs"][0]["cures"][0]["swaps"][0]["cured_by"] = "nonsense"
    of_nothing["bugs"] = [{**found["bugs"][0], "cures": [], "actions": []}] * 2

    def test(draw: Callable[[Any], Any]) -> None:
        document = draw(st.sampled_from([found, of_no_rule, of_nothing]))
        path.write_bytes(damaged(draw, text_of(mutated(draw, document))))
        release = ("--release", str(asked.release), "--time", "0s")
        kubeproof("hunt", system.name, *release, "--kept", str(path), *as_json(draw))

    each_example(examples, test)


@budget
def test_a_file_that_is_no_python(examples: int, tmp_path: Path) -> None:
    texts = [path.read_bytes() for path in sorted((ROOT / "examples" / "fixes").glob("*.py"))]
    path = tmp_path / f"fix{HARMFUL}.py".replace("/", "")

    def test(draw: Callable[[Any], Any]) -> None:
        path.write_bytes(
            damaged(draw, draw(st.sampled_from(texts)))
            + draw(st.sampled_from([b"\n(", b"\xff", b"\x00", b"\nexec('(')", b"\nx = " + b"-" * 99_999 + b"1"]))
        )
        status, _ = kubeproof("check", "node-listing", "--fix", str(path), *as_json(draw))
        assert status == 2

    each_example(examples // 4, test)  # each starts processes of its own


TEXTS = st.sampled_from(
    ["1.18.4", "v1.18", "1.19.0-rc.1", "v1.18.4-tke.4", "0,nodes=4", "nodes=3,zones=2", HARMFUL]
) | (st.text(max_size=30) | st.text(alphabet="v0123456789.-+arc=,nodeszp", max_size=30))


@pytest.mark.slow
@budget
def test_texts_of_options(examples: int) -> None:
    def test(draw: Callable[[Any], Any]) -> None:
        text = draw(TEXTS) * draw(st.sampled_from([1, 1, 1, 500]))
        kubeproof("rules", "node-listing", f"--release={text}", *as_json(draw))
        for option in ("--scope", "--property", "--engine", "--rule"):
            kubeproof("check", "node-listing", "--property=nothing", f"{option}={text}")
        for system in SYSTEMS.values():
            with only_input_error():
                system.parse_scope(text)

    each_example(examples, test)


@contextmanager
def only_input_error() -> Iterator[None]:
    try:
        yield
    except InputError:
        return
