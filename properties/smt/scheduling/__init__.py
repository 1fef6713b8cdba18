"""scheduling as Z3 formulas."""
