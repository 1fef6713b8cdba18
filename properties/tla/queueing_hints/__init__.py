"""queueing-hints as TLC is asked about it."""
