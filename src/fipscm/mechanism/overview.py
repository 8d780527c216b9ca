"""What each mechanism of a learned SCM is, in one table. Shapes: N rows, D variables."""

import numpy as np
import pandas as pd

from fipscm.mechanism.learned import LearnedSCM


def overview(scm: LearnedSCM) -> pd.DataFrame:
    """One row per column: causes, shape, in-sample R2, rows, low and high.

    The noises are what the mechanisms left of the training rows, so that no table is needed.
    """
    unexplained = np.square(scm.noise.ordered).mean(axis=0) / np.square(scm.scale)
    return pd.DataFrame(
        {
            "causes": [[scm.names[cause] for cause in np.flatnonzero(causes)] for causes in scm.allowed],
            "shape": [shape_of(scm, node) for node in range(len(scm.names))],
            "r2_in_sample": 1 - unexplained,
            "rows": len(scm.noise.ordered),
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
