"""How answers show themselves: numbers in sentences, and small HTML for notebooks.

What comes from a table is always escaped.
"""

from collections.abc import Hashable, Iterable, Sequence
from html import escape

import networkx as nx

from fipscm.errors import counted
from fipscm.layout import MOST_BOXES, around, layered, to_svg

FRAME = "border:1px solid #8888;border-radius:8px;padding:.6em 1em;max-width:60em"
LONGEST = 1e9  # numbers from here on are told with an exponent
CELL = "text-align:left;padding:.2em 1em .2em 0"


def digits(value: float, sign: str = "") -> str:
    """A number with four digits, and without an exponent where it can be read as people write it.

    >>> digits(12264.8), digits(0.01236), digits(3.2e12), digits(45678, sign="+")
    ('12260', '0.01236', '3.2e+12', '+45680')
    """
    text = f"{value:{sign}.4g}"
    return f"{float(text):{sign}.0f}" if "e+" in text and abs(value) < LONGEST else text


def card(heading: str, *parts: str) -> str:
    """A frame with a heading, which is escaped, over parts, which are HTML already."""
    return f'<div style="{FRAME}"><strong>{escape(heading)}</strong>{"".join(parts)}</div>'


def graph_card(kind: str, graph: nx.DiGraph, order: Sequence[Hashable]) -> str:
    """A model: its order, causes first, and its graph; of a large one, what is nearest to the last of the order."""
    shown = graph if len(graph) <= MOST_BOXES else around(graph, order[-1])
    picture = f'<div style="overflow-x:auto">{to_svg(shown, layered(shown))}</div>'
    remark = [] if len(shown) == len(graph) else [paragraph(f"Shown: the {len(shown)} columns nearest to {order[-1]}.")]
    names = paragraph(f"Causal order, causes first: {', '.join(map(str, order))}")
    unsure = sum(not directed for *_, directed in graph.edges(data="directed", default=True))
    doubt = f"The direction of {unsure} of {counted(graph.number_of_edges(), 'edge')} is open: dashed, without a head."
    remark += [paragraph(doubt)] if unsure else []
    return card(f"{kind}: {len(graph)} columns, {graph.number_of_edges()} edges", names, picture, *remark)


def paragraph(text: str) -> str:
    """One paragraph of plain text; its lines stay lines.

    >>> paragraph("a < b")
    '<p style="margin:.4em 0;white-space:pre-line">a &lt; b</p>'
    """
    return f'<p style="margin:.4em 0;white-space:pre-line">{escape(text)}</p>'


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of plain texts and numbers."""
    head = "".join(f'<th scope="col" style="{CELL}">{escape(name)}</th>' for name in header)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f'<table style="margin:.4em 0"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def folded(summary: str, content: str) -> str:
    """HTML behind a line that opens it."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def interval_picture(low: float, middle: float, high: float) -> str:
    """An interval and its middle on a line that shows where zero is."""
    reach = max(abs(low), abs(high), 1e-300)
    left, centre, right = (150 + 140 * value / reach for value in (low, middle, high))
    label = f"Interval from {digits(low)} to {digits(high)}, middle {digits(middle)}; zero is the vertical line."
    return (
        f'<svg role="img" aria-label="{label}" width="300" height="28" viewBox="0 0 300 28">'
        '<line x1="150" x2="150" y1="2" y2="26" stroke="currentColor" opacity=".5"/>'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="14" y2="14" stroke="#4a86c5" stroke-width="8" opacity=".6"/>'
        f'<line x1="{centre:.1f}" x2="{centre:.1f}" y1="6" y2="22" stroke="#4a86c5" stroke-width="3"/></svg>'
    )


def _cell(value: object) -> str:
    text = digits(value) if isinstance(value, float) else str(value)
    return f'<td style="{CELL}">{escape(text)}</td>'
