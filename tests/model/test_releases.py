"""Releases as people write them, and the rules they stand for."""

import pytest

from kubeproof.systems.registry import SYSTEMS
from model.go.formats import quote
from model.releases import (
    EVERY_MINOR,
    KNOWN_MINORS,
    NEWEST_PATCH,
    ROWS,
    NotModelledError,
    ReleaseError,
    first_with,
    has_rules,
    parse_release,
    release_or_newest,
    rules_for,
)
from model.scheduler.queue.rules import QueueingHintRules, QueueRules
from model.systems.node_listing import NodeListingRules


@pytest.mark.parametrize(
    ("text", "upstream", "listing"),
    [
        ("1.13", "1.13.12", "list_from_resuming_cursors"),
        ("v1.18.4", "1.18.4", "list_from_resuming_cursors"),
        ("1.18.6", "1.18.6", "list_from_resuming_cursors"),
        ("v1.18", "1.18.20", "list_from_reset_cursors"),
        ("v1.18.4-tke.4", "1.18.4", "list_from_resuming_cursors"),
        ("v1.18.4-tke.5", "1.18.4", "list_from_reset_cursors"),
        ("1.18.4-gke.100", "1.18.4", "list_from_resuming_cursors"),
        ("1.19.0-rc.1", "1.19.0-rc.1", "list_from_resuming_cursors"),
        ("1.19.0", "1.19.0", "list_from_reset_cursors"),
        ("1.20.0-beta.2", "1.20.0-beta.2", "list_stateless"),
        ("v1.22.1+k3s1", "1.22.1", "list_stateless"),
        ("1.31", f"1.31.{NEWEST_PATCH[31]}", "list_stateless"),
    ],
)
def test_a_release_follows_the_rules_of_its_upstream(text: str, upstream: str, listing: str) -> None:
    release = parse_release(text)
    assert release.upstream == upstream
    assert rules_for(NodeListingRules, release).list_nodes.__name__ == listing


@pytest.mark.parametrize("text", ["", "1", "2.1.0", "1.12.9", "1.32.0", "1.18.x", "latest", "1.18.4 -tke", "١.18"])
def test_what_is_no_modelled_release_is_refused(text: str) -> None:
    with pytest.raises(ReleaseError):
        parse_release(text)


def test_a_component_may_know_more_minors_than_the_systems() -> None:
    assert parse_release("1.32", EVERY_MINOR).upstream == "1.32.13"
    with pytest.raises(NotModelledError, match=r"'1.37.1' is outside the modelled range 1.13 to 1.36"):
        parse_release("1.37.1", EVERY_MINOR)


@pytest.mark.parametrize("last", [31, 36])
def test_a_system_has_no_rule_of_a_release_that_it_does_not_know(last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert KNOWN_MINORS.keys() == SYSTEMS.keys()
    assert "all_by_event_if_scaled_down" in {row.rule.__name__ for row in ROWS}
    monkeypatch.setitem(KNOWN_MINORS, "scheduling", range(13, last + 1))
    scheduling = SYSTEMS["scheduling"].built_in_rules("pods_for_assigned_pod_update")
    assert ("all_by_event_if_scaled_down" in scheduling) == (last == 36)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("n1", '"n1"'),
        ("r:\x00:z", '"r:\\x00:z"'),
        ('a"\\', '"a\\"\\\\"'),
        ("é", '"é"'),
        ("\x7f\u2028", '"\\x7f\\u2028"'),
    ],
)
def test_strings_are_quoted_as_go_does(text: str, quoted: str) -> None:
    assert quote(text) == quoted


@pytest.mark.parametrize("text", ["1.18.4-aks." + "1" * 4400, "1" * 4400, "1.18.4-" + "a" * 10**6])
def test_a_release_of_thousands_of_characters_is_none(text: str) -> None:
    with pytest.raises(ReleaseError, match="is not a Kubernetes release") as caught:
        parse_release(text)
    assert len(str(caught.value)) < 300


def test_a_release_without_the_gate_has_no_rules_of_hints() -> None:
    assert first_with(QueueingHintRules).since == "1.28.0-beta.0"
    with_hints = [text for text in ("1.13.0", "1.27.16", "1.28.0-alpha.2", "1.28.0-beta.0", "1.28.0", "1.31.14")
                  if has_rules(QueueingHintRules, parse_release(text))]  # fmt: skip
    assert with_hints == ["1.28.0-beta.0", "1.28.0", "1.31.14"]
    assert has_rules(QueueRules, parse_release("1.13.0"))


def test_a_build_may_be_a_date() -> None:
    assert parse_release("v1.18.4-aliyun.20210101123456").build == 20210101123456


@pytest.mark.parametrize("text", ["1.37.2", "v1.99", "1.38.0-rc.1", "v1.37.1-gke.100"])
def test_a_release_newer_than_every_model_stands_for_the_newest(text: str) -> None:
    release = release_or_newest(text, EVERY_MINOR)
    assert (str(release), release.vendor, release.newer) == ("1.36.3", None, text)


@pytest.mark.parametrize(
    ("text", "minors"), [("1.37.2", range(13, 36)), ("1.36.2", range(13, 36)), ("1.12", EVERY_MINOR)]
)
def test_a_release_that_some_model_knows_stands_for_no_other(text: str, minors: range) -> None:
    with pytest.raises(NotModelledError, match="is outside the modelled range"):
        release_or_newest(text, minors)
