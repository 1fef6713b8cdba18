"""What must hold of whatever an extender answers, release by release, and that each claim can fail."""

from collections.abc import Iterator

import pytest
from attrs import evolve

from model.go.errors import NIL_POINTER, GoError
from model.releases import parse_release, rules_for
from model.scheduler.filtering import Found
from model.scheduler.http_extender import FilterReply
from properties.components.extenders import (
    ASKED,
    CLAIMS,
    ExtenderRules,
    FilterCase,
    candidates_with,
    claim_named,
    error_is_no_misfit,
    filter_cases,
    found_with,
    preempt_cases,
    told,
)


def rules(release: str) -> ExtenderRules:
    return rules_for(ExtenderRules, parse_release(release))


def refuted(claim: str, asked: ExtenderRules) -> str | None:
    return next((told(case) for case, _ in claim_named(claim).broken_by(asked)), None)


IN_ALL = {"filter-narrows", "preempt-narrows", "victims-suffice", "preempt-goes-on"}


@pytest.mark.parametrize(
    ("release", "more"),
    [
        ("1.15.12", {"filter-goes-on", "violations-are-kept"}),
        ("1.17.10", {"violations-are-kept"}),
        ("1.23.13", {"violations-are-kept"}),
        ("1.24.0", set()),
        ("1.31.13", set()),
    ],
)
def test_which_release_breaks_which_claim(release: str, more: set[str]) -> None:
    assert {claim.name for claim in CLAIMS if refuted(claim.name, rules(release))} == IN_ALL | more


def test_with_names_an_extender_narrows_from_1_18_on() -> None:
    def by_name(release: str) -> Iterator[FilterCase]:
        for case, _ in claim_named("filter-narrows").broken_by(rules(release)):
            assert isinstance(case, FilterCase)
            if case.reply.node_names is not None and case.node_cache_capable:
                yield case

    assert next(by_name("1.17.17"), None) is not None
    assert next(by_name("1.18.0"), None) is None


def test_an_error_that_is_taken_for_a_misfit_is_seen() -> None:
    """No release does so."""
    failed, ignored = (FilterCase(FilterReply(error="boom"), True, ignorable) for ignorable in (False, True))
    for found in (Found(0), Found(0, ASKED), Found(0, error=NIL_POINTER)):
        assert not error_is_no_misfit(found, failed)
    assert error_is_no_misfit(Found(0, error=GoError("boom")), failed)
    assert not error_is_no_misfit(Found(0, ("n1",)), ignored)


def test_a_rule_that_checks_cures_a_claim_and_no_other() -> None:
    checks = evolve(rules("1.15.12"), nodes_of_answer=rules("1.18.0").nodes_of_answer)
    assert refuted("filter-goes-on", checks) is None
    assert refuted("filter-narrows", checks) == "with nodeCacheCapable, whole nodes: n3"
    assert refuted("violations-are-kept", checks) is not None


def test_each_case_comes_to_an_answer() -> None:
    for release in ("1.13.12", "1.31.13"):
        assert all(isinstance(found_with(rules(release), case), Found) for case in filter_cases())
        assert all(candidates_with(rules(release), case) is not None for case in preempt_cases())
