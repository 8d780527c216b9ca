"""One way to fit a mechanism: what its causes say is made of some functions, and a response makes a value of that.

Shapes: N rows, M functions, K outputs.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fipscm.arrays import Array
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.mechanism import Evidence, Mechanism
from fipscm.mechanism.noise_distribution import EmpiricalNoise
from fipscm.mechanism.predictors import priors
from fipscm.mechanism.predictors.predictor import Predictor
from fipscm.mechanism.responses.response import Response

PREDICTORS = {
    "constant": priors.constant,
    "linear": priors.linear,
    "quadratic": priors.quadratic,
    "per level": priors.per_level,
    "smooth": priors.smooth,
}
_QUANTILES = 1_000  # that stand for a noise whose law is known


class Fitted(NamedTuple):
    """A predictor, a response, and observed noises (M, W)."""

    predictor: Predictor
    response: Response
    noises: Array


class LeftOut(NamedTuple):
    """A fit to all rows that are compared, and in closed form how each would have done if it had been left out.

    Attributes:
        fitted: to all of them.
        log_densities: (U,) of unseen rows.
        means: (U,) or (U, K), what was expected of these.
    """

    fitted: Fitted
    log_densities: Array
    means: Array


@dataclass(frozen=True)
class Family(ABC):
    """One way to fit a mechanism.

    Attributes:
        predictor: the functions of which its location is made, one of PREDICTORS.
        response: the name of what makes a value of it.
    """

    predictor: str
    response = ""
    is_trained = False  # by gradient descent: then it is not fitted once more to the rows that it was judged by

    @property
    def name(self) -> str:
        """In tables of what was tried."""
        return f"{self.predictor}, {self.response}"

    def applies(self, data: ColumnData) -> bool:
        """Whether it can be fitted to such a column at all."""
        if self.predictor == "constant":
            return True
        if not len(data.mean_reads):
            return False
        if self.predictor == "quadratic":
            count = len(data.mean_reads)
            return count * (count + 1) // 2 <= min(priors.MOST_PRODUCTS, len(data.values) // 5)
        return self.predictor != "per level" or priors.cause_with_levels(data) is not None

    @abstractmethod
    def prepare(self, data: ColumnData) -> Any:
        """What is learned once from all rows: priors and transformations, a few numbers, not what they lead to."""

    @abstractmethod
    def solve(self, data: ColumnData, rows: Rows, prepared: Any) -> Fitted:
        """What some rows say."""

    def left_out(self, data: ColumnData, prepared: Any) -> LeftOut | None:
        """A fit to the first rows, and how unseen ones do; None where that is to be found by fitting to some rows."""
        return None

    def fit(self, data: ColumnData, rows: Rows, prepared: Any) -> Mechanism:
        """The mechanism of some rows; how it does on others is not known yet."""
        return mechanism_of(data, rows, self.solve(data, rows, prepared))

    def rows(self, data: ColumnData) -> Rows:
        """What it is fitted to in the end: all rows, or as many as curves need."""
        return data.all_rows if self.predictor in ("constant", "linear") else data.first_rows


def mechanism_of(data: ColumnData, rows: Rows, fitted: Fitted) -> Mechanism:
    """A mechanism whose worth on unseen rows, and whose slopes, are not known yet."""
    values, unknown = data.values, np.full(len(data.inputs.causes), np.nan)
    evidence = Evidence(
        centre=data.centre,
        scale=data.scale,
        low=float(values.min()),
        high=float(values.max()),
        rows=len(rows),
        r2=np.nan,
        log_likelihood=np.nan,
        noise_gain=np.nan,
        weights=unknown,
        derivatives=unknown,
    )
    noise = EmpiricalNoise(np.sort(fitted.noises, axis=0))
    return Mechanism(data.inputs, fitted.predictor, fitted.response, noise, evidence)


def logistic_quantiles() -> Array:
    """(M, 1) of the noise behind levels and counts."""
    levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return np.log(levels / (1 - levels))[:, None]


def gumbel_quantiles(count: int) -> Array:
    """(M, W) of the noises behind the levels of a category."""
    levels = (np.arange(_QUANTILES) + 0.5) / _QUANTILES
    return np.repeat(-np.log(-np.log(levels))[:, None], count, axis=1)
