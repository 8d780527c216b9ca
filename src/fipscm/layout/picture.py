"""A drawn graph as plain numbers: boxes that hold whole names, and edges as curves between them.

Lengths are in units of one point, for text of the size `FONT`.
"""

import re
import unicodedata
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

FONT, LINE, BOX_HEIGHT, PADDING, _MARGIN = 12.0, 15.0, 26.0, 10.0, 12.0
LONGEST_LINE = 150.0  # a longer name goes on in another line, where it has a space or a sign to break at
LAYER_GAP, WIDEST_LAYER_GAP = 36.0, 150.0
PORT_GAP = 6.0  # between the ends of edges at the same border of a box
LEAD = 10.0  # an edge leaves and enters a box horizontally, at least so far

Point = tuple[float, float]
# A box by its name, or a lane for an edge in a layer that it passes: cause, effect, layer.
Item = tuple[Any, ...]
Chain = Sequence[Item]  # what an edge passes, one item per layer: the box of its cause, lanes, the box of its effect


@dataclass(frozen=True)
class Box:
    """One variable: its centre, a size that holds the whole name, and the lines in which the name is written."""

    name: Hashable
    layer: int
    x: float
    y: float
    width: float
    height: float
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Route:
    """One edge, from the right border of its cause to the left border of its effect.

    Attributes:
        cause: the box it leaves.
        effect: the box it enters.
        points: a start, then two control points and an end for each cubic Bezier curve of the chain.
        lanes: the height at which it passes each layer in between.
    """

    cause: Hashable
    effect: Hashable
    points: tuple[Point, ...]
    lanes: tuple[float, ...]

    @property
    def path(self) -> str:
        """The curve as the attribute `d` of an SVG path."""
        start, *rest = (f"{x:.1f},{y:.1f}" for x, y in self.points)
        return f"M{start} C{' '.join(rest)}"


@dataclass(frozen=True)
class Layout:
    """A picture of a graph, from (0, 0) at the upper left to (width, height); boxes by layer, then from the top."""

    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]
    width: float
    height: float


def drawn(columns: Sequence[Sequence[Item]], chains: Sequence[Chain], heights: Mapping[Item, float]) -> Layout:
    """Boxes and curves for the items of each layer, from top to bottom, at these heights.

    An edge crosses a layer in its lane, and climbs only between layers: it never runs behind a box.
    """
    y = {item: _MARGIN + BOX_HEIGHT / 2 + height for item, height in heights.items()}
    borders = list(_borders(columns, chains, y))
    boxes = {
        item: Box(item[0], layer, (left + right) / 2, y[item], _width(item), height_of(item), lines_of(item[0]))
        for layer, (column, (left, right)) in enumerate(zip(columns, borders, strict=True))
        for item in column
        if is_box(item)
    }
    leaving, entering = _ports(chains, y), _ports([chain[::-1] for chain in chains], y)
    routes = []
    for chain, start, end in zip(chains, leaving, entering, strict=True):
        cause, *lanes, effect = chain
        left, right = boxes[cause], boxes[effect]
        stops = [(left.x + left.width / 2, start), (borders[left.layer][1], start)]
        for layer, lane in enumerate(lanes, left.layer + 1):
            stops += [(border, y[lane]) for border in borders[layer]]
        stops += [(borders[right.layer][0], end), (right.x - right.width / 2, end)]
        routes.append(Route(left.name, right.name, tuple(_curve(stops)), tuple(y[lane] for lane in lanes)))
    width = max((right for _, right in borders), default=_MARGIN) + _MARGIN - LEAD
    height = max((place + max(BOX_HEIGHT, height_of(item)) / 2 for item, place in y.items()), default=0.0) + _MARGIN
    return Layout(tuple(boxes.values()), tuple(routes), width, height)


def is_box(item: Item) -> bool:
    """Whether it is not a lane."""
    return len(item) == 1


def height_of(item: Item) -> float:
    """Of a box; a lane has none."""
    return BOX_HEIGHT + LINE * (len(lines_of(item[0])) - 1) if is_box(item) else 0.0


def lines_of(name: Hashable) -> tuple[str, ...]:
    """The lines of a name, which together are the whole name.

    >>> lines_of("systolic pressure at rest (mmHg)")
    ('systolic pressure at ', 'rest (mmHg)')
    """
    lines = [""]
    for piece in re.findall(r".[^\s_,/-]*[\s_,/-]*", str(name), re.DOTALL):
        if lines[-1] and text_width(lines[-1] + piece.rstrip()) > LONGEST_LINE:
            lines.append("")
        lines[-1] += piece
    return tuple(lines)


def text_width(text: str) -> float:
    """How wide a text is at most, in the usual fonts without serifs."""
    return FONT * sum(map(_relative_width, text))


def _relative_width(character: str) -> float:
    """In units of the font's size; measured on DejaVu Sans, one of the widest."""
    if unicodedata.combining(character):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or character in "mwMW@%&—":
        return 1.0
    if character in "fijlrtI|!.,:;'()[] ":
        return 0.42
    return 0.8 if character.isupper() or ord(character) > 0x500 else 0.65


def _width(item: Item) -> float:
    if not is_box(item):
        return 0.0
    return max(BOX_HEIGHT, max(text_width(line.rstrip()) for line in lines_of(item[0])) + 2 * PADDING)


def _borders(
    columns: Sequence[Sequence[Item]], chains: Sequence[Chain], y: Mapping[Item, float]
) -> Iterator[tuple[float, float]]:
    """Left and right border of each layer, a lead wider than its boxes; farther apart where edges climb."""
    layer_of = {item: layer for layer, column in enumerate(columns) for item in column}
    climbs = [0.0] * len(columns)
    for chain in chains:
        for left, right in pairwise(chain):
            climbs[layer_of[left]] = max(climbs[layer_of[left]], abs(y[right] - y[left]))
    left_border = _MARGIN - LEAD
    for column, climb in zip(columns, climbs, strict=True):
        right_border = left_border + max(map(_width, column)) + 2 * LEAD
        yield left_border, right_border
        left_border = right_border + min(max(LAYER_GAP, climb / 2), WIDEST_LAYER_GAP)


def _ports(chains: Sequence[Chain], y: Mapping[Item, float]) -> list[float]:
    """The height at which each edge leaves the first box of its chain: sorted, so that edges do not cross there."""
    heights = [0.0] * len(chains)
    by_box: dict[Item, list[int]] = {}
    for number, chain in enumerate(chains):
        by_box.setdefault(chain[0], []).append(number)
    for box, numbers in by_box.items():
        numbers.sort(key=lambda number: y[chains[number][1]])
        gap = min(PORT_GAP, (height_of(box) - 8) / len(numbers))
        for place, number in enumerate(numbers):
            heights[number] = y[box] + gap * (place - (len(numbers) - 1) / 2)
    return heights


def _curve(stops: Sequence[Point]) -> Iterator[Point]:
    """Bezier curves through the stops, horizontal at each of them."""
    yield stops[0]
    for (left, start), (right, end) in pairwise(stops):
        middle = (left + right) / 2
        yield from ((middle, start), (middle, end), (right, end))
