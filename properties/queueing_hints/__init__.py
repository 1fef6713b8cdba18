"""What must hold in the system queueing-hints."""
