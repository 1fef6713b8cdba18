"""What `kubeproof scheduler-memory` takes and refuses: each refusal is one line with the file, the place, the mend."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_memory import read_files
from kubeproof.advise.scheduler_memory.heap_profile import relative_error
from kubeproof.advise.scheduler_memory.question import gate_in, version_in_image
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from tests.conftest import DATA
from tests.kubeproof.advise.scheduler_dumps import START, answered, dump

Captured = pytest.CaptureFixture[str]
POD = (DATA / "scheduler-memory-pod.json").read_text()
TOP = (
    "File: kube-scheduler\nType: cpu\n      flat  flat%   sum%        cum   cum%\n     1.2s 10.0% 10.0%  2s 20%  a.b\n"
)
QUERY = answered(dump(), dump(20))
LOG = 'I0112 10:00:00.000001       1 scheduler.go:1] "Starting"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty: expected"),
        (" \n", "the file is empty: expected"),
        ("<!DOCTYPE html><html><title>Sign in</title>", "an HTML page, perhaps of a login: expected"),
        (
            gzip.compress(b"\x0a\x04\x08\x01", mtime=0),
            "binary data: expected text, of a profile that of go tool pprof -top",
        ),
        (b"\x0a\x04\x08\x01\x10\x02", "binary data: expected text, of a profile that of go tool pprof -top"),
        (b"\xff\xfed\x00", "UTF-16"),
        (b"process_x 1\xff\n", "byte 12: not UTF-8 text"),
        ("process_x 1\x00\n", "byte 12: a NUL byte"),
        ("hello there\n", "not a file that scheduler-memory knows: expected"),
        (TOP, "a profile of type cpu: expected the output of go tool pprof -top -sample_index=inuse_space"),
        (TOP.replace("Type: cpu\n", ""), "no line `Type: inuse_space`"),
        (TOP.replace("cpu", "alloc_space"), "a profile of type alloc_space"),
        (TOP.replace("cpu", "inuse_space"), "line 4: not a line of the table"),
        (TOP.replace("cpu", "inuse_space").partition("     1.2s")[0], "line 4: no function"),
        (TOP.replace("cpu", "inuse_space").replace("scheduler", "apiserver"), "a profile of kube-apiserver"),
        (LOG + LOG.replace("Starting", "Checking events for in-flight pod"), "line 2: no inFlightEventsSize"),
        (dump()[:-9], "the file ends in the middle of a line"),
        (dump().partition("# HELP process_resident")[0] + "scheduler_x 1\n", "process_start_time_seconds: missing"),
        (dump().replace("scheduler_", "kubelet_"), "has no scheduler_ metric, but kubelet_"),
        (dump() + dump(20), "go_memstats_heap_inuse_bytes a second time: expected one dump in a file"),
        (dump().replace("go_goroutines 350", "go_goroutines many"), "line 3: not a sample of a metric"),
        (dump().replace("go_goroutines 350", "go_goroutines NaN"), "expected a number that a scheduler can have"),
        (dump().replace("go_goroutines 350", "go_goroutines " + "9" * 5000), "expected a number that a scheduler can"),
        ("# HELP x " + "y" * 20_000 + "\n", "line 1: longer than"),
        (POD[:200], "the file ends in the middle of the JSON"),
        ('{"status": "error", "error": "query timed out"}', "error: query timed out: expected Prometheus' answer to"),
        (QUERY.replace("matrix", "vector"), "data.resultType: not a matrix, but 'vector'"),
        (QUERY.replace("__name__", "name", 1), "data.result[0].metric.__name__: missing"),
        (QUERY.replace('"350"', "350"), "data.result[0].values[0]: expected a time and a value"),
        (QUERY.replace("[1705050060,", "[-1,", 1), "data.result[0].values[0]: not a time"),
        (QUERY.replace("process_resident_memory_bytes", "x"), "process_resident_memory_bytes: not there at any time"),
        (
            QUERY.replace(":10259", ":1", 5).replace(":10259", ":2"),
            "series of two processes, kube-scheduler 10.0.0.1:1",
        ),
        (
            # A series that no dump must have tells of two processes too.
            answered(dump(), dump(20))[:-3]
            + ", "
            + answered(dump(), instance="10.0.0.2:10259").partition('"result": [')[2].partition(', {"metric"')[0]
            + "]}}",
            "series of two processes, kube-scheduler 10.0.0.1:10259 and kube-scheduler 10.0.0.2:10259",
        ),
        (QUERY.replace('"350"', '"NaN"'), "go_goroutines: expected a number that a scheduler can have"),
        ("[1]", "top level: not an object, but a list"),
        ('{"kind": "Service"}', "kind: expected Pod, PodList, EventList or List, found 'Service'"),
        ('{"kind": "List", "items": []}', "no container runs kube-scheduler"),
        (POD.replace("2Gi", "much"), "spec.containers[0].resources.limits.memory: expected such as 2Gi, found 'much'"),
        (POD.replace("--leader-elect=true", "--feature-gates=X"), "'X' is not a gate"),
        (POD.replace('"restartCount": 3', '"restartCount": "x"'), "restartCount: expected a whole number"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys: Captured, tmp_path: Path, text: str | bytes, said: str) -> None:
    path = tmp_path / "given"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    status = run(lambda: app(["scheduler-memory", str(path)], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert captured.err.startswith((f"kubeproof: {path}: ", f"kubeproof: {path} at 2024-"))
    assert said in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        ((dump(), dump(900, attempts=50)), "scheduler_schedule_attempts_total falls from 100 to 50 after"),
        ((dump(), dump()), "1: says the same as"),
        # The first process was alive after the second one had started.
        ((dump(900), dump(10, start=START + 1000)), "1: this scheduler started before"),
    ],
)
def test_dumps_that_cannot_be_of_one_scheduler(capsys: Captured, tmp_path: Path, texts: Any, said: str) -> None:
    paths = [str(tmp_path / str(number)) for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_text(text)
    status = run(lambda: app(["scheduler-memory", *paths], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert said in captured.err
    assert "expected dumps" in captured.err


def test_a_second_process_that_starts_after_the_first_is_a_restart(tmp_path: Path) -> None:
    (tmp_path / "1").write_text(dump(900))
    (tmp_path / "2").write_text(dump(10, start=START + 900 * 20 + 60))
    assert run(lambda: app(["scheduler-memory", str(tmp_path / "1"), str(tmp_path / "2")], standalone_mode=False)) == 3


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--limit", "much"), "--limit: 'much' is not a quantity"),
        (("--limit", "-1Gi"), "--limit: '-1Gi' is not a memory limit"),
        (("--release", "1.2"), "--release: release '1.2' is outside the modelled range"),
        (("--release", "1.12"), "--release: release '1.12' is outside the modelled range 1.13 to 1.36"),
        (("--feature-gates", "SchedulerQueueingHints"), "is not a gate: expected such as SchedulerQueueingHints=false"),
        (("--release", "1.34.1", "--feature-gates", "SchedulerQueueingHints=false"), "1.34.1 does not start so"),
        (("-",) * 2, "standard input can be read only once"),
        (("x",) * 70, "files: expected at most 64"),
    ],
)
def test_a_wrong_option_is_one_line_and_exit_2(capsys: Captured, args: tuple[str, ...], said: str) -> None:
    given = ["scheduler-memory", str(DATA / "scheduler-memory-1.txt"), *args]
    status = run(lambda: app(given, prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert said in captured.err


def test_times_stand_behind_dumps_only_and_in_the_order_of_the_cpu(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a dump"):
        read_files([f"{DATA / 'scheduler-memory-pod.json'}@2024-01-12T10:00Z"])
    with pytest.raises(InputError, match="not a time"):
        read_files([f"{DATA / 'scheduler-memory-1.txt'}@2024-13-12T10:00Z"])
    # What is no time is part of the name.
    odd = tmp_path / "metrics@noon"
    odd.write_text(dump())
    assert read_files([odd]).dumps[0].at is None
    late, early = (f"{DATA / f'scheduler-memory-{n}.txt'}@2024-01-12T1{5 - n}:00Z" for n in (1, 2))
    assert run(lambda: app(["scheduler-memory", late, early], standalone_mode=False)) == 2


def test_feature_gates_as_kube_scheduler_writes_them() -> None:
    assert gate_in("A=true,SchedulerQueueingHints=false", "x") is False
    assert gate_in("A=true, SchedulerQueueingHints = True", "x") is True
    assert gate_in("A=true", "x") is None
    assert gate_in("", "x") is None


def test_the_release_in_an_image() -> None:
    assert version_in_image("example.org:5000/kube-scheduler:v1.28.3@sha256:ab") == "v1.28.3"
    assert version_in_image("kube-scheduler-amd64:v1.18.4-tke.4") == "v1.18.4-tke.4"
    assert version_in_image("example.org:5000/kube-scheduler") == ""


def pod(**changes: Any) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(POD)
    document["spec"]["containers"][0].update(changes)
    return document


@pytest.mark.parametrize(
    "command",
    [
        {"command": ["/bin/sh", "-c", "exec kube-scheduler --feature-gates=SchedulerQueueingHints=false >/dev/null"]},
        {"command": ["kube-scheduler"], "args": ["--feature-gates", "SchedulerQueueingHints=false"]},
    ],
)
def test_the_gate_in_a_pods_command_line(tmp_path: Path, command: dict[str, Any]) -> None:
    path = tmp_path / "pod.json"
    path.write_text(json.dumps({"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "x"}}, pod(**command)]}))
    found = read_files([path]).pods
    assert [(each.name, each.gate, each.limit) for each in found] == [("kube-system/kube-scheduler-cp-1", False, 2**31)]


@pytest.mark.parametrize("container", [{}, {"command": None, "args": []}])
def test_a_pod_that_runs_the_entrypoint_of_its_image_has_no_gate(tmp_path: Path, container: dict[str, Any]) -> None:
    document = pod()
    del document["spec"]["containers"][0]["command"]
    document["spec"]["containers"][0].update(container)
    path = tmp_path / "pod.json"
    path.write_text(json.dumps(document))
    (found,) = read_files([path]).pods
    assert found.gate is None


# --- heap profiles, logs and events --------------------------------------------------------------------------------

HEAP = """File: kube-scheduler
Build ID: 0a
Type: inuse_space
Time: Jan 12, 2024 at 2:00pm (UTC)
Showing nodes accounting for 912.50MB, 95.05% of 960MB total
Dropped 210 nodes (cum <= 4.80MB)
      flat  flat%   sum%        cum   cum%
  512.01MB 53.33% 53.33%   512.01MB 53.33%  k8s.io/apimachinery/pkg/apis/meta/v1.(*FieldsV1).Unmarshal
    5120kB  0.52% 53.85%    5.00MB  0.52%  container/list.(*List).insertValue (inline)
         0     0% 53.85%      240B     0%  runtime.main
