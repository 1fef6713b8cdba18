"""JSON and YAML from outside: what Python reads otherwise than Go, and what would take too much."""

import json

import pytest

from kubeproof.input.documents import json_value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"\uDC00\ud83d\ude00\ud83d"', "\ufffd\U0001f600\ufffd"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\\ud800 \\\ud800"', "\\ud800 \\\ufffd"),
        (r'{"\udfff": "\u00e9"}', {"\ufffd": "é"}),
    ],
)
def test_half_of_a_surrogate_pair_is_read_as_go_reads_it(text: str, value: object) -> None:
    assert json_value(text) == value


def test_an_escape_that_is_none_stays_an_error() -> None:
    with pytest.raises(json.JSONDecodeError):
        json_value(r'"\ud8zz"')
