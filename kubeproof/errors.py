"""The errors that end a command in one clear line, and what they say of a name that is not there."""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager

from kubeproof.visible import shortened

ESTABLISHED = "established before it: "  # the beginning of a note of an error


class InputError(Exception):
    """Wrong usage, or input that cannot be read. The text is one line `FILE: PLACE: what is wrong: what was expected`.

    The exit status is 2.
    """


class LostError(InputError):
    """A Dask scheduler ended in the middle of a command."""


class RuleError(Exception):
    """A rule of a fix raised, did not return in time, or returned a value of another kind than it must."""


@contextmanager
def established(lines: Callable[[], Iterable[str]]) -> Iterator[None]:
    """An error of which nobody thought takes along what was established before it: notes that begin so."""
    try:
        yield
    except (InputError, RuleError):
        raise
    except Exception as error:
        for line in lines():
            error.add_note(f"{ESTABLISHED}{line}")
        raise


@contextmanager
def going_on(how: str) -> Iterator[None]:
    """A scheduler's loss says `how` one goes on."""
    try:
        yield
    except LostError as lost:
        raise LostError(f"{lost}: {how}") from None


# --- A name that is not there: the nearest names, and the command that lists all of them

FEW = 12  # so many names are listed whole
MOST = 5  # so many are suggested
SHORTEST_PART = 3  # characters of a part of a name that tell something
_ALIKE = 0.7  # of 1: how much two names have to have in common


def not_one_of(name: str, what: str, names: Collection[str], listed_by: str = "") -> str:
    """The text of an error: `name` is not a `what`.

    A few names follow whole. Of many follow those that are nearest, and the command `listed_by` that lists all.

    >>> not_one_of("tcl", "engine", ["explicit", "tlc"])
    "'tcl' is not an engine: expected one of explicit, tlc"
    """
    article = "an" if what[0] in "aeiou" else "a"
    said = f"'{shortened(name)}' is not {article} {what}"
    if len(names) <= FEW:
        return f"{said}: expected one of {', '.join(names)}" if names else said
    close = nearest(name, names)
    meant = f"did you mean {' or '.join(', '.join(close).rsplit(', ', 1))}? " if close else ""
    return f"{said}: {meant}{f'`{listed_by}` lists all' if listed_by else f'there are {len(names)}'}"


def nearest(name: str, names: Collection[str]) -> list[str]:
    """At most `MOST` of `names`: those that `name` is a part of, then those that are spelt alike.

    >>> nearest("Node_tree", ["NODETREE", "SNAP-MAP", "NODE-TREE-X"])
    ['NODE-TREE-X', 'NODETREE']
    """
    from difflib import get_close_matches

    asked = _plain(name[:100])
    by_plain = {_plain(each): each for each in names}
    parts = [each for each in by_plain if len(asked) >= SHORTEST_PART and asked in each]
    found = [*sorted(parts, key=lambda each: each.index(asked)), *get_close_matches(asked, by_plain, MOST, _ALIKE)]
    return [by_plain[each] for each in dict.fromkeys(found)][:MOST]


def _plain(name: str) -> str:
    return name.strip().lower().replace("_", "-")
