"""Measurements against named peers, in one run on one machine. Nothing here is a test."""
