"""The systems that can be checked, each described once."""
