"""What else shows the list to `kubeproof scheduler-memory`: heap profiles, logs, and what Prometheus kept."""

import json

import pytest

from kubeproof.advise.scheduler_memory import exit_status, render
from tests.kubeproof.advise.scheduler_dumps import START, Asker, answered, dump, grown, ids, inflight

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