"""


def read_text(folder: Path, *texts: str) -> Any:
    for number, text in enumerate(texts):
        (folder / str(number)).write_text(text)
    return read_files([folder / str(number) for number in range(len(texts))])


def test_a_heap_profile_counts_the_elements_of_the_list(tmp_path: Path) -> None:
    objects = HEAP.replace("inuse_space", "inuse_objects").replace("5120kB", "109226").replace("512.01MB", "70000")
    unlisted = "\n".join(line for line in HEAP.split("\n") if "insertValue" not in line)
    found = read_text(tmp_path, HEAP, objects, unlisted).profiles
    assert [profile.elements for profile in found] == [109_227, 109_226, 0]
    assert found[2].left_out == round(4.8 * 2**20 / 48)


def test_the_error_of_an_estimate_is_that_of_its_samples() -> None:
    # 10 samples of 512 KiB.
    assert relative_error(109_227) == pytest.approx(10**-0.5, rel=0.001)


KLOG = (
    'I0112 10:00:0{n}.000001       1 scheduling_queue.go:617] "Checking events for in-flight pod" '
    'pod="web/p{n}" unschedulablePlugins={{}} inFlightEventsSize={size} inFlightPodsSize=2\n'
)


def test_a_log_tells_the_sizes_in_text_and_in_json(tmp_path: Path) -> None:
    lines = [KLOG.format(n=n, size=size) for n, size in enumerate((10, 4000, 90_000))]
    as_json = [
        json.dumps({"ts": 1.5, "caller": "q.go:1", "msg": "Checking events for in-flight pod", "v": 5,
                    "pod": {"name": "p", "namespace": "web"}, "inFlightEventsSize": size, "inFlightPodsSize": 2},
                   separators=(",", ":"))
        for size in (10, 4000, 90_000)
    ]  # fmt: skip
    for text in ("".join(lines), "\n".join(as_json), "".join(f"2024-01-12T10:00:00.1Z stderr F {x}" for x in lines)):
        (log,) = read_text(tmp_path, text).logs
        assert (log.sizes, log.pods) == ((10, 4000, 90_000), (2, 2, 2))


@pytest.mark.parametrize("before", ["+ exec kube-scheduler\n", "\n\n", "W x\npanic: [recovered]\n", "\ufeff"])
def test_a_log_is_known_whatever_was_printed_before_its_first_line(tmp_path: Path, before: str) -> None:
    as_json = '{"ts":1705053600000.1,"caller":"q.go:1","msg":"Starting","v":0}\n'
    for text in (LOG, as_json, f"2024-01-12T10:00:00.000001Z stderr F {LOG}"):
        assert read_text(tmp_path, before + text).files[0].kind == "log"


def test_the_first_line_of_a_log_says_when_the_log_begins(tmp_path: Path) -> None:
    as_json = '{"ts":1705053600000.1,"caller":"q.go:1","msg":"Starting","v":0}\n'
    texts = (LOG, f"x\n2024-01-12T10:00:00.123456789Z {LOG}", as_json, as_json.replace("000.1", ".1"),
             as_json.replace('"ts":1705053600000.1,"caller"', '"msg"'), LOG.replace("0112", "0230"))  # fmt: skip
    logs = read_text(tmp_path, *texts).logs
    times = [log.begins and f"{log.begins:%Y-%m-%d %H:%M}" for log in logs]
    assert times == ["2000-01-12 10:00", *["2024-01-12 10:00"] * 3, None, None]


def test_a_log_names_pods_that_were_not_in_flight_or_twice(tmp_path: Path) -> None:
    text = (
        LOG
        + "E0112 10:00:00.000001 1 scheduling_queue.go:627] \"In flight Pod isn't found in the scheduling queue. If "
        'you see this error log, it\'s likely a bug in the scheduler." err=null pod="web/p"\n'
        + 'E0112 10:00:00.000001 1 active_queue.go:216] "the same pod is tracked in multiple places in the scheduler, '
        'and just discard it" pod="web/q"\n'
    )
    (log,) = read_text(tmp_path, text).logs
    assert (log.not_found, log.tracked_twice) == (("web/p",), ("web/q",))


def test_events_name_the_pods_that_were_skipped(tmp_path: Path) -> None:
    def event(key: str, text: str) -> dict[str, Any]:
        return {"kind": "Event", "metadata": {"name": "x"}, "reason": "FailedScheduling", key: text}

    items = [event("message", "skip schedule deleting pod: web/p"), event("note", "skip schedule deleting pod: web/q"),
             event("message", "0/2 nodes are available"), pod()]  # fmt: skip
    found = read_text(tmp_path, json.dumps({"kind": "List", "items": items}))
    assert ([each.pod for each in found.skipped], len(found.pods)) == (["web/p", "web/q"], 1)
    assert read_text(tmp_path, '{"kind": "EventList", "items": []}').files[0].kind == "objects"
