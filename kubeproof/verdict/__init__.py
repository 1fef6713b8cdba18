"""What an engine answers: results, traces, and whether a run violates a property."""
