"""The textbook's interval of an effect: least squares of the outcome, adjusted for what precedes the treatment."""

from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import LEVEL, Answer, Method
from fipscm.simulate.effects import KnownEffect


class Adjustment(Method):
    """A linear regression on the treatment and all columns before it, with the interval of Student's t."""

    name = "adjustment"
    title = "least squares of the outcome on the treatment and all columns before it in the true order"
    given = "order"

    def solve(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Nothing is fitted before an effect is asked for."""
        return Answer(interval=partial(adjusted_interval, problem.table.iloc[:, problem.order]))


def adjusted_interval(ordered: pd.DataFrame, asked: KnownEffect) -> tuple[float, float]:
    """The ends, for a table whose columns stand in a causal order."""
    before = list(ordered.columns[: ordered.columns.get_loc(asked.treatment)])
    regressors = np.column_stack([np.ones(len(ordered)), ordered[[*before, asked.treatment]]])
    outcome = ordered[asked.outcome].to_numpy()
    coefficients, _, _, _ = np.linalg.lstsq(regressors, outcome)
    freedom = len(outcome) - len(coefficients)
    variance = np.square(outcome - regressors @ coefficients).sum() / freedom
    error = np.sqrt(variance * np.linalg.inv(regressors.T @ regressors)[-1, -1])
    reach = stats.t.ppf((1 + LEVEL) / 2, freedom) * error
    return float(coefficients[-1] - reach), float(coefficients[-1] + reach)
