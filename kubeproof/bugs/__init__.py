"""What is known of each bug that a counterexample is kept of: its report, its cure, and the bounds that it needs."""
