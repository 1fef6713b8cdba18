"""The walk, sentence by sentence, and the longest cycle."""

import pytest
from attrs import evolve

from kubeproof.engines.explicit import check
from kubeproof.report.scheduling_cycle.driven import GROUPS
from kubeproof.report.scheduling_cycle.length import longest
from kubeproof.report.scheduling_cycle.sentences import SENTENCES, verdict
from kubeproof.report.scheduling_cycle.system_runs import BOTH, next_is_first
from model.releases import known_release, parse_release, rules_for
from model.systems.scheduling import SchedulingMachine, SchedulingRules
from properties.scheduling.catalogue import order_by_timestamp
from properties.scheduling.order import TAKES_THE_FIRST


@pytest.mark.slow
def test_each_sentence_that_fails_somewhere_says_what_holds_instead() -> None:
    for sentence in SENTENCES:
        assert bool(sentence.instead) == ("**no**" in verdict(sentence)), sentence.says


def test_which_sentences_are_too_strong() -> None:
    def fail(release: str) -> set[str]:
        asked = known_release(release)
        return {each.holds.__name__ for each in SENTENCES if asked in each.among and not each.holds(asked)}

    assert fail("1.34.9") == fail("1.31.13") == fail("1.28.0") == {"same_chance", "never_widens"}
    assert fail("1.36.3") == fail("1.35.0") == {"same_chance", "never_widens", "equal_ones_at_random"}
    assert fail("1.17.10") == {
        "skips_an_assumed_pod", "never_widens", "reserves_and_permits_in_the_cycle", "waits_first",
        "extender_binds_first", "unreserves_after_every_failure", "starts_with_all_pods", "offers_room",
    }  # fmt: skip
    assert fail("1.18.20") == {
        "never_widens", "reserves_and_permits_in_the_cycle", "unreserves_after_every_failure", "starts_with_all_pods",
        "offers_room",
    }  # fmt: skip
    assert fail("1.19.4") == {"never_widens", "starts_with_all_pods", "offers_room"}
    releases = {str(release) for _, among in GROUPS for release in among}
    assert releases >= {"1.17.10", "1.18.20", "1.19.4", "1.28.0", "1.31.13"}


@pytest.mark.parametrize(
    ("release", "extenders", "nominated", "seconds"),
    [
        # Filter of each, then Preempt of each: the last one refuses all nodes.
        ("1.17.10", 1, False, 10), ("1.17.10", 3, False, 30), ("1.21.14", 3, True, 30),
        # The nominated node is tried first, and refused by the last extender: Filter of each twice.
        ("1.22.0", 1, True, 15), ("1.31.13", 3, True, 45),
    ],
)  # fmt: skip
def test_the_longest_cycle(release: str, extenders: int, nominated: bool, seconds: int) -> None:
    found = longest(parse_release(release), extenders, nominated=nominated)
    assert found.milliseconds == seconds * 1_000
    assert found.preempts + found.prioritizes == extenders


def test_an_extender_that_is_not_ignorable_ends_the_cycle_earlier() -> None:
    found = longest(parse_release("1.31.13"), 2, nominated=False, ignorable=False)
    assert (found.filters, found.preempts) == (2, 2)


def test_sentences_of_runs_fail_where_a_rule_breaks_them() -> None:
    """A queue that ignores priorities takes another pod first."""
    broken = evolve(rules_for(SchedulingRules, parse_release("1.31.13")), active_q_order=order_by_timestamp)
    (first,) = check(SchedulingMachine(BOTH, broken), [TAKES_THE_FIRST])
    assert first.outcome == "violated"
    assert next_is_first(parse_release("1.31.13"))
