"""Judges a real kubelet's CPU manager state file, and reads what describes its machine."""
