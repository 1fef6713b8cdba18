"""docs/scheduling-cycle.md: a file for each section, and `page`, which puts the sections together."""
