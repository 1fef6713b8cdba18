"""The systems and their properties once more, as Z3 formulas."""
