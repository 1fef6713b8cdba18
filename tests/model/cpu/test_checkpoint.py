"""The CPU manager's file: recordings replay, what is written is restored, and no bytes whatever do any harm."""

import json
from pathlib import Path

import pytest
from attrs import evolve
from hypothesis import given, strategies as st

from kubeproof.conform.conform import replay_file
from kubeproof.errors import InputError
from model.cpu.cpuset import CPUSetRules, TooManyCPUs
from model.cpu.state.checkpoint import (
    CheckpointRules,
    Outcome,
    Restored,
    new_checkpoint_state,
    restore_state,
    store_state,
)
from model.cpu.state.format import (
    CheckpointV1,
    checksum_of,
    hashed_text,
    marshal_checkpoint,
    verify_checksum_of_renamed_type,
)
from model.cpu.state.inspect import inspect
from model.cpu.state.state import (
    CPUManagerState,
    assigned_cpus,
    clear_state,
    delete,
    get_cpu_set,
    get_cpu_set_or_default,
    get_pod_assignments,
    set_cpu_assignments,
    set_cpu_set,
    set_default_cpu_set,
    sorted_assignments,
)
from model.go.errors import GoError
from model.releases import EVERY_MINOR, newest, parse_release, rules_for
from tests.conftest import DATA, modelled

EXCERPTS = sorted(DATA.glob("cpu_checkpoint-*.jsonl"))
RELEASES = ("1.13.0", "1.14.0-beta.1", "1.17.17", "1.18.0", "1.19.0-rc.1", "1.22.0", "1.23.0", "1.26.15", "1.31.13")
BY_ID = ("1.13.0", "1.14.0-beta.1", "1.17.17")
A = frozenset({4, 5})
# Files that real kubelets wrote: without containers as version 2, and one container as version 1.
NONE = b'{"policyName":"none","defaultCpuSet":"","checksum":1353318690}'
STATIC = b'{"policyName":"static","defaultCpuSet":"0-7","checksum":14413152}'
V1 = b'{"policyName":"static","defaultCpuSet":"0-3","entries":{"cid1":"4-5"},"checksum":898516224}'


def restore(
    release: str, raw: bytes | None, policy: str = "static", containers: dict[str, tuple[str, str]] | None = None
) -> tuple[Outcome, ...]:
    parsed = parse_release(release)
    return restore_state(
        rules_for(CheckpointRules, parsed), rules_for(CPUSetRules, parsed), raw, policy, containers or {}
    )


def write(release: str, state: CPUManagerState, policy: str = "static") -> bytes:
    return store_state(rules_for(CheckpointRules, parse_release(release)), policy, state).encode()


@st.composite
def states(draw: st.DrawFn, release: str) -> CPUManagerState:
    """A state as the release keeps it. It need not make sense: writing and restoring do not ask."""
    # A number's bits: much less to draw than a set's elements.
    sets = st.integers(0, (1 << 24) - 1).map(lambda bits: frozenset(i for i in range(24) if bits >> i & 1))
    names = st.text(max_size=4)
    pods = st.just("") if release in BY_ID else names
    assignments = draw(st.dictionaries(st.tuples(pods, names), sets, max_size=3))
    return CPUManagerState(draw(sets), sorted_assignments(assignments.items()))


def test_there_is_an_excerpt_of_each_recorded_release() -> None:
    assert len(EXCERPTS) == 8


@pytest.mark.parametrize("path", EXCERPTS, ids=lambda path: path.stem)
def test_the_excerpt_replays(path: Path) -> None:
    replay = replay_file(path)
    assert replay.operations > 0
    assert replay.divergences == []


@pytest.mark.slow
def test_all_recordings_replay(conformance: Path) -> None:
    replays = [replay_file(path) for path in modelled(conformance / "cpu", "cpu_checkpoint", EVERY_MINOR)]
    assert [d for replay in replays for d in replay.divergences] == []
    assert sum(replay.cases for replay in replays) == 12_016


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@given(data=st.data(), policy=st.text(max_size=8))
def test_what_is_written_is_restored(release: str, data: st.DataObject, policy: str) -> None:
    state = data.draw(states(release))
    version = 1 if release in BY_ID else 2
    assert restore(release, write(release, state, policy), policy) == (Restored(state, version),)


@pytest.mark.slow
@pytest.mark.parametrize("release", ["1.17.17", "1.18.0", "1.31.13"])
@given(data=st.data())
def test_a_changed_byte_is_noticed_or_changes_nothing(release: str, data: st.DataObject) -> None:
    state = data.draw(states(release))
    raw = bytearray(write(release, state))
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= data.draw(st.integers(1, 255))
    for outcome in restore(release, bytes(raw)):
        assert isinstance(outcome, GoError) or outcome.state == state


@pytest.mark.slow
@given(data=st.data())
def test_a_file_of_1_17_migrates_by_the_map_of_containers(data: st.DataObject) -> None:
    old = data.draw(states("1.17.17"))
    containers = {container: (f"pod-{i}", "c") for i, ((_, container), _) in enumerate(old.assignments)}
    new = set_cpu_assignments(old, [(containers[key[1]], cpus) for key, cpus in old.assignments])
    (outcome,) = restore("1.18.0", write("1.17.17", old), containers=containers)
    assert isinstance(outcome, Restored)
    assert outcome.state == new


