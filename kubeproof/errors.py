"""Errors that end in one clear line."""


class InputError(Exception):
    """Wrong usage or unreadable input: one line `FILE: PLACE: what was expected`; exit status 2."""


class RuleError(Exception):
    """A rule that came from outside raised, did not return in time, or returned something else than it must."""
