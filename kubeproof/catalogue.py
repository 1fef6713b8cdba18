"""The documented bugs that counterexamples are kept of: where they come from, and where to find the violation."""

from attrs import frozen

from kubeproof.errors import InputError


@frozen
class Bug:
    """A documented bug.

    `violates` is violated in `release`, the release of the report, and its shortest trace is the one that is kept;
    `properties` are all that the bug violates there, so that a fix must cure them. `fixes` are the upstream changes.
    """

    id: str
    title: str
    system: str
    release: str
    violates: str
    properties: tuple[str, ...]
    consequence: str
    mechanism: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    mitigation: str

    @property
    def folder(self) -> str:
        """Its folder under counterexamples/."""
        return self.id.lower()


BUGS: tuple[Bug, ...] = (
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
    ),
)


def bug_named(name: str) -> Bug:
    """The bug of that id, in any case. Raises InputError."""
    for bug in BUGS:
        if bug.id.lower() == name.lower():
            return bug
    raise InputError(f"no bug '{name}': expected one of {', '.join(bug.id for bug in BUGS)}")
