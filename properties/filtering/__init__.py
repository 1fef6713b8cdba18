"""What must hold of the search for feasible nodes, over every sequence of searches of a small grid."""
