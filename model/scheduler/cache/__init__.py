"""The scheduler's cache: pods, nodes, the node tree, the snapshot, and which release has which of their rules."""
