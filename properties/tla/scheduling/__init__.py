"""scheduling as TLC is asked about it."""
