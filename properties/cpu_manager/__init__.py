"""What must hold of cpu-manager."""
