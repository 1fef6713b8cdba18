"""The zone key of a node: which labels decide in which zone of the nodeTree a node stands.

Go: `GetZoneKey`, pkg/util/node/node.go up to 1.20, k8s.io/component-helpers/node/topology/helpers.go from 1.21 on.
The key is `REGION:\\x00:ZONE`, or "" when both are empty. A label that is there but empty hides the other generation.
"""

from collections.abc import Callable, Mapping

BETA_ZONE = "failure-domain.beta.kubernetes.io/zone"
BETA_REGION = "failure-domain.beta.kubernetes.io/region"
STABLE_ZONE = "topology.kubernetes.io/zone"
STABLE_REGION = "topology.kubernetes.io/region"
ZONE_LABELS = (BETA_REGION, BETA_ZONE, STABLE_REGION, STABLE_ZONE)

GetZoneKey = Callable[[Mapping[str, str]], str]


def get_zone_key_beta_labels(labels: Mapping[str, str]) -> str:
    """Reads the `failure-domain.beta` labels and no others (1.13 to 1.16)."""
    return _zone_key(labels.get(BETA_REGION, ""), labels.get(BETA_ZONE, ""))


def get_zone_key_beta_labels_first(labels: Mapping[str, str]) -> str:
    """Reads `failure-domain.beta`, and `topology` where the beta label is not there; region and zone each on its own
    (1.17 to 1.31).

    >>> get_zone_key_beta_labels_first({STABLE_ZONE: "b", BETA_REGION: "sh"})
    'sh:\\x00:b'
    """
    zone = labels.get(BETA_ZONE, labels.get(STABLE_ZONE, ""))
    region = labels.get(BETA_REGION, labels.get(STABLE_REGION, ""))
    return _zone_key(region, zone)


def _zone_key(region: str, zone: str) -> str:
    return "" if region == "" and zone == "" else f"{region}:\x00:{zone}"
