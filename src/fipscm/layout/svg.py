"""A causal graph as SVG that stands in a page: names whole, a sentence on each edge, colours that a style may change.

Classes: `box`, `edge raises`, `edge lowers`, `edge changes`, `edge open`, `shared`. The colours here are for a page
without a style.
"""

from collections.abc import Hashable, Iterable, Iterator
from html import escape

import networkx as nx

from fipscm.layout.picture import FONT, LINE, Box, Layout
from fipscm.layout.strokes import COLOURS, DASHES, OPEN, Stroke, strokes

ARC_HEIGHT = 26.0  # of a dashed arc over the higher one of its two boxes
Pair = tuple[Hashable, Hashable]


def to_svg(graph: nx.DiGraph, layout: Layout, shared_causes: Iterable[Pair] = (), scale: float = 1.0) -> str:
    """Draw a graph with weights in standard deviations; dashed arcs join columns that may share a hidden cause."""
    boxes = {box.name: box for box in layout.boxes}
    arcs = [(boxes[a], boxes[b]) for a, b in shared_causes if a in boxes and b in boxes]
    top = min([0.0, *(_arc_top(*arc) for arc in arcs)])
    width, height = layout.width, layout.height - top
    edges = graph.number_of_edges()
    label = f"Causal graph of {len(boxes)} columns and {edges} edges, causes to the left."
    lines = [
        f'<svg class="graph" role="img" aria-label="{label}" '
        f'viewBox="0 {top:.1f} {width:.1f} {height:.1f}" width="{scale * width:.0f}" height="{scale * height:.0f}" '
        f'font-size="{FONT:.0f}">',
        *_markers(),
        *(_arc(*arc) for arc in arcs),
        *_edges(graph, layout),
        *(_box(box) for box in layout.boxes),
        "</svg>",
    ]
    return "\n".join(lines)


def sentence(cause: Hashable, effect: Hashable, stroke: Stroke) -> str:
    """What an edge says, in words."""
    if not stroke.directed:
        share = "" if stroke.confidence is None else f" ({stroke.confidence:.0%} for {cause} first)"
        return f"{cause} - {effect}, direction open{share}"
    size = f": {abs(stroke.strength):.2f} standard deviations per standard deviation" if stroke.has_sign else ""
    direction = "" if stroke.confidence is None else f"; its direction is {stroke.confidence:.0%} sure"
    return f"{cause} {stroke.verb} {effect}{size}{direction}"


def _markers() -> Iterator[str]:
    for kind, colour in COLOURS.items():
        if kind == OPEN:
            continue
        yield (
            f'<marker id="arrow-{kind}" class="arrow {kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" '
            f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto" fill="{colour}">'
            '<path d="M0,0.5 L10,5 L0,9.5 z"/></marker>'
        )


def _edges(graph: nx.DiGraph, layout: Layout) -> Iterator[str]:
    dashes = " ".join(map(str, DASHES))
    for route, stroke in zip(layout.routes, strokes(graph, layout.routes), strict=True):
        end = f'marker-end="url(#arrow-{stroke.verb})"' if stroke.directed else f'stroke-dasharray="{dashes}"'
        yield (
            f'<path class="edge {stroke.verb}" d="{route.path}" fill="none" stroke="{stroke.colour}" '
            f'stroke-width="{stroke.width:.2f}" {end}>'
            f"<title>{escape(sentence(route.cause, route.effect, stroke))}</title></path>"
        )


def _box(box: Box) -> str:
    left, up = box.x - box.width / 2, box.y - box.height / 2
    first = box.y - LINE * (len(box.lines) - 1) / 2
    lines = "".join(
        f'<tspan x="{box.x:.1f}" y="{first + LINE * at:.1f}">{escape(line)}</tspan>'
        for at, line in enumerate(box.lines)
    )
    return (
        f'<g class="box"><rect x="{left:.1f}" y="{up:.1f}" width="{box.width:.1f}" height="{box.height:.1f}" rx="6" '
        f'fill="#edf2f7" stroke="#4a5568"/><text text-anchor="middle" dominant-baseline="central">{lines}</text></g>'
    )


def _arc_top(one: Box, other: Box) -> float:
    return min(one.y - one.height / 2, other.y - other.height / 2) - ARC_HEIGHT


def _arc(one: Box, other: Box) -> str:
    (x, y), (end_x, end_y) = ((box.x, box.y - box.height / 2) for box in (one, other))
    top = _arc_top(one, other)
    return (
        f'<path class="shared" d="M{x:.1f},{y:.1f} C{x:.1f},{top:.1f} {end_x:.1f},{top:.1f} {end_x:.1f},{end_y:.1f}" '
        'fill="none" stroke="#805ad5" stroke-width="1.5" stroke-dasharray="5 4">'
        f"<title>{escape(f'{one.name} and {other.name} may share a hidden cause')}</title></path>"
    )
