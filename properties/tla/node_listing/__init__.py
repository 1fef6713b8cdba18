"""node-listing as TLC is asked about it."""
