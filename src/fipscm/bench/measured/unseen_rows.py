"""Our mechanisms on unseen rows, beside least squares and gradient boosting on the same causes.

All are fitted to four fifths of the rows, with the edges that the model found in all of them, and judged on the rest.
Shapes: N rows, D columns, P regressors, K levels; a number has one.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

from fipscm.arrays import Array
from fipscm.bench.run.results import Line
from fipscm.errors import DataError
from fipscm.estimator import FiP

TESTED = 0.2
COMPARED_ROWS = 5_000  # of a table, drawn at random: comparisons are not to take longer than what is compared
FEWEST_UNSEEN = 20  # complete unseen rows, below which a share of their variance says nothing
MOST_DUMMIES = 50  # of a category that become regressors; the others count as none of them
MOST_CLASSES = 20  # of a category that boosting predicts: it grows one tree for each in every round
LEAST_SHARE = 1e-3  # probability of what a plain method holds impossible
Predictor = Callable[["Split", Hashable], Array]


@dataclass(frozen=True)
class Split:
    """Rows to learn from and complete rows to be judged on, with codes for levels, and what the columns are."""

    train: pd.DataFrame
    test: pd.DataFrame
    kinds: dict[Hashable, str]
    graph: nx.DiGraph

    def has_levels(self, column: Hashable) -> bool:
        """Whether a column is predicted by probabilities."""
        return self.kinds[column] in ("binary", "categorical")

    def truth(self, rows: pd.DataFrame, column: Hashable) -> Array:
        """(N, K), the numbers, or 1 where a row has a level."""
        cells = rows[column].to_numpy(dtype=float)[:, None]
        levels = np.unique(self.train[column].dropna()) if self.has_levels(column) else None
        return cells if levels is None else (cells == levels).astype(float)

    def causes(self, column: Hashable) -> list[Hashable]:
        """Those that the model found."""
        return list(self.graph.predecessors(column))


def unseen_scores(model: FiP, frame: pd.DataFrame) -> Line:
    """R2 of each column with causes, and mean log-likelihood of a row, of our mechanisms and of plain regressions."""
    refitted, split, unseen = _refitted(model, frame[list(model.scm_.names)])
    caused = [name for name in split.kinds if split.causes(name)]
    ours = _our_r2(refitted, unseen)
    said = model.mechanisms_["r2_held_out"].to_dict()
    r2: dict[str, dict[str, float | None]] = {
        "told": {str(name): float(said[name]) for name in caused},
        "ours": {str(name): ours[name] for name in caused},
    }
    likelihood: dict[str, float | None] = {"ours": float(refitted.log_likelihood(unseen).mean())}
    for method, predict in PLAIN_REGRESSIONS.items():
        found = {name: _tried(predict, split, name) for name in split.kinds}
        truth = {name: split.truth(split.test, name) for name in split.kinds}
        r2[method] = {str(n): None if (p := found[n]) is None else _r2(truth[n], p) for n in caused}
        densities = [None if (p := found[n]) is None else _log_density(split, n, truth[n], p) for n in split.kinds]
        known = [each for each in densities if each is not None]
        likelihood[method] = sum(known) if len(known) == len(densities) else None
    return {"r2": r2, "log_likelihood": likelihood, "unseen": len(unseen)}


def _refitted(model: FiP, frame: pd.DataFrame) -> tuple[FiP, Split, pd.DataFrame]:
    """The model on the same edges from some of the rows, these rows in codes, and the others as they are."""
    rows = frame.sample(min(len(frame), COMPARED_ROWS), random_state=0)
    train, rest = train_test_split(rows, test_size=TESTED, random_state=0)
    unseen = rest.dropna()
    for name, kind in model.kinds_.items():
        if kind in ("binary", "ordinal", "categorical"):
            unseen = unseen[unseen[name].isin(train[name].unique())]
    if len(unseen) < FEWEST_UNSEEN:
        raise DataError(f"Only {len(unseen)} of {len(rest)} unseen rows are complete.")
    numbers = {n: kind for n, kind in model.kinds_.items() if kind in ("continuous", "count")}
    refitted = FiP(graph=model.graph_, kinds=numbers, random_state=0).fit(train)
    known, tested = (refitted.columns_.encode(part).astype(float) for part in (train, unseen))
    return refitted, Split(known, tested, refitted.kinds_, model.graph_), unseen


def _our_r2(model: FiP, unseen: pd.DataFrame) -> dict[Hashable, float]:
    scm = model.scm_
    rows = scm.checked_rows(model.columns_.encode(unseen)).to_numpy(dtype=float)
    return {
        name: _r2(scm.measured(node, rows[:, node]), scm.mean(node, rows).reshape(len(rows), -1))
        for node, name in enumerate(scm.names)
    }


def least_squares_prediction(split: Split, column: Hashable) -> Array:
    """(N, K) predictions of linear regression; of levels, shares that may lie outside of 0 and 1."""
    regressors, unseen, truth = _design(split, column)
    return np.asarray(LinearRegression().fit(regressors, truth).predict(unseen))


def boosting_prediction(split: Split, column: Hashable) -> Array:
    """(N, K) predictions of gradient boosting."""
    rows = split.train[column].notna()
    causes, truth = split.causes(column), split.truth(split.train[rows], column)
    regressors, unseen = split.train.loc[rows, causes].to_numpy(), split.test[causes].to_numpy()
    if not split.has_levels(column):
        boosted = HistGradientBoostingRegressor(random_state=0).fit(regressors, truth[:, 0])
        return np.asarray(boosted.predict(unseen))[:, None]
    if truth.shape[1] > MOST_CLASSES:
        raise DataError(f"'{column}' has {truth.shape[1]} levels, and boosting is asked for {MOST_CLASSES} at most.")
    return np.asarray(
        HistGradientBoostingClassifier(random_state=0).fit(regressors, truth.argmax(1)).predict_proba(unseen)
    )


PLAIN_REGRESSIONS: dict[str, Predictor] = {"least_squares": least_squares_prediction, "boosting": boosting_prediction}


def _tried(predict: Predictor, split: Split, column: Hashable) -> Array | None:
    """The predictions, those of no regressor if there are no causes; None where a method cannot make them."""
    if not split.causes(column):
        mean = split.truth(split.train[split.train[column].notna()], column).mean(axis=0)
        return np.broadcast_to(mean, (len(split.test), len(mean)))
    try:
        return predict(split, column)
    except ValueError:  # what scikit-learn raises, and our own errors
        return None


def _design(split: Split, column: Hashable) -> tuple[Array, Array, Array]:
    """Regressors (N, P) of the rows to learn from and of the unseen ones, and what is to be learned (N, K)."""
    rows, causes = split.train[split.train[column].notna()], split.causes(column)
    categories = [name for name in causes if split.kinds[name] == "categorical"]
    train, test = (dummies(part[causes], rows, categories) for part in (rows, split.test))
    return train, test, split.truth(rows, column)


def dummies(frame: pd.DataFrame, known: pd.DataFrame, categories: Sequence[Hashable]) -> Array:
    """(N, P), numbers, missing ones at their mean in `known`, and indicators of the frequent levels of categories."""
    parts: list[Any] = []
    for name in frame.columns:
        cells = frame[name].to_numpy()[:, None]
        if name in categories:
            parts.append(cells == known[name].value_counts().index[:MOST_DUMMIES].to_numpy())
        else:
            parts.append(np.where(pd.isna(cells), known[name].mean(), cells))
    return np.hstack([np.asarray(part, dtype=float) for part in parts])


def _r2(truth: Array, predicted: Array) -> float:
    """The mean share of variance explained, over the columns (N, K) that vary."""
    varies = truth.var(axis=0) > 0
    left = ((truth - predicted) ** 2).mean(axis=0)[varies]
    return float((1 - left / truth.var(axis=0)[varies]).mean()) if varies.any() else 0.0


def _log_density(split: Split, column: Hashable, truth: Array, predicted: Array) -> float:
    """The mean over rows: of a level its probability, of a number normal noise with the spread of the unseen rows."""
    if split.has_levels(column):
        shares = np.clip(predicted, LEAST_SHARE, None)
        return float(np.log((truth * shares).sum(axis=1) / shares.sum(axis=1)).mean())
    variance = max(float(((truth - predicted) ** 2).mean()), np.finfo(float).tiny)
    return float(-0.5 * (np.log(2 * np.pi * variance) + 1))
