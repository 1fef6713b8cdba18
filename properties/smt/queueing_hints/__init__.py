"""queueing-hints as Z3 formulas."""
