"""Judging a real kubelet's state file: the report's file, recordings of real kubelets, and files that are broken."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given, settings, strategies as st

from kubeproof.advise.cpu_state import (
    NOT_GIVEN,
    Configuration,
    Flags,
    StateAnswer,
    analyse,
    question,
    to_json,
    with_flags,
)
from kubeproof.advise.cpu_state.reading import MAX_STATE_BYTES, inspect_state
from kubeproof.advise.cpu_state.rendering import render
from kubeproof.cli import app, run
from kubeproof.errors import InputError
from model.cpu.cpuset import to_string
from model.cpu.policy.validate import DRAIN_NODE
from model.cpu.state.format import CheckpointV1, CheckpointV2, marshal_checkpoint
from model.releases import EVERY_MINOR, parse_release
from model.systems.cpu_manager.kubelet import STATE_FILE
from tests.conftest import DATA, ROOT

REPORT = (DATA / "cpu-state-report.json").read_bytes()
V1 = (DATA / "cpu-state-v1.json").read_bytes()
V2 = (DATA / "cpu-state-v2.json").read_bytes()
MISMATCH = 'current set of available CPUs "0-7" doesn\'t match with CPUs in state "0-3"'
Captured = pytest.CaptureFixture[str]
NO_FLAGS = Flags()
NEWEST = parse_release(f"1.{EVERY_MINOR[-1]}", EVERY_MINOR).upstream


def judge(
    raw: bytes, reserved: str | None = None, file: Configuration = NOT_GIVEN, flags: Flags = NO_FLAGS, **given: Any
) -> StateAnswer:
    flags = flags if reserved is None else evolve(flags, reserved_cpus=reserved)
    return analyse(question("f", raw, inspect_state(raw, "f"), configuration=with_flags(file, flags), **given))


def v1(default: str, entries: dict[str, str], policy: str = "static") -> bytes:
    return marshal_checkpoint(CheckpointV1(policy, default, tuple(sorted(entries.items())))).encode()


def v2(default: str, entries: dict[str, dict[str, str]], policy: str = "static") -> bytes:
    pods = tuple((pod, tuple(sorted(containers.items()))) for pod, containers in sorted(entries.items()))
    return marshal_checkpoint(CheckpointV2(policy, default, pods)).encode()


def error(answer: StateAnswer) -> str:
    assert answer.refusals
    return answer.refusals[0].error


def command(capsys: Captured, *args: str) -> tuple[int, str, str]:
    status = run(lambda: app(["cpu-state", *args], prog_name="kubeproof", standalone_mode=False))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


# --- the report, and what is said of it ---------------------------------------------------------------------------


@pytest.mark.parametrize("release", [None, "1.18", "1.22.0", "1.27", "1.31"])
def test_the_reports_file_on_its_machine(release: str | None) -> None:
    answer = judge(REPORT, cpus="0-7", release=release)
    assert [(one.error, one.panic) for one in answer.refusals] == [(MISMATCH, None)]
    assert MISMATCH in render(answer).splitlines()[2]
    assert answer.checksum is not None
    assert answer.checksum.verdict == "right"
    assert answer.partition is not None
    assert (answer.partition.in_no_set, answer.partition.not_in_machine) == ("4-7", "")
    assert [step.command for step in answer.to_do if step.command] == [
        "kubectl drain NODE --ignore-daemonsets",
        "systemctl stop kubelet",
        f"rm {STATE_FILE}",
        "systemctl start kubelet",
        "kubectl uncordon NODE",
    ]


@pytest.mark.parametrize("release", ["1.13", "1.14.5", "1.15", "1.16.3", "1.17"])
def test_up_to_1_17_the_same_ends_in_a_panic_after_a_line_in_the_log(release: str) -> None:
    answer = judge(v1("0-3", {}), cpus="0-7", release=release)
    only = answer.refusals[0]
    assert (only.error, only.panic) == (MISMATCH, DRAIN_NODE)
    assert only.logged == f"[cpumanager] static policy invalid state: {MISMATCH}"
    assert f"  {only.logged}\n  panic: {DRAIN_NODE}\n" in render(answer)


def test_the_same_file_on_its_own_machine_or_on_none_is_sound() -> None:
    for cpus in ("0-3", None):
        answer = judge(REPORT, cpus=cpus)
        assert answer.consistent
        assert answer.to_do == ()
        assert "would start with this file" in render(answer).splitlines()[0]


def test_a_wrong_checksum_comes_first_and_what_comes_after_it_is_said_too() -> None:
    answer = judge(REPORT.replace(b"611748604", b"14413152"), cpus="0-7")
    assert error(answer).startswith("could not restore state from checkpoint: checkpoint is corrupted, please drain")
    assert answer.checksum is not None
    assert (answer.checksum.verdict, answer.checksum.right) == ("wrong", 611748604)
    assert answer.repaired is not None
    assert answer.repaired.error == MISMATCH
    repaired = judge(REPORT.replace(b"611748604", b"14413152"), cpus="0-3").repaired
    assert repaired is not None
    assert repaired.would_start


@pytest.mark.parametrize("ending", [b"", b"\n", b" \n\t"])
def test_what_stands_after_the_object_is_no_fault(ending: bytes) -> None:
    assert judge(V2 + ending, cpus="0-7", reserved="0").consistent


@pytest.mark.parametrize(
    "text", ['{"policyName":"static","defaultCpuSet":"0-3"}', REPORT.decode().replace("611748604", "0")]
)
def test_a_checksum_of_zero_is_not_checked(text: str) -> None:
    answer = judge(text.encode(), cpus="0-3")
    assert answer.consistent
    assert answer.checksum is not None
    assert (answer.checksum.verdict, answer.checksum.right) == ("not checked", 611748604)


# --- which release judges -----------------------------------------------------------------------------------------


def test_a_file_is_judged_by_the_newest_release_that_writes_its_version() -> None:
    assert judge(V2).release == NEWEST
    assert judge(b"").release == NEWEST
    assert parse_release(judge(V1).release).minor == 17
    # Without entries the checksum tells the version.
    assert parse_release(judge(v1("0-3", {})).release).minor == 17
    assert judge(v2("0-3", {})).release == NEWEST


def test_containers_of_version_1_count_as_known_when_they_are_migrated() -> None:
    answer = judge(V1, cpus="0-7", release="1.18")
    assert answer.consistent
    assert any("containerID 'abc123' not found in initial containers list" in note for note in answer.notes)
    overlap = judge(v1("0-7", {"abc123": "2-3"}), release="1.18")
    assert error(overlap) == 'pod: ?, container: abc123 cpuset: "2-3" overlaps with default cpuset "0-7"'


def test_a_release_that_writes_version_1_reads_no_other() -> None:
    answer = judge(REPORT, cpus="0-3", release="1.17")
    assert "checkpoint is corrupted" in error(answer)
    assert answer.checksum is not None
    assert (answer.checksum.right, answer.checksum.right_for_release) == (611748604, 2479968155)
    assert judge(REPORT.replace(b"611748604", b"2479968155"), cpus="0-3", release="1.17").consistent
    with_entries = judge(V2, cpus="0-7", release="1.17")
    assert "cannot unmarshal object into Go struct field" in error(with_entries)
    assert with_entries.checksum is not None
    assert with_entries.checksum.right_for_release is None


def test_policy_none_starts_without_looking() -> None:
    for raw in (v2("0-3", {}, "none"), v2("0-3", {"p": {"a": "2-9"}, "q": {"b": "2"}}, "none"), v1("", {}, "none")):
        answer = judge(raw, cpus="0-7")
        assert answer.consistent
        assert answer.partition is None
        assert "with policy none the kubelet starts without looking" in render(answer)


def test_a_policy_that_is_none() -> None:
    assert error(judge(v2("0", {}, "statik"))) == 'unknown policy: "statik"'
    assert 'configured policy "none" differs from state checkpoint policy "statik"' in error(
        judge(v1("0", {}, "statik"), release="1.15")
    )
    assert 'configured policy "none" differs from state checkpoint policy ""' in error(judge(v2("0", {}, "")))


# --- reserved CPUs ------------------------------------------------------------------------------------------------


def test_reserved_cpus_are_judged_only_if_given() -> None:
    assert judge(V2, cpus="0-7").reserved is None
    assert judge(V2, cpus="0-7", reserved="0,7").consistent
    answer = judge(V2, cpus="0-7", reserved="0,2")
    assert error(answer) == 'not all reserved cpus: "0,2" are present in defaultCpuSet: "0-1,6-7"'
    assert answer.reserved is not None
    assert (answer.reserved.not_in_pool, answer.reserved.taken) == ("2", "2")
    assert any(step.instead and "0-1,6-7" in step.do for step in answer.to_do)


def test_reserved_cpus_that_the_machine_has_not_are_no_matter_of_the_file() -> None:
    answer = judge(V2, cpus="0-7", reserved="0,8")
    assert error(answer) == "reserved-cpus: 0,8 is not a subset of online-cpus: 0-7"
    assert not answer.if_deleted.starts
    assert [step.command for step in answer.to_do] == [None]
    assert not answer.notes
    # Up to 1.21 ids are held against the number of CPUs (#98121).
    for release in ("1.19.12", "1.21.3"):
        older = judge(V2, cpus="0-7", reserved="0,8", release=release)
        assert (error(older), older.notes) == ('Invalid cpuset "0,8" specified by --reserved-cpus', ())
    offline = {"cpus": "0-3,8-11", "reserved": "8"}
    assert error(judge(v2("0-3,8-11", {}), **offline, release="1.21.3")).startswith("Invalid cpuset")
    assert judge(v2("0-3,8-11", {}), **offline, release="1.22.17").consistent
    # Without a machine they are taken to be there.
    assert error(judge(V2, reserved="8")).startswith('not all reserved cpus: "8"')


def test_up_to_1_16_only_the_number_counts() -> None:
    answer = judge(v1("0-3", {}), reserved="2-3", release="1.16")
    assert answer.consistent
    assert answer.reserved is not None
    assert answer.reserved.cpus == "0-1"
    assert any("--reserved-cpus: 1.16.15 knows only how many" in note for note in answer.notes)
    too_many = judge(v1("0-3", {}), cpus="0-3", reserved="0-4", release="1.16")
    assert too_many.refusals[0].panic is not None
    assert not judge(v1("0-3", {}), reserved="2-3", release="1.17.17").notes


# --- do the sets partition the machine ----------------------------------------------------------------------------


def test_entries_that_overlap_are_named_though_the_kubelet_starts() -> None:
    answer = judge(v2("0-1", {"p": {"a": "2-4"}, "q": {"b": "4-5"}}), cpus="0-5")
    assert answer.would_start
    assert not answer.consistent
    assert answer.partition is not None
    assert [(one.cpus, one.pool, len(one.holders)) for one in answer.partition.shared] == [("4", False, 2)]
    assert "No kubelet of any release checks whether two containers have the same CPU" in render(answer)
    by_id = judge(v1("0-1", {"x": "2-4", "y": "4-5"}))
    assert by_id.would_start
    assert not by_id.consistent


def test_containers_of_one_pod_may_share_with_init_containers() -> None:
    answer = judge(v2("0-1", {"p": {"app": "2-3", "init": "2"}}), cpus="0-3")
    assert answer.consistent
    assert answer.partition is not None
    assert [one.one_pod for one in answer.partition.shared] == [True]
    assert "which are init containers" in render(answer)


def test_several_faulty_entries_may_each_be_named_first() -> None:
    answer = judge(v2("0-7", {"p": {"a": "2"}, "q": {"b": "3"}}), cpus="0-7")
    assert [one.error[:6] for one in answer.refusals] == ["pod: p", "pod: q"]
    assert "in no fixed order" in render(answer)


def test_no_sets_at_all_are_a_beginning() -> None:
    for options in ({}, {"cpus": "0-7"}, {"reserved": "0"}):
        answer = judge(v2("", {}), **options)
        assert answer.consistent
        assert answer.partition is not None
        assert answer.partition.empty
    assert error(judge(v2("", {"p": {"a": "1"}}))) == "default cpuset cannot be empty"
    # A pod without containers counts as well.
    assert error(judge(v2("", {"p": {}}))) == "default cpuset cannot be empty"


CPUS = st.frozensets(st.integers(0, 5), max_size=4)
ENTRIES = st.dictionaries(
    st.sampled_from(["p", "q"]), st.dictionaries(st.sampled_from("ab"), CPUS, max_size=2), max_size=2
)


@pytest.mark.slow
@given(default=CPUS, entries=ENTRIES, machine=st.frozensets(st.integers(0, 5), min_size=1))
@settings(max_examples=150, deadline=None)
def test_sound_means_disjoint_and_complete(
    default: frozenset[int], entries: dict[str, dict[str, frozenset[int]]], machine: frozenset[int]
) -> None:
    lists = {pod: {name: to_string(cpus) for name, cpus in each.items()} for pod, each in entries.items()}
    answer = judge(v2(to_string(default), lists), cpus=to_string(machine))
    pods = [frozenset().union(*each.values()) for each in entries.values()]
    parts = [default, *pods]
    disjoint = sum(map(len, parts)) == len(frozenset().union(*parts))
    fresh = not default and not entries
    assert answer.partition is not None
    assert answer.partition.holds == (fresh or (disjoint and frozenset().union(*parts) == machine))
    assert answer.consistent == (answer.partition.holds and (fresh or bool(default)))
    render(answer)
    json.dumps(to_json(answer))


# --- deleting the file without draining ---------------------------------------------------------------------------


def test_after_deleting_the_file_running_containers_are_on_cpus_of_the_pool() -> None:
    after = judge(V2, cpus="0-15", reserved="0").if_deleted
    assert after.pool == "0-15"
    assert [(one.holder.container, one.cpus, one.in_pool, one.given_anew) for one in after.running] == [
        ("nginx", "2-3", "2-3", "1-2"),
        ("db", "4-5", "4-5", "3-4"),
    ]
    assert after.at_admission
    # What is free decides what is given: nothing is said of it without reserved CPUs.
    assert {one.given_anew for one in judge(V2, cpus="0-15").if_deleted.running} == {None}
    gone = judge(V2, cpus="0-4", reserved="0")
    assert [(one.cpus, one.in_pool) for one in gone.if_deleted.running] == [("2-3", "2-3"), ("4-5", "4")]
    older = judge(V1, cpus="0-15", reserved="0").if_deleted
    assert not older.at_admission
    assert [(str(one.holder), one.cpus, one.given_anew) for one in older.running] == [("abc123", "2-3", "1-2")]


@pytest.mark.parametrize(
    ("release", "said"), [("1.31", 0), ("1.32", 0), ("1.33", 0), ("1.34", 1), ("1.35", 1), ("1.36", 1)]
)
def test_cpus_given_anew_are_not_promised_to_pods_with_resources_of_their_own(release: str, said: int) -> None:
    """1.32 and 1.33 with the gate PodLevelResources on gave them CPUs; from 1.34 on `Allocate` passes over them."""
    notes = judge(V2, cpus="0-15", reserved="0", release=release).notes
    assert len([note for note in notes if f"{release}." in note and "gives such a pod no CPUs again" in note]) == said
    # Without reserved CPUs nothing is said of CPUs given anew.
    assert not any("spec.resources" in note for note in judge(V2, cpus="0-15", release=release).notes)


def test_a_file_with_sets_of_whole_pods_is_said_to_be_of_another_gate() -> None:
    """CPUManagerCheckpointV3 of 1.36. Its checksum is over podEntries too, so a kubelet without the gate refuses it."""
    of_pods = V2.replace(b'"entries"', b'"podEntries":{"p":{"cpuSet":"2-3"}},"entries"')
    answer = judge(of_pods.replace(b'"checksum":2', b'"checksum":3'), cpus="0-7", release="1.36")
    assert any("f has podEntries" in note and "with this gate off" in note for note in answer.notes)
    assert not answer.would_start
    assert not any("podEntries" in note for note in judge(V2, cpus="0-7", release="1.36").notes)


def test_what_would_make_the_file_fit_again_is_offered_only_if_it_does() -> None:
    assert [step.do for step in judge(V2, cpus="0-5").to_do if step.instead] == [
        "Give the machine the CPUs 0-7 again, and the kubelet starts with this file"
    ]
    assert not any(step.instead for step in judge(V2.replace(b'"checksum":2', b'"checksum":3'), cpus="0-5").to_do)


def test_a_file_that_cannot_be_read_names_no_containers() -> None:
    text = render(judge(V2[:60], cpus="0-7"))
    assert "Which containers have exclusive CPUs cannot be read from the file." in text


# --- what real kubelets said --------------------------------------------------------------------------------------


def recorded_reads() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for path in sorted(DATA.glob("cpu_checkpoint-*.jsonl")):
        release = path.name.removeprefix("cpu_checkpoint-").removesuffix(".jsonl")
        for line in path.read_text().splitlines():
            case = json.loads(line)
            for op, observed in zip(case["ops"], case["observed"], strict=True):
                if op["op"] == "read" and "file" in op:
                    yield release, op, observed


@pytest.mark.slow
def test_the_kubelets_words_are_those_recorded() -> None:
    compared = 0
    for release, op, observed in recorded_reads():
        raw = op["file"].encode("utf-8", "surrogatepass")
        said = observed.get("error", "").replace("<DIR>/cpu_manager_state", STATE_FILE)
        try:
            answer = judge(raw, release=release)
        except InputError:
            assert said or raw.strip() in (b"null", b"{}"), raw
            continue
        # Another policy configured, another container map: not what is asked here.
        configured = answer.policy == op["policy"] or answer.version is None
        if not configured or answer.policy not in ("static", "none") or "initial containers list" in said:
            continue
        compared += 1
        words = [one.error for one in answer.refusals]
        if said:
            assert said in words, raw
        else:
            assert not any("could not restore" in each for each in words), (raw, words)
    assert compared > 30


# --- the command --------------------------------------------------------------------------------------------------


def test_the_command_says_what_was_asked_and_how_it_ended(capsys: Captured) -> None:
    status, out, err = command(capsys, str(DATA / "cpu-state-report.json"), "--cpus", "0-7")
    assert (status, err) == (1, "")
    assert f"\n  {MISMATCH}\n" in out
    # docs/your-cluster.md shows this answer, with a shorter name of the file.
    shown = out.replace(str(DATA / "cpu-state-report.json"), "cpu_manager_state").split("File ", 1)
    readme = (ROOT / "docs/your-cluster.md").read_text()
    assert shown[0] in readme
    assert " ".join(shown[1].split()) in " ".join(readme.split())
    status, out, _ = command(capsys, str(DATA / "cpu-state-v2.json"), "--cpus", "0-7", "--json")
    assert status == 0
    found = json.loads(out)
    assert (found["would_start"], found["consistent"], found["pool"]) == (True, True, "0-1,6-7")
    assert found["entries"][1] == {"pod": "7be1", "container": "db", "cpus": "4-5"}


@pytest.mark.parametrize("file", ["lscpu-2.38-two-sockets.json", "machine-info-1.13.json"])
def test_the_machine_may_be_given_as_a_file(capsys: Captured, file: str) -> None:
    status, out, _ = command(capsys, str(DATA / "cpu-state-v2.json"), "--topology", str(DATA / file))
    assert status == 0
    assert "CPUs 0-7 (--topology)" in out


def test_empty_files_are_the_kubelets_matter_and_others_are_not(capsys: Captured, tmp_path: Path) -> None:
    state = tmp_path / "cpu_manager_state"
    state.write_bytes(b"")
    assert command(capsys, str(state))[0] == 1
    state.write_bytes(REPORT + b" " * MAX_STATE_BYTES)
    good = str(DATA / "cpu-state-v2.json")
    for args, says in (
        ((str(state),), "larger than 1 MiB"),
        ((str(tmp_path),), "cannot be read"),
        ((str(tmp_path / "none"),), "cannot be read"),
        ((good, "--topology", str(tmp_path)), "cannot be read"),
        ((good, "--topology", good), "this is a cpu_manager_state: expected the output of `lscpu"),
        ((good, "--topology", good, "--cpus", "0-7"), "expected one of the two"),
        ((good, "--cpus", "5-2"), "invalid range"),
        ((good, "--reserved", "0-999999999"), "more CPUs than Linux can have"),
        ((good, "--release", "1.12"), "outside the modelled range"),
        (("-", "--topology", "-"), "standard input is the state file already"),
    ):
        status, out, err = command(capsys, *args)
        assert (status, out) == (2, ""), args
        assert err.startswith("kubeproof: "), args
        assert says in err, args
        assert err.count("\n") == 1, args
