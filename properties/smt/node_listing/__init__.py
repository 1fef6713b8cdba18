"""node-listing as Z3 formulas."""
