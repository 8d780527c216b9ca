import numpy as np
import pandas as pd
import pytest

from fipscm.mechanism.fit import fit_mechanism
from fipscm.mechanism.noise_distribution import TabulatedDensity, log_density
from fipscm.questions.impute import Domain, Imputer

CHAIN = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)  # row = effect


def chain(rows, rng, noise=1.0):
    a = rng.normal(size=rows)
    b = 2 * a + noise * rng.normal(size=rows)
    return pd.DataFrame({"a": a, "b": b, "c": b - noise * rng.normal(size=rows)})


@pytest.fixture(scope="module")
def table():
    return chain(1500, np.random.default_rng(0))


@pytest.fixture(scope="module")
def scm(table):
    return fit_mechanism(table, CHAIN, required=CHAIN)


def imputer(scm, table, rng, kind="continuous"):
    return Imputer(scm, Domain.of(dict.fromkeys(table.columns, kind), table), rng)


def test_draws_follow_the_distribution_given_the_other_cells(scm, table, rng):
    """b given a and c is normal with mean (2 a + c) / 2 and variance 1 / 2."""
    rows = np.tile([[1.0, np.nan, 0.5]], (3000, 1))
    filler = imputer(scm, table, rng)
    drawn = filler.redraw(filler.start(rows), np.isnan(rows), 5)[:, 1]
    assert drawn.mean() == pytest.approx(1.25, abs=0.08)
    assert drawn.var() == pytest.approx(0.5, abs=0.08)


def test_the_most_probable_value_lies_where_draws_are_dense(scm, table, rng):
    rows = np.array([[1.0, np.nan, 0.5]])
    filler = imputer(scm, table, rng)
    found = filler.climb(filler.start(rows), np.isnan(rows), 10)
    assert found[0, 1] == pytest.approx(1.25, abs=0.3)


def test_an_effect_that_was_set_tells_nothing(scm, table, rng):
    rows = np.tile([[1.0, np.nan, 40.0]], (2000, 1))
    was_set = np.tile([[False, False, True]], (2000, 1))
    filler = imputer(scm, table, rng)
    drawn = filler.redraw(np.where(np.isnan(rows), 2.0, rows), np.isnan(rows), 5, was_set)[:, 1]
    assert drawn.mean() == pytest.approx(2, abs=0.15)


def test_nothing_but_holes_is_drawn(scm, table, rng):
    before = table.to_numpy()
    holes = rng.random(before.shape) < 0.1
    after = imputer(scm, table, rng).redraw(before, holes, 1)
    np.testing.assert_array_equal(after[~holes], before[~holes])
    assert (after[holes] != before[holes]).mean() > 0.5


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("continuous", [0, 1.4, 5]), ("count", [0, 1, 5]), ("ordinal", [0, 1, 5]), ("binary", [0, 0, 5])],
)
def test_values_are_of_the_kind_and_range_of_their_column(kind, expected):
    domain = Domain({"x": kind}, ["x"], np.array([0.0]), np.array([5.0]))
    found = domain.nearest_cells(np.array([[-0.6], [1.4], [9.0]]), np.ones((3, 1), dtype=bool))
    np.testing.assert_array_equal(found[:, 0], expected)


def test_a_tabulated_density_is_the_density(rng):
    known = rng.laplace(size=2000)
    values = np.linspace(-6, 6, 50)
    np.testing.assert_allclose(TabulatedDensity.of(known, 1e-9)(values), log_density(values, known, 1e-9), atol=0.2)


def test_levels_of_a_category_are_drawn_as_often_as_they_are_probable(rng):
    """Given its effect alone: by Bayes' rule."""
    ward = rng.choice(3, 3000, p=[0.5, 0.3, 0.2])
    table = pd.DataFrame({"ward": ward.astype(float), "pain": 2.0 * (ward == 2) + rng.normal(size=3000)})
    allowed = np.array([[0, 0], [1, 0]], dtype=bool)
    scm = fit_mechanism(table, allowed, required=allowed, kinds=("categorical", "continuous"), levels=(3, 0))
    filler = Imputer(scm, Domain.of({"ward": "categorical", "pain": "continuous"}, table), rng)
    rows = np.tile([[np.nan, 1.0]], (3000, 1))
    drawn = filler.redraw(filler.start(rows), np.isnan(rows), 3)[:, 0]
    shares = np.array([0.5, 0.3, 0.2])  # the density of pain is the same beside all levels
    np.testing.assert_allclose(np.bincount(drawn.astype(int), minlength=3) / 3000, shares, atol=0.05)
