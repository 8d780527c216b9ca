import numpy as np
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate import C_SUITE, CAUSAL_NF, known_scm

EDGES = {
    "lingauss": 1,
    "linexp": 1,
    "nonlingauss": 1,
    "nonlin_simpson": 4,
    "symprod_simpson": 4,
    "large_backdoor": 9,
    "weak_arrows": 15,
    "triangle": 3,
    "simpson": 4,
    "large_bd": 9,
}


def test_all_are_there():
    assert len(C_SUITE) == 7
    assert set(C_SUITE) | set(CAUSAL_NF) == set(EDGES)


@pytest.mark.parametrize("name", EDGES)
def test_edges_and_natural_order(name):
    scm = known_scm(name)
    assert scm.adjacency.sum() == EDGES[name]
    assert not np.tril(scm.adjacency).any()


def test_two_variable_sets_have_unit_variances(rng):
    for name in ("lingauss", "linexp", "nonlingauss"):
        values = known_scm(name).sample(200_000, rng)
        np.testing.assert_allclose(values.var(), 1, atol=0.03)


def softplus(u):
    return np.log1p(np.exp(u))


def layer(p, z):
    return softplus(p + 1) + softplus(0.5 + z) - 3


@pytest.mark.parametrize("name", ["large_backdoor", "large_bd"])
def test_backdoor_equations_as_written(name, rng):
    x, z = known_scm(name).sample_arrays(50, rng)
    x, z = x.T, z.T
    np.testing.assert_allclose(x[0], softplus(1.8 * z[0]) - 1)
    np.testing.assert_allclose(x[1], {"large_backdoor": 0.5, "large_bd": 0.25}[name] * z[1] + 1.5 * layer(x[0], 0))
    for effect in range(2, 7):
        np.testing.assert_allclose(x[effect], layer(x[effect - 2], z[effect]))
    if name == "large_backdoor":
        np.testing.assert_allclose(x[7], 1.5 * softplus(x[5] + 1) - 1 + np.sqrt(0.3) * z[7])
        np.testing.assert_allclose(x[8], -softplus((-1.3 * x[6] + x[7]) / 3 + 1) + 2 + 0.6 * z[8])
    else:
        np.testing.assert_allclose(x[7], 0.3 * z[7] + softplus(x[5] + 1) - 1)
        centred = -0.6 * np.sign(z[8] - 0.5) * np.log(1 - 2 * np.abs(z[8] - 0.5))
        np.testing.assert_allclose(x[8], 2 - softplus((1.3 * x[6] + x[7]) / 3 + 1) + centred)


def test_weak_arrows_last_equation_as_written(rng):
    x, z = known_scm("weak_arrows").sample_arrays(50, rng)
    total = 0.1 * x[:, :6].sum(axis=1) + 0.5 * x[:, 6] + 0.7 * x[:, 7] + 1
    np.testing.assert_allclose(x[:, 8], softplus(total) - 2 + 0.5 * z[:, 8])


def test_triangle_counterfactual_by_hand(rng):
    scm = known_scm("triangle")
    rows = scm.sample(10, rng)
    changed = scm.counterfactual(rows, {"x0": 0.0})
    np.testing.assert_allclose(changed["x1"], rows["x1"] - 10 * rows["x0"])
    np.testing.assert_allclose(changed["x2"], rows["x2"] - 6 * rows["x0"])


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match="SCM 'triangel': did you mean 'triangle'"):
        known_scm("triangel")
