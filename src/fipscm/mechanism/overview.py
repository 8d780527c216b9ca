"""What each mechanism of a learned SCM is, in one table."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM
from fipscm.tables.blocks import Blocks

SHAPES = ("constant", "linear", "quadratic", "smooth", "transformer")  # from the stiffest to the most flexible


def overview(scm: LearnedSCM, blocks: Blocks) -> pd.DataFrame:
    """One row per column: causes, shape, kind of noise, held-out R2 and log-likelihood, rows, low and high.

    The R2 of a category is the mean of those of its levels; it has neither a lowest nor a highest value.
    """
    first = [members[0] for members in blocks.members]
    is_category = np.array([len(members) > 1 for members in blocks.members])
    caused = blocks.largest(scm.allowed)
    shapes = [[shape_of(scm, node) for node in members] for members in blocks.members]
    return pd.DataFrame(
        {
            "causes": [[blocks.outer[cause] for cause in np.flatnonzero(causes)] for causes in caused],
            "shape": [max(members, key=SHAPES.index) for members in shapes],
            "noise": [scm.responses[node].kind for node in first],
            "noise_gain": scm.noise_gain[first],
            "r2_held_out": [scm.held_out_r2[list(members)].mean() for members in blocks.members],
            "log_likelihood_held_out": scm.held_out_log_likelihood[first],
            "rows": scm.rows[first],
            "low": np.where(is_category, np.nan, scm.box.low[first]),
            "high": np.where(is_category, np.nan, scm.box.high[first]),
        },
        index=list(blocks.outer),
    )


def shape_of(scm: LearnedSCM, node: int) -> str:
    """The most flexible part that a node's mechanism has."""
    if not scm.allowed[node].any():
        return "constant"
    if node in scm.nodes:
        return "transformer"
    if scm.skip.is_parabola[node]:
        return "quadratic"
    return "smooth" if scm.skip.amplitudes[node].any() else "linear"


def acts_on(scm: LearnedSCM, blocks: Blocks) -> dict[tuple[Hashable, Hashable], str]:
    """What of its effect each edge (cause, effect) acts on: its mean, its spread, or both."""
    masks = {"mean": blocks.largest(scm.on_mean), "spread": blocks.largest(scm.on_spread)}
    return {
        (blocks.outer[cause], blocks.outer[effect]): " and ".join(part for part in masks if masks[part][effect, cause])
        for effect, cause in np.argwhere(blocks.largest(scm.allowed))
    }
