"""Effects that are known from an experiment or a design, beside what we and plain methods answer."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from fipscm.arrays import Mask
from fipscm.bench.measured.corpus import MeasuredTable, TrueEffect
from fipscm.bench.measured.unseen_rows import dummies
from fipscm.bench.run.process import error_text
from fipscm.bench.run.results import Line
from fipscm.estimator import FiP
from fipscm.questions.effect import Effect
from fipscm.tables.kinds import Level

FEWEST_EXACT = 100  # rows with a value, whose mean is then better known than a slope through all rows is straight


def answers(table: MeasuredTable, frame: pd.DataFrame, model: FiP, truth: TrueEffect) -> Line:
    """The truth and every answer to it: of the model, of one that is told what is certain, and of plain methods."""
    columns = [str(name) for name in model.scm_.names]
    earlier = [a for a, b in table.pairs if b == truth.of and a in columns]

    def ask(asked: FiP) -> Line:
        return _told(asked.effect(truth.of, truth.on, truth.treated, truth.control))

    def informed() -> Line:
        return ask(FiP(knowledge=table.knowledge(truth.of, columns), keep=table.asked_about, random_state=0).fit(frame))

    return {
        "of": truth.of,
        "on": truth.on,
        "truth": truth.value,
        "low": truth.low,
        "high": truth.high,
        "ours": _tried(lambda: ask(model)),
        "ours_informed": _tried(informed),
        "difference_of_means": _tried(lambda: {"estimate": least_squares_effect(frame, truth, [])}),
        "least_squares": _tried(lambda: {"estimate": least_squares_effect(frame, truth, earlier)}),
    }


def least_squares_effect(frame: pd.DataFrame, truth: TrueEffect, adjusted_for: list[str]) -> float:
    """The coefficient of the treatment beside these columns; without any, the difference of means or a slope.

    A slope is taken where too few rows have just the two values that are compared.
    """
    rows = frame[frame[[truth.of, truth.on]].notna().all(axis=1)]
    above, below = (_has(rows[truth.of], value) for value in (truth.treated, truth.control))
    if min(above.sum(), below.sum()) >= FEWEST_EXACT:
        rows, treated, change = rows[above | below], above[above | below].astype(float), 1.0
    else:
        treated, change = rows[truth.of].to_numpy(dtype=float), float(truth.treated) - float(truth.control)
    outcome = rows[truth.on]
    if not pd.api.types.is_numeric_dtype(outcome):
        outcome = outcome == max(outcome.unique())
    names = [name for name in adjusted_for if not pd.api.types.is_numeric_dtype(rows[name])]
    others = dummies(rows[adjusted_for], rows, names) if adjusted_for else np.empty((len(rows), 0))
    fitted = LinearRegression().fit(np.column_stack([treated, others]), outcome.to_numpy(dtype=float))
    return float(fitted.coef_[0]) * change


def _has(column: pd.Series, value: Level) -> Mask:
    """Which rows have a value; numbers may have been rounded in a file."""
    if isinstance(value, str):
        return np.asarray(column == value)
    return np.isclose(column.to_numpy(dtype=float), float(value))


def _told(effect: Effect) -> Line:
    return {"estimate": effect.estimate, "low": effect.low, "high": effect.high, "possible": effect.possible}


def _tried(answer: Callable[[], Line]) -> Line:
    """An answer, or why there is none."""
    try:
        return answer()
    except Exception as error:
        return {"error": error_text(error)}
