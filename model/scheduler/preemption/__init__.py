"""Preemption: which pods of lower priority leave a node, so that a pod fits there."""
