"""Lines and phrases of the answer about a state file: wrapped, shortened, and safe to print.

A name in a file may have any character. A character that a terminal does not print is printed as an escape.
"""

from collections.abc import Iterator, Sequence
from textwrap import wrap

from kubeproof.advise.cpu_state.sets import Holder
from kubeproof.output import line_width
from kubeproof.visible import visible

WIDTH = 79
# Longer lists are shortened in text; the JSON has them whole.
ENTRIES_SHOWN = 16
LIST_SHOWN = 60
NAME_SHOWN = 80


def fact(name: str, text: str) -> Iterator[str]:
    """A fact: its name, then its text."""
    yield from wrapped(f"{name:<10} {text}", "", " " * 11)


def said(text: str, indent: str = "  ") -> Iterator[str]:
    """What the kubelet says. Its lines are not broken."""
    yield from (f"{indent}{visible(line)}" for line in text.split("\n"))


def wrapped(text: str, indent: str, later: str | None = None) -> Iterator[str]:
    """Prose, broken between words. `later`: the indent of all lines but the first."""
    yield from wrap(
        text,
        line_width(WIDTH),
        initial_indent=indent,
        subsequent_indent=indent if later is None else later,
        break_long_words=False,
        break_on_hyphens=False,
    )


def listed(parts: Sequence[str]) -> str:
    """The parts as a sentence has them.

    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))


def more(count: int, indent: str = "  ") -> Iterator[str]:
    """How many were left out of a list with `count` items, if any were."""
    if count > ENTRIES_SHOWN:
        yield f"{indent}and {count - ENTRIES_SHOWN} more"


def up_to(most: int, parts: Sequence[str], what: str) -> str:
    """The first `most` parts as a sentence has them, and how many more `what` there are."""
    return listed([*parts[:most], f"{len(parts) - most} more {what}"] if len(parts) > most else parts)


def number_of(number: int, noun: str) -> str:
    """A number of things.

    >>> number_of(1, "pod"), number_of(2, "pod")
    ('1 pod', '2 pods')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def vendor_note(release: str | None, judged_as: str | None) -> Iterator[str]:
    """That the answer about a vendor's release is that about the upstream release."""
    if release != judged_as:
        yield from wrapped(f"Judged as upstream {judged_as}. The vendor may have back-ports of fixes.", "")


def holder_text(holder: Holder) -> str:
    """A container as people name it."""
    if holder.pod is None:
        return f"container {name_text(holder.container)}"
    return f"{name_text(holder.container)} of pod {name_text(holder.pod)}"


def name_text(text: str, most: int = NAME_SHOWN) -> str:
    """A name or another text out of the file, cut where it is too long."""
    shown = visible(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def cpus_text(cpus: str) -> str:
    """A CPU list with the noun before it."""
    return f"CPU {cpus}" if cpus.isdecimal() else f"CPUs {list_text(cpus)}"


def list_text(cpus: str) -> str:
    """A CPU list, cut where it is too long."""
    return cpus if len(cpus) <= LIST_SHOWN else f"{cpus[:LIST_SHOWN].rpartition(',')[0]},…"
