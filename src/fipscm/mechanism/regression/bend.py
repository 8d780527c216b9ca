"""An increasing curve of a column, on whose scale causes and noise add up: x = bend^-1(f(causes) + noise).

Such models are called post-nonlinear. The curve is learned by maximum likelihood, as the power of Box and Cox 1964 is:
what the causes leave of the bent column is to be small, compared with how far the curve is stretched where the rows
are. Shapes: N rows, P causes, K knots.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from fipscm.arrays import Array

KNOTS, OUTERMOST = 16, 2.9  # normal quantiles from minus to plus this: one row in 500 lies beyond either end
CURVATURE = 0.3  # standard deviation a priori of how far a logarithm of a slope lies from the line of its neighbours
STEEPEST = 10.0  # logarithm of a slope, and of its inverse, compared with that at other knots
ROUNDS, STEPS = 3, 200  # of learning the curve with the smoothness of its causes, and of each optimization
WAVES, WAVES_PER_CAUSE = 512, 128  # half of those of a mean
MOST_ROWS = 20_000  # more tell little about the few slopes


@dataclass(frozen=True)
class Bend:
    """An increasing curve whose slope is linear between knots and constant beyond them.

    Attributes:
        knots: (K,) increasing values of the column.
        slopes: (K,) of the curve at the knots, positive.
        positive: whether the column is: then the curve falls as a logarithm below the lowest knot, and never ends.
    """

    knots: Array
    slopes: Array
    positive: bool = False

    def __call__(self, values: Array) -> Array:
        """(...) values on the bent scale."""
        near = np.clip(values, self.knots[0], self.knots[-1])
        piece = self._piece(self.knots, near)
        width, start, rise = self._widths[piece], self.slopes[piece], np.diff(self.slopes)[piece]
        share = (near - self.knots[piece]) / width
        inner = self._heights[piece] + width * share * (start + rise * share / 2)
        beyond = values - near
        if self.positive:
            lowest = self.knots[0]
            beyond = np.where(values < lowest, lowest * np.log(_some(values) / lowest), beyond)
        return np.asarray(inner + np.interp(values, self.knots, self.slopes) * beyond)

    def slope(self, values: Array) -> Array:
        """(...) derivatives of the curve."""
        slope = np.interp(values, self.knots, self.slopes)
        return slope * np.maximum(self.knots[0] / _some(values), 1) if self.positive else slope

    def inverse(self, bent: Array) -> Array:
        """(...) the values that have these places on the bent scale."""
        heights = self._heights
        near = np.clip(bent, heights[0], heights[-1])
        piece = self._piece(heights, near)
        width, start, rise = self._widths[piece], self.slopes[piece], np.diff(self.slopes)[piece]
        above = (near - heights[piece]) / width
        # The root of a quadratic equation in the form that stays exact where the slope hardly changes.
        share = 2 * above / (start + np.sqrt(np.square(start) + 2 * rise * above))
        inner, beyond = self.knots[piece] + width * share, bent - near
        straight = np.asarray(inner + beyond / np.interp(inner, self.knots, self.slopes))
        if self.positive:
            falls = np.exp(np.minimum(beyond, 0.0) / (self.slopes[0] * self.knots[0]))
            return np.where(beyond < 0, self.knots[0] * falls, straight)
        return straight

    @property
    def _widths(self) -> Array:
        return np.diff(self.knots)

    @property
    def _heights(self) -> Array:
        """(K,), of the curve at its knots; zero at the first."""
        return np.append(0.0, np.cumsum(self._widths * (self.slopes[1:] + self.slopes[:-1]) / 2))

    @staticmethod
    def _piece(places: Array, values: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.intp]]:
        """(...) numbers of the gaps between places (K,) that hold these values."""
        return np.clip(np.searchsorted(places, values, side="right") - 1, 0, len(places) - 2)


def learn_bend(causes: Array, values: Array) -> Bend | None:
    """The curve on which standardized causes (N, P) leave the most likely noises of a column (N,), taken as normal.

    None where a value is so frequent that two knots would fall on it.
    """
    import torch

    from fipscm.mechanism.regression.process import learn_process
    from fipscm.mechanism.regression.smooth import WaveRegression, Waves

    causes, values = causes[:MOST_ROWS], values[:MOST_ROWS]
    knots = np.quantile(values, special.ndtr(np.linspace(-OUTERMOST, OUTERMOST, KNOTS)))
    if not (np.diff(knots) > 0).all():
        return None
    count = min(WAVES, WAVES_PER_CAUSE * causes.shape[1])
    waves = Waves.draw(causes.shape[1], count, torch.Generator().manual_seed(0))
    bend, smoothness = Bend(knots, np.ones(KNOTS)), None
    # A curve is a sum of one curve for each knot, times its slope there.
    parts = np.column_stack([Bend(knots, slopes)(values) for slopes in np.eye(KNOTS)])
    parts -= parts.mean(axis=0)
    stretches = np.column_stack([Bend(knots, slopes).slope(values) for slopes in np.eye(KNOTS)])
    for _ in range(ROUNDS):
        bent = parts @ bend.slopes
        smoothness = learn_process(causes, bent / bent.std(), smoothness)
        regression = WaveRegression(causes, waves, smoothness)
        left = np.column_stack([part - regression.predict(regression.fit(part)) for part in parts.T])
        bend = Bend(knots, _likeliest(stretches, parts.T @ left / len(values), bend.slopes))
    return Bend(bend.knots, bend.slopes, positive=bool(values.min() > 0))


def _some(values: Array) -> Array:
    """(...), the values, where they are no amounts the smallest one there is."""
    return np.maximum(values, np.finfo(np.float64).tiny)


def _likeliest(stretches: Array, left: Array, start: Array) -> Array:
    """(K,) slopes with the largest likelihood, whose variance has been maximized out.

    stretches: (N, K) how far each knot's slope stretches the curve at each row; left: (K, K) covariance of what the
    causes leave. A priori, neighbouring logarithms of slopes are alike, within a standard deviation of one, and each
    lies near the line of its neighbours.
    """
    rows, every = len(stretches), np.eye(len(start))
    expected = np.vstack([np.diff(every, axis=0), np.diff(every, 2, axis=0) / CURVATURE])
    stiffness = expected.T @ expected / rows

    def loss(logs: Array) -> tuple[float, Array]:
        slopes = np.exp(logs)
        stretch, pull, stiff = stretches @ slopes, left @ slopes, stiffness @ logs
        variance = float(slopes @ pull)
        loss = 0.5 * np.log(variance) - np.log(stretch).mean() + 0.5 * float(logs @ stiff)
        return float(loss), slopes * (pull / variance - (1 / stretch) @ stretches / rows) + stiff

    bounds = [(-STEEPEST, STEEPEST)] * len(start)
    options = {"maxiter": STEPS}
    found = optimize.minimize(loss, np.log(start), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return np.asarray(np.exp(found.x - found.x.mean()))
