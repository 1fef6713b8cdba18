"""Which upgrade cures a cluster: computed, by trying the same runs in every later release."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from attrs import asdict, fields, frozen

from kubeproof.advise.nodes.kubectl_nodes import ClusterNode
from kubeproof.advise.nodes.survey import survey
from kubeproof.systems.node_listing import NODE_LISTING
from model.evidence import cell
from model.releases import (
    BACK_PORTS,
    LAST_PATCH,
    Release,
    known_release,
    parse_release,
    release_rows,
    row_at,
    rules_for,
)
from model.systems.node_listing import NodeListingRules

# The rules that a cluster's nodes are asked about.
_LOOKED_AT = frozenset({"get_zone_key", *(field.name for field in fields(NodeListingRules))})


@frozen
class RuleChange:
    """A rule that a cure has and the cluster's release does not have."""

    rule_field: str
    # The name of the rule's function.
    rule: str
    # What changed, and how this is known: as the release table says.
    change: str
    evidence: str


@frozen
class Cure:
    """A release in which the same runs lose no node."""

    # An upstream release, or a vendor's back-port.
    kind: Literal["upstream", "vendor"]
    release: str
    changes: tuple[RuleChange, ...]


def zone_keys(nodes: Sequence[ClusterNode], release: Release) -> tuple[tuple[str, str], ...]:
    """Name and zone key of each node, as `release` reads its labels."""
    get_zone_key = row_at("get_zone_key", release.version).rule
    return tuple((node.name, get_zone_key(node.labels)) for node in nodes)


def later_releases(release: Release) -> Iterator[Release]:
    """Every upstream patch release after `release`, oldest first; no pre-releases, which nobody upgrades to."""
    for minor in NODE_LISTING.minors:
        for patch in range(LAST_PATCH[minor] + 1):
            later = known_release(f"1.{minor}.{patch}")
            if later.version > release.version:
                yield later


def cures_for(nodes: Sequence[ClusterNode], release: Release, effort: int) -> tuple[Cure, ...]:
    """The vendors' back-ports to the same upstream release, then the first later upstream release without the loss."""
    known: dict[Any, bool] = {}

    def cures(candidate: Release) -> bool:
        rules = rules_for(NodeListingRules, candidate)
        keyed = zone_keys(nodes, candidate)
        # Releases with the same rules and keys give the same answer, so one survey answers for all of them.
        alike = (tuple(asdict(rules).values()), keyed)
        if alike not in known:
            known[alike] = survey(rules, keyed, effort).loses_nothing
        return known[alike]

    found = []
    for port in BACK_PORTS:
        if port.upstream == release.upstream:
            ported = parse_release(f"v{port.upstream}-{port.vendor}.{port.since_build}")
            if cures(ported):
                found.append(Cure("vendor", f"v{ported}", _changes(release, ported)))
    for later in later_releases(release):
        if cures(later):
            found.append(Cure("upstream", str(later), _changes(release, later)))
            break
    return tuple(found)


def _changes(old: Release, new: Release) -> tuple[RuleChange, ...]:
    before, after = release_rows(old), release_rows(new)
    return tuple(
        RuleChange(name, row.rule.__name__, row.change, cell(name, new).evidence)
        for name, row in after.items()
        if name in _LOOKED_AT and row.rule is not before[name].rule
    )
