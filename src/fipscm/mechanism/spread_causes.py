"""Causes that move the spread of a column, and not its mean. Shapes: N rows, C columns that are tried.

A cheap test of the sizes of the noises finds candidates, one at a time. Each is taken where unseen rows become more
likely with a spread that depends on it too.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Array, Order
from fipscm.mechanism.data import ColumnData
from fipscm.mechanism.families.family import Family
from fipscm.mechanism.families.location_scale import LocationScaleFamily
from fipscm.mechanism.heteroscedasticity import log_p_of_each
from fipscm.mechanism.responses.spread import with_location
from fipscm.mechanism.select import Criterion, Scored, Search, Selection, evaluate, fitted_to_all

FEWEST_ROWS = 200  # fewer cannot tell a spread from a few large residuals


class Wider(NamedTuple):
    """A column with further causes of its spread: these, the log p-values that found them, and its mechanism."""

    causes: list[int]
    log_p: list[float]
    selection: Selection


def with_spread_causes(
    data: ColumnData,
    family: Family,
    selection: Selection,
    values: Array,
    columns: Order,
    limits: Array,
    widened: Callable[[list[int]], ColumnData],
    criterion: Criterion,
) -> Wider:
    """Look for causes of the spread of one column beside those of its mean.

    Args:
        data: the column, with the causes of its mean.
        family: what was taken for it, with additive noise.
        selection: the same, fitted.
        values: (N, C) of the columns that are tried, in the rows of the column.
        columns: (C,) their positions.
        limits: (C,) log p-values below which a test must lie.
        widened: the column with further causes.
        criterion: when a richer mechanism takes the place of a simpler one.
    """
    found, left = Wider([], [], selection), np.arange(len(columns))
    best: Scored | None = None
    known = data
    while len(left):
        mechanism = selection.mechanism if best is None else best.mechanism
        rows = known.first_rows
        location, z = mechanism.at(known.causes[rows])
        noise = mechanism.noise(known.causes[rows], known.values[rows])
        tests = log_p_of_each(values[rows][:, left], noise, with_location(z, location[:, 0]))
        place = int((tests - limits[left]).argmin())
        if tests[place] >= limits[left[place]]:
            break
        candidate = int(left[place])
        left = np.delete(left, place)
        wider = widened([*found.causes, int(columns[candidate])])
        if len(wider.values) != len(known.values):  # outliers of the candidate: not the same rows
            continue
        best = best or evaluate(data, family)
        tried = evaluate(wider, LocationScaleFamily(family.predictor))
        search = Search(wider, criterion)
        # A mean that is missed looks like a spread.
        if criterion.prefers(tried.log_densities - best.log_densities) and not search.leaves_structure(tried.mechanism):
            best, known = tried, wider
            causes, log_p = [*found.causes, int(columns[candidate])], [*found.log_p, float(tests[place])]
            found = Wider(causes, log_p, Selection(fitted_to_all(wider, best), selection.trials))
    return found
