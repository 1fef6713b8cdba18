"""The minimal counterexample of each documented bug: generated, committed, never edited."""
