"""Which symptoms belong to which bugs."""

import re
from time import process_time

import pytest

from kubeproof.bugs.catalogue import BUGS, bugs_against, documented_bug
from kubeproof.bugs.runs import kept_runs
from kubeproof.bugs.signature import function_at_fault
from kubeproof.bugs.signatures import SIGNATURES, bugs_with_text, signatures_in

# What kept runs meet and no row has: words of the model, and answers of the API server that any cluster has.
OF_THE_MODEL = {
    "a plugin fails", "a volume cannot be bound", "plugin 1 fails", "plugin 2 fails", "the attempt fails by an error",
    "the extender does not answer", "the answer does not come", "the request does not reach the API server",
    "the API server refuses the Binding",
}  # fmt: skip
OF_THE_API_SERVER = re.compile(
    r"the pod is not found|the pod has changed, is bound or is being deleted|node \"\w+\" not found"
    r"|the request (?:for|about) \w+ (?:fails|is refused)"
)


def test_every_signature_is_of_documented_bugs_and_no_two_are_alike() -> None:
    for signature in SIGNATURES:
        re.compile(signature.form)
        assert signature.texts
        assert all(len(text) >= 7 for text in signature.texts)
        assert signature.go
        assert signature.normal.endswith(".")
        assert len(signature.at_fault) in (0, len(signature.bugs))
        for bug in signature.bugs:
            assert documented_bug(bug).id == bug
    assert len({(signature.texts, signature.form) for signature in SIGNATURES}) == len(SIGNATURES)


@pytest.mark.slow
def test_what_a_kept_run_meets_is_a_signature_of_its_bug() -> None:
    """Two descriptions of one thing: the runs of the models, and the table."""
    met = set()
    for bug in BUGS:
        for run in kept_runs(bug.id):
            machine = run.machine()
            state = machine.initial_states()[0]
            for action in run.actions:
                met |= {(bug.id, error.text) for error in machine.errors(state, action)}
                state = machine.step(state, action)
            if how := getattr(state, "crashed", ""):
                met.add((bug.id, f"{how} and can badly affect scheduling decisions" if "corrupted" in how else how))
    assert len(met) > 50
    judged = [
        (bug, text) for bug, text in met if text not in OF_THE_MODEL and not OF_THE_API_SERVER.fullmatch(text)
    ]  # fmt: skip
    assert len(judged) > 20
    assert [each for each in judged if each[0] not in bugs_with_text(each[1])] == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("AssumePod failed: pod u-p(web/p) is in the cache, so can't be assumed", "CYCLE-EXTRA-ATTEMPT-STATUS"),
        ("Binding rejected: Operation cannot be fulfilled", "BIND-TIMEOUT-BOUND"),
        ('pod p is already assigned to node "n1"', "BIND-TIMEOUT-BOUND"),
        ("snapshot state is not consistent, length of NodeInfoList=3", "SNAP-GHOST-COUNT"),
        ('nodeinfo not found for node name "n9"', "CYCLE-PREFILTER-NONEXISTENT-NODE"),
        ('error while running "NodeName" filter plugin for pod "p": node not found', "SNAP-MAP-STALE"),
        ("Schedulercache is corrupted and can badly affect scheduling decisions", "CACHE-RECREATE-UID"),
        ("panic: runtime error: integer divide by zero", "FILTER-DIVIDE-BY-ZERO"),
        ('"Pod expired" pod="web/p"', "CACHE-ASSUME-TTL"),
        ("Pod web/p expired", "CACHE-ASSUME-TTL"),
        ("Node didn't have enough resource: cpu, requested: 1, used: 1", bugs_against("within-capacity")[0]),
        ("0/8 nodes are available: 7 node(s) didn't match node selector.", "NODETREE-CURSOR"),
        ('Node "n1" in group "" was not found', "NODETREE-NAMEONLY-REMOVE"),
        ('running PreFilter plugin "VolumeBinding": %!w(<nil>)', "CYCLE-PREFILTER-ERROR-LOST"),
    ],
)  # fmt: skip
def test_a_text_as_the_go_code_prints_it(text: str, first: str) -> None:
    assert bugs_with_text(text)[0] == first


