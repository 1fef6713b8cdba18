"""The systems' TLA+ forms: which modules, which operators stand for which rules and properties, how states read."""
