"""The errors that end a command in one clear line."""


class InputError(Exception):
    """Wrong usage, or input that cannot be read. The text is one line `FILE: PLACE: what is wrong: what was expected`.

    The exit status is 2.
    """


class RuleError(Exception):
    """A rule of a fix raised, did not return in time, or returned a value of another kind than it must."""
