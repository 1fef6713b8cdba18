"""What `kubeproof scheduler-memory` answers: dumps of /metrics and the scheduler's pod against the releases' rules."""

import json

import pytest

from kubeproof.advise.scheduler_memory import analyse, exit_status, question, read_files, render, to_json
from kubeproof.advise.scheduler_memory.bugs import BUGS, Upgrades, upgrades
from kubeproof.advise.scheduler_memory.question import default_gate, release_of
from kubeproof.cli import app, run
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.scheduler_dumps import LARGE, MIB, SMALL, START, Asker, dump, grown, ids, inflight

Captured = pytest.CaptureFixture[str]


# --- which release has which bug: by runs of the queue's rules -----------------------------------------------------


@pytest.mark.parametrize(
    ("release", "has"),
    [
        ("1.27.5", ""),
        ("1.28.0", "DONE-SKIP DUP-ELEMENT RECREATE-LEAK RECORD-ALL SLOW-BIND-HOLD"),
        ("1.28.3", "DONE-SKIP DUP-ELEMENT RECREATE-LEAK RECORD-ALL SLOW-BIND-HOLD"),
        ("1.29.14", "DONE-SKIP DUP-ELEMENT RECREATE-LEAK RECORD-ALL SLOW-BIND-HOLD"),
        ("1.30.0", "DONE-SKIP DUP-ELEMENT RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.31.13", "DONE-SKIP RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.32.0", "RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.33.13", "RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.34.7", "RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.34.8", "SLOW-BIND-HOLD"),
        ("1.35.4", "RECREATE-LEAK SLOW-BIND-HOLD"),
        ("1.35.5", "SLOW-BIND-HOLD"),
        ("1.36.3", "SLOW-BIND-HOLD"),
    ],
)
def test_a_release_has_the_bugs_that_its_rules_show(release: str, has: str) -> None:
    found = [bug.id.removeprefix("QH-") for bug in BUGS if bug.in_release(release_of(release, "release"))]
    assert " ".join(found) == has


def test_an_element_left_by_1_28_0_pins_no_later_event() -> None:
    twice = next(bug for bug in BUGS if bug.id == "QH-DUP-ELEMENT")
    assert twice.retained(release_of("1.28.0", "")) < twice.retained(release_of("1.28.3", ""))


def test_the_next_releases_to_go_to() -> None:
    safe = ("1.34.8", "1.35.5", "1.36.0")
    assert upgrades(release_of("1.28.3", "")) == Upgrades(("1.28.5", "1.31.14"), safe)
    assert upgrades(release_of("1.32.0", "")) == Upgrades(None, safe)
    assert upgrades(release_of("1.35.4", "")) == Upgrades(None, safe[1:])
    assert upgrades(release_of("1.36.3", "")) == Upgrades(None, ())


# --- the answer ----------------------------------------------------------------------------------------------------


def test_a_heap_that_grows_alone_fits_and_the_list_is_not_to_be_seen_before_1_32(ask: Asker) -> None:
    answer = ask(*grown())
    assert (answer.verdict, exit_status(answer), answer.memory_grows) == ("fits", 1, True)
    assert ids(answer) == [
        "QH-DONE-SKIP", "QH-DUP-ELEMENT", "QH-RECREATE-LEAK", "QH-RECORD-ALL", "QH-SLOW-BIND-HOLD",
    ]  # fmt: skip
    assert answer.list.how == "not to be seen in this release"
    assert (answer.release, answer.gate) == ("1.28.3", True)
    assert "insertValue" in answer.would_decide
    assert [step.split(":")[0] for step in answer.to_do] == [
        "switch the gate off", "upgrade to a release from 1.28.5 to 1.31.14, where the gate is off by default",
        "or upgrade to 1.34.8, 1.35.5 or 1.36.0, or a later patch",
        "until then restart the scheduler before it reaches its limit",
    ]  # fmt: skip
    assert " it is " not in render(answer)


def test_the_order_of_the_files_does_not_matter(ask: Asker) -> None:
    first, last = grown()
    assert ask(first, last).figures == ask(last, first).figures


def test_memory_that_only_breathes_is_steady(ask: Asker) -> None:
    answer = ask(dump(), dump(900, SMALL + 8 * MIB, attempts=7000))
    assert (answer.verdict, exit_status(answer), answer.to_do, answer.would_decide) == ("steady", 0, (), "")


def test_with_the_gate_off_no_bug_fits(ask: Asker) -> None:
    answer = ask(*grown(gate=0))
    assert (answer.verdict, exit_status(answer), ids(answer)) == ("unexplained", 3, [])
    assert answer.list.how == "there is none"
    assert "gate SchedulerQueueingHints is off" in answer.why


