"""Parabolas: a level, a line, and products of two causes, squares among them. Shapes: N rows, P causes, Q products.

y = intercept + z weights + products(z) bends, a Gaussian process with few parameters. Where the rows prefer it to the
smooth process of `process.py`, it is known from end to end: between rows that follow a curve, and beyond them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fipscm.arrays import Array
from fipscm.factorisation import solve
from fipscm.mechanism.regression.process import LEVEL, MOST_ROWS, learn_line
from fipscm.mechanism.regression.products import pairs_of, products

BENDS = (0.003, 0.03, 0.3)  # prior variances of the products' coefficients, of which the likeliest is taken


@dataclass(frozen=True)
class Parabola:
    """What the rows say about a node's bends.

    Attributes:
        bend: prior variance of the coefficients of products.
        noise: variance of the noise.
        evidence: log marginal likelihood of the rows.
    """

    bend: float
    noise: float
    evidence: float

    def penalties(self, causes: int, products: int) -> Array:
        """(1 + P + Q,), the variance of the noise over that of each coefficient."""
        return self.noise / np.concatenate([[LEVEL], np.ones(causes), np.full(products, self.bend)])


class ParabolaFit(NamedTuple):
    """Intercept, weights (P,) and bends (Q,)."""

    intercept: float
    weights: Array
    bends: Array


def learn_parabola(z: Array, y: Array) -> Parabola:
    """Learn from causes (N, P) and effect (N,), at most the first MOST_ROWS rows."""
    z, y = z[:MOST_ROWS], y[:MOST_ROWS]
    bent = products(z, pairs_of(z.shape[1]))
    tried = (Parabola(bend, *learn_line(np.hstack([z, bend**0.5 * bent]), y)) for bend in BENDS)
    return max(tried, key=lambda parabola: parabola.evidence)


def fit_parabola(z: Array, y: Array, parabola: Parabola, weights: Array | None = None) -> ParabolaFit:
    """The posterior mean, given causes (N, P) and effect (N,); rows may have weights (N,)."""
    causes = z.shape[1]
    functions = np.hstack([np.ones((len(z), 1)), z, products(z, pairs_of(causes))])
    pulled = functions if weights is None else functions * weights[:, None]
    gram = pulled.T @ functions
    gram.flat[:: len(gram) + 1] += parabola.penalties(causes, len(gram) - 1 - causes)
    solution = solve(gram, pulled.T @ y)
    return ParabolaFit(float(solution[0]), solution[1 : 1 + causes], solution[1 + causes :])
