"""How long something may take, as an option says."""

import re

from kubeproof.errors import InputError
from kubeproof.visible import shortened

_DURATION = re.compile(r"(\d{1,6})(s|m|h)", re.ASCII)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}


def duration(text: str, option: str) -> float:
    """The seconds that `text` says, such as 90s, 10m or 2h. Raises InputError, which names the option.

    >>> duration("10m", "--time")
    600.0
    """
    found = _DURATION.fullmatch(text)
    if found is None:
        raise InputError(f"{option}: '{shortened(text, 60)}' is not a duration: expected one such as 90s, 10m or 2h")
    return int(found[1]) * _SECONDS[found[2]]
