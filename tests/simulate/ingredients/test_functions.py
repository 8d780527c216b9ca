import numpy as np
import pytest

from fipscm.simulate.ingredients.functions import FUNCTIONS, standardized

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@every_function
@pytest.mark.parametrize("causes", [1, 2, 5])
def test_every_cause_matters(name, causes, rng):
    function = FUNCTIONS[name](causes, rng)
    rows = rng.standard_normal((2000, causes))
    values = function(rows)
    for cause in range(causes):
        changed = rows.copy()
        changed[:, cause] = rng.permutation(changed[:, cause])
        assert np.abs(function(changed) - values).max() > 0.01 * values.std()


@every_function
def test_functions_are_finite_far_out_and_vary_within_the_data(name, rng):
    for _ in range(20):
        function = FUNCTIONS[name](3, rng)
        assert np.isfinite(function(20 * rng.standard_normal((50, 3)))).all()
        assert function(rng.standard_normal((500, 3))).std() > 1e-3


@every_function
def test_the_seed_decides_the_function(name):
    rows = np.random.default_rng(9).standard_normal((50, 4))
    first, again, other = (FUNCTIONS[name](4, np.random.default_rng(seed))(rows) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


def test_only_the_linear_function_is_linear(rng):
    rows = rng.standard_normal((500, 3))
    design = np.column_stack([rows, np.ones(500)])
    for name, sample in FUNCTIONS.items():
        left_over = []
        for _ in range(10):
            values = standardized(sample(3, rng)(rows))
            left_over.append(np.std(values - design @ np.linalg.lstsq(design, values)[0]))
        assert (np.max(left_over) < 1e-9) == (name == "linear")
