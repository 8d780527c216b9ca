import numpy as np
import pandas as pd
from scipy.special import expit, softmax

from fipscm.mechanism.by_kind import with_kinds
from fipscm.mechanism.fit import fit_mechanism
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.response.logistic import log_probability_between

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


def test_a_wild_cell_elsewhere_takes_no_row_of_a_rare_level_away(rng):
    cause, other = rng.normal(size=(2, 2_000))
    rare = rng.random(2_000) < expit(0.8 * cause - 1.8)
    other[0] = 1e3
    allowed = np.array([[False, False, False], [True, False, False], [False, False, False]])
    rows = pd.DataFrame({"cause": cause, "rare": rare.astype(float), "other": other})
    model = fit_mechanism(rows, allowed, required=allowed, kinds=["continuous", "binary", "continuous"])
    assert model.rows[1] == 1_999  # without the row of the wild cell
    drawn = model.sample(20_000, rng)["rare"]
    assert abs(drawn.mean() - rare.mean()) < 0.02
    assert model.edge_weights[0, 1] > 0.05


def test_a_wild_cause_has_no_say_in_the_mechanism_of_a_level(rng):
    cause = rng.normal(size=1_000)
    level = rng.random(1_000) < expit(2 * cause)
    typo = np.where(np.arange(1_000) == 7, -1e4, cause)
    level[7] = True
    allowed = np.array([[False, False], [True, False]])

    def weight(values):
        rows = pd.DataFrame({"cause": values, "level": level.astype(float)})
        return fit_mechanism(rows, allowed, required=allowed, kinds=["continuous", "binary"]).edge_weights[0, 1]

    assert abs(weight(typo) / weight(cause) - 1) < 0.1


def test_one_level_alone_is_certain():
    with np.errstate(all="raise"):
        assert log_probability_between(np.array([-np.inf]), np.array([np.inf])).tolist() == [0.0]
