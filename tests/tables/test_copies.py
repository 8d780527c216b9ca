import warnings

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.simulate import known_scm
from fipscm.tables.copies import copied_rows


def with_copies(frame, count):
    return pd.concat([frame, frame[:count]], ignore_index=True)


@pytest.mark.parametrize("digits", [1, 12])
def test_rows_that_were_entered_twice_are_copies(rng, digits):
    measured = pd.DataFrame(rng.normal(size=(300, 6)).round(digits))
    assert np.flatnonzero(copied_rows(with_copies(measured, 60))).tolist() == list(range(300, 360))


@pytest.mark.parametrize("columns", [1, 3, 10])
def test_levels_that_coincide_are_no_copies(rng, columns):
    common = rng.normal(size=(2_000, 1))
    levels = pd.DataFrame((common + rng.normal(size=(2_000, columns)) > 1).astype(float))
    assert levels.duplicated().sum() > 900
    assert not copied_rows(levels).any()


def test_a_missing_cell_equals_a_missing_cell(rng):
    measured = pd.DataFrame(rng.normal(size=(300, 4)))
    measured = measured.mask(rng.random(measured.shape) < 0.1)
    assert copied_rows(with_copies(measured, 50)).sum() == 50


def test_a_model_of_copies_is_that_of_the_rows_and_says_so(rng):
    table = known_scm("triangle").sample(200, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        alone = FiP(order=list(table), random_state=0).fit(table)
    with pytest.warns(UserWarning, match="40 of 240 rows are copies"):
        model = FiP(order=list(table), random_state=0).fit(with_copies(table, 40))
    np.testing.assert_array_equal(model.edge_scores_, alone.edge_scores_)
    assert model.effect("x0", "x1").estimate == alone.effect("x0", "x1").estimate
