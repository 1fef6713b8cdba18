"""Files that are no sound state file, and options that are none: the kubelet's own words, or one line.

Any bytes may be given, and names in a file may be anything.
"""

import json

import pytest
from hypothesis import given, settings, strategies as st

from kubeproof.advise.cpu_state import to_json
from kubeproof.advise.cpu_state.configuration import cpus_given
from kubeproof.advise.cpu_state.rendering import render
from kubeproof.errors import InputError
from tests.kubeproof.advise.test_cpu_state import V2, error, judge, v2


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "unexpected end of JSON input"),
        (b" \n", "unexpected end of JSON input"),
        (b"{", "unexpected end of JSON input"),
        (b'{"poli', "unexpected end of JSON input"),
        (V2[:100], "unexpected end of JSON input"),
        (V2 + b"x", "invalid character 'x' after top-level value"),
        (V2 + b"\0\0", "invalid character '\\x00' after top-level value"),
        (b"\xef\xbb\xbf" + V2, "invalid character 'ï' looking for beginning of value"),
        (b'{"policyName":5}', "cannot unmarshal number into Go struct field CPUManagerCheckpointV1.policyName"),
        (b'{"checksum":-1}', "cannot unmarshal number -1 into Go struct field CPUManagerCheckpointV1.checksum"),
        (b'{"entries":[]}', "cannot unmarshal array into Go struct field CPUManagerCheckpointV1.entries"),
        (v2("5-2", {}), 'could not parse default cpu set "5-2": invalid range "5-2" (5 > 2)'),
    ],
)
def test_broken_files_are_judged_in_the_kubelets_words(raw: bytes, said: str) -> None:
    answer = judge(raw, cpus="0-7")
    assert said in error(answer)
    assert not answer.would_start


@pytest.mark.parametrize(
    "raw",
    [b"null", b"{}", b"[]", b"5", b'"x"', b'{"a":1}', b'{"a', b"hello", b"policyName: static", bytes(range(256)),
     b"\0" * 99, b"\x7fELF\0" + b'"policyName"', v2("0-999999999", {}),
     v2("0", {"p": {"a": "0-999999999", "b": "0-999999999"}}), v2("0-100000", {})],
)  # fmt: skip
def test_other_files_get_one_line(raw: bytes) -> None:
    with pytest.raises(InputError) as caught:
        judge(raw)
    assert str(caught.value).startswith("f: ")
    assert str(caught.value).isprintable()


@pytest.mark.slow
@given(
    st.one_of(
        st.binary(max_size=60),
        st.builds(
            lambda at, byte: V2[:at] + bytes([byte]) + V2[at + 1 :], st.integers(0, len(V2)), st.integers(0, 255)
        ),
    )
)
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_judged_or_refused(raw: bytes) -> None:
    try:
        answer = judge(raw, cpus="0-7")
    except InputError:
        return
    assert answer.would_start == (not answer.refusals)
    assert all(line.isprintable() for line in render(answer).split("\n"))
    json.dumps(to_json(answer))


def test_names_in_a_file_do_not_reach_the_terminal_as_they_are() -> None:
    text = render(judge(v2("0", {"p\x1b[31m": {"a\u202e\n": "0"}}), cpus="0-1"))
    assert all(line.isprintable() for line in text.split("\n"))


@pytest.mark.parametrize(
    "text", ["5-2", "0-999999999", "8192", "x", "", " ", "1,,2", "0-3-5", "-1", "0-99999999999999999999"]
)
def test_bad_lists_are_refused_at_once(text: str) -> None:
    with pytest.raises(InputError, match=r"^--cpus: .*expected a list such as 0-3,8"):
        cpus_given(text, "--cpus")


def test_a_list_may_name_every_cpu_that_linux_can_have() -> None:
    assert len(cpus_given("0-8191", "--cpus")) == 8192
    assert cpus_given("0-3,8\n", "--cpus") == frozenset({0, 1, 2, 3, 8})
