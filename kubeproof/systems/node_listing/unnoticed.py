"""Fields of the state of node-listing in which no property notices a wrong value within a step, and why none has to."""

from collections.abc import Mapping

# Field -> the reason.
UNNOTICED: Mapping[str, str] = {
    "NodeTree.zone_index": "it decides which zone is listed first, and any zone may be",
    "NodeTree.zones": "another name of a zone: the order of the arrays is what is listed",
}