def test_what_happens_in_any_cluster_is_no_signature() -> None:
    for text in (
        "0/3 nodes are available: 3 Insufficient cpu.",
        "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had taint {a.b/c: }, that the pod didn't tolerate.",
        "0/5 nodes are available: 1 Insufficient cpu. preemption: 0/5 nodes are available: 5 Not helpful.",
        "Unable to schedule web/p: possibly due to node not found: x; waiting",
        'Unable to schedule pod, possibly due to node not found; waiting" pod="web/p"',
        "skip schedule deleting pod: web/p",
        "Pod web/p doesn't exist in informer cache: pod not found",
        'Successfully bound pod to node" pod="web/p" node="n1"',
        "x509: certificate has expired",
    ):
        assert bugs_with_text(text) == (), text


NIL = 'Observed a panic: "invalid memory address or nil pointer dereference"\ngoroutine 7 [running]:\n'
LOGGED = (
    "k8s.io/kubernetes/vendor/k8s.io/apimachinery/pkg/util/runtime.HandleCrash(0x0, 0x0)\n\t/a/runtime.go:55 +0x1\n"
)


def test_a_panic_is_of_the_bugs_of_the_function_at_fault() -> None:
    assert len(bugs_with_text(NIL)) == 5
    removed = f"{NIL}{LOGGED}panic(0x18ebdc0)\nk8s.io/kubernetes/pkg/scheduler/nodeinfo.(*NodeInfo).RemovePod(0xc)\n"
    assert bugs_with_text(removed) == ("CACHE-NODE-BEFORE-PODS-CRASH",)
    assert [found.bugs for found in signatures_in(removed.replace("RemovePod", "AddPod"))] == []
    # A plugin of one's own that panics is at fault, and not who called the plugin.
    assert (
        function_at_fault(f"{NIL}{LOGGED}example.com/a/plugin.(*P).Score(0x1)\n") == "example.com/a/plugin.(*P).Score"
    )


@pytest.mark.parametrize(
    "before", ["", "\t", "2022-06-16T23:52:07.606291246+00:00 stderr F ", "Jun 23 01:44:11 pi2 k3s[95864]: "]
)
def test_what_stands_before_a_line_of_a_trace_is_passed_over(before: str) -> None:
    lines = ("goroutine 1 [running]:", "runtime/debug.Stack()", "k8s.io/a/b.(*T).F.func1({0x1, 0x2?})", "\t/a/b.go:1")
    assert function_at_fault("\n".join(before + line for line in lines)) == "k8s.io/a/b.(*T).F.func1"


def test_a_line_that_a_container_runtime_has_cut_is_put_together() -> None:
    parts = (
        "P goroutine 1 [running",
        "F ]:",
        "P k8s.io/a/plugins.(*T).update(0xc049b17530",
        "F , 0x1)",
        "F     /a.go:1",
    )
    assert function_at_fault("\n".join(f"2022-06-16T23:52:07.6+00:00 stderr {part}" for part in parts)) == (
        "k8s.io/a/plugins.(*T).update"
    )


def test_before_go_had_functions_in_such_a_trace_the_file_is_at_fault() -> None:
    places = (
        "/go/k8s.io/apimachinery/pkg/util/runtime/runtime.go:58",
        "/usr/local/go/src/runtime/panic.go:522",
        "/x/y.go:1",
    )
    assert function_at_fault("\n".join(places)) == "/x/y.go"


def test_a_long_line_in_a_trace_takes_no_time() -> None:
    before = process_time()
    assert function_at_fault("\n".join(["a." * 9_000, "a/b" * 6_000, *(["a.b/" * 150] * 90)])) == ""
    assert process_time() - before < 0.5
