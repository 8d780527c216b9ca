"""Predictions of rows by models that have not seen them. Shapes: N rows, P covariates.

Two models are tried for each prediction, a regularised line and boosted trees, and the one with the smaller loss on the
rows it has not seen is taken: lines do with few rows, trees see curves and interactions.
"""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.metrics import log_loss, mean_squared_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fipscm.arrays import Array, Labels, Mask, Order

FOLDS = 5
PENALTIES = (0.1, 1.0, 10.0, 100.0, 1000.0)  # of squared slopes between standardized columns
# Small trees and few of them: covariates are few, rows may be some hundreds, and many such models are fitted.
TREES: dict[str, Any] = {
    "max_iter": 40,
    "learning_rate": 0.15,
    "max_leaf_nodes": 8,
    "random_state": 0,
    "early_stopping": False,
}
REGRESSIONS = (make_pipeline(StandardScaler(), RidgeCV(PENALTIES)), HistGradientBoostingRegressor(**TREES))
CLASSIFIERS = (
    make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
    HistGradientBoostingClassifier(**TREES),
)


def folds_of(arms: Order, rng: np.random.Generator, clusters: Labels | None = None) -> Order:
    """(N,) the fold of each row: arms (N,) are spread evenly over the folds, or clusters (N,) stay whole."""
    if clusters is not None:
        _, cluster = np.unique(clusters, return_inverse=True)
        return np.asarray(rng.permutation(np.arange(cluster.max() + 1) % FOLDS)[cluster])
    folds: Order = np.empty(len(arms), dtype=np.intp)
    for arm in np.unique(arms):
        rows = np.flatnonzero(arms == arm)
        folds[rng.permutation(rows)] = np.arange(len(rows)) % FOLDS
    return folds


def cross_fitted_means(covariates: Array, values: Array, folds: Order, known: Mask | None = None) -> Array:
    """(N,) what is expected of each row, learned from the `known` rows (N,) of the other folds."""
    known = np.ones(len(values), dtype=bool) if known is None else known
    predictions = [_predicted(model, covariates, values, folds, known) for model in REGRESSIONS]
    return min(predictions, key=lambda each: mean_squared_error(values[known], each[known]))


def cross_fitted_probabilities(covariates: Array, has: Mask, folds: Order) -> Array:
    """(N,) the probability that each row has something, learned from the other folds."""
    everywhere = np.ones(len(has), dtype=bool)
    predictions = [_predicted(model, covariates, has, folds, everywhere) for model in CLASSIFIERS]
    return min(predictions, key=lambda each: log_loss(has, each))


def _predicted(model: Any, covariates: Array, values: Array | Mask, folds: Order, known: Mask) -> Array:
    # Without covariates all that can be predicted is the mean, which a constant column gives.
    design = covariates if covariates.shape[1] else np.zeros((len(values), 1))
    predicted: Array = np.empty(len(values))
    for fold in np.unique(folds):
        unseen = folds == fold
        fitted = clone(model).fit(design[known & ~unseen], values[known & ~unseen])
        is_probability = values.dtype == np.bool_
        predicted[unseen] = (
            fitted.predict_proba(design[unseen])[:, 1] if is_probability else fitted.predict(design[unseen])
        )
    return predicted
