"""The error that a player raises for a recorded case that the model does not cover."""


class NotCovered(Exception):
    """The case is a sound recording of something that is not modelled. The text says what this is."""
