"""Which texts belong to which bugs."""

import re

import pytest

from kubeproof.bugs.catalogue import bugs_against, documented_bug
from kubeproof.bugs.signatures import SIGNATURES, bugs_with_text


def test_every_signature_is_of_documented_bugs_and_no_two_are_alike() -> None:
    for signature in SIGNATURES:
        re.compile(signature.text)
        assert signature.go
        assert signature.bugs
        for bug in signature.bugs:
            assert documented_bug(bug).id == bug
    assert len({signature.text for signature in SIGNATURES}) == len(SIGNATURES)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("AssumePod failed: pod u-p(web/p) is in the cache, so can't be assumed", "CYCLE-EXTRA-ATTEMPT-STATUS"),
        ("Binding rejected: Operation cannot be fulfilled", "BIND-TIMEOUT-BOUND"),
        ('pod p is already assigned to node "n1"', "BIND-TIMEOUT-BOUND"),
        ("snapshot state is not consistent, length of NodeInfoList=3", "SNAP-GHOST-COUNT"),
        ('nodeinfo not found for node name "n9"', "CYCLE-PREFILTER-NONEXISTENT-NODE"),
        ('error while running "NodeName" filter plugin for pod "p": node not found', "CACHE-MISSED-NODE-DELETE"),
        ("Unable to schedule web/p: possibly due to node not found: x; waiting", "CACHE-MISSED-NODE-DELETE"),
        ('Failed to bind volumes: failed to get node "n9": node "n9" not found', "CACHE-MISSED-NODE-DELETE"),
        ("Schedulercache is corrupted and can badly affect scheduling decisions", "CACHE-RECREATE-UID"),
        ("Pod web/p doesn't exist in informer cache: pod not found", "QUEUE-TWO-INFORMERS"),
        ("panic: runtime error: integer divide by zero", "FILTER-DIVIDE-BY-ZERO"),
        ('running PreBind plugin "VolumeBinding": binding volumes: timed out', "QUEUE-ERROR-STUCK"),
        ('error while running "Capacity" reserve plugin for pod "p": no', "QUEUE-ERROR-STUCK"),
        ('Post "http://127.0.0.1:32766/gpushare-scheduler/filter": dial tcp: refused', "CYCLE-ERROR-STUCK"),
        ("rejected due to timeout after waiting 10s at plugin Coscheduling", "PERMIT-LOST-SIGNAL"),
        ('"Pod expired" pod="web/p"', "CACHE-ASSUME-TTL"),
        ("Pod web/p expired", "CACHE-ASSUME-TTL"),
        ("Node didn't have enough resource: cpu, requested: 1, used: 1", bugs_against("within-capacity")[0]),
    ],
)  # fmt: skip
def test_a_text_as_the_go_code_prints_it(text: str, first: str) -> None:
    assert bugs_with_text(text)[0] == first


def test_what_happens_in_any_cluster_is_no_signature() -> None:
    for text in (
        "0/3 nodes are available: 3 Insufficient cpu.",
        "skip schedule deleting pod: web/p",
        'Successfully bound pod to node" pod="web/p" node="n1"',
    ):
        assert bugs_with_text(text) == (), text
