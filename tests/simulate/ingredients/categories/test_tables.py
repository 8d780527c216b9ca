"""Conditional probability tables are probabilities, and have what they are named for."""

import itertools

import numpy as np
import pytest

from fipscm.simulate.ingredients.categories.tables import (
    NEARLY_SURE,
    PROBABILITY_TABLES,
    RARE,
    deterministic,
    monotone,
    root_probabilities,
)

CONFIGURATIONS = np.array(list(itertools.product([0.0, 0.5, 1.0], [0.0, 1.0])))


@pytest.mark.parametrize("name", PROBABILITY_TABLES)
@pytest.mark.parametrize("levels", range(2, 9))
def test_every_row_is_a_law_and_parents_matter(name, levels, rng):
    for _ in range(20):
        table = PROBABILITY_TABLES[name](CONFIGURATIONS, levels, rng)
        assert table.shape == (len(CONFIGURATIONS), levels)
        assert (table >= 0).all()
        np.testing.assert_allclose(table.sum(axis=1), 1.0)
        assert np.ptp(table, axis=0).max() > 1e-3


def test_deterministic_entries_are_certain_or_nearly_so(rng):
    for _ in range(20):
        table = deterministic(CONFIGURATIONS, 3, rng)
        assert (table.max(axis=1) >= 1 - NEARLY_SURE[1]).all()
        assert len(np.unique(table.argmax(axis=1))) == 3


def test_any_active_cause_brings_a_noisy_or_about(rng):
    off_or_on = np.array([[0.0], [1.0]])
    up = [np.diff(PROBABILITY_TABLES["noisy-or"](off_or_on, 2, rng)[:, 1])[0] for _ in range(200)]
    assert 0.7 < np.mean(np.array(up) > 0) < 0.9  # a few causes prevent
    assert np.abs(up).min() > 0.2


def test_grades_rise_or_fall_with_each_parent(rng):
    for _ in range(20):
        mean = (monotone(CONFIGURATIONS, 5, rng) @ np.arange(5)).reshape(3, 2)
        for axis in (0, 1):
            steps = np.diff(mean, axis=axis)
            assert (steps > 0).all() or (steps < 0).all()


def test_some_roots_are_rare(rng):
    rarest = np.array([1 - root_probabilities(2, 0.3, rng).max() for _ in range(300)])
    assert 0.25 < np.mean(rarest <= RARE[1]) < 0.6
