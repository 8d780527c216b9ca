"""Noises that no tail explains, such as that of a cell with a lost decimal point. Shapes: N rows, D variables.

The outer noises of a column, on either side, follow a generalised Pareto distribution, whatever their law is
(https://en.wikipedia.org/wiki/Generalized_Pareto_distribution): exponential tails have the shape 0, Student's t with
three degrees of freedom 1/3, Cauchy's law 1. A noise is too far out if each shape and scale either makes it next to
impossible, or makes the noises before it much less likely than others do.
"""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.graph import listed
from fipscm.robust import wild_cells

LEVEL = 1e-4  # so that one in a thousand columns of 200 t3 noises, and one in a hundred of Cauchy's, lose a value
OUTER = 4.0  # times the root of the rows: so many noises on one side are tail; fewer than FEWEST tell nothing about it
FEWEST = 10
SHAPES = np.array([0.01, *np.arange(0.2, 2.1, 0.2), 2.5, 3.0])[:, None, None]
SCALES = np.exp(np.linspace(-2.5, 0.5, 16))[:, None]  # of the mean excess
MEAN_SHAPE = 1 / 6  # of tails before any is seen, exponentially distributed


def wrong_entries(noise: Array) -> Mask:
    """(N, D), true for noises (N, D) farther out than any tail explains; NaN noises are not known.

    Several may be: those beyond the widest step between outer noises. A cluster of many is a part of the noise.
    """
    wrong = wild_cells(noise)
    for column in np.flatnonzero(wrong.any(axis=0)):
        centred, wild = noise[:, column] - np.nanmedian(noise[:, column]), wrong[:, column]
        upper, lower = (_end_of_tail(side[~np.isnan(side)], side[wild]) for side in (centred, -centred))
        wrong[:, column] = (centred > upper) | (centred < -lower)
    return wrong


def warn_of_outliers(rows: Array, excluded: Mask, names: Sequence[Any]) -> None:
    """Tell which cells of rows (N, D), the farthest one of each column, were `excluded` (N, D) from the fit."""
    told = []
    for column in np.flatnonzero(excluded.any(axis=0)):
        cells = rows[excluded[:, column], column]
        farthest = cells[np.abs(cells - np.median(rows[:, column])).argmax()]
        told.append(f"{len(cells)} of '{names[column]}' ({'' if len(cells) == 1 else 'one is '}{farthest:.6g})")
    if told:
        warnings.warn(
            f"Outliers, too far from what the other rows lead to expect, were excluded from the fit: {listed(told)}. "
            "Correct them if they are wrong entries, and fit again.",
            UserWarning,
            stacklevel=2,
        )


def _end_of_tail(values: Array, wild: Array) -> float:
    """The largest of values (K,), centred, that a tail explains, if `wild` ones (W,) among them are in doubt."""
    ordered, tail = np.sort(values), min(int(OUTER * len(values) ** 0.5), len(values) // 2 - 1)
    doubted = min((wild > 0).sum(), tail // 2)
    outer = ordered[-tail:] - ordered[-tail - 1]
    if not doubted or tail < FEWEST or outer[-doubted - 1] == 0:  # equal noises have no tail
        return np.inf
    steps = np.diff(np.log(ordered[-doubted - 1 :]))
    first = tail - doubted + int(steps.argmax())
    return float(ordered[first - tail - 1]) if _is_too_far(outer[first], outer[:first], tail) else np.inf


def _is_too_far(excess: float, others: Array, tail: int) -> bool:
    """Whether an excess is implausible, where `tail` ones were drawn and the others (K,) lie before it."""
    scales = SCALES * others.mean()
    fits = -(np.log(scales) + (1 + 1 / SHAPES) * np.log1p(SHAPES * others / scales)).sum(axis=2)
    fits -= SHAPES[:, :, 0] / MEAN_SHAPE
    beyond = np.log(tail) - (np.log1p(SHAPES * excess / scales) / SHAPES)[:, :, 0]
    return bool((fits + np.minimum(beyond, 0)).max() - fits.max() < np.log(LEVEL))
