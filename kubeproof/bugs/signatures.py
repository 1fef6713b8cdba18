"""Which bugs print which texts: the errors, events and log lines of the Go code by which a bug can be known.

A text may also stand where no bug is: it says only which bugs to look at. Which release has a bug, `kept` says.
"""

import re

from attrs import frozen

from kubeproof.bugs.catalogue import bugs_against

# What they leave is a node with more than it has, and the kubelet says so.
_OVER = bugs_against("within-capacity")
_TWO_ATTEMPTS = ("QUEUE-INFLIGHT-DUP", "QUEUE-RESYNC-DUP")


@frozen
class Signature:
    """A text of the Go code, and the bugs that print it."""

    # A regular expression for a part of a line, in any case. What differs from release to release is left out.
    text: str
    # The ids, the likeliest first.
    bugs: tuple[str, ...]
    # The Go file and function, or the package, that has the text.
    go: str
    # Whether an attempt may fail so by itself, and the next one succeed: only a pod that still waits is odd.
    passes: bool = False


SIGNATURES: tuple[Signature, ...] = (
    Signature(
        r"is in the cache, so can't be assumed",
        ("CYCLE-EXTRA-ATTEMPT-STATUS", "CYCLE-EXTRA-ATTEMPT-LABELS", *_TWO_ATTEMPTS, "QUEUE-ERROR-FUNC-AHEAD"),
        "pkg/scheduler/internal/cache/cache.go AssumePod",
    ),
    Signature(
        r"is already assigned to node",
        ("BIND-TIMEOUT-BOUND", *_TWO_ATTEMPTS, "EXT-BIND-ASKS-ON"),
        "pkg/registry/core/pod/storage/storage.go setPodHostAndAnnotations",
        passes=True,
    ),
    Signature(
        r"binding rejected: ",
        ("BIND-TIMEOUT-BOUND", "QUEUE-ERROR-STUCK"),
        "pkg/scheduler/scheduler.go scheduleOne, up to 1.18",
        passes=True,
    ),
    Signature(
        r"rejected due to timeout after waiting \S+ at (plugin|permit)",
        ("PERMIT-LOST-SIGNAL", "PERMIT-SECOND-PROFILE", "PERMIT-GROUP-HOLDS", "CYCLE-FORGET-NO-EVENT"),
        "pkg/scheduler/framework/runtime/waiting_pods_map.go newWaitingPod",
        passes=True,
    ),
    Signature(
        r"snapshot state is not consistent",
        ("SNAP-GHOST-COUNT", "NODETREE-NAMEONLY-REMOVE"),
        "pkg/scheduler/internal/cache/cache.go UpdateSnapshot, 1.18 on",
    ),
    Signature(
        r"nodeinfo not found for node name",
        ("CYCLE-PREFILTER-NONEXISTENT-NODE",),
        "pkg/scheduler/internal/cache/snapshot.go Get, 1.18 on",
    ),
    Signature(
        r"\bnode not found\b|\bnodes? \"\S+\" not found",
        ("CACHE-MISSED-NODE-DELETE", "NODETREE-NAMEONLY-REMOVE", "NODE-REPAIR-REMOVES-NEW", "NODE-REPAIR-CRASH"),
        "pkg/scheduler: a plugin, a lister of nodes, and `possibly due to node not found` of the error function",
        passes=True,
    ),
    Signature(
        r"cache is corrupted and can badly affect scheduling decisions",
        ("CACHE-RECREATE-UID", "CACHE-ASSUMED-OTHER-NODE", "CACHE-RECREATE-EXIT"),
        "pkg/scheduler/internal/cache/cache.go UpdatePod and RemovePod",
    ),
    Signature(
        r"doesn't exist in informer cache",
        ("QUEUE-TWO-INFORMERS", "NOM-PHANTOM-DELETED"),
        "pkg/scheduler/factory.go MakeDefaultErrorFunc, 1.19 on; schedule_one.go handleSchedulingFailure",
    ),
    Signature(
        r"same pod is tracked in multiple places",
        ("QH-POP-BEFORE-DONE", "QH-REQUEUED-BEFORE-ADD", "QH-UPDATE-POP-RACE"),
        "pkg/scheduler/backend/queue/active_queue.go unlockedPop, 1.32 on",
    ),
    Signature(
        r"integer divide by zero", ("FILTER-DIVIDE-BY-ZERO",), "pkg/scheduler/schedule_one.go findNodesThatPassFilters"
    ),
    Signature(r"index out of range \[0\] with length 0", ("PREEMPT-PANIC",), "framework/plugins/defaultpreemption"),
    Signature(
        r"invalid memory address or nil pointer dereference",
        (
            "SNAP-NIL-NODE-PANIC",
            "EXT-NODE-NOT-FOUND",
            "EXT-PREEMPT-CRASH",
            "CACHE-NODE-BEFORE-PODS-CRASH",
            "NODE-REPAIR-CRASH",
        ),
        "pkg/scheduler",
    ),
    Signature(r"\bpod (\S+/\S+ )?expired", ("CACHE-ASSUME-TTL",), "internal/cache/cache.go cleanupAssumedPods"),
    Signature(
        r"node didn't have enough resource: ", _OVER, "pkg/kubelet/lifecycle/predicate.go InsufficientResourceError"
    ),
    Signature(r"concurrent map read and map write", ("CPU-CONTAINERMAP-RACE",), "pkg/kubelet/cm/containermap"),
    Signature(
        r"checkpoint is corrupted",
        ("CPU-CHECKPOINT-V1-CHECKSUM",),
        "pkg/kubelet/checkpointmanager/errors",
    ),
    # What any attempt may meet stands last.
    Signature(
        r"\brunning (\"\w+\" )?(reserve|permit|prebind|bind) plugin\b",
        ("QUEUE-ERROR-STUCK", "QH-ERROR-STUCK", "QUEUE-STALE-PLUGINS", "CYCLE-FORGET-NO-EVENT", "NOM-HOST-NOT-CLEARED"),
        "pkg/scheduler/framework/runtime/framework.go RunReservePluginsReserve to RunBindPlugins",
        passes=True,
    ),
    Signature(
        r"\brunning (\"\w+\" )?((pre)?filter|(pre)?score) plugins?\b",
        ("QUEUE-ERROR-STUCK", "QH-ERROR-STUCK", "QUEUE-STALE-PLUGINS"),
        "pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins to RunScorePlugins",
        passes=True,
    ),
    Signature(
        r"\bPost \"?https?://\S+/(filter|predicates?|prioritize|bind|preempt)\"?: ",
        ("CYCLE-ERROR-STUCK", "QUEUE-STALE-PLUGINS"),
        "pkg/scheduler/extender.go send, up to 1.17 core/extender.go: the error of net/http",
        passes=True,
    ),
)


def signatures_in(text: str) -> tuple[Signature, ...]:
    """The signatures of which a text stands in `text`, in any case.

    >>> [found.bugs for found in signatures_in("panic: runtime error: integer divide by zero")]
    [('FILTER-DIVIDE-BY-ZERO',)]
    """
    return tuple(each for each in SIGNATURES if re.search(each.text, text, re.IGNORECASE))


def bugs_with_text(text: str) -> tuple[str, ...]:
    """The ids of the bugs that print what stands in `text`, each once."""
    return tuple(dict.fromkeys(bug for found in signatures_in(text) for bug in found.bugs))
