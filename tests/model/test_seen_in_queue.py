"""A rule of the queue from 1.32 on is recorded only where the recordings tell it from each other rule of its field."""

import pytest

from kubeproof.conform import conform
from kubeproof.conform.recorded_rules import in_place_of
from model.evidence import cell
from model.releases import known_release, row_at, rows_of
from model.scheduler.seen_in_queue import BY_REPLAY
from tests.conftest import DATA

# 1.34.1 speaks for 1.35.0 and 1.36.2, of which the recordings are the same and the excerpts smaller.
ASKED = ("1.32.0", "1.33.1", "1.34.1")


@pytest.mark.slow
@pytest.mark.parametrize("release", ASKED)
def test_recordings_tell_a_rule_from_each_other_one(release: str) -> None:
    for field in BY_REPLAY[release].split():
        rule = row_at(field, known_release(release).version).rule
        others = {row.rule for _, row in rows_of(field)} - {rule}
        assert others, field
        for other in others:
            with in_place_of(rule, other):
                assert conform.replay_file(DATA / f"scheduling_queue-{release}.jsonl").divergences, (field, other)


@pytest.mark.parametrize("release", ["1.35.0", "1.36.2"])
def test_later_releases_have_the_rules_that_the_recordings_of_1_34_1_tell(release: str) -> None:
    assert BY_REPLAY[release] == BY_REPLAY["1.34.1"]
    for field in BY_REPLAY[release].split():
        of_1_34 = row_at(field, known_release("1.34.1").version).rule
        assert row_at(field, known_release(release).version).rule is of_1_34, field


def test_what_is_asked_with_the_gate_off_alone_is_read_where_the_gate_is_locked() -> None:
    for release, known in (("1.33.5", "recorded"), ("1.34.1", "read"), ("1.36.3", "read")):
        assert cell("queue_update", known_release(release)).evidence == known
    assert cell("worth_requeuing", known_release("1.36.3")).evidence == "recorded"
    # No operation of the recordings is one of a rule that the file of 1.31 has too.
    assert cell("still_backs_off", known_release("1.31.13")).evidence == "read"
