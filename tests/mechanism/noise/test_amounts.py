"""Roots that are amounts."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load

DRAWN = 400_000  # some lie beyond the lowest of the rows


@pytest.mark.parametrize("noise", ["auto", "additive"])
def test_no_root_of_positive_rows_is_drawn_below_zero(noise, tmp_path):
    rng = np.random.default_rng(0)
    dose = rng.exponential(size=300)
    table = pd.DataFrame({"dose": dose, "shift": dose - 1, "effect": dose + rng.standard_normal(300)})
    model = FiP(graph=[[0, 0, 1], [0, 0, 0], [0, 0, 0]], noise=noise, random_state=0).fit(table)
    model.save(tmp_path / "m.fip")
    for each in (model, load(tmp_path / "m.fip")):
        drawn = each.sample(DRAWN, random_state=0)
        assert drawn["dose"].min() >= 0
        assert (drawn["dose"] < dose.min()).any()
        assert drawn["shift"].min() < table["shift"].min()