@pytest.mark.parametrize(
    ("version", "gates", "on"),
    [
        ("v1.28.4", None, True),
        ("v1.28.5", None, False),
        ("v1.28.5", "SchedulerQueueingHints=true", True),
        ("v1.30.1", "AllBeta=true", True),
        ("v1.30.1", "AllBeta=true,SchedulerQueueingHints=false", False),
        ("v1.27.3", None, False),
        ("v1.33.4", None, True),
    ],
)
def test_without_the_metric_the_gate_is_that_of_the_option_or_of_the_release(
    ask: Asker, version: str, gates: str | None, on: bool
) -> None:
    answer = ask(*grown(version=version, gate=None), **({} if gates is None else {"feature_gates": gates}))
    assert answer.gate is on
    assert answer.gate_by.startswith("--feature-gates" if gates else "the default")


def test_the_metric_counts_more_than_the_option(ask: Asker) -> None:
    answer = ask(*grown(gate=1), feature_gates="SchedulerQueueingHints=false")
    assert answer.gate is True
    assert any("says otherwise" in note for note in answer.notes)


def test_resident_memory_alone_is_not_the_list(ask: Asker) -> None:
    answer = ask(dump(heap=80 * MIB), dump(900, LARGE, 85 * MIB, attempts=7000))
    assert (answer.verdict, exit_status(answer)) == ("unexplained", 3)
    assert answer.heap_part is not None
    assert answer.heap_part < 0.05
    assert "transparent huge pages" in answer.why


@pytest.mark.parametrize(
    ("figure", "said"),
    [("goroutines", "goroutines"), ("pending", "pending pods"), ("pods", "pods in the cache")],
)
def test_what_grows_with_the_heap_may_explain_it(ask: Asker, figure: str, said: str) -> None:
    answer = ask(*grown(**{figure: 9000}))
    assert (answer.verdict, ids(answer), answer.grows_too) == ("unexplained", [], (figure,))
    assert answer.why.startswith(f"{said} may explain it")
    assert any("issues 118059 and 140393" in note for note in answer.notes) == (figure == "goroutines")


def test_what_grows_from_nothing_may_explain_the_heap_too(ask: Asker) -> None:
    answer = ask(dump(pending=0), dump(900, LARGE, attempts=7000, pending=9000))
    assert (answer.verdict, answer.grows_too) == ("unexplained", ("pending",))


def test_what_grows_less_than_the_heap_is_named(ask: Asker) -> None:
    answer = ask(*grown(pods=1000, nodes=60))
    assert (answer.verdict, answer.grows_too) == ("fits", ())
    assert answer.why == (
        "the Go heap grows, and nothing that the dumps show grows as much (pods in the cache by 25% and nodes in the "
        "cache by 20%, the heap by 650%)"
    )
    assert ask(*grown()).why.endswith("grows as much")


def test_a_counter_grows_by_any_number(ask: Asker) -> None:
    grows = {each.figure: each.grows for each in ask(*grown(attempts=101, goroutines=351)).figures}
    assert (grows["attempts"], grows["queued"], grows["goroutines"]) == (True, True, False)


def test_the_metric_of_a_figure_is_the_one_that_was_read(ask: Asker) -> None:
    def metric(*texts: str) -> str:
        return next(each.metric for each in ask(*texts).figures if each.figure == "pods")

    texts = grown(version="v1.34.1")
    assert metric(*texts) == "scheduler_scheduler_cache_size"
    assert metric(*(text.replace("scheduler_scheduler_", "scheduler_") for text in texts)) == "scheduler_cache_size"


def test_a_process_that_scheduled_nothing_has_an_empty_list(ask: Asker) -> None:
    answer = ask(dump(attempts=0), dump(900, LARGE, attempts=0))
    assert (answer.verdict, ids(answer)) == ("unexplained", [])
    assert "does not lead" in answer.why


def test_pending_api_calls_may_explain_the_heap(ask: Asker) -> None:
    calls = "scheduler_pending_async_api_calls"
    first, last = grown(version="v1.34.8")
    answer = ask(first + f"{calls} 3\n", last + f"{calls} 90000\n")
    assert "api_calls" in answer.grows_too


def test_pods_that_only_the_flush_helped_are_named(ask: Asker) -> None:
    flushed = "scheduler_pod_scheduled_after_flush_total"
    first, last = inflight(1, 10, 1, version="v1.36.2")
    answer = ask(first + f"{flushed} 2\n", last + f"{flushed} 9\n")
    assert any(note.startswith("the flush put 7 pods into the queue which then were bound") for note in answer.notes)


