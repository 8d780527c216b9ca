"""One row: its counterfactual is the public one, and its largest noise is the first reason."""

import numpy as np
import pandas as pd
import pytest

from fipscm.explore.one_row import most_unusual, portrait


def test_the_counterfactual_is_that_of_the_public_interface(session):
    screen, row = session.screen, session.data.table.iloc[[7]]
    found = portrait(screen.units, row, {"dose": 12.0})
    np.testing.assert_allclose(found.counterfactual, screen.model.counterfactual(row, {"dose": 12.0}).to_numpy()[0])
    np.testing.assert_array_equal(found.fact, row.to_numpy()[0])


@pytest.mark.parametrize(("column", "reason"), [("dose", "its causes let expect"), ("age", "usual")])
def test_a_row_with_one_strange_noise_is_named_by_it(session, column, reason):
    units, names = session.screen.units, list(session.data.table.columns)
    noise = units.noise.mean(axis=0, keepdims=True)
    noise[:, names.index(column)] += 6 * units.noise[:, names.index(column)].std()
    row = pd.DataFrame(units.scm.noise_to_sample(noise), columns=names)
    assert portrait(units, row, {}).reasons == [f"{column} is 6.0 standard deviations higher than {reason}."]


def test_the_most_unusual_row_comes_first(session):
    table = session.data.table.copy()
    table.loc[11, "age"] += 400
    assert most_unusual(session.screen.units, table)[0] == 11