@given(
    raw=st.binary(max_size=60) | st.text(alphabet='{}[]":,\\untrlfase0123456789.-eE \n', max_size=60).map(str.encode)
)
def test_any_bytes_give_a_state_or_an_error(raw: bytes) -> None:
    for release in ("1.17.17", "1.31.13"):
        for outcome in restore(release, raw):
            assert isinstance(outcome, GoError | Restored)
    inspect(raw)


@pytest.mark.slow
@pytest.mark.parametrize("bracket", [b"[", b'{"entries":'])
def test_a_file_nested_deeper_than_go_goes_is_refused(bracket: bytes) -> None:
    (outcome,) = restore("1.31.13", bracket * 20_000)
    assert outcome == GoError(f"invalid character '{chr(bracket[0])}' exceeded max depth")
    assert restore("1.31.13", bracket * 9_999) == (GoError("unexpected end of JSON input"),)


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (b"", "unexpected end of JSON input"),
        (b"tru", "invalid character ' ' in literal true (expecting 'e')"),
        (b"\xc3\xa9", "invalid character 'Ã' looking for beginning of value"),
        (b"{'", "invalid character '\\'' looking for beginning of object key string"),
        (b'{"a":1]', "invalid character ']' after object key:value pair"),
        (b'{"a":"\n', "invalid character '\\n' in string literal"),
        (b'{"a":01}', "invalid character '1' after object key:value pair"),
        (b'{"a":-}', "invalid character '}' in numeric literal"),
        (b'{"a":"\\u12', "invalid character ' ' in \\u hexadecimal character escape"),
        (b"[1,2]", "json: cannot unmarshal array into Go value of type state.CPUManagerCheckpoint"),
        (
            # With a checksum of 0 it would be taken for version 1.
            b'{"entries":{"p":"1"},"checksum":3}',
            "json: cannot unmarshal string into Go struct field CPUManagerCheckpoint.entries of type map[string]string",
        ),
        (
            b'{"checksum":18446744073709551616}',
            "json: cannot unmarshal number 18446744073709551616 into Go struct field CPUManagerCheckpoint.checksum"
            " of type checksum.Checksum",
        ),
        (b'{"checksum":"5"}{', "invalid character '{' after top-level value"),
        (b'{"policyName":"none"}', 'configured policy "static" differs from state checkpoint policy "none"'),
        (b"null", 'configured policy "static" differs from state checkpoint policy ""'),
        (b'{"policyName":"static","defaultCpuSet":"0-","checksum":1}', "checkpoint is corrupted"),
    ],
)
def test_errors_are_worded_as_by_go(raw: bytes, error: str) -> None:
    assert restore("1.31.13", raw) == (GoError(error),)


def test_the_same_names_in_other_cases_and_twice_are_one_field() -> None:
    raw = (
        b'{"PolicyName":"x","POLICYNAME":"static","Entrie\xc5\xbf":{"a":{"b":"1"}},"entries":{"c":{"d":"2"},"e":null}}'
    )
    (outcome,) = restore("1.31.13", raw)
    assert isinstance(outcome, Restored)
    assert dict(outcome.state.assignments) == {("a", "b"): {1}, ("c", "d"): {2}}
    assert outcome.empty_pods == ("e",)


def test_of_two_bad_entries_either_may_be_named() -> None:
    raw = b'{"policyName":"static","entries":{"p":{"a":"x","b":"y"}}}'
    texts = [str(outcome) for outcome in restore("1.31.13", raw)]
    assert len(texts) == 2
    assert 'could not parse cpuset "y" for container "b" in pod "p": strconv.Atoi: parsing "y": invalid syntax' in texts
    raw = b'{"policyName":"static","entries":{"a":"1","b":"2"}}'
    missing = "error migrating v1 checkpoint state to v2 checkpoint state: containerID '{}' not found in initial"
    texts = [str(outcome) for outcome in restore("1.31.13", raw)]
    assert texts == [f"{missing.format(container)} containers list" for container in "ab"]


def test_of_two_ids_of_one_container_either_may_win() -> None:
    raw = b'{"policyName":"static","entries":{"a":"1","b":"2"}}'
    outcomes = restore("1.18.0", raw, containers={"a": ("p", "c"), "b": ("p", "c")})
    found = [outcome.state.assignments for outcome in outcomes if isinstance(outcome, Restored)]
    assert found == [((("p", "c"), frozenset({1})),), ((("p", "c"), frozenset({2})),)]


@pytest.mark.parametrize("text", ["0-999999999", "5-9223372036854775807"])
@pytest.mark.parametrize("release", ["1.17.17", "1.31.13"])
def test_a_huge_range_is_refused(release: str, text: str) -> None:
    with pytest.raises(TooManyCPUs):
        restore(release, json.dumps({"policyName": "static", "defaultCpuSet": text}).encode())


