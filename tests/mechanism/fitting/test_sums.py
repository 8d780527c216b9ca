"""Curved mechanisms that add up one curve per cause are learned as such, and known where no row has been."""

import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.mechanism import LearnedSCM

GRAPH = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]])


def table(effect, rows=600, seed=0):
    """a -> b, which follows it closely, and both cause c."""
    rng = np.random.default_rng(seed)
    a = rng.normal(size=rows)
    b = a + 0.4 * rng.normal(size=rows)
    return pd.DataFrame({"a": a, "b": b, "c": effect(a, b) + 0.3 * rng.normal(size=rows)})


def added(a, b):
    return 2 * np.tanh(2 * a) - np.sin(2 * b)


def joined(a, b):
    return 2 * np.sin(2 * a * b)


def fitted(effect):
    return FiP(graph=GRAPH, noise="additive", random_state=0).fit(table(effect))


def test_a_sum_is_known_where_no_row_has_its_causes_together():
    model = fitted(added)
    assert model._fitted.skip.sums.tolist() == [2]
    rows = np.array([[1.5, -1.5, 0.0], [-1.5, 1.5, 0.0], [1.0, -1.0, 0.0]])
    found = model._fitted.predict(rows)[:, 2]
    np.testing.assert_allclose(found, added(rows[:, 0], rows[:, 1]), atol=0.5)


def test_causes_that_act_together_are_no_sum():
    assert not len(fitted(joined)._fitted.skip.sums)


@pytest.mark.parametrize("noise", ["additive", "location-scale"])
def test_the_slope_in_one_cause_of_a_sum_does_not_depend_on_the_other(noise):
    skip = FiP(graph=GRAPH, noise=noise, random_state=0).fit(table(added))._fitted.skip
    z = np.random.default_rng(1).normal(size=(5, 3))
    moved = z + np.array([0.0, 0.7, 0.0])
    slopes, others = (skip.slopes(rows, 2)[:, 0] for rows in (z, moved))
    np.testing.assert_allclose(slopes, others, atol=1e-9)


def test_a_sum_is_saved():
    model = fitted(added)._fitted
    again = LearnedSCM.restore(model.arrays(), model.settings())
    pd.testing.assert_frame_equal(*(scm.sample(20, np.random.default_rng(1)) for scm in (model, again)))
