"""Edges of categories: kept or dropped as a whole. Shapes: D variables."""

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.mechanism.responding import Blocks


def without_references(allowed: Mask, rows: Array, blocks: Blocks) -> Mask:
    """(D, D) allowed edges, less those from the most frequent level of each category in rows (N, D).

    The levels of a category add up to one: beside all the others no level tells anything of its own.
    """
    judged = allowed.copy()
    for block in blocks:
        judged[:, block[int(rows[:, block].mean(axis=0).argmax())]] = False
    return judged


def join_edges(kept: Mask, blocks: Blocks) -> Mask:
    """(D, D) edges, with one of all levels of a category where one of them has it."""
    joined = kept.copy()
    for effects, causes in _pairs(len(kept), blocks):
        joined[np.ix_(effects, causes)] = kept[np.ix_(effects, causes)].any()
    return joined


def join_scores(scores: Array, blocks: Blocks) -> Array:
    """(D, D) scores, log10 of odds or of p-values, with the same one for all levels of a category.

    The best of many levels scores high by chance. So the score of a pair of columns is that of the best pair of their
    levels, less log10 of the number of such pairs.
    """
    joined = scores.copy()
    for effects, causes in _pairs(len(scores), blocks):
        best = scores[np.ix_(effects, causes)].max()
        joined[np.ix_(effects, causes)] = best - np.log10(len(effects) * len(causes))
    return joined


def _pairs(variables: int, blocks: Blocks) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All pairs of different columns of the table of which one at least is a category, each by its nodes."""
    inside = {node for block in blocks for node in block}
    alone = [(node,) for node in range(variables) if node not in inside]
    groups = [*blocks, *alone]
    return [(a, b) for a in groups for b in groups if a != b and len(a) * len(b) > 1]
