"""Tables with levels and counts are read by networks that have seen such tables."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.order import infer_order
from fipscm.order.readings import reading_for
from fipscm.order.weights import mixed_encoder, smooth_encoder
from fipscm.simulate.mixed.draw import mixed_scm


@pytest.fixture
def table():
    """A dose that cures: a yes/no column with two continuous causes."""
    rng = np.random.default_rng(0)
    age, dose = rng.gamma(9, 6, 2_000), rng.exponential(size=2_000)
    dose = 2 + 0.05 * age + dose
    cured = rng.random(2_000) < 1 / (1 + np.exp(-(1.2 * dose - 0.06 * age - 2.5)))
    return pd.DataFrame({"cured": np.where(cured, "yes", "no"), "dose": dose, "age": age})


def test_continuous_columns_keep_their_networks():
    assert reading_for(["continuous", "continuous"]) is None
    assert readers_of(["continuous", "count", "continuous"]) == [smooth_encoder(), mixed_encoder()]
    assert readers_of(["continuous", "count"]) == [mixed_encoder()]


def readers_of(kinds):
    return [voice.encoder for voice in reading_for(kinds).voices]


def test_a_yes_or_no_column_may_be_an_effect(table):
    assert infer_order(table) == ["age", "dose", "cured"]
    model = FiP(random_state=0).fit(table)
    assert model.causal_order_ == ["age", "dose", "cured"]
    assert set(model.graph_.edges) == {("age", "dose"), ("age", "cured"), ("dose", "cured")}


def test_classical_orders_take_such_tables_with_missing_cells(table):
    with pytest.warns(UserWarning, match="filled in"):
        assert len(infer_order(table.mask(np.eye(len(table), 3) == 1), method="r2")) == 3


def test_most_edges_of_mixed_scms_point_forward():
    right = []
    for seed in range(4):
        rng = np.random.default_rng(seed)
        scm = mixed_scm(8, rng)
        order = infer_order(scm.sample(1_500, rng))
        place = {name: position for position, name in enumerate(order)}
        right += [place[scm.names[i]] < place[scm.names[j]] for i, j in np.argwhere(scm.adjacency)]
    assert np.mean(right) > 0.8
