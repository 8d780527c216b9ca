"""Values that a column cannot have are refused, and shifts end where it ends."""

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.mechanism.fit import fit_mechanism
from fipscm.questions.known_levels import category_sizes, levels_of, require_known_levels, within_levels
from fipscm.scm.intervention import Shift


@pytest.fixture(scope="module")
def scm():
    rng = np.random.default_rng(0)
    rows = {
        "arm": rng.integers(1, 3, 300),
        "ward": rng.integers(0, 3, 300),
        "visits": rng.poisson(2.0, 300),
        "rain": np.where(rng.random(300) < 0.5, 0.0, rng.gamma(3.0, size=300)),
    }
    kinds, levels = ("binary", "categorical", "count", "continuous"), (0, 3, 0, 0)
    return fit_mechanism(pd.DataFrame(rows).astype(float), np.zeros((4, 4), dtype=bool), kinds=kinds, levels=levels)


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("arm", 0.0, "0 is not a level of column 'arm': choose one of 1, 2"),
        ("ward", 1.5, "1.5 is not a level of column 'ward': choose one of 0, 1, 2"),
        ("visits", -1.0, "'visits' holds counts, and -1 is none"),
        ("rain", -0.5, "'rain' holds amounts, and -0.5 is none"),
    ],
)
def test_a_value_that_a_column_cannot_have_is_refused(scm, name, value, says):
    with pytest.raises(DataError, match=says):
        require_known_levels(scm, {name: [2.0, value]})


def test_a_shift_ends_where_the_column_does(scm):
    with pytest.warns(UserWarning, match="'rain' ends at 0"):
        found = within_levels(scm, {"rain": Shift(-1.0)})["rain"]
    assert (found.low, found.high) == (0.0, np.inf)


def test_only_levels_that_are_numbers_are_told_and_only_categories_have_sizes(scm):
    assert {name: values.tolist() for name, values in levels_of(scm).items()} == {"arm": [1.0, 2.0]}
    assert category_sizes(scm).tolist() == [0, 3, 0, 0]
