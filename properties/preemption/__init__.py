"""What preemption promises of its victims, held against every other choice."""
