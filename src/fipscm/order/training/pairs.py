"""Two columns, one of which causes the other, as real pairs are. Shapes: N rows.

Causes that nobody designed come in lumps, as amounts, or evenly spread like ages and settings. What follows from them
is a smooth curve, with noise that enters in one of the known ways. Either column may be recorded coarsely, bent or with
errors, and now and then a hidden variable moves both.
"""

from collections.abc import Callable

import numpy as np
from scipy.interpolate import PchipInterpolator

from fipscm.arrays import Array
from fipscm.order.training.prior import ENTERS, LAWS, TrainingTable, sample_training_table
from fipscm.simulate.ingredients.columns import Column, Palette, is_informative, recorded, tamed
from fipscm.simulate.ingredients.entrances import ENTRANCES
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.roots import ROOTS
from fipscm.simulate.ingredients.sensors import DISCRETE
from fipscm.simulate.noises import NOISES

CURVES = 0.7  # the share of pairs that are made here; the others are tables of the wide prior
HIDDEN, RISING = 0.15, 0.5  # shares of these: a hidden common cause, a curve that only rises or only falls
RECORDED = 0.3  # of the columns
TRIES = 10


def lumps(rows: int, rng: np.random.Generator) -> Array:
    """Draw from a mixture of one to five normal laws."""
    count = int(rng.integers(1, 6))
    centre, width = rng.normal(0, rng.uniform(0.5, 3.0), count), 0.1 + np.abs(rng.standard_normal(count))
    lump = rng.choice(count, rows, p=rng.dirichlet(np.full(count, 2.0)))
    return centre[lump] + width[lump] * rng.standard_normal(rows)


def amounts(rows: int, rng: np.random.Generator) -> Array:
    """Draw positive values, few of them large."""
    return np.asarray(np.exp(rng.uniform(0.3, 1.0) * standardized(lumps(rows, rng))))


CAUSES: dict[str, Callable[[int, np.random.Generator], Array]] = {**ROOTS, "lumps": lumps, "amounts": amounts}


def sample_pair(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """Draw a table of two columns.

    >>> sample_pair(2, 200, np.random.default_rng(0)).values.shape
    (200, 2)
    """
    for _ in range(TRIES):
        if rng.random() >= CURVES:
            break
        table = _curved_pair(rows, rng)
        if all(is_informative(column) for column in table.values.T):
            return table
    return sample_training_table(nodes, rows, rng)


def _curved_pair(rows: int, rng: np.random.Generator) -> TrainingTable:
    law, entrance, name = (str(rng.choice(list(names))) for names in (LAWS, ENTRANCES, CAUSES))
    cause, noise = tamed(CAUSES[name](rows, rng)), tamed(NOISES[law](rng, (rows,)))
    is_hidden = rng.random() < HIDDEN
    if is_hidden:
        hidden = rng.standard_normal(rows)
        cause, noise = (tamed(own + rng.uniform(-1, 1) * hidden) for own in (cause, noise))
    palette = Palette((), (), (), sensor_share=RECORDED)
    first = recorded(Column(cause, cause, frozenset({name})), palette, rng)
    effect = tamed(ENTRANCES[entrance](1, rng)(_curve(first.true, rng), noise, first.true[:, None]))
    second = recorded(Column(effect, effect, frozenset({law, entrance})), palette, rng)
    flags = first.made_with | second.made_with | ({"hidden-cause"} if is_hidden else set())
    places = rng.permutation(2)  # which column the cause and the effect come to stand in
    adjacency = np.zeros((2, 2), dtype=np.int8)
    adjacency[tuple(places)] = 1
    values = np.column_stack([first.record, second.record])[:, np.argsort(places)]
    confounded = np.array([[False, is_hidden], [is_hidden, False]])
    return TrainingTable(values, adjacency, confounded, _world(flags, entrance), tuple(sorted(flags)))


def _curve(cause: Array, rng: np.random.Generator) -> Array:
    """(N,) -> (N,), a smooth function through three to seven random points."""
    knots = int(rng.integers(3, 8))
    places = np.linspace(cause.min() - 0.1, cause.max() + 0.1, knots)
    heights = rng.standard_normal(knots)
    heights = np.sort(heights) * rng.choice([-1, 1]) if rng.random() < RISING else heights
    return tamed(PchipInterpolator(places, heights)(cause))


def _world(flags: frozenset[str] | set[str], entrance: str) -> str:
    if flags & set(DISCRETE):
        return "discrete"
    return next((world for world, entrances in ENTERS.items() if entrance in entrances), "additive")
