"""A bug of the scheduler's cache that the general properties found and the list of documented ones did not have."""

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.scheduling_scope import needs

SCHEDULING_CACHE_FOUND: tuple[Bug, ...] = (
    Bug(
        id="CACHE-RECREATE-LEAK",
        title="A pod that was bound, deleted and created again while the watch was broken keeps its room for ever",
        system="scheduling",
        release="1.31.13",
        violates="cache-says-what-api-server-says",
        properties=("cache-says-what-api-server-says",),
        consequence="Room on a node is never given to anybody again, until the scheduler restarts.",
        mechanism=(
            "The informer knows the pod unbound; the next list has another of its name, unbound as well. Informers go "
            "by name, so it is one update from the old pod to the new, and only the handler for unassigned pods hears "
            "of it: `updatePodInSchedulingQueue` asks of neither UID. Nobody tells the cache that the old pod, which "
            "it assumed, is gone. From 1.25.0 on an assumed pod does not expire."
        ),
        issues=(),
        fixes=(),
        mitigation="Restart the scheduler.",
        given=needs(deletes=1, recreates=1, relists=1),
        powers=(
            "deletes",
            "recreates",
            "relists",
        ),
        notes=(
            "Read in the Go source: `updatePodInSchedulingQueue` and the handlers' filters in "
            "pkg/scheduler/eventhandlers.go of 1.31.13. Nobody has run it on a cluster, and no upstream report was "
            "found: it is UNCONFIRMED.",
            "#106102 (1.23.0; see CACHE-MISSED-DELETE) cures a missed delete, but here none is told. Up to 1.22, where "
            "that one is enough, and in 1.23 and 1.24, the assumed pod expires some time after its binding; this scope "
            "has no time.",
        ),
        unconfirmed=True,
    ),
)
