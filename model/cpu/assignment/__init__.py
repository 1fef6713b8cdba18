"""takeByTopology: which CPUs a container gets."""
