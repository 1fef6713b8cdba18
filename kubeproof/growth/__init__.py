"""How much a scheduler's queue keeps of a long run: one run of the components for each release, no exploration."""
