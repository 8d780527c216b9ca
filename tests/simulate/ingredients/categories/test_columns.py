"""Columns of categories follow their tables and can be learned from."""

import numpy as np
import pytest

from fipscm.simulate.ingredients.categories.columns import draw_levels, sample_coded
from fipscm.simulate.ingredients.categories.tables import PROBABILITY_TABLES
from fipscm.simulate.ingredients.columns import is_informative


def test_levels_are_drawn_as_often_as_the_table_says(rng):
    table = np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
    configuration = np.repeat([0, 1], 5_000)
    codes = draw_levels(table, configuration, rng)
    frequencies = [np.bincount(codes[configuration == row], minlength=3) / 5_000 for row in (0, 1)]
    np.testing.assert_allclose(frequencies, table, atol=0.03)


@pytest.mark.parametrize("name", PROBABILITY_TABLES)
def test_thirty_rows_can_be_learned_from(name, rng):
    for _ in range(30):
        parents = [sample_coded([], 30, levels, name, 0.3, rng) for levels in (2, 8)]
        child = sample_coded(parents, 30, 4, name, 0.3, rng)
        for column in (*parents, child):
            assert is_informative(column.codes.astype(np.float64))
            assert 0 <= column.codes.min() <= column.codes.max() < column.levels
