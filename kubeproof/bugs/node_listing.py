"""The documented bugs of node-listing."""

from kubeproof.bugs.bug import Bug

NODE_LISTING_BUGS: tuple[Bug, ...] = (
    Bug(
        id="NODETREE-CURSOR",
        title="A node is missing from the scheduler's node list, another one is in it twice",
        system="node-listing",
        release="1.18.4",
        violates="listed-exactly-once",
        properties=("listed-exactly-once", "offered-again-when-quiet"),
        consequence=(
            "A pod that fits only the missing node, such as a DaemonSet's, stays Pending with "
            '"0/N nodes are available" although its node is Ready and empty.'
        ),
        mechanism=(
            "`next()` walks the zones with a cursor (`zoneIndex`) and the nodes of each zone with another "
            "(`lastIndex`). Both survive from one listing to the next. When a zone gets a node after a complete "
            "listing, the next listing yields that node first, finds every zone exhausted, resets the cursors "
            "in the middle and begins again. It ends after `numNodes` names, so that the last nodes of the larger "
            "zone are left out and the new node comes twice. `UpdateSnapshot` compares lengths only; they are equal."
        ),
        issues=(
            "https://github.com/kubernetes/kubernetes/issues/91601",
            "https://github.com/kubernetes/kubernetes/issues/97120",
        ),
        fixes=(
            "https://github.com/kubernetes/kubernetes/pull/93355",
            "https://github.com/kubernetes/kubernetes/pull/93387",
            "https://github.com/kubernetes/kubernetes/pull/93473",
        ),
        mitigation="Restart the scheduler: its tree is then built anew and listed from the start.",
        recovers=True,
    ),
)
