"""What each mechanism of a learned SCM is, in one table."""

from collections.abc import Hashable

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM


def overview(scm: LearnedSCM) -> pd.DataFrame:
    """One row per column: causes, shape, kind of noise, held-out R2 and log-likelihood, rows, low and high."""
    return pd.DataFrame(
        {
            "causes": [[scm.names[cause] for cause in np.flatnonzero(causes)] for causes in scm.allowed],
            "shape": [shape_of(scm, node) for node in range(len(scm.names))],
            "noise": [response.kind for response in scm.responses],
            "noise_gain": scm.noise_gain,
            "r2_held_out": scm.held_out_r2,
            "log_likelihood_held_out": scm.held_out_log_likelihood,
            "rows": scm.rows,
            "low": scm.box.low,
            "high": scm.box.high,
        },
        index=list(scm.names),
    )


def shape_of(scm: LearnedSCM, node: int) -> str:
    """The most flexible part that a node's mechanism has."""
    if not scm.allowed[node].any():
        return "constant"
    if node in scm.nodes:
        return "transformer"
    return "smooth" if scm.skip.amplitudes[node].any() else "linear"


def acts_on(scm: LearnedSCM) -> dict[tuple[Hashable, Hashable], str]:
    """What of its effect each edge (cause, effect) acts on: its mean, its spread, or both."""
    told = {}
    for effect, cause in np.argwhere(scm.allowed):
        masks = {"mean": scm.on_mean, "spread": scm.on_spread}
        parts = [part for part, mask in masks.items() if mask[effect, cause]]
        told[scm.names[cause], scm.names[effect]] = " and ".join(parts)
    return told