def test_many_long_ranges_are_refused_together() -> None:
    entries = {f"p{i}": {"c": "0-99999"} for i in range(1000)}
    with pytest.raises(TooManyCPUs):
        restore("1.31.13", json.dumps({"policyName": "static", "entries": entries}).encode())


def test_upgrade_and_downgrade() -> None:
    path = "/var/lib/kubelet/cpu_manager_state"
    expected = CPUManagerState(frozenset(range(4)), ((("podA", "c0"), A),))
    assert restore("1.18.0", V1, containers={"cid1": ("podA", "c0")}) == (Restored(expected, 1),)
    (unknown,) = restore("1.18.0", V1)
    assert str(unknown).endswith("containerID 'cid1' not found in initial containers list")
    old = parse_release("1.17.17")
    rules = (rules_for(CheckpointRules, old), rules_for(CPUSetRules, old))
    (downgrade,) = new_checkpoint_state(*rules, STATIC, "static", {}, path)
    assert str(downgrade) == (
        "could not restore state from checkpoint: checkpoint is corrupted\nPlease drain this node and delete the CPU"
        f' manager checkpoint file "{path}" before restarting Kubelet.'
    )
    # #86676: the type got another name, so every file of 1.17 seemed corrupted, until #86689.
    renamed = evolve(newest(CheckpointRules, "cpu-manager"), verify_checkpoint=verify_checksum_of_renamed_type)
    (corrupt,) = restore_state(renamed, newest(CPUSetRules, "cpu-manager"), V1, "static", {"cid1": ("podA", "c0")})
    assert isinstance(corrupt, GoError)


def test_without_a_file_nothing_is_remembered() -> None:
    for release in RELEASES:
        assert restore(release, None) == (Restored(CPUManagerState(), None),)


def test_the_checksums_of_well_known_files_are_right() -> None:
    for raw, version in ((NONE, 2), (STATIC, 2), (V1, 1)):
        inspection = inspect(raw)
        checkpoint = inspection.checkpoint
        assert not isinstance(checkpoint, GoError)
        assert checkpoint.version == version
        assert checksum_of(checkpoint) == json.loads(raw)["checksum"]
        assert marshal_checkpoint(checkpoint).encode() == raw
    assert inspect(V1).container_ids == ("cid1",)
    assert inspect(STATIC).container_ids == ()


def test_an_inspection_tells_which_keys_a_file_has() -> None:
    inspection = inspect(STATIC.replace(b"0-7", b"0-3"))
    assert inspection.known_fields == {"policyName", "defaultCpuSet", "checksum"}
    assert inspect(b'{"a":1}').known_fields == frozenset()
    assert inspect(b"\x7fELF\x00").known_fields == frozenset()


def test_a_nil_map_is_hashed_as_spew_prints_it() -> None:
    v1 = CheckpointV1("static", "0", None)
    assert "Entries:(map[string]string)<nil> " in hashed_text(v1)
    assert checksum_of(v1) != checksum_of(CheckpointV1("static", "0"))


def test_the_state_is_read_and_changed_as_in_go() -> None:
    state = set_cpu_set(set_default_cpu_set(CPUManagerState(), frozenset({0, 1})), "p", "c", A)
    assert state == CPUManagerState(frozenset({0, 1}), ((("p", "c"), A),))
    assert get_cpu_set(state, "p", "c") == A
    assert get_cpu_set(state, "p", "d") is None
    assert get_cpu_set_or_default(state, "p", "d") == {0, 1}
    assert get_pod_assignments(state, "p") == (("c", A),)
    replaced = set_cpu_set(state, "p", "c", frozenset())
    assert get_cpu_set_or_default(replaced, "p", "c") == frozenset()
    assert assigned_cpus(set_cpu_set(state, "o", "c", frozenset({9}))) == {4, 5, 9}
    assert delete(state, "p", "d") == state
    assert delete(state, "p", "c").assignments == ()
    assert clear_state() == CPUManagerState()


def _one_read(tmp_path: Path, error: str, config: object = None) -> Path:
    path = tmp_path / "one.jsonl"
    op = {"op": "read", "policy": "static", "file": '{"policyName":"static","entries":{"p":{"a":"x","b":"y"}}}'}
    case = {"system": "cpu_checkpoint", "release": "1.31.13", "case": 1, "ops": [op], "observed": [{"error": error}]}
    path.write_text(json.dumps(case | ({} if config is None else {"config": config})), encoding="utf-8")
    return path


def test_a_player_accepts_what_the_real_code_is_free_to_answer(tmp_path: Path) -> None:
    text = (
        'could not restore state from checkpoint: could not parse cpuset "{0}" for container "{1}" in pod "p": '
        'strconv.Atoi: parsing "{0}": invalid syntax, please drain this node and delete the CPU manager checkpoint '
        'file "<DIR>/cpu_manager_state" before restarting Kubelet'
    )
    for cpus, container in (("x", "a"), ("y", "b")):
        assert replay_file(_one_read(tmp_path, text.format(cpus, container))).divergences == []
    assert len(replay_file(_one_read(tmp_path, text.format("x", "b"))).divergences) == 1


def test_a_config_that_is_no_object_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 1: config: expected a mapping, found a list"):
        replay_file(_one_read(tmp_path, "", config=[1]))
