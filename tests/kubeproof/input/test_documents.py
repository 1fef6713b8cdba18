"""JSON and YAML from outside: what Python reads otherwise than Go, and what would take too much."""

import json

import pytest
import yaml

from kubeproof.errors import InputError
from kubeproof.input import documents
from kubeproof.input.documents import Expected, json_value, parse


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


def test_yaml_of_many_values_is_refused_and_the_mend_is_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "MAX_YAML_EVENTS", 100)
    assert parse(b"- 1\n" * 90, "file", Expected("", "numbers")) == [1] * 90
    with pytest.raises(InputError, match="file: line 99: too many values for YAML: expected JSON for so much"):
        parse(b"- 1\n" * 200, "file", Expected("", "numbers"))
    assert parse(f"[{','.join('1' * 200)}]".encode(), "file", Expected("", "numbers")) == [1] * 200


@pytest.mark.parametrize("loader", ["CSafeLoader", "SafeLoader"])
def test_yaml_has_no_half_of_a_surrogate_pair(loader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_Base", getattr(yaml, loader, yaml.SafeLoader))
    with pytest.raises(InputError, match="file: line 2"):
        parse(b'a:\n  "\\ud800"\n', "file", Expected("", "a text"))
