"""What must hold in the system preemption: what it promises of its victims, of the node, and of what it writes."""
