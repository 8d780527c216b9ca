"""Numbers for the levels of categories, as the table itself suggests them.

A category is read by the leading canonical direction of its levels against the other columns: those scores of its
levels that the other columns explain best. On the rows on which they were chosen, such scores make any category look
dependent, the more so the more levels it has. So the rows are dealt into folds, and each fold gets the scores that the
folds before it suggest. (Scores from all other folds would not do: two folds that lend each other scores show the same
coincidence twice.) A random category then carries no more evidence than a random column of numbers.

Shapes: N rows, D variables, L levels, F features of the other columns, K folds.
"""

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

from fipscm.arrays import Array

SCORE_FOLDS = 20
FEATURE_RIDGE = 1e-3  # of the features' correlations, which may be singular

LevelCodes = NDArray[np.intp]


def with_scores(values: Array, categories: Collection[int]) -> Array:
    """(N, D) -> (N, D), with scores of mean 0 and variance 1 for the codes of columns that are categories.

    A missing cell stays missing.
    """
    scored = values.copy()
    # Folds are drawn once for all, so that an order does not depend on a draw.
    fold_of = np.random.default_rng(0).permutation(len(values)) % SCORE_FOLDS
    for column in categories:
        observed = ~np.isnan(values[:, column])
        codes = values[observed, column].astype(np.intp)
        others = [other for other in range(values.shape[1]) if other != column]
        features = _whitened(
            np.column_stack([_features(values[observed, other], other in categories) for other in others])
        )
        scored[observed, column] = cross_fitted(codes, features, fold_of[observed])
    return scored


def cross_fitted(codes: LevelCodes, features: Array, fold_of: LevelCodes) -> Array:
    """(N,), (N, F), (N,) -> (N,) the score of each row's level, as the folds before its own suggest it; 0 in the first.

    The features are uncorrelated and have variance 1.
    """
    counts, sums = _by_fold(codes, features, fold_of)
    scores: Array = np.zeros(len(codes))
    before: Array = np.zeros(counts.shape[1])
    for fold in range(1, len(counts)):
        known, inside = counts[:fold].sum(axis=0), fold_of == fold
        found = _level_scores(known, sums[:fold].sum(axis=0))
        # A direction has no sign of its own: each fold takes that of the one before.
        before = found if known @ (found * before) >= 0 else -found
        scores[inside] = before[codes[inside]]
    return np.asarray((scores - scores.mean()) / max(scores.std(), 1e-12))


def _by_fold(codes: LevelCodes, features: Array, fold_of: LevelCodes) -> tuple[LevelCodes, Array]:
    """(K, L) how many rows each fold has of each level, and (K, L, F) the sums of their features."""
    folds, levels = int(fold_of.max()) + 1, int(codes.max()) + 1
    cell = fold_of * levels + codes
    counts = np.bincount(cell, minlength=folds * levels).reshape(folds, levels)
    sums = [np.bincount(cell, feature, folds * levels).reshape(folds, levels) for feature in features.T]
    return counts, np.stack(sums, axis=-1)


def _level_scores(counts: LevelCodes, sums: Array) -> Array:
    """(L,), (L, F) -> (L,) with mean 0 and variance 1 over the rows counted; a rare level is drawn towards 0."""
    rows = max(counts.sum(), 1)  # in the first folds all cells may be missing
    centred = sums - counts[:, None] * sums.sum(axis=0) / rows
    weight = np.sqrt(counts + 1)
    direction = np.linalg.svd(centred / weight[:, None], full_matrices=False)[0][:, 0]
    scores = direction / weight
    scores -= counts @ scores / rows
    return np.asarray(scores / np.sqrt(max(counts @ scores**2 / rows, 1e-300)))


def _features(column: Array, is_category: bool) -> Array:
    """(N,) -> (N, F): the value and its square, or whether it is each of the levels; 0 where it is missing."""
    if is_category:
        return np.asarray((column[:, None] == np.unique(column[~np.isnan(column)])).astype(np.float64))
    z = (column - np.nanmean(column)) / np.nanstd(column)
    clipped = np.clip(np.nan_to_num(z), -3, 3)
    return np.column_stack([clipped, clipped**2])


def _whitened(features: Array) -> Array:
    """(N, F) -> (N, F) with uncorrelated columns of variance 1."""
    centred = features - features.mean(axis=0)
    centred /= np.maximum(centred.std(axis=0), 1e-12)
    correlation = centred.T @ centred / len(centred) + FEATURE_RIDGE * np.eye(centred.shape[1])
    sizes, directions = np.linalg.eigh(correlation)
    return np.asarray(centred @ directions / np.sqrt(sizes))
