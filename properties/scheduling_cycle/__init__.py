"""What must hold in the system scheduling-cycle."""
