"""The scheduling queue: its three sub-queues, the nominator, and which release has which of their rules."""
