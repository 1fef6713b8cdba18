"""What must hold of whatever an extender answers."""
