"""What `kubeproof scheduler-memory` answers: dumps of /metrics and the scheduler's pod against the releases' rules."""

import json
from pathlib import Path
from typing import Any

import pytest

from kubeproof.advise.scheduler_memory import MemoryAnswer, analyse, exit_status, question, read_files, render, to_json
from kubeproof.advise.scheduler_memory.bugs import BUGS, Upgrades, upgrades
from kubeproof.advise.scheduler_memory.question import default_gate, release_of
from kubeproof.cli import app, run
from tests.conftest import DATA, ROOT
from tests.kubeproof.advise.scheduler_dumps import MIB, START, answered, dump

Captured = pytest.CaptureFixture[str]
SMALL, LARGE = 120 * MIB, 900 * MIB


class Asker:
    """Writes files, and asks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *texts: str, times: tuple[str, ...] = (), **options: str) -> MemoryAnswer:
        paths = []
        for number, text in enumerate(texts):
            path = self.folder / f"{number}.txt"
            path.write_text(text)
            paths.append(f"{path}@{times[number]}" if times else str(path))
        picture = read_files(paths)
        return analyse(picture, question(picture, **options))


@pytest.fixture
def ask(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


def grown(**last: Any) -> tuple[str, str]:
    """Two dumps of one process whose heap grows. `last`: what the second says otherwise; what both say is doubled."""
    both = {key: last[key] for key in ("version", "gate", "start") if key in last}
    return dump(**both), dump(**{"cpu": 900, "resident": LARGE, "attempts": 7000, **last})


def ids(answer: MemoryAnswer) -> list[str]:
    return [bug.bug for bug in answer.bugs]


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


def inflight(pods: int, events: int, binding: int, version: str = "v1.32.2", **more: Any) -> tuple[str, str]:
    return (
        dump(version=version, in_flight={"PodPopped": 1, "NodeAdd": 3}),
        dump(900, LARGE, version=version, attempts=7000, in_flight={"PodPopped": pods, "NodeAdd": events},
             binding=binding, **more),
    )  # fmt: skip


def test_from_1_32_on_the_list_is_seen(ask: Asker) -> None:
    answer = ask(*inflight(7, 90_000, 6))
    assert (answer.verdict, ids(answer)) == ("fits", ["QH-RECREATE-LEAK", "QH-SLOW-BIND-HOLD"])
    assert (answer.list.how, answer.list.lengths, answer.list.pods) == ("seen", (4, 90_007), (1, 7))
    assert answer.list.without_cycle == 0
    # From 1.36 on nothing that leaks is known, and nobody can switch the gate off.
    newest = ask(*inflight(7, 90_000, 6, version="v1.36.2"))
    assert (newest.verdict, ids(newest)) == ("fits", ["QH-SLOW-BIND-HOLD"])
    assert newest.to_do == ("find out for what pods wait in Permit or PreBind, and shorten these waits",)


@pytest.mark.parametrize(
    ("version", "first", "last"),
    [
        ("v1.32.2", "switch the gate off", "upgrade to 1.34.8, 1.35.5 or 1.36.0"),
        ("v1.33.13", "switch the gate off", "upgrade to 1.34.8, 1.35.5 or 1.36.0"),
        ("v1.34.1", "upgrade to 1.34.8, 1.35.5 or 1.36.0", ""),
        ("v1.35.4", "upgrade to 1.35.5 or 1.36.0", ""),
    ],
)
def test_what_to_do_about_the_leak_of_1_32_to_1_35(ask: Asker, version: str, first: str, last: str) -> None:
    answer = ask(*inflight(40, 90_000, 2, version=version))
    assert (answer.verdict, ids(answer)[0], answer.list.without_cycle) == ("fits", "QH-RECREATE-LEAK", 0)
    steps = [step for step in answer.to_do if not step.startswith("until then restart")]
    assert len(steps) + 1 == len(answer.to_do)
    assert steps[0].startswith(first)
    assert last in steps[-1]
    assert any("only what touches pods in flight is modelled" in note for note in answer.notes) == (version > "v1.33")


def test_a_list_that_stays_short_is_not_what_grows(ask: Asker) -> None:
    answer = ask(*inflight(2, 40, 1))
    assert (answer.verdict, ids(answer)) == ("unexplained", [])
    assert "the list does not get longer" in answer.why


@pytest.mark.parametrize(("last", "longer"), [(299_000, True), (221_000, True), (205_000, False)])
def test_a_long_list_that_grows_on_gets_longer(ask: Asker, last: int, longer: bool) -> None:
    first = dump(version="v1.32.2", in_flight={"PodPopped": 1, "NodeAdd": 199_999}, binding=1)
    more = dump(900, LARGE, version="v1.32.2", in_flight={"PodPopped": 1, "NodeAdd": last - 1}, binding=1, attempts=900)
    answer = ask(first, more)
    assert (answer.list.grows, answer.verdict) == (longer, "fits" if longer else "unexplained")
    assert answer.why == (
        f"the list of pods in flight and events gets longer, from 200000 to {last} elements"
        if longer
        else f"the list does not get longer by more than noise: 200000 elements, then {last}"
    )


def test_a_list_that_gets_longer_is_said_to_do_so_where_the_release_is_not_known(ask: Asker) -> None:
    texts = tuple(text.replace("kubernetes_build_info", "kubernetes_x") for text in inflight(7, 90_000, 6))
    answer = ask(*texts)
    assert (answer.release, answer.verdict, answer.list.grows) == (None, "unexplained", True)
    assert "gets longer, from 4 to 90007 elements; which bugs leave it long depends on the release" in answer.why


def test_a_list_that_gets_longer_while_the_memory_stays_is_no_memory_that_may_grow(ask: Asker) -> None:
    first, _ = inflight(7, 90_000, 6, version="v1.34.8")
    last = dump(900, version="v1.34.8", in_flight={"PodPopped": 7, "NodeAdd": 90_000}, binding=6)
    assert "does not grow between these dumps, but QH-SLOW-BIND-HOLD fits" in " ".join(render(ask(first, last)).split())


def test_many_pods_without_a_cycle_in_every_dump_need_not_become_more(ask: Asker) -> None:
    def both(pods: int) -> MemoryAnswer:
        events = {"PodPopped": pods, "NodeAdd": 20_000}
        return ask(dump(version="v1.36.2", in_flight=events),
                   dump(900, LARGE, version="v1.36.2", in_flight=events, attempts=7000))  # fmt: skip

    answer = both(5000)
    assert (answer.verdict, ids(answer), answer.list.grows) == ("unexplained", [], False)
    assert answer.why.startswith("4999 pods or more of the list belong to no running cycle")
    # Few may be a gauge that lags.
    assert both(50).why.startswith("the list does not get longer")


def test_elements_that_no_cycle_can_own_are_counted_in_every_dump(ask: Asker) -> None:
    def both(version: str) -> list[str]:
        return [
            dump(cpu, resident, version=version, attempts=cpu, in_flight={"PodPopped": pods, "NodeAdd": 9 * cpu * cpu},
                 binding=2)
            for cpu, resident, pods in ((10, SMALL, 12), (900, LARGE, 30))
        ]  # fmt: skip

    answer = ask(*both("v1.36.2"))
    assert answer.list.without_cycle == 9
    # No modelled bug of 1.36 leaves such elements: this is said, and no bug is named.
    assert (answer.verdict, ids(answer)) == ("unexplained", [])
    assert "9 pods or more of the list belong to no running cycle" in answer.why
    leaks = ask(*both("v1.32.2"))
    assert (leaks.verdict, ids(leaks)[0], leaks.why) == ("fits", "QH-RECREATE-LEAK", answer.why.partition(",")[0])
    # A gauge that lagged once: one dump in which each pod can have a cycle takes it back.
    assert ask(dump(version="v1.36.2", in_flight={"PodPopped": 1}), both("v1.36.2")[1]).list.without_cycle == 0


def test_pods_of_a_group_are_in_flight_together(ask: Asker) -> None:
    groups = (("scheduler_podgroup_schedule_attempts_total", 'result="scheduled"', 4.0),)
    answer = ask(*inflight(30, 90_000, 0, more=groups))
    assert answer.list.without_cycle is None
    assert "group" in answer.list.caution


def test_1_32_without_the_gauge_has_no_bug_that_fits(ask: Asker) -> None:
    answer = ask(*grown(version="v1.32.2"))
    assert (answer.verdict, answer.list.how) == ("unexplained", "not in these files")
    assert answer.would_decide == "a dump with scheduler_inflight_events"


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


# --- what else shows the list --------------------------------------------------------------------------------------

HEAP = "File: kube-scheduler\nType: inuse_space\n      flat  flat%   sum%        cum   cum%\n"
ROW = "   {flat}  0.52% 53.85%    5.00MB  0.52%  {function}\n"
KLOG = 'I0112 10:00:00.000001       1 q.go:617] "Checking events for in-flight pod" pod="web/p" {sizes}\n'


def heap(flat: str, function: str = "container/list.(*List).insertValue", time: str = "") -> str:
    head = HEAP.replace("\n   ", f"\nTime: {time}\n   ", 1) if time else HEAP
    return head + ROW.format(flat="100MB", function="reflect.New") + ROW.format(flat=flat, function=function)


def sizes(*events: int, day: str = "0112") -> str:
    lines = "".join(KLOG.format(sizes=f"inFlightEventsSize={size} inFlightPodsSize=2") for size in events)
    return lines.replace("I0112", f"I{day}")


def skipped(*pods: str) -> str:
    items = [{"kind": "Event", "message": f"skip schedule deleting pod: {pod}"} for pod in pods]
    return json.dumps({"kind": "List", "items": items})


def test_a_heap_profile_alone_estimates_the_list(ask: Asker) -> None:
    answer = ask(heap("5120kB"), release="1.28.3")
    assert (answer.verdict, answer.list.how, answer.list.lengths) == ("fits", "estimated", (109_227,))
    assert answer.list.error == pytest.approx(0.316, abs=0.001)
    assert "(± 32%)" in render(answer)
    assert "depends on the release" in ask(heap("5120kB")).why
    assert answer.why == "the list has about 109227 elements (± 32%) by the heap profile"
    # Less than one sample says nothing, and one says little.
    assert ask(heap("240kB"), release="1.28.3").verdict == "unexplained"
    assert ask(heap("512kB"), release="1.28.3").verdict == "unexplained"
    assert ask(*grown(), heap("512kB")).why == (
        "the list has about 10923 elements (± 100%) by the heap profile, too few samples to call the list long"
    )
    assert ask(heap("2048kB"), release="1.28.3").verdict == "fits"
    # With the gate off there is no list, whatever allocates so.
    assert ask(heap("5120kB"), release="1.28.5").verdict == "unexplained"


def test_a_heap_that_grows_without_a_list_in_its_profile_is_something_else(ask: Asker) -> None:
    answer = ask(*grown(), heap("512kB", "strings.Builder"))
    assert (answer.verdict, answer.why) == ("unexplained", "the heap profile shows no long list")
    assert "does not list insertValue" in answer.list.caution


MONDAY, TUESDAY = "Jan 8, 2024 at 2:00pm (UTC)", "2024-01-09 09:30:00 UTC"


def test_profiles_are_compared_in_the_order_of_their_times(ask: Asker) -> None:
    texts = heap("2048kB", time=MONDAY), heap("20480kB", time=TUESDAY)
    for each in (texts, texts[::-1]):
        answer = ask(*each, release="1.28.3")
        assert (answer.list.grows, answer.list.lengths) == (True, (43_691, 436_907))
    assert answer.why.endswith("gets longer, from 43691 to 436907 elements (± 16%)")
    # A shorter list may be that of the next process.
    down = ask(heap("20480kB", time=MONDAY), heap("2048kB", time=TUESDAY), release="1.28.3").list
    assert (down.grows, down.lengths) == (None, (436_907, 43_691))
    assert "a restart may lie between" in down.caution


@pytest.mark.parametrize("time", ["", MONDAY, TUESDAY.replace("UTC", "CET"), "tomorrow (UTC)"])
def test_the_order_of_profiles_is_not_that_of_the_arguments(ask: Asker, time: str) -> None:
    texts = heap("2048kB", time=MONDAY), heap("20480kB", time=time)
    assert ask(*texts, release="1.28.3").list.grows is None
    assert ask(*texts[::-1], release="1.28.3").list.lengths == (43_691, 436_907)


@pytest.mark.parametrize(("first", "last"), [("1024kB", "2048kB"), ("0", "1024kB"), ("4096kB", "6144kB")])
def test_lengths_that_differ_by_their_errors_are_no_growth(ask: Asker, first: str, last: str) -> None:
    found = ask(heap(first, time=MONDAY), heap(last, time=TUESDAY), release="1.28.3").list
    assert (found.grows, "no more than their errors" in found.caution) == (None, True)


def test_logs_are_read_in_the_order_of_their_first_lines(ask: Asker) -> None:
    texts = sizes(10, 4000, day="0112"), sizes(5000, 90_000, day="0113")
    for each in (texts, texts[::-1]):
        found = ask(*each, release="1.28.3").list
        assert (found.grows, found.lengths) == (True, (10, 4000, 5000, 90_000))
    # klog's text has no year, so December may come before January.
    for other in (sizes(90_000), sizes(90_000, day="1231"), sizes(90_000, day="0230")):
        found = ask(sizes(10, 4000), other, release="1.28.3").list
        assert (found.grows, found.caution) == (None, "which of the logs was written first is not known")
    # A shorter list may be that of the next process.
    assert ask(sizes(90_000), sizes(10, day="0113"), release="1.28.3").list.grows is None
    why = ask(*grown(), sizes(90_000, 10)).why
    assert why.startswith("whether the list gets longer is not known: the list is shorter at the end")
    assert ask(*grown(), sizes(90_000)).why == "the list is seen once only, with 90000 elements"


def test_a_log_shows_the_list_in_any_release(ask: Asker) -> None:
    answer = ask(sizes(10, 4000, 90_000), release="1.28.3")
    assert (answer.verdict, answer.list.how, answer.list.lengths) == ("fits", "seen", (10, 4000, 90_000))
    assert ask(*grown(), sizes(10, 11, 9)).verdict == "unexplained"
    # The answer has a thousand numbers of a long log, the first and the last among them.
    long = ask(sizes(*range(5000)), release="1.28.3").list.lengths
    assert (len(long), long[0], long[-1]) == (1000, 0, 4999)


def test_what_prometheus_kept_says_the_same_as_the_dumps_and_the_hours_too(ask: Asker) -> None:
    texts = inflight(7, 90_000, 6)
    answer, by_dumps = ask(answered(*texts, step=7200)), ask(*texts)
    assert (answer.figures, answer.list, answer.bugs) == (by_dumps.figures, by_dumps.list, by_dumps.bugs)
    assert (answer.seconds, answer.exact, answer.files[0].kind) == (7200, True, "query")
    # Between two scrapes Prometheus repeats the last one.
    assert ask(answered(texts[0], texts[0], texts[1], texts[1])).processes[0].count == 2
    # A restart is a restart here too.
    again = ask(answered(*texts, dump(5, start=START + 30_000, version="v1.32.2"), step=20_000))
    assert (len(again.processes), again.judged) == (2, 0)


def test_a_skipped_pod_is_the_bug_at_work_where_the_release_has_it(ask: Asker) -> None:
    answer = ask(skipped("web/p", "web/q", "web/p"), release="1.28.3")
    assert (answer.verdict, ids(answer), answer.at_work[0].pods) == ("fits", ["QH-DONE-SKIP"], ("web/p", "web/q"))
    assert answer.why.startswith("web/p and 1 more were skipped")
    assert answer.would_decide == ""
    assert len(ids(ask(*grown(), skipped("web/p")))) == 5
    for release in ("1.28.5", "1.32.1", "1.27.3"):
        assert ask(skipped("web/p"), release=release).verdict == "unexplained"


def test_memory_that_does_not_grow_is_steady_whatever_was_skipped(ask: Asker) -> None:
    answer = ask(dump(), dump(900, attempts=7000), skipped("web/p", "web/q"))
    assert (answer.verdict, exit_status(answer), answer.to_do, ids(answer)) == ("steady", 0, (), [])
    assert answer.why.endswith("noise, though web/p and 1 more were skipped while being deleted, and never done")
    assert "QH-DONE-SKIP: skipped while being deleted" in " ".join(render(answer).split())
    # A list that gets longer is another matter.
    longer = ask(dump(), dump(900, attempts=7000), skipped("web/p"), sizes(10, 90_000))
    assert (longer.verdict, ids(longer)[0]) == ("fits", "QH-DONE-SKIP")


def test_a_pod_that_was_not_in_flight_fits_a_second_pop(ask: Asker) -> None:
    line = 'E0112 10:00:00.000001 1 q.go:627] "In flight Pod isn\'t found in the scheduling queue." pod="web/p"\n'
    assert ids(ask(line, release="1.28.4")) == ["QH-DUP-ELEMENT"]
    assert ids(ask(line, release="1.31.1", feature_gates="SchedulerQueueingHints=true")) == []


@pytest.mark.parametrize(
    "said",
    [
        '"the same pod is tracked in multiple places in the scheduler, and just discard it" pod="web/p"',
        # 1.34 and 1.35; 1.36.
        '"The same pod is tracked in multiple places in the scheduler, and just discard it" pod="web/p"',
        '"Discarding the popped pod" err="the same pod is tracked in multiple places in the scheduler: web/p"',
    ],
)
def test_a_pod_that_was_tracked_twice_is_noted(ask: Asker, said: str) -> None:
    line = f"E0112 10:00:00.000001 1 q.go:216] {said}\n"
    answer = ask(line, release="1.32.1")
    assert answer.verdict == "unexplained"
    assert "of web/p that the pod was tracked in multiple places" in answer.notes[-1]


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
    assert out.partition("\n\nQH-DONE-SKIP:")[0] in (ROOT / "README.md").read_text()
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
