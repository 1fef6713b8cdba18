"""cpu-manager as TLC is asked about it."""
