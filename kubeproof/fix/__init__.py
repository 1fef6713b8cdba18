"""Proposed fixes: loading, guarding and judging them."""
