"""Where a number stands beside each edge: on its curve, apart from the other numbers where there is room."""

from collections.abc import Sequence
from itertools import islice

import numpy as np

from fipscm.arrays import Array
from fipscm.layout.picture import Point, Route

LABEL = np.array([30.0, 11.0])  # width and height that a number needs
PLACES = np.linspace(0.1, 0.9, 9)  # on each Bezier curve of a route


def label_places(routes: Sequence[Route]) -> list[Point]:
    """For each route the point of its curve that is farthest from the labels before it; near its middle if all are."""
    taken = np.empty((0, 2))
    for route in routes:
        candidates = _points(route)
        distance = np.full(len(candidates), 1.0)
        if len(taken):
            # Two labels overlap only if they are near both across and down: 1 and more is far enough.
            apart = (np.abs(candidates[:, None] - taken) / LABEL).max(axis=2).min(axis=1)
            distance = np.minimum(apart, 1.0)
        off_centre = np.abs(np.linspace(-1e-3, 1e-3, len(candidates)))
        taken = np.vstack([taken, candidates[np.argmax(distance - off_centre)]])
    return [(float(x), float(y)) for x, y in taken]


def _points(route: Route) -> Array:
    """(N, 2) points of all curves of a route except its ends, where arrows and boxes are."""
    t = PLACES[:, None]
    chain = np.array(route.points)
    starts = islice(range(0, len(chain) - 1, 3), 1, len(chain) // 3 - 1)
    pieces = [chain[start : start + 4] for start in starts]
    return np.vstack(
        [(1 - t) ** 3 * a + 3 * t * (1 - t) ** 2 * b + 3 * t**2 * (1 - t) * c + t**3 * d for a, b, c, d in pieces]
    )
