"""P_IN with other functions keeps its graph, and its functions are as loud as those of P_IN."""

import numpy as np

from fipscm.simulate.prior.altering import GAINS, Gained, with_other_functions
from fipscm.simulate.prior.p_in import training_scm


def test_other_functions_keep_graph_and_noise_and_change_every_effect(rng):
    scm = training_scm(12, rng)
    other = with_other_functions(scm, rng)
    np.testing.assert_array_equal(other.adjacency, scm.adjacency)
    assert other.noise is scm.noise
    effects = scm.adjacency.any(axis=0)
    changed = [isinstance(function.location, Gained) for function in other.functions]
    np.testing.assert_array_equal(changed, effects)


def test_a_function_has_the_mean_and_the_size_that_were_drawn(rng):
    parents = rng.exponential(size=(500, 2))
    function = Gained(lambda causes: causes[:, 0] * causes[:, 1], gain=GAINS[1], bias=-2.0)
    values = function(parents)
    np.testing.assert_allclose([values.mean(), values.std()], [-2.0, GAINS[1]])


def test_a_function_that_says_nothing_is_constant_and_finite(rng):
    function = Gained(lambda causes: np.ones(len(causes)), gain=3.0, bias=1.0)
    np.testing.assert_array_equal(function(rng.normal(size=(50, 1))), np.ones(50))
