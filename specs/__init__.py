"""The systems in TLA+, with the counts that every engine must agree on. Data, found with importlib.resources."""
