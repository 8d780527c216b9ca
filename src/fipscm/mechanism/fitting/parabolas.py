"""Which of the curved mechanisms are parabolas. Shapes: N rows, D variables."""

from collections.abc import Mapping

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.edges.screen import log_p_of_structure
from fipscm.mechanism.regression.parabola import Parabola, fit_parabola, learn_parabola
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.products import pairs_of, products
from fipscm.mechanism.regression.usable import uncentred_rows
from fipscm.threads import on_one_thread

FREEDOM = 2.0  # of log evidence, which a process gains by the choice of its length scales
LEFT_OVER = np.log(0.05)  # log p-value of what a parabola leaves
MOST_PRODUCTS = 300  # of one node: those of 23 causes


@on_one_thread()
def find_parabolas(
    z: Array, allowed: Mask, curved: Mask, smoothness: Mapping[int, Process], unusable: Mask
) -> dict[int, Parabola]:
    """Those of the curved nodes that are parabolas, on standardized rows (N, D) that are not `unusable` (N, D).

    A parabola must be as likely as the process that was learned, and leave nothing that depends on the causes. Both
    are asked strictly: between its rows a wrong parabola does little harm, but beyond them it goes anywhere.
    """
    found = {}
    for node in np.flatnonzero(curved & allowed.any(axis=1)).tolist():
        rows = uncentred_rows(z, node, unusable)
        causes, effect = rows[:, allowed[node]], rows[:, node]
        pairs = pairs_of(causes.shape[1])
        if len(pairs) > MOST_PRODUCTS:
            continue
        parabola = learn_parabola(causes, effect)
        if parabola.evidence + FREEDOM < smoothness[node].evidence_of(causes, effect):
            continue
        fit = fit_parabola(causes, effect, parabola)
        left = effect - fit.intercept - causes @ fit.weights - products(causes, pairs) @ fit.bends
        if log_p_of_structure(causes, left) > LEFT_OVER:
            found[node] = parabola
    return found
