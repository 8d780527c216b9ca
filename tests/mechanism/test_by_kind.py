import numpy as np
import pandas as pd
from scipy.special import softmax

from fipscm.mechanism.by_kind import with_kinds
from fipscm.mechanism.fit import fit_mechanism
from fipscm.mechanism.regression.process import Process

LEVELS = (1, 2, 3)


def test_a_level_that_hardly_bends_does_not_straighten_its_category(rng):
    cause = rng.uniform(-3, 3, 1_500)
    scores = np.column_stack([np.zeros(1_500), 3 * np.sin(2 * cause), -3 * np.sin(2 * cause)])
    levels = np.array([rng.multinomial(1, shares) for shares in softmax(scores, axis=1)])
    rows = np.column_stack([cause, levels]).astype(float)
    allowed = np.zeros((4, 4), dtype=bool)
    allowed[list(LEVELS), 0] = True
    kinds = ["continuous", *["binary"] * 3]
    model = fit_mechanism(pd.DataFrame(rows), allowed, required=allowed, kinds=kinds, blocks=(LEVELS,))
    z, usable = (rows - model.centre) / model.scale, np.zeros(rows.shape, dtype=bool)

    def r2(*relevance):
        smoothness = {
            level: Process(np.array([r]), 1.0, 0.5, -np.inf) for level, r in zip(LEVELS, relevance, strict=True)
        }
        return with_kinds(model, z, rows, kinds, smoothness, usable).held_out_r2[2]

    assert r2(0.01, 2.0, 2.0) > r2(2.0, 2.0, 2.0) - 0.01
    assert r2(2.0, 2.0, 2.0) > r2(0.01, 0.01, 0.01) + 0.2
