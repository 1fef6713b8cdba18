"""What upstream's issues and pull requests say of the bugs that findings fit, for those that the catalogue has not.

Data only. The catalogue's own entry and its computed releases take the place of these as soon as there are such.
"""

from attrs import frozen

ISSUE = "https://github.com/kubernetes/kubernetes/issues/"
PULL = "https://github.com/kubernetes/kubernetes/pull/"
RESTART = "restart kube-scheduler: it forgets what it remembered wrongly"


@frozen
class Documented:
    """`affected`: ranges of releases, first and last, as far as 1.13 to 1.31 go. `until_then`: what helps meanwhile."""

    title: str
    affected: tuple[tuple[str, str], ...]
    until_then: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...] = ()
    note: str = ""


DOCUMENTED: dict[str, Documented] = {
    "NOM-EXT-LEAK": Documented(
        title="A pod is scheduled twice, and its left-over nomination reserves room where it does not run",
        affected=(("1.13.0", "1.17.17"),),
        until_then=(
            "let the extender answer its second call for a pod with an error, not with an empty list of nodes, or "
            f"write its annotations when it binds; {RESTART}"
        ),
        issues=(f"{ISSUE}86942", f"{ISSUE}86198"),
        fixes=(f"{PULL}86230",),
    ),
    "NOM-THREE-ATTEMPTS": Documented(
        title="A pod that preempted is tried a third time after it was bound, and nominated again",
        affected=(("1.13.0", "1.23.9"),),
        until_then=RESTART,
        issues=(f"{ISSUE}109236",),
        fixes=(f"{PULL}109245",),
        note="the patch release of 1.23 that has the fix is one of .4 to .10",
    ),
    "QUEUE-INFLIGHT-DUP": Documented(
        title="A pod is in a scheduling cycle and in the queue at the same time",
        affected=(("1.13.0", "1.31.14"),),
        until_then="fewer updates of pods that are being scheduled; the second attempt alone does no harm",
        issues=(f"{ISSUE}118226", f"{ISSUE}120662"),
        fixes=(f"{PULL}125578", f"{PULL}127016"),
        note="1.31 is free of it with SchedulerQueueingHints on, which is off there unless it was set",
    ),
    "QUEUE-RESYNC-DUP": Documented(
        title="A resync of the informer puts a pod that is being scheduled into the queue again",
        affected=(("1.13.0", "1.19.16"),),
        until_then="no resync period for the scheduler's informers",
        issues=(f"{PULL}96071",),
        fixes=(f"{PULL}96071",),
    ),
    "CYCLE-EXTRA-ATTEMPT-STATUS": Documented(
        title="An update that does not matter brings a pod that is being bound into another attempt",
        affected=(("1.13.0", "1.22.17"),),
        until_then="none needed: the attempt fails at once, and nothing is evicted for it",
        issues=(f"{ISSUE}91249", f"{ISSUE}100261"),
        fixes=(f"{PULL}90373", f"{PULL}91252"),
        note="finalizers and conditions only up to 1.16.10, 1.17.6 and 1.18.3",
    ),
    "BIND-TIMEOUT-BOUND": Documented(
        title="A bind fails for the scheduler and succeeds in the API server",
        affected=(("1.13.0", "1.31.14"),),
        until_then=f"look after etcd's and the API server's response times, and the extender's if it binds; {RESTART}",
        issues=(f"{ISSUE}108665", f"{ISSUE}100140"),
    ),
    "NOM-NOT-CLEARED": Documented(
        title="A nomination survives although the pod cannot be placed there",
        affected=(("1.13.0", "1.23.1"),),
        until_then="delete the pod, so that its controller makes another one without the nomination",
        issues=(f"{ISSUE}85677", f"{ISSUE}106780"),
        fixes=(f"{PULL}91750", f"{PULL}106816", f"{PULL}107109"),
    ),
    "NOM-PHANTOM-DELETED": Documented(
        title="A pod that was deleted while its failure was handled is nominated afterwards",
        affected=(("1.19.0", "1.19.11"), ("1.20.0", "1.20.7"), ("1.21.0", "1.21.1")),
        until_then=RESTART,
        issues=(f"{ISSUE}102339",),
        fixes=(f"{PULL}102498",),
    ),
    "CACHE-MISSED-DELETE": Documented(
        title="The scheduler's cache keeps a pod whose deletion it missed",
        affected=(("1.13.0", "1.19.16"), ("1.20.0", "1.20.13"), ("1.21.0", "1.21.7"), ("1.22.0", "1.22.4")),
        until_then=RESTART,
        issues=(f"{ISSUE}51313", f"{ISSUE}55587"),
        fixes=(f"{PULL}106102",),
        note="the patch releases of 1.21 and 1.22 that have the fix are not known for certain",
    ),
}
