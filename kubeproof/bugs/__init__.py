"""Reads the texts of the bugs (bugs/<system>/*.md), and makes and replays their counterexamples."""
