"""`kubeproof bugs --text`: the symptoms in texts as people paste them, and in made ones."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml

from kubeproof.advise.symptoms import analyse, read_symptoms, render
from kubeproof.advise.symptoms.answer import SymptomsAnswer, looked_for
from kubeproof.bugs.signatures import SIGNATURES
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from model.releases import known_release
from tests.conftest import DATA, ROOT

# Where the text was seen, the release, the text, and bugs of the release that it fits; none if it fits none.
SEEN = yaml.safe_load((DATA / "public-texts.yaml").read_text(encoding="utf-8"))


def ask(folder: Path, text: str, release: str | None = None) -> SymptomsAnswer:
    file = folder / "text.txt"
    file.write_text(text, encoding="utf-8")
    return analyse(read_symptoms(file), None if release is None else known_release(release))


@pytest.mark.parametrize("seen", SEEN, ids=[each["where"] for each in SEEN])
def test_a_text_of_a_public_issue(tmp_path: Path, seen: dict[str, Any]) -> None:
    answer = ask(tmp_path, f"I0101 00:00:00.000000       1 a.go:1] before\n{seen['text']}", seen["release"])
    fitting = [bug.bug for match in answer.matches for bug in match.bugs if bug.in_release is not False]
    assert answer.found is bool(seen["bugs"])
    assert set(seen["bugs"]) <= set(fitting)
    assert seen["bugs"] or not fitting


def test_a_panic_in_another_function_is_named_with_the_function(tmp_path: Path) -> None:
    text = next(each["text"] for each in SEEN if each["where"] == "#110726")
    (panic,) = ask(tmp_path, text).other_panics
    assert panic.function.endswith("podtopologyspread.(*preFilterState).updateWithPod")
    assert "no documented bug has it" in render(ask(tmp_path, text))


def test_a_bug_that_ended_before_the_models_is_in_no_release_that_is_named(tmp_path: Path) -> None:
    text = "Pod a/b assumed to a different node than added to."
    (old,) = ask(tmp_path, text).matches[0].bugs
    assert (old.bug, old.in_release) == ("CACHE-ASSUMED-OTHER-NODE", None)
    assert "its releases are not computed: The bug ended in 1.9" in " ".join(render(ask(tmp_path, text)).split())
    assert not ask(tmp_path, text, "1.13.0").found


def test_of_a_bug_whose_releases_are_not_computed_the_release_may_have_it(tmp_path: Path) -> None:
    missed = "nodeinfo not found for node name n9"
    assert "1 symptom of documented bugs that 1.13.0 may have in 1 line" in render(ask(tmp_path, missed, "1.13.0"))
    assert "1 symptom of documented bugs of 1.27.0 in 1 line" in render(ask(tmp_path, missed, "1.27.0"))


def test_a_log_in_json_has_a_panic_with_its_functions_in_one_line(tmp_path: Path) -> None:
    trace = (
        "goroutine 1 [running]:\\nk8s.io/apimachinery/pkg/util/runtime.logPanic()\\n\\t/a.go:1\\nk8s.io/kubernetes/pkg/"
    )
    text = (
        f'{{"ts":1,"msg":"Observed a panic","panic":"nil pointer dereference","stacktrace":"{trace}scheduler/nodeinfo.'
    )
    (match,) = ask(tmp_path, f'{text}(*NodeInfo).RemovePod(0x1)\\n\\t/b.go:2"}}\n').matches
    assert [bug.bug for bug in match.bugs] == ["CACHE-NODE-BEFORE-PODS-CRASH"]


def test_what_healthy_clusters_have_is_shown_and_is_no_finding(tmp_path: Path) -> None:
    answer = ask(tmp_path, "Warning FailedScheduling 5s default-scheduler skip schedule deleting pod: web/a", "1.30.1")
    assert not answer.found
    (match,) = answer.matches
    assert match.common
    assert match.bugs[0].bug == "QH-DONE-SKIP"
    assert "Healthy clusters have this too" in render(answer)


@pytest.mark.parametrize(
    ("metric", "found"),
    [
        ('scheduler_inflight_events{event="PodAdd"} 120000', True),
        ('scheduler_inflight_events{event="PodAdd"} 12', False),
        ("kubelet_cpu_manager_pinning_errors_total 0", False),
        ("kubelet_cpu_manager_pinning_errors_total 3", True),
        ("# HELP kubelet_cpu_manager_pinning_errors_total [ALPHA] The number of 1 allocations", False),
        ("kubelet_cpu_manager_pinning_errors_total 3e", False),
    ],
)
def test_a_metric_is_odd_by_its_value(tmp_path: Path, metric: str, found: bool) -> None:
    assert ask(tmp_path, f"# TYPE x gauge\n{metric}\n").found is found


@pytest.mark.parametrize(
    ("line", "bug"),
    [
        ("   12.50MB 11.27% 91.10%    12.50MB 11.27%  container/list.(*List).insertValue (inline)", "QH-DONE-SKIP"),
        ("         0     0% 91.10%   30.50MB 27.50%  k8s.io/kubernetes/pkg/scheduler/framework/preemption."
         "(*Evaluator).DryRunPreemption", "PREEMPT-LEAK"),
        ("                                         9.01MB   100% |   k8s.io/kubernetes/pkg/scheduler/internal/queue."
         "(*nominator).addNominatedPodUnlocked", "NOM-EMPTY-KEY"),
        ("k8s.io/kubernetes/pkg/kubelet/cm/cpumanager.takeByTopologyNUMADistributed(0xc0001, 0x2)",
         "CPU-DISTRIBUTE-HANG"),
    ],
)  # fmt: skip
def test_a_function_in_a_profile_or_among_goroutines(tmp_path: Path, line: str, bug: str) -> None:
    answer = ask(
        tmp_path, f"File: kube-scheduler\nType: inuse_space\n      flat  flat%   sum%        cum   cum%\n{line}\n"
    )
    assert answer.matches[0].bugs[0].bug == bug
    assert answer.matches[0].lines[0].number == 4


def test_the_heap_profile_of_scheduler_memory_is_read_here_too() -> None:
    answer = analyse(read_symptoms(DATA / "scheduler-memory-heap.txt"), known_release("1.28.3"))
    assert [match.kind for match in answer.matches] == ["function"]
    assert "kubeproof scheduler-memory" in answer.matches[0].command


def test_kubectl_prints_texts_in_json_and_yaml(tmp_path: Path) -> None:
    message = 'Node "n1" in group "" was not found'
    for text in (json.dumps({"items": [{"message": message}]}, indent=1), f"items:\n- message: '{message}'\n"):
        assert ask(tmp_path, text).found
    one_line = json.dumps({"items": [{"message": "x" * 9000}, {"message": message}]})
    (match,) = ask(tmp_path, one_line).matches
    assert match.lines[0].text.startswith("…")


def test_a_message_that_yaml_folds_is_one_line(tmp_path: Path) -> None:
    text = (
        "items:\n- message: '0/9 nodes are available: 3 node(s) didn''t match node labels,\n    6 Insufficient cpu.'\n"
        "  reason: Unschedulable\n- message: 'Pod was rejected: Allocate failed due to not enough cpus available\n"
        "      to satisfy request, which is\n      unexpected'\n  reason: UnexpectedAdmissionError\n"
        "- message: pod u is in the cache, so can''t be assumed\n"
    )
    first, second = ask(tmp_path, text).matches
    assert [match.lines[0].number for match in (first, second)] == [5, 9]
    assert "available to satisfy request, which is unexpected" in first.lines[0].text
    assert "so can't be assumed" in second.lines[0].text


def test_nothing_found_is_said_with_what_was_looked_for(tmp_path: Path) -> None:
    answer = ask(tmp_path, "all is well\n")
    assert not answer.found
    told = " ".join(render(answer).split())
    what = looked_for()
    assert what.texts + what.panics + what.metrics + what.functions == len(SIGNATURES)
    assert f"Looked for {what.texts} texts of errors, events and logs" in told
    assert f"Of {what.silent} others no such text is known" in told


def test_the_page_shows_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    answer = analyse(read_symptoms("symptoms-scheduler.log"), known_release("1.30.1"))
    assert render(answer) in (ROOT / "docs/your-cluster.md").read_text()


@pytest.mark.slow
def test_a_long_text_takes_seconds(tmp_path: Path) -> None:
    line = "I0101 00:00:00.000000       1 a.go:1] 0/3 nodes are available: 3 Insufficient cpu. /binding expired\n"
    before = process_time()
    assert not ask(tmp_path, line * 200_000).found
    assert process_time() - before < 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\xff\xfea\x00", "UTF-16"),
        (b"a\x00b", "binary data"),
        (b"\x1f\x8b\x08", "binary data"),
    ],
)
def test_what_is_no_text_is_refused(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_symptoms(tmp_path / "a")


def test_bytes_that_are_no_utf_8_do_not_hide_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xc4\xb0\xff default cpuset cannot be empty \xfe\n")
    assert analyse(read_symptoms(tmp_path / "a")).found


def kubeproof(*args: str) -> int:
    return run(lambda: app(list(args), prog_name="kubeproof", standalone_mode=False))


def test_the_command_and_its_statuses(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "kubelet.log"
    file.write_text("E0101 x] default cpuset cannot be empty\n")
    assert kubeproof("bugs", "--text", str(file), "--release", "1.34.1") == 1
    assert "Fits CPU-STRICT-EMPTY-POOL" in capsys.readouterr().out
    # A release without the bug.
    assert kubeproof("bugs", "--text", str(file), "--release", "1.28.3") == 0
    assert "Not in 1.28.3: CPU-STRICT-EMPTY-POOL" in capsys.readouterr().out
    assert kubeproof("bugs", "--text", str(file), "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["matches"][0]["bugs"][0]["bug"] == "CPU-STRICT-EMPTY-POOL"
    assert document["looked_for"]["silent"] == looked_for().silent
    assert kubeproof("bugs", "cpu", "--text", str(file)) == 2
    assert "expected only --release beside it" in capsys.readouterr().err
    assert kubeproof("bugs", "--text", str(tmp_path / "none")) == 2
