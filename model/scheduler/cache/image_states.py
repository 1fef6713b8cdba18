"""Which images are on how many nodes, as the cache and its snapshot say it. Touches nothing but its arguments.

Go: `imageStates`, `addNodeImageStates`, `removeNodeImageStates`, `createImageStateSummary` in
pkg/scheduler/internal/cache/cache.go, `NodeInfo.ImageStates`; 1.13 to 1.31, all under `schedulerCache.mu`. Beside the
cache's other state, not part of it: nothing but the ImageLocality score reads it.
"""

from collections.abc import Callable

from attrs import evolve, frozen

Counts = tuple[tuple[str, int], ...]


@frozen(cache_hash=True)
class ImageStates:
    """Which images the nodes have, in the cache and in the snapshot."""

    # For each image the nodes that have the image, both sorted (Go: `cache.imageStates`).
    nodes_of: tuple[tuple[str, tuple[str, ...]], ...] = ()
    # For each node its images. Each has the count of the moment when the node's images were last set (Go:
    # `NodeInfo.ImageStates`; from 1.29 on a pointer to the entry of `imageStates`).
    summaries: tuple[tuple[str, Counts], ...] = ()
    # The nodes whose NodeInfo changed since the last snapshot, by images or otherwise (Go: its generation).
    newer: frozenset[str] = frozenset()
    # The counts that scheduling cycles read, by node.
    snapshot: tuple[tuple[str, Counts], ...] = ()

    def count(self, image: str) -> int:
        """The number of nodes that have `image`."""
        return len(dict(self.nodes_of).get(image, ()))


def counts_when_set(states: ImageStates, node: str) -> Counts:
    """The counts from when `node`'s images were set (1.13 to 1.28: `ImageStateSummary.NumNodes` is a copy).

    CACHE-IMAGESTATE-STALE: a node that gets the image later counts both, the first one still counts itself.
    """
    return dict(states.summaries)[node]


def counts_shared(states: ImageStates, node: str) -> Counts:
    """Counts as they are now (1.29, #116938: NodeInfo points to the entry of `imageStates`)."""
    return tuple((image, states.count(image)) for image, _ in dict(states.summaries)[node])


@frozen(slots=False, kw_only=True)
class ImageStateRules:
    """How a release counts images."""

    # The images of a node in its NodeInfo, when the NodeInfo is copied into a snapshot.
    image_counts: Callable[[ImageStates, str], Counts]


def set_node_images(states: ImageStates, node: str, images: frozenset[str]) -> ImageStates:
    """`node` has just these images now (`removeNodeImageStates` of the old object, then `addNodeImageStates`)."""
    nodes_of = _without(states, node)
    for image in images:
        nodes_of[image] = tuple(sorted((*nodes_of.get(image, ()), node)))
    counts = tuple((image, len(nodes_of[image])) for image in sorted(images))
    return ImageStates(
        tuple(sorted(nodes_of.items())),
        tuple(sorted((dict(states.summaries) | {node: counts}).items())),
        states.newer | {node},
        states.snapshot,
    )


def remove_node_images(states: ImageStates, node: str) -> ImageStates:
    """`node` is gone, or a ghost, which no snapshot has (`removeNodeImageStates` in `RemoveNode`)."""
    return ImageStates(
        tuple(sorted(_without(states, node).items())),
        tuple(entry for entry in states.summaries if entry[0] != node),
        states.newer - {node},
        states.snapshot,
    )


def touch_node(states: ImageStates, node: str) -> ImageStates:
    """Anything else of `node` changed, such as its pods: its generation is bumped."""
    return evolve(states, newer=states.newer | {node})


def update_image_snapshot(rules: ImageStateRules, states: ImageStates) -> ImageStates:
    """Copy the counts of nodes whose NodeInfo is newer than the snapshot, and forget removed nodes (`UpdateSnapshot`).

    A node's generation is not bumped when another node gets or loses its image: so from 1.29 on too the snapshot has
    the old count of it, until something else of the node changes.
    """
    known = dict(states.summaries)
    copied = {node: counts for node, counts in states.snapshot if node in known}
    copied |= {node: rules.image_counts(states, node) for node in states.newer}
    return evolve(states, newer=frozenset(), snapshot=tuple(sorted(copied.items())))


def _without(states: ImageStates, node: str) -> dict[str, tuple[str, ...]]:
    left = {image: tuple(name for name in nodes if name != node) for image, nodes in states.nodes_of}
    return {image: nodes for image, nodes in left.items() if nodes}
