"""Tables with levels and counts are read like any other."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.order import infer_order
from fipscm.simulate.mixed.draw import mixed_scm


@pytest.fixture
def table():
    """A dose that cures: a yes/no column with two continuous causes."""
    rng = np.random.default_rng(0)
    age, dose = rng.gamma(9, 6, 2_000), rng.exponential(size=2_000)
    dose = 2 + 0.05 * age + dose
    cured = rng.random(2_000) < 1 / (1 + np.exp(-(1.2 * dose - 0.06 * age - 2.5)))
    return pd.DataFrame({"cured": np.where(cured, "yes", "no"), "dose": dose, "age": age})


def test_a_yes_or_no_column_may_be_an_effect(table):
    model = FiP(random_state=0, order=["age", "dose", "cured"]).fit(table)
    assert set(model.graph_.edges) == {("age", "dose"), ("age", "cured"), ("dose", "cured")}


def test_classical_orders_take_such_tables_with_missing_cells(table):
    with pytest.warns(UserWarning, match="filled in"):
        assert len(infer_order(table.mask(np.eye(len(table), 3) == 1), method="r2")) == 3


def test_most_edges_of_mixed_scms_point_forward():
    right, into_levels = [], []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        scm = mixed_scm(8, rng)
        table = scm.sample(1_500, rng)
        place = {name: position for position, name in enumerate(infer_order(table))}
        edges = [(scm.names[i], scm.names[j]) for i, j in np.argwhere(scm.adjacency)]
        right += [place[cause] < place[effect] for cause, effect in edges]
        into_levels += [table[effect].nunique() <= 10 for _, effect in edges]
    assert np.mean(right) > 0.8
    assert np.mean(np.array(right)[into_levels]) > 0.75  # a column with levels may be an effect, too
