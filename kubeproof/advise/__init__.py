"""Advice on a real cluster: its nodes, a CPU manager state file, its pods and events."""
