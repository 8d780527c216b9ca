"""A causal graph as a picture: causes to the left, width by strength, colour by sign, no head where it is open."""

from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import cast

import matplotlib.pyplot as plt
import networkx as nx
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch
from matplotlib.path import Path as Curve

from fipscm.dot import to_dot
from fipscm.errors import FileError
from fipscm.layout import MOST_BOXES, Layout, around, label_places, layered
from fipscm.layout.picture import FONT
from fipscm.layout.strokes import COLOURS, DASHES, OPEN, strokes
from fipscm.tables.write import require_writable, write_whole

DOT = ".dot"
PICTURES = (".png", ".pdf", ".svg", DOT)
NODE, BORDER = "#edf2f7", "#4a5568"
_POINTS = 72  # per inch
LEAST_WIDTH, TITLE_HEIGHT = 420.0, 46.0  # points
PLACEHOLDERS = "Last Resort High-Efficiency"  # a font that comes with matplotlib and has an empty box for everything


def plot_graph(
    graph: nx.DiGraph,
    axes: Axes | None = None,
    strength: str = "weight",
    *,
    numbers: bool = False,
    target: Hashable | None = None,
) -> Axes:
    """Draw a DAG in layers, each node right of all its causes; the edge attribute `strength` sets width and colour.

    Edges that are not `directed` are dashed lines without an arrow head. `numbers` writes the strength beside each of
    the others. With a `target`, only its causes and effects are drawn, direct or not. Of more than
    60 columns only the 60 nearest to a target are drawn, by default to the column with the most causes.
    """
    if len(graph) > MOST_BOXES and target is None:
        target = max(graph, key=lambda name: len(nx.ancestors(graph, name)))
    shown = graph if target is None else around(graph, target)
    layout = layered(shown)
    axes = _new_axes(layout) if axes is None else axes
    axes.set(xlim=(0, layout.width), ylim=(layout.height, 0), aspect="equal")
    axes.set_axis_off()
    scale = _points_per_unit(axes, layout)
    _draw_edges(axes, layout, shown, strength, numbers, scale)
    _draw_boxes(axes, layout, scale)
    verbs = {stroke.verb for stroke in strokes(shown, layout.routes)}
    told = [verb for verb in COLOURS if verb in verbs and (strength == "weight" or verb == OPEN)]
    for verb in told:
        is_open = verb == OPEN
        dashes, label = ("--", "direction open") if is_open else ("-", verb)
        axes.plot([], [], color=COLOURS[verb], linestyle=dashes, label=label)
    if told:  # below the graph
        axes.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(0, 0), ncols=len(told))
    axes.set_title(_title(graph, shown, strength, target), fontsize=10, loc="left", parse_math=False)
    return axes


def draw_graph(graph: nx.DiGraph, path: str | Path, strength: str = "weight") -> None:
    """Write a picture, or DOT text, as the suffix says; the file appears whole or not at all."""
    require_writable_picture(path)
    if Path(path).suffix.lower() == DOT:
        write_whole(path, lambda file: file.write(to_dot(graph).encode()))
        return
    save_picture(plot_graph(graph, strength=strength), path)


def save_picture(axes: Axes, path: str | Path) -> None:
    """Write the figure of some axes and close it; the file appears whole or not at all."""
    figure, kind = cast(Figure, axes.figure), Path(path).suffix.lower()[1:]
    write_whole(path, lambda file: figure.savefig(file, format=kind, dpi=120, bbox_inches="tight"))
    plt.close(figure)


def require_writable_picture(path: str | Path, kinds: Sequence[str] = PICTURES) -> None:
    """Raise now the error that drawing would raise later, after long work."""
    if Path(path).suffix.lower() not in kinds:
        raise FileError(f"Cannot draw '{path}': a picture's name ends in {', '.join(kinds[:-1])} or {kinds[-1]}.")
    require_writable(path)


def _new_axes(layout: Layout) -> Axes:
    width, height = max(layout.width, LEAST_WIDTH), layout.height + TITLE_HEIGHT
    figure = plt.figure(figsize=(width / _POINTS, height / _POINTS))
    return figure.add_axes((0, 0, 1, layout.height / height))


def _points_per_unit(axes: Axes, layout: Layout) -> float:
    """How large the layout is drawn: text and lines shrink with the boxes where the axes are small."""
    figure = cast(Figure, axes.figure)
    space = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    return float(min(space.width / layout.width, space.height / layout.height)) * _POINTS


def _draw_edges(axes: Axes, layout: Layout, graph: nx.DiGraph, strength: str, numbers: bool, scale: float) -> None:
    drawn = strokes(graph, layout.routes, strength)
    for route, stroke in zip(layout.routes, drawn, strict=True):
        codes = [Curve.MOVETO, *[Curve.CURVE4] * (len(route.points) - 1)]
        arrow = FancyArrowPatch(
            path=Curve(route.points, codes),
            arrowstyle="-|>" if stroke.directed else "-",
            linestyle="-" if stroke.directed else (0, DASHES),
            mutation_scale=(6 + 1.5 * stroke.width) * scale,
            linewidth=stroke.width * scale,
            color=stroke.colour,
            joinstyle="miter",
        )
        axes.add_patch(arrow)
    labelled = [(route, stroke) for route, stroke in zip(layout.routes, drawn, strict=True) if stroke.directed]
    places = label_places([route for route, _ in labelled]) if numbers else []
    for (x, y), (_, stroke) in zip(places, labelled, strict=False):
        number = axes.text(x, y, f"{stroke.strength:+.2f}", color=stroke.colour, size=8 * scale)
        number.set(horizontalalignment="center", verticalalignment="center")
        number.set_bbox({"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.6 * scale})


def _draw_boxes(axes: Axes, layout: Layout, scale: float) -> None:
    families = _families("".join(str(box.name) for box in layout.boxes))
    for box in layout.boxes:
        corner = box.x - box.width / 2 + 4, box.y - box.height / 2 + 4
        axes.add_patch(
            FancyBboxPatch(
                corner,
                box.width - 8,
                box.height - 8,
                boxstyle="round,pad=4,rounding_size=6",
                facecolor=NODE,
                edgecolor=BORDER,
                linewidth=scale,
            )
        )
        # A dollar sign is part of a name, not the start of a formula.
        text = "\n".join(line.strip() for line in box.lines)
        name = axes.text(box.x, box.y, text, size=FONT * scale, family=families, parse_math=False)
        alone = len(box.lines) == 1
        name.set(horizontalalignment="center", verticalalignment="center_baseline" if alone else "center")


def _families(text: str) -> list[str]:
    """The usual font, and an installed one for each character it lacks; matplotlib warns where there is none."""
    families = list(rcParams["font.family"])
    missing = {ord(character) for character in text} - _characters(findfont(FontProperties(family=families)))
    for font in fontManager.ttflist if missing else ():
        found = missing & _characters(font.fname) if font.name != PLACEHOLDERS else set()
        if found:
            families.append(font.name)
            missing -= found
    return families


def _characters(file: str) -> set[int]:
    return set(get_font(file).get_charmap())


def _title(graph: nx.DiGraph, shown: nx.DiGraph, strength: str, target: Hashable | None) -> str:
    title = f"Causes to the left, width by {strength}"
    if target is None:
        return title
    return f"The {len(shown)} of {len(graph)} columns that are nearest causes and effects of {target}\n{title}"
