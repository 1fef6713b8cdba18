"""CPU lists are parsed and printed as Go does in each release, and the recordings of the real package replay."""

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from kubeproof.conform.conform import replay_file
from model.cpu.cpuset import MAX_LISTED, CPUSetRules, TooManyCPUs, atoi, parse, to_string
from model.go.errors import GoError
from model.releases import EVERY_MINOR, parse_release, rules_for
from tests.conftest import DATA, modelled

EXCERPTS = sorted(DATA.glob("cpuset-*.jsonl"))
# One release of each of the three ways to take a list apart.
RELEASES = ("1.21.14", "1.22.0", "1.27.0")

# A number's bits: much less to draw than a set's elements.
cpu_sets = st.integers(0, (1 << 200) - 1).map(lambda bits: frozenset(i for i in range(200) if bits >> i & 1))


def rules(release: str) -> CPUSetRules:
    return rules_for(CPUSetRules, parse_release(release))


def test_there_is_an_excerpt_of_each_recorded_release() -> None:
    assert len(EXCERPTS) == 7


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.operations > 0
    assert replay.divergences == []


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "cpu", "cpuset", EVERY_MINOR)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert sum(replay.cases for replay in replays) == 12_000


@pytest.mark.parametrize("release", RELEASES)
@given(cpus=cpu_sets)
def test_what_is_printed_parses_to_the_same_set(release: str, cpus: frozenset[int]) -> None:
    assert parse(to_string(cpus), rules(release)) == cpus


@given(cpus=cpu_sets)
def test_the_printed_form_is_canonical(cpus: frozenset[int]) -> None:
    ranges = [[int(end) for end in part.split("-")] for part in to_string(cpus).split(",") if part]
    assert all(first < last for first, last in (each for each in ranges if len(each) == 2))
    # A gap of at least one CPU between neighbours: otherwise they would be one range.
    assert all(left[-1] + 1 < right[0] for left, right in pairwise(ranges))


@pytest.mark.parametrize("release", RELEASES)
@given(text=st.text(alphabet="0123456789-,+ x", max_size=12))
def test_any_text_gives_a_set_or_an_error(release: str, text: str) -> None:
    try:
        answer = parse(text, rules(release), limit=1000)
    except TooManyCPUs:
        return
    assert isinstance(answer, GoError) or parse(to_string(answer), rules(release)) == answer


@pytest.mark.parametrize(
    ("release", "text", "answer"),
    [
        ("1.21.14", "3-1", ""),
        ("1.21.14", "1-2-3,7", "7"),
        ("1.22.0", "3-1", 'invalid range "3-1" (3 >= 1)'),
        ("1.22.0", "1-2-3,7", 'strconv.Atoi: parsing "2-3": invalid syntax'),
        ("1.27.0", "3-1", 'invalid range "3-1" (3 > 1)'),
        ("1.27.0", "3-3", "3"),
        ("1.27.0", "3--1", 'invalid range "3--1" (3 > -1)'),
    ],
)
def test_releases_differ_in_odd_lists(release: str, text: str, answer: str) -> None:
    parsed = parse(text, rules(release))
    assert (parsed.text if isinstance(parsed, GoError) else to_string(parsed)) == answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("+5", 5),
        ("007", 7),
        ("-9223372036854775808", -(1 << 63)),
        ("9223372036854775808", "value out of range"),
        ("99999999999999999999x", "value out of range"),
        ("9999999999999999999x", "invalid syntax"),
        ("", "invalid syntax"),
        ("-", "invalid syntax"),
        ("1_0", "invalid syntax"),
        ("٣", "invalid syntax"),
    ],
)
def test_numbers_are_read_as_by_strconv(text: str, answer: int | str) -> None:
    number = atoi(text)
    if isinstance(answer, str):
        assert number == GoError(f'strconv.Atoi: parsing "{text}": {answer}')
    else:
        assert number == answer


@pytest.mark.parametrize("text", ["0-999999999", "0-9223372036854775807", ",".join(["0-9999"] * 200)])
def test_a_list_of_too_many_cpus_is_refused_before_it_is_expanded(text: str) -> None:
    with pytest.raises(TooManyCPUs, match=f"at most {MAX_LISTED}") as caught:
        parse(text, rules("1.31.13"))
    assert len(str(caught.value)) < 200


def test_an_error_anywhere_in_a_list_comes_before_its_length() -> None:
    assert parse("0-999999999,x", rules("1.31.13")) == GoError('strconv.Atoi: parsing "x": invalid syntax')
