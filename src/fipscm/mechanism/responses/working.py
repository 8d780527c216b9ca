"""What the values of a column say about its locations. Shapes: N rows.

An amount measures its location, up to its noise. Near the learned location a level or a count says as much as a
measurement would, with the value location + slope / weight and the variance 1 / weight, where slope and weight are the
derivatives of the log-likelihood: these are the working values of Newton's method. A row that was surely going to have
its level measures next to nothing.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fipscm.arrays import Array

if TYPE_CHECKING:
    from fipscm.mechanism.responses.response import Likelihood

_LEAST_WEIGHT = 0.01  # of the average one: a row that says less would say it of a location that is far from its own


class Working(NamedTuple):
    """Measurements of one location, in units of which one moves the column by a standard deviation, on average.

    Attributes:
        residual: (N,) how far what was measured lies from the location.
        precision: (N,) its inverse standard deviation, of which the ratios matter; zero where nothing was measured.
        noise_is_known: whether the error of a measurement follows from the location, as that of a level does.
    """

    residual: Array
    precision: Array
    noise_is_known: bool


def measured(residual: Array) -> Working:
    """Of rows that all measure a location equally well, with errors (N,)."""
    return Working(residual, np.ones(len(residual)), False)


def working_values(likelihood: "Likelihood", location: Array, stretch: float) -> Working:
    """Of what rows say about a location (N,), one of which moves by `stretch` with the column's standard deviation."""
    slope, weight = likelihood.slope_and_weight(location)
    weight = np.maximum(weight, _LEAST_WEIGHT * weight.mean())
    return Working(slope / weight / stretch, np.sqrt(weight), True)
