"""A causal graph in layers, causes to the left, by Sugiyama's method as graphviz has it.

Each step solves a problem of its own: layers that make edges short, an order within each layer with few crossings, and
heights that make edges straight. A box is never allowed to overlap another one.
"""

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import ceil, sqrt

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog
from scipy.sparse import coo_array

from fipscm.arrays import Array
from fipscm.errors import GraphError, unknown_name
from fipscm.layout.picture import BOX_HEIGHT, Chain, Item, Layout, drawn, height_of, is_box

BOX_GAP, LANE_GAP = 14.0, 9.0  # between two boxes, and around the lane of an edge that passes by
STRAIGHTNESS = (8.0, 2.0, 1.0)  # of a piece of an edge that ends in no box, one box, two boxes
_SWEEPS = 24  # of crossing reduction; pictures of 60 boxes settle before
MOST_BOXES = 60  # that a reader can follow


def layered(graph: nx.DiGraph, like: Layout | None = None) -> Layout:
    """Place a DAG so that every effect stands right of all its causes and no two boxes overlap.

    The same graph gives the same picture, in whatever order its nodes and edges were added. `like` is a picture of an
    earlier graph: its boxes keep their layers as far as the edges permit, and their order within each layer.
    """
    if not nx.is_directed_acyclic_graph(graph):
        raise GraphError("A graph with a cycle has no layers: remove or reverse one of the edges of the cycle.")
    names = sorted(graph, key=lambda name: (str(name), type(name).__name__))
    place = {name: position for position, name in enumerate(names)}
    edges = sorted(graph.edges, key=lambda edge: (place[edge[0]], place[edge[1]]))
    layers = _short_edges(names, edges) if like is None else _kept_layers(graph, like)
    chains = [_chain(cause, effect, layers) for cause, effect in edges]
    columns: list[list[Item]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    for name in names:
        columns[layers[name]].append((name,))
    for chain in chains:
        for cause, effect, layer in chain[1:-1]:
            columns[layer].append((cause, effect, layer))
    columns = _few_crossings(columns, chains) if like is None else _kept_order(columns, like)
    return drawn(columns, chains, _straight_edges(columns, chains))


def around(graph: nx.DiGraph, target: Hashable, most: int = MOST_BOXES) -> nx.DiGraph:
    """The part of a graph that matters to one node: its ancestors and descendants, nearest first, at most so many."""
    if target not in graph:
        raise unknown_name("column", target, list(graph))
    steps: dict[Hashable, int] = {}
    for way in (graph.reverse(copy=False), graph):
        steps |= nx.single_source_shortest_path_length(way, target)
    return graph.subgraph(sorted(steps, key=steps.__getitem__)[:most]).copy()


def _chain(cause: Hashable, effect: Hashable, layers: Mapping[Hashable, int]) -> list[Item]:
    lanes = [(cause, effect, layer) for layer in range(layers[cause] + 1, layers[effect])]
    return [(cause,), *lanes, (effect,)]


def _short_edges(names: Sequence[Hashable], edges: Sequence[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    """The layer of each node, such that edges span few layers; nodes without edges are spread over the layers."""
    linked = [name for name in names if any(name in edge for edge in edges)]
    place = {name: position for position, name in enumerate(linked)}
    pairs = [(place[cause], place[effect]) for cause, effect in edges]
    # The length of the edges decides; among equally short ones, nodes stand to the left.
    cost = np.ones(len(linked))
    for cause, effect in pairs:
        cost[[effect, cause]] += len(linked) ** 2, -(len(linked) ** 2)
    found = _minimum(cost, [({effect: 1.0, cause: -1.0}, 1.0) for cause, effect in pairs])
    layers = {name: round(float(layer)) for name, layer in zip(linked, found, strict=True)}
    alone = [name for name in names if name not in place]
    count = max(layers.values(), default=ceil(sqrt(len(alone)) / 2) - 1) + 1
    return layers | {name: position % count for position, name in enumerate(alone)}


def _kept_layers(graph: nx.DiGraph, like: Layout) -> dict[Hashable, int]:
    """The layers of an earlier picture, with effects moved to the right where edges require it."""
    before = {box.name: box.layer for box in like.boxes}
    layers: dict[Hashable, int] = {}
    for name in nx.topological_sort(graph):
        earliest = max((layers[cause] + 1 for cause in graph.predecessors(name)), default=0)
        layers[name] = max(earliest, before.get(name, 0))
    used = sorted(set(layers.values()))
    return {name: used.index(layer) for name, layer in layers.items()}


def _few_crossings(columns: Sequence[Sequence[Item]], chains: Sequence[Chain]) -> list[list[Item]]:
    """Each layer from top to bottom: the best of several sweeps, to the right and back in turn.

    A sweep moves every item to the mean position of its neighbours in the layer before, and then swaps items that
    stand one above the other as long as that removes crossings.
    """
    pieces = [piece for chain in chains for piece in pairwise(chain)]
    left: dict[Item, list[Item]] = {item: [] for column in columns for item in column}
    right: dict[Item, list[Item]] = {item: [] for item in left}
    for one, other in pieces:
        left[other].append(one)
        right[one].append(other)
    now = [list(column) for column in columns]
    place = {item: float(height) for column in now for height, item in enumerate(column)}
    best, fewest = [list(column) for column in now], _crossings(pieces, place, columns)
    for sweep in range(_SWEEPS):
        before, layers = (left, now) if sweep % 2 == 0 else (right, now[::-1])
        for column in layers:
            if sweep % 4 >= 2:
                column.reverse()  # so that items with the same mean change places
            column.sort(key=lambda item: _mean([place[each] for each in before[item]] or [place[item]]))
            place.update((item, float(height)) for height, item in enumerate(column))
        for column in layers:
            _swap_neighbours(column, place, left, right)
        found = _crossings(pieces, place, columns)
        if found < fewest:
            best, fewest = [list(column) for column in now], found
    return best


def _swap_neighbours(
    column: list[Item],
    place: dict[Item, float],
    left: Mapping[Item, Sequence[Item]],
    right: Mapping[Item, Sequence[Item]],
) -> None:
    """Swap items of one layer that stand one above the other, once from top to bottom, where that removes crossings."""
    for height in range(len(column) - 1):
        upper, lower = column[height : height + 2]
        turned = sum(
            (place[below] > place[above]) - (place[below] < place[above])
            for side in (left, right)
            for above in side[upper]
            for below in side[lower]
        )
        if turned < 0:
            column[height : height + 2] = lower, upper
            place[lower], place[upper] = float(height), float(height + 1)


def _crossings(
    pieces: Sequence[tuple[Item, Item]], place: Mapping[Item, float], columns: Sequence[Sequence[Item]]
) -> int:
    """How many pairs of edges cross between two layers."""
    layer = {item: number for number, column in enumerate(columns) for item in column}
    ends: list[list[tuple[float, float]]] = [[] for _ in columns]
    for one, other in pieces:
        ends[layer[one]].append((place[one], place[other]))
    crossings = 0
    for own in (np.array(each).reshape(-1, 2) for each in ends):
        apart = own[:, None] - own[None]
        crossings += int((apart[:, :, 0] * apart[:, :, 1] < 0).sum()) // 2
    return crossings


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _kept_order(columns: Sequence[Sequence[Item]], like: Layout) -> list[list[Item]]:
    """Each layer from top to bottom as in an earlier picture; a new lane lies on the line between its two boxes."""
    boxes = {box.name: box for box in like.boxes}
    lanes = {(route.cause, route.effect): route.lanes for route in like.routes}

    def height(item: Item) -> float:
        if any(name not in boxes for name in item[:2]):
            return like.height
        if is_box(item):
            return boxes[item[0]].y
        cause, effect, layer = boxes[item[0]], boxes[item[1]], int(item[2])
        if cause.layer < layer < effect.layer and (cause.name, effect.name) in lanes:
            return lanes[cause.name, effect.name][layer - cause.layer - 1]
        share = (layer - cause.layer) / max(1, effect.layer - cause.layer)
        return cause.y + share * (effect.y - cause.y)

    return [sorted(column, key=height) for column in columns]


def _straight_edges(columns: Sequence[Sequence[Item]], chains: Sequence[Chain]) -> dict[Item, float]:
    """The height of every item, such that edges climb and fall as little as possible, long ones least of all."""
    number = _numbers(columns)
    pieces = [piece for chain in chains for piece in pairwise(chain)]
    apart = [
        ({number[lower]: 1.0, number[upper]: -1.0}, _distance(upper, lower))
        for column in columns
        for upper, lower in pairwise(column)
    ]
    # A box that is higher than one line does not stand out above the others.
    low = [({place: 1.0}, (height_of(item) - BOX_HEIGHT) / 2) for item, place in number.items() if is_box(item)]
    # Each piece has a variable for its climb, which is at least the difference of heights, either way.
    climbs = [
        ({len(number) + climb: 1.0, number[left]: sign, number[right]: -sign}, 0.0)
        for climb, (left, right) in enumerate(pieces)
        for sign in (1.0, -1.0)
    ]
    weights = [STRAIGHTNESS[is_box(left) + is_box(right)] for left, right in pieces]
    # A small cost of heights themselves moves everything to the top that is free to move.
    found = _minimum([*[1e-3] * len(number), *weights], apart + low + climbs)
    return {item: float(found[place]) for item, place in number.items()}


def _distance(upper: Item, lower: Item) -> float:
    """Between the centres of two neighbours in a layer."""
    gap = BOX_GAP if is_box(upper) and is_box(lower) else LANE_GAP
    return (height_of(upper) + height_of(lower)) / 2 + gap


def _numbers(columns: Sequence[Sequence[Item]]) -> dict[Item, int]:
    return {item: number for number, item in enumerate(item for column in columns for item in column)}


def _minimum(cost: ArrayLike, bounds: Sequence[tuple[Mapping[int, float], float]]) -> Array:
    """The v >= 0 of least cost @ v for which every bound's combination of them is at least its limit."""
    cost = np.asarray(cost, dtype=np.float64)
    if not bounds:
        return np.zeros(len(cost))
    entries = [(row, column, factor) for row, (factors, _) in enumerate(bounds) for column, factor in factors.items()]
    rows, columns, factors = zip(*entries, strict=True)
    combinations = coo_array((factors, (rows, columns)), shape=(len(bounds), len(cost)))
    limits = np.array([limit for _, limit in bounds])
    return np.asarray(linprog(cost, -combinations.tocsr(), -limits, method="highs-ds").x)
