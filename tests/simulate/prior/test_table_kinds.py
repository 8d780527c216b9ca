"""The kinds of a training table's columns are those that a user is told of the same columns."""

import numpy as np
import pandas as pd
import pytest

from fipscm.simulate.prior.training_table import TABLE_FAMILIES
from fipscm.tables.kinds import recognise


@pytest.mark.parametrize("family", TABLE_FAMILIES)
def test_numbers_have_the_kind_that_a_user_would_be_told(family):
    rng = np.random.default_rng(1)
    for _ in range(60):
        table = TABLE_FAMILIES[family](int(rng.integers(2, 16)), int(rng.integers(30, 600)), rng)
        for place, kind in enumerate(table.kinds):
            if kind != "categorical":
                assert recognise(pd.Series(table.values[:, place])).kind == kind  # noqa: PD011
