"""Edges of categories: kept or dropped as a whole. Shapes: N rows, D columns, E inputs that stand for them."""

import numpy as np

from fipscm.arrays import Array, Mask, Order


def without_references(allowed: Mask, inputs: Array, owners: Order) -> Mask:
    """(E, E) allowed edges, less those from the most frequent level of each category in the inputs (N, E).

    The levels of a category add up to one: beside all the others no level tells anything of its own.
    """
    judged = allowed.copy()
    for column in np.flatnonzero(np.bincount(owners) > 1):
        members = np.flatnonzero(owners == column)
        judged[:, members[int(inputs[:, members].mean(axis=0).argmax())]] = False
    return judged


def joined_scores(scores: Array, owners: Order) -> Array:
    """(E, E) scores, log10 of odds or of p-values -> (D, D).

    The best of many levels scores high by chance. So the score of a pair of columns is that of the best pair of their
    levels, less log10 of the number of such pairs.
    """
    sizes, columns = np.bincount(owners), int(owners.max()) + 1
    best = np.full((columns, columns), -np.inf)
    np.maximum.at(best, (owners[:, None], owners[None, :]), scores)
    return np.asarray(best - np.log10(np.outer(sizes, sizes)))


def joined_edges(kept: Mask, owners: Order) -> Mask:
    """(E, E) -> (D, D), with an edge of all levels of a category where one of them has it."""
    columns = int(owners.max()) + 1
    joined = np.zeros((columns, columns), dtype=bool)
    np.logical_or.at(joined, (owners[:, None], owners[None, :]), kept)
    return joined
