"""What kube-scheduler says, and does not start."""

from attrs import frozen


@frozen
class Refusal:
    """Why the scheduler does not start."""

    # Its own words; what they need from memory, such as an address, is left out as `…`.
    text: str
    # What to do, or "".
    mend: str = ""
