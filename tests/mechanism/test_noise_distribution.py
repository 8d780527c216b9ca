import numpy as np
from scipy import stats

from fipscm.mechanism.noise_distribution import EmpiricalNoise


def test_quantiles_map_the_uniform_law_to_the_law_of_the_noise():
    rng = np.random.default_rng(0)
    noise = np.column_stack([rng.laplace(size=5_000), rng.exponential(size=5_000)])
    drawn = EmpiricalNoise.of(noise).sample(5_000, rng)
    assert stats.kstest(drawn[:, 0], stats.laplace.cdf).pvalue > 1e-3
    assert stats.kstest(drawn[:, 1], stats.expon.cdf).pvalue > 1e-3
    assert abs(np.corrcoef(drawn.T)[0, 1]) < 0.05


def test_the_map_is_increasing_and_sends_the_grid_to_the_order_statistics():
    noise = np.random.default_rng(1).standard_normal((200, 1))
    law = EmpiricalNoise.of(noise)
    levels = np.linspace(1e-9, 1 - 1e-9, 3_001)[:, None]
    assert (np.diff(law.quantile(levels)[:, 0]) >= 0).all()
    grid = (np.arange(200)[:, None] + 0.5) / 200
    np.testing.assert_allclose(law.quantile(grid), np.sort(noise, axis=0))


def test_tails_reach_beyond_the_data_but_not_wildly():
    law = EmpiricalNoise.of(np.random.default_rng(2).standard_normal((1_000, 1)))
    highest = law.ordered[-1, 0]
    assert highest < law.quantile(np.array([[1 - 1e-6]]))[0, 0] < highest + 5
    assert np.isfinite(law.sample(100_000, np.random.default_rng(3))).all()


def test_a_noise_with_a_lowest_value_comes_near_to_it_and_never_lies_below():
    noise = np.random.default_rng(4).exponential(size=(500, 1))
    law = EmpiricalNoise(EmpiricalNoise.of(noise).ordered, lowest=np.zeros(1))
    levels = np.geomspace(1e-300, 0.5, 2_001)[:, None]
    found = law.quantile(levels)[:, 0]
    assert (np.diff(found) >= 0).all()
    assert found.min() >= 0
    inner = levels[:, 0] >= 0.5 / 500
    np.testing.assert_array_equal(found[inner], EmpiricalNoise.of(noise).quantile(levels)[inner, 0])


def test_levels_of_quantiles_come_back_also_far_out_in_the_tails():
    law = EmpiricalNoise.of(np.random.default_rng(5).laplace(size=(300, 1)))
    level = np.array([1e-12, 1e-3, 0.3, 0.9])[:, None]
    np.testing.assert_allclose(law.shares(law.quantile(level))[0], level, rtol=1e-9)
    above = np.array([1e-200, 1e-9, 0.2])[:, None]
    np.testing.assert_allclose(law.shares(law.quantile(1 - above, above))[1], above, rtol=1e-9)
    values = np.array([-50.0, -3.0, 0.1, 4.0, 60.0])[:, None]
    np.testing.assert_allclose(law.quantile(*law.shares(values)), values)


def test_equal_noises_have_levels_too():
    law = EmpiricalNoise.of(np.ones((50, 1)))
    below, above = law.shares(np.array([[0.0], [1.0], [2.0]]))
    assert np.isfinite(below).all()
    assert np.isfinite(above).all()
