"""What a player raises for a recorded case that the models do not cover."""


class NotCovered(Exception):
    """The case is a good recording, but of something that is not modelled; the text says of what."""
