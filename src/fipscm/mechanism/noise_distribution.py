"""The distributions of the noises by one-dimensional optimal transport. Shapes: N rows, D variables.

In one dimension the optimal map from the uniform distribution is the quantile function; rows give an empirical one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import logsumexp
from scipy.stats import iqr, norm, t

from fipscm.arrays import Array
from fipscm.mechanism.parts import Part

NARROWEST = 1e-9  # of a column's standard deviation: the width of a noise that is always the same
TAIL_SHARE = 0.02  # of the rows, on either side: few enough to be tail, enough for a mean
_QUANTILES = 500  # stand for all noises of a column: more change the density little
TINY = np.finfo(np.float64).tiny
GRID = np.linspace(-8, 8, 321)  # inverse hyperbolic sines: fine steps where noises are, and out to 1,000 spreads


@dataclass(frozen=True)
class EmpiricalNoise(Part):
    """Independent noises, each with the quantile function of its observed values.

    Between order statistics the function is linear. Beyond the outermost ones it goes on as an exponential tail with
    the mean excess of the outer rows, so that new noises may exceed the observed ones, but rarely by much. The lower
    tail of a noise that has a lowest value comes ever nearer to it.

    Attributes:
        ordered: (N, D) observed noises, each column in increasing order.
        lowest: (D,) what no noise lies below; minus infinity where there is no such value.
    """

    ordered: Array
    lowest: Array | None = None
    kind = "empirical"

    @classmethod
    def of(cls, noise: Array) -> "EmpiricalNoise":
        """Learn from noises (N, D), NaN where a row does not tell.

        A column with gaps has fewer values than N: its own quantile function fills the N levels.
        """
        ordered = np.sort(noise, axis=0)  # gaps come last
        for column in np.flatnonzero(np.isnan(ordered[-1])):
            known = ordered[~np.isnan(ordered[:, column]), column]
            ordered[:, column] = cls(known[:, None]).quantile(_levels(len(ordered))[:, None])[:, 0]
        return cls(ordered)

    def quantile(self, level: Array, above: Array | None = None) -> Array:
        """(N, D) levels within (0, 1) -> (N, D) values, increasing in each column.

        What lies `above` a level (N, D) may be given where that is nearly one.

        >>> EmpiricalNoise.of(np.array([[3.0], [1.0], [2.0]])).quantile(np.array([[0.5]]))
        array([[2.]])
        """
        places = _levels(len(self.ordered))
        inner = np.column_stack(
            [np.interp(u, places, values) for u, values in zip(level.T, self.ordered.T, strict=True)]
        )
        lower, upper = self._tails
        rest = 1 - level if above is None else above
        outer = np.minimum(level / places[0], 1), np.minimum(rest / (1 - places[-1]), 1)
        values = inner + lower * np.log(outer[0]) - upper * np.log(outer[1])
        if self.lowest is not None:
            least = self.ordered[0]
            for column in np.flatnonzero(np.isfinite(self.lowest)):
                room, beyond = least[column] - self.lowest[column], values[:, column] < least[column]
                # Where the tail begins it is as steep as one without an end.
                share = np.exp((values[beyond, column] - least[column]) / room)
                values[beyond, column] = self.lowest[column] + room * share
        return np.asarray(values)

    def shares(self, values: Array) -> tuple[Array, Array]:
        """(N, D) values -> (N, D), (N, D), the levels that have these quantiles, and what lies above.

        The lower tail is taken for one without an end.
        """
        places, (lower, upper) = _levels(len(self.ordered)), self._tails
        inner = np.column_stack(
            [np.interp(v, known, places) for v, known in zip(values.T, self.ordered.T, strict=True)]
        )
        under, over = np.minimum(values - self.ordered[0], 0), np.maximum(values - self.ordered[-1], 0)
        below = inner * np.exp(np.where(under < 0, under / np.maximum(lower, TINY), 0.0))
        above = (1 - inner) * np.exp(np.where(over > 0, -over / np.maximum(upper, TINY), 0.0))
        return np.where(over > 0, 1 - above, below), np.where(under < 0, 1 - below, above)

    def sample(self, rows: int, rng: np.random.Generator) -> Array:
        """Draw (N, D) noises: the quantile functions of uniform numbers."""
        return self.quantile(np.maximum(rng.random((rows, self.ordered.shape[1])), TINY))

    @cached_property
    def _tails(self) -> tuple[Array, Array]:
        """(D,), (D,) mean excess below and above."""
        outer = max(1, min(len(self.ordered) - 1, round(TAIL_SHARE * len(self.ordered))))
        lower = self.ordered[outer] - self.ordered[:outer].mean(axis=0)
        upper = self.ordered[-outer:].mean(axis=0) - self.ordered[-outer - 1]
        return lower, upper


@np.errstate(under="ignore")  # a kernel far away has no density
def log_density(values: Array, known: Array, narrowest: float) -> Array:
    """(N,) log-densities of values where known ones (M,) were seen: normal kernels on their quantiles.

    Of M + 1 values one is taken to be unlike all the others and to follow a wide Student's t, so that the density is
    positive everywhere.
    """
    count = len(known)
    spread = max(float(known.std()), narrowest)
    # Silverman's rule; more than half of a column's noises may be equal.
    width = max(0.9 * min(spread, float(iqr(known)) / 1.34 or spread) * count**-0.2, narrowest)
    centres = np.quantile(known, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    seen = np.concatenate(
        [
            logsumexp(norm.logpdf(part[:, None], centres, width), axis=1)
            for part in np.array_split(values, len(values) // 10_000 + 1)
        ]
    )
    unlike = t.logpdf(values, 3, known.mean(), 3 * spread)
    shares = np.log([count / (count + 1) / _QUANTILES, 1 / (count + 1)])
    return np.asarray(np.logaddexp(shares[0] + seen, shares[1] + unlike))


@dataclass(frozen=True)
class TabulatedDensity:
    """The log-density of a column's noises, tabulated: it is asked for millions of values."""

    centre: float
    spread: float
    table: Array  # at the points of GRID

    @classmethod
    def of(cls, known: Array, narrowest: float) -> "TabulatedDensity":
        """Of noises like the known ones (M,)."""
        centre, spread = float(np.median(known)), max(float(iqr(known)) or float(known.std()), narrowest)
        return cls(centre, spread, log_density(centre + spread * np.sinh(GRID), known, narrowest))

    def __call__(self, values: Array) -> Array:
        """(N,) -> (N,)."""
        return np.asarray(np.interp(np.arcsinh((values - self.centre) / self.spread), GRID, self.table))


def _levels(rows: int) -> Array:
    """(N,), the levels of the order statistics of so many rows."""
    return np.asarray((np.arange(rows) + 0.5) / rows)
