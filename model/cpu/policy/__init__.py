"""The static policy of the CPU manager."""
