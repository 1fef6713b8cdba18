"""Which release is asked about, what the files say of its scheduler, and for how many nodes."""

from attrs import frozen

from kubeproof.advise.nodes.kubectl_nodes import read_nodes
from kubeproof.advise.scheduler_config.default_plugins import GATES
from kubeproof.advise.scheduler_config.reading import Given
from kubeproof.errors import InputError
from kubeproof.systems.gates import OPTION, read_gates
from kubeproof.systems.releases import release_named
from kubeproof.visible import shortened
from model.releases import EVERY_MINOR, Release

_MOST_NODES = 1_000_000


@frozen
class ConfigQuestion:
    """What is asked."""

    release: Release
    # What names it: "--release", what in which file, or why it is this one.
    release_by: str
    # How many nodes the cluster has; (): not known.
    nodes: tuple[int, ...]
    # The gates that the pod's flags set.
    gates: dict[str, bool]
    notes: tuple[str, ...]


def question(given: Given, release: str | None, nodes: str | None) -> ConfigQuestion:
    """What the options and, where they are silent, the files say. Raises InputError."""
    notes: list[str] = []
    tag = given.flags.version if given.flags is not None else ""
    if release is not None:
        at, by = release_named(release, minors=EVERY_MINOR), "--release"
    elif tag:
        assert given.flags is not None
        by = f"the image's tag in {given.flags.file}"
        at = release_named(tag, f"{given.flags.file}: the image's tag", EVERY_MINOR)
    else:
        at, by = _newest_that_takes(given)
    if at.vendor is not None:
        notes.append(f"{at} is judged as upstream {at.upstream}; the vendor may have back-ports of fixes")
    gates: dict[str, bool] = {}
    if given.flags is not None:
        gates = read_gates(given.flags.get("feature-gates"), f"{given.flags.file}: {OPTION}")
        others = [name for name in gates if name not in GATES]
        if others:
            notes.append(f"not looked at: {shortened(', '.join(others), 200)} of {OPTION}")
    return ConfigQuestion(at, by, _sizes(nodes), gates, tuple(notes))


def _newest_that_takes(given: Given) -> tuple[Release, str]:
    minors = None if given.document is None else given.document.minors
    newest = EVERY_MINOR[-1]
    last = newest if minors is None else min(minors[1], newest)
    why = "the newest modelled" if last == newest else "the newest that takes this file"
    return release_named(f"1.{last}", minors=EVERY_MINOR), why


def _sizes(nodes: str | None) -> tuple[int, ...]:
    """A number, or the nodes in a file."""
    if nodes is None:
        return ()
    if nodes.isascii() and nodes.isdecimal():
        if len(nodes) > len(str(_MOST_NODES)) or not 1 <= int(nodes) <= _MOST_NODES:
            raise InputError(f"--nodes {shortened(nodes, 20)}: not a number of nodes: expected 1 to {_MOST_NODES}")
        return (int(nodes),)
    count = len(read_nodes(nodes).nodes)
    if count == 0:
        raise InputError(f"--nodes {shortened(nodes)}: no node: expected the output of kubectl get nodes -o json")
    return (count,)
