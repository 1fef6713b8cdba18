"""Two schedulers of one name at the same time, by events and by logs."""

from typing import Any

import pytest

from kubeproof.advise.pod_events import PodEventsAnswer, analyse, picture_of
from kubeproof.advise.pod_events.attempt_log import read_log
from tests.kubeproof.advise.pod_lists import ask, bound, kinds


def by(instance: str, second: str, of: str, **more: Any) -> Any:
    return bound(None, of=of, eventTime=f"2020-12-14T09:00:{second}.500000Z", reportingInstance=instance, **more)


def test_two_instances_that_take_turns_within_a_lease() -> None:
    """#136782: one node gets more pods than fit. #60469 and scheduler-plugins#801: two deployments of one name."""
    turns = [
        by("default-scheduler-a", "01", "p"),
        by("default-scheduler-b", "02", "q"),
        by("default-scheduler-a", "03", "r"),
    ]
    (found,) = ask(*turns).findings
    assert (found.kind, found.count, found.bugs) == ("two-leaders", 0, ())
    assert found.title == "default-scheduler-a and default-scheduler-b both work as default-scheduler"
    assert [one.text.rpartition("(")[2] for one in found.evidence] == [
        "default-scheduler-a, of web/p)", "default-scheduler-b, of web/q)", "default-scheduler-a, of web/r)",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "events",
    [
        # One hands over to the other, once.
        [by("a", "01", "p"), by("a", "02", "q"), by("b", "03", "r"), by("b", "04", "s")],
        # And back, after the lease of the other has ended.
        [by("a", "01", "p"), by("b", "20", "q"), by("a", "40", "r")],
        # Two schedulers of two names.
        [by("a", "01", "p"), by("b", "02", "q", source={"component": "gpu"}), by("a", "03", "r")],
        # Nothing says which instance it was.
        [by("", "01", "p"), by("", "02", "q"), by("", "03", "r")],
    ],
)
def test_leaders_one_after_the_other(events: list[Any]) -> None:
    assert "two-leaders" not in kinds(ask(*events))


def logs(*texts: str) -> PodEventsAnswer:
    return analyse(picture_of([], [read_log(text, f"{number}.log") for number, text in enumerate(texts)]))


def test_two_logs_of_one_lease() -> None:
    got = "I1214 09:00:0{}.000000       1 leaderelection.go:258] successfully acquired lease kube-system/{}\n"
    keys = 'I1214 09:00:0{}.000000       1 leaderelection.go:272] "Successfully acquired lease" lock="kube-system/{}"\n'
    tried = 'I1214 09:01:00.000000       1 schedule_one.go:100] "Attempting to schedule pod" pod="web/p"\n'
    lost = 'E1214 09:00:05.000000       1 server.go:231] "Leaderelection lost"\n'
    first, second = got.format(1, "kube-scheduler") + tried, keys.format(7, "kube-scheduler") + tried
    answer = logs(first, second)
    assert kinds(answer) == ["two-leaders"]
    assert answer.findings[0].title == "two processes hold kube-system/kube-scheduler"
    assert kinds(logs(first, keys.format(7, "gpu-scheduler") + tried)) == []
    assert kinds(logs(got.format(1, "kube-scheduler") + lost, second)) == ["scheduler-ended"]
