"""cpu-manager as Z3 formulas."""
