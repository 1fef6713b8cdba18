"""What the CPU manager remembers, and its state file."""
