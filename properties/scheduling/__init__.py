"""What must hold of scheduling."""