def test_one_dump_tells_no_growth(ask: Asker) -> None:
    answer = ask(dump())
    assert (answer.verdict, exit_status(answer), answer.memory_grows) == ("unexplained", 3, None)
    assert answer.would_decide.startswith("a second dump")


def test_after_a_restart_the_process_is_judged_that_was_watched_longest(ask: Asker) -> None:
    later = START + 90_000
    texts = (*grown(), dump(5, start=later), dump(9, SMALL + MIB, start=later, attempts=120))
    answer = ask(*texts)
    assert (len(answer.processes), answer.judged, answer.verdict) == (2, 0, "fits")
    assert "1 restart" in render(answer)


def test_the_release_and_the_gate_are_those_of_the_process_that_is_judged(ask: Asker) -> None:
    answer = ask(dump(5, start=START + 90_000, version="v1.28.5", gate=0), *grown())
    assert (answer.release, answer.gate, answer.verdict) == ("1.28.3", True, "fits")
    assert any("says v1.28.5, not 1.28.3" in note for note in answer.notes)


def test_without_two_dumps_of_a_process_the_last_process_is_judged(ask: Asker) -> None:
    texts = (dump(version="v1.27.5", gate=None), dump(5, start=START + 90_000, version="v1.32.1", gate=None))
    for each in (texts, texts[::-1]):
        answer = ask(*each)
        assert (answer.release, answer.gate, answer.list.how) == ("1.32.1", True, "not in these files")


def test_times_and_the_limit_say_when_it_is_reached(ask: Asker) -> None:
    answer = ask(*grown(), times=("2024-01-12T10:00Z", "2024-01-12T16:30:00+01:00"), limit="1680Mi")
    assert (answer.seconds, answer.exact) == (5.5 * 3600, True)
    assert answer.hours_left == pytest.approx(5.5)
    assert "reached in 6 h" in render(answer) or "reached in 5 h" in render(answer)
    # Without times the last garbage collections say it, to two minutes.
    guessed = ask(*grown(), limit="1680Mi")
    assert (guessed.seconds, guessed.exact) == (890 * 20, False)


def test_waits_in_permit_are_told(ask: Asker) -> None:
    answer = ask(dump(permit=(10, 20.0)), dump(900, LARGE, permit=(30, 620.0), attempts=7000))
    assert answer.permit_wait == 30.0


def test_the_release_of_the_option_counts_and_a_contradiction_is_noted(ask: Asker) -> None:
    answer = ask(*grown(), release="1.28.4")
    assert (answer.release, answer.release_by) == ("1.28.4", "--release")
    assert any("says v1.28.3, not 1.28.4" in note for note in answer.notes)
    assert ask(*grown(version="v1.35.1")).release == "1.35.1"
    assert ask(*grown(), release="v1.36").release == "1.36.3"


def test_default_gate_by_release() -> None:
    on = [text for text in ("1.27.9", "1.28.4", "1.28.5", "1.31.1", "1.32.0", "1.36.2") if
          default_gate(release_of(text, ""))]  # fmt: skip
    assert on == ["1.28.4", "1.32.0", "1.36.2"]


# --- the command ---------------------------------------------------------------------------------------------------


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["scheduler-memory", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_the_command_says_what_fits_and_how_it_ended(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    files = [f"scheduler-memory-{name}" for name in ("1.txt", "2.txt", "3.txt", "pod.json")]
    status, out, err = command(capsys, *files)
    assert (status, err) == (1, "")
    assert out.partition("\n\nQH-DONE-SKIP:")[0] in (ROOT / "docs/your-cluster.md").read_text()
    status, out, _ = command(capsys, *files, "--json")
    assert status == 1
    found = json.loads(out)
    picture = read_files(files)
    assert found == json.loads(json.dumps(to_json(analyse(picture, question(picture)))))
    assert (found["verdict"], found["killed"][0]["restarts"]) == ("fits", 3)
    assert [each["kind"] for each in found["files"]] == ["metrics", "metrics", "metrics", "objects"]


def test_a_pod_alone_says_its_release_its_gate_and_what_is_missing(capsys: Captured) -> None:
    status, out, _ = command(capsys, str(DATA / "scheduler-memory-pod.json"))
    assert status == 3
    assert "though the pod was killed for its memory" in " ".join(out.split())
    assert "OOMKilled 2024-01-12T08:59:58Z (3 restarts)" in " ".join(out.split())
    assert "1.28.3" in out
