"""The retained events of several runs as one picture."""

from collections.abc import Sequence

from attrs import frozen
from jinja2 import Environment, PackageLoader, StrictUndefined

# The drawing area in the units of the picture: left, top, width, height.
LEFT, TOP, WIDTH, HEIGHT = 70, 20, 600, 300
# Points of a line: more cannot be told apart.
POINTS = 300
TICKS = 5
_COLOURS = ("#b42318", "#1a5fb4", "#1a7f4b", "#9a6700", "#7a3fb0", "#0e7c86", "#c2410c", "#5b6675")
# The length of a dash. A later line has longer gaps, so that the lines under it are seen.
DASH = 8


@frozen
class _Line:
    name: str
    colour: str
    # As SVG has them: the lengths of dash and gap, "" for a whole line.
    dashes: str
    # `X,Y` for each point.
    points: str


@frozen
class _Tick:
    place: float
    label: str


def growth_svg(series: Sequence[tuple[str, Sequence[int]]]) -> str:
    """An SVG document: a line for each name and its numbers, one number for each event."""
    events = max(len(numbers) for _, numbers in series)
    top = _round_up(max(1, *(max(numbers) for _, numbers in series)))
    lines = []
    for index, (name, numbers) in enumerate(series):
        step = max(1, len(numbers) // POINTS)
        shown = sorted({*range(0, len(numbers), step), len(numbers) - 1})
        points = " ".join(f"{_x(at + 1, events):.1f},{_y(numbers[at], top):.1f}" for at in shown)
        dashes = f"{DASH} {DASH * index}" if index else ""
        lines.append(_Line(name, _COLOURS[index % len(_COLOURS)], dashes, points))
    pages = Environment(loader=PackageLoader("kubeproof.report"), undefined=StrictUndefined, autoescape=True)
    return pages.get_template("growth.svg.j2").render(
        lines=lines,
        left=LEFT,
        top=TOP,
        width=WIDTH,
        height=HEIGHT,
        x_ticks=[_Tick(_x(events * n / TICKS, events), f"{events * n // TICKS:,}") for n in range(TICKS + 1)],
        y_ticks=[_Tick(_y(top * n / TICKS, top), f"{top * n // TICKS:,}") for n in range(TICKS + 1)],
    )


def _x(event: float, events: int) -> float:
    return LEFT + WIDTH * event / events


def _y(number: float, top: int) -> float:
    return TOP + HEIGHT * (1 - number / top)


def _round_up(number: int) -> int:
    """The next number of one digit and zeros, at least TICKS, so that ticks are whole numbers.

    >>> _round_up(8917), _round_up(3), _round_up(10000)
    (9000, 5, 10000)
    """
    unit = int("1" + "0" * (len(str(number)) - 1))
    return max(TICKS, -(-number // unit) * unit)
