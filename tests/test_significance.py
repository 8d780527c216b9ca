import numpy as np
import pytest
import torch
from scipy import stats

from fipscm.graph import allowed_from_order
from fipscm.mechanism.edges.by_test import find_edges
from fipscm.significance import log_f_tail, log_p_of_gain


@pytest.mark.parametrize(("numerator", "denominator"), [(1, 5), (1, 10_000), (9, 300), (30, 5_000)])
def test_tails_are_exact_where_they_can_be_computed_and_fall_without_end_beyond(numerator, denominator):
    log_ratios = np.linspace(-3, 80, 500)
    tails = log_f_tail(log_ratios, numerator, denominator)
    exact = stats.f.logsf(np.exp(log_ratios), numerator, denominator)
    computed = np.isfinite(exact)
    np.testing.assert_allclose(tails[computed], exact[computed])
    assert np.isfinite(tails).all()
    assert (np.diff(tails) < 0).all()


def test_the_tail_beyond_is_that_of_the_normal_law_where_rows_are_many():
    expected = np.log(2) + stats.norm.logsf(60.0)
    assert log_f_tail(2 * np.log(60.0), 1, 10**9) == pytest.approx(expected, rel=1e-5)


def test_scores_of_many_strong_causes_stay_ordered_and_finite():
    rng = np.random.default_rng(0)
    causes = rng.standard_normal((2_000, 25))
    weights = np.linspace(1, 3, 25)
    z = np.column_stack([causes, causes @ weights + 0.01 * rng.standard_normal(2_000)])
    z = (z - z.mean(axis=0)) / z.std(axis=0)
    scores = find_edges(z, allowed_from_order(np.arange(26)), torch.Generator().manual_seed(0)).scores[-1, :-1]
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) == 25
    assert np.corrcoef(scores, weights)[0, 1] > 0.9


def test_a_gain_without_spread_is_certain_and_finite():
    assert -np.inf < log_p_of_gain(torch.ones(50)) < -1_000
    assert log_p_of_gain(-torch.ones(50)) == 0.0
