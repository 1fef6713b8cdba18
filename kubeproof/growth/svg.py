"""Charts as SVG: lines between two axes, such as the retained events of several runs."""

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
class Line:
    """A line of a chart."""

    name: str
    # From left to right and from bottom to top: parts of the width and of the height of the drawing area.
    points: Sequence[tuple[float, float]]
    # The lengths of dash and gap as SVG has them, "" for a whole line.
    dashes: str = ""


@frozen
class Tick:
    """A mark on an axis."""

    # A part of the width or of the height, as in a line.
    place: float
    label: str


def chart_svg(
    title: str, x_title: str, y_title: str, lines: Sequence[Line], x_ticks: Sequence[Tick], y_ticks: Sequence[Tick]
) -> str:
    """An SVG document: lines between two axes, and their names beside."""
    drawn = [
        {
            "name": line.name,
            "colour": _COLOURS[index % len(_COLOURS)],
            "dashes": line.dashes,
            "points": " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in line.points),
        }
        for index, line in enumerate(lines)
    ]
    pages = Environment(loader=PackageLoader("kubeproof.report"), undefined=StrictUndefined, autoescape=True)
    return pages.get_template("chart.svg.j2").render(
        title=title,
        x_title=x_title,
        y_title=y_title,
        lines=drawn,
        left=LEFT,
        top=TOP,
        width=WIDTH,
        height=HEIGHT,
        x_ticks=[Tick(_x(tick.place), tick.label) for tick in x_ticks],
        y_ticks=[Tick(_y(tick.place), tick.label) for tick in y_ticks],
    )


def growth_svg(series: Sequence[tuple[str, Sequence[int]]]) -> str:
    """The chart of retained events: a line for each name and its numbers, one number for each event."""
    events = max(len(numbers) for _, numbers in series)
    top = _round_up(max(1, *(max(numbers) for _, numbers in series)))
    lines = []
    for index, (name, numbers) in enumerate(series):
        step = max(1, len(numbers) // POINTS)
        shown = sorted({*range(0, len(numbers), step), len(numbers) - 1})
        dashes = f"{DASH} {DASH * index}" if index else ""
        lines.append(Line(name, [((at + 1) / events, numbers[at] / top) for at in shown], dashes))
    return chart_svg(
        "Events that the scheduling queue retains",
        "events that came",
        "retained events",
        lines,
        [Tick(n / TICKS, f"{events * n // TICKS:,}") for n in range(TICKS + 1)],
        [Tick(n / TICKS, f"{top * n // TICKS:,}") for n in range(TICKS + 1)],
    )


def _x(part: float) -> float:
    return LEFT + WIDTH * part


def _y(part: float) -> float:
    return TOP + HEIGHT * (1 - part)


def _round_up(number: int) -> int:
    """The next number of one digit and zeros, at least TICKS, so that ticks are whole numbers.

    >>> _round_up(8917), _round_up(3), _round_up(10000)
    (9000, 5, 10000)
    """
    unit = int("1" + "0" * (len(str(number)) - 1))
    return max(TICKS, -(-number // unit) * unit)
