"""What must hold of scores: their totals, how they are normalized, and how one of equal nodes is chosen."""
