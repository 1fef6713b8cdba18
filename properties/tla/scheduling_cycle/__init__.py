"""scheduling-cycle as TLC is asked about it."""
