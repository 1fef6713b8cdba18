"""How often Python looks for cycles of garbage.

What explorations keep is immutable and has no cycles. A search for cycles after every 700 new objects costs a fifth of
the time, and finds nothing.
"""

import gc

# How many new objects are kept until the youngest are searched; how many such searches until older ones are, too.
_SELDOM = (100_000, 50, 10)


def collect_seldom() -> None:
    """From here on this process seldom looks for cycles. For processes that explore."""
    gc.set_threshold(*_SELDOM)
