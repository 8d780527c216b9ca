import numpy as np
import pytest

from fipscm.errors import GraphError, UnknownNameError
from fipscm.simulate import PRIORS, sample_scm
from fipscm.simulate.mechanisms import Fourier, Linear, LogisticNetwork

PAIRS = [(name, preset) for preset, priors in PRIORS.items() for name in priors]


def scms(name, preset, count=40, nodes=8):
    rng = np.random.default_rng(5)
    return [sample_scm(name, nodes, rng, preset) for _ in range(count)]


def every(name, preset, kind, read):
    functions = [equation.location for scm in scms(name, preset) for equation in scm.functions]
    assert all(isinstance(function, kind) for function in functions)
    return np.concatenate([np.ravel(read(function)) for function in functions])


@pytest.mark.parametrize(("name", "preset"), PAIRS)
def test_the_seed_decides_the_data(name, preset):
    def draw(seed):
        rng = np.random.default_rng(seed)
        return sample_scm(name, 5, rng, preset).sample(10, rng).to_numpy()

    np.testing.assert_array_equal(draw(1), draw(1))
    assert not np.array_equal(draw(1), draw(2))


@pytest.mark.parametrize(
    ("name", "preset", "low", "high", "gap"),
    [
        ("lin-in", "avici", 1, 3, None),
        ("lin-in", "released", 1, 3, None),
        ("lin-out", "avici", 0.5, 4, 2),
        ("lin-out", "released", 0.5, 4, None),
    ],
)
def test_linear_weights_fill_their_range_with_both_signs(name, preset, low, high, gap):
    weights = every(name, preset, Linear, lambda f: f.weights)
    sizes = np.abs(weights)
    assert low <= sizes.min() < low + 0.1
    assert high - 0.1 < sizes.max() <= high
    assert 0.4 < (weights > 0).mean() < 0.6
    if gap:  # one of two ranges per SCM: never both in one
        for scm in scms(name, preset):
            sizes = np.concatenate([np.abs(equation.location.weights) for equation in scm.functions])
            assert (sizes <= gap).all() or (sizes >= gap).all()


@pytest.mark.parametrize(
    ("name", "preset", "lengths", "outputs"),
    [
        ("rff-in", "avici", (7, 10), (10, 20)),
        ("rff-in", "released", (7, 10), (10, 20)),
        ("rff-out", "avici", (5, 12), (8, 22)),
        ("rff-out", "released", (5, 12), (8, 22)),
    ],
)
def test_fourier_scales_fill_their_ranges(name, preset, lengths, outputs):
    for read, (low, high) in ((lambda f: f.length, lengths), (lambda f: f.output, outputs)):
        values = every(name, preset, Fourier, read)
        assert low <= values.min() < low + 0.2
        assert high - 0.2 < values.max() <= high


@pytest.mark.parametrize(
    ("name", "preset", "low", "high"),
    [
        ("mlp-in", "avici", 0.5, 2),
        ("mlp-in", "released", 0.5, 2),
        ("mlp-out", "avici", 0.25, 3),
        ("mlp-out", "released", 0.25, 3),
    ],
)
def test_network_weights_fill_their_range_with_both_signs(name, preset, low, high):
    weights = every(name, preset, LogisticNetwork, lambda f: f.weights)
    sizes = np.abs(weights)
    assert low <= sizes.min() < low + 0.1
    assert high - 0.1 < sizes.max() <= high
    assert 0.4 < (weights > 0).mean() < 0.6


def test_networks_have_the_graphs_and_noises_of_the_other_collections():
    for priors in PRIORS.values():
        for side in ("in", "out"):
            network, fourier = priors[f"mlp-{side}"], priors[f"rff-{side}"]
            assert (network.families, network.noise) == (fourier.families, fourier.noise)
            assert network.heteroscedastic == fourier.heteroscedastic


@pytest.mark.parametrize("name", ["rff-in", "rff-out"])
def test_released_shares_the_features_and_avici_does_not(name):
    for preset, shared in (("released", True), ("avici", False)):
        first, second = (equation.location for equation in scms(name, preset, count=1)[0].functions[:2])
        assert np.array_equal(first.phases, second.phases) == shared


def test_noise_follows_the_table_of_priors():
    for preset, name, law, heteroscedastic, common in (
        ("avici", "lin-in", "normal", False, False),
        ("released", "lin-in", "normal", False, True),
        ("released", "rff-in", "normal", False, False),
        ("avici", "rff-out", "laplace", True, True),
        ("released", "lin-out", "laplace", False, False),
    ):
        for scm in scms(name, preset, count=5):
            assert scm.noise.laws == (law,)
            assert (scm.functions[0].scale is not None) == heteroscedastic
            assert (len(set(scm.noise.scale)) == 1) == common
            if not heteroscedastic:
                assert ((scm.noise.scale >= 0.2) & (scm.noise.scale <= 2)).all()


def test_heteroscedastic_noise_depends_on_the_parents(rng):
    scm = sample_scm("rff-out", 8, rng, "avici")
    child = int(np.flatnonzero(scm.adjacency.any(axis=0))[0])
    parents = 10 * rng.normal(size=(200, int(scm.adjacency[:, child].sum())))
    scales = scm.functions[child].scale(parents)
    assert (scales > 0).all()
    assert scales.std() > 0.01


def test_a_fourier_function_has_the_variance_of_its_output_scale():
    rng = np.random.default_rng(0)
    values = [
        Fourier(rng.normal(size=(1, 100)), rng.uniform(0, 2 * np.pi, 100), rng.normal(size=100), 1.0, 3.0, 0.0)(
            np.zeros((1, 1))
        )
        for _ in range(3000)
    ]
    assert np.std(values) == pytest.approx(3.0, rel=0.1)


def test_unknown_names_are_refused(rng):
    with pytest.raises(UnknownNameError, match="preset 'relased': did you mean 'released'"):
        sample_scm("lin-in", 5, rng, "relased")
    with pytest.raises(UnknownNameError, match="SCM distribution 'lin'"):
        sample_scm("lin", 5, rng)
    with pytest.raises(UnknownNameError, match="graph family 'tree'"):
        sample_scm("lin-in", 5, rng, family="tree")


def test_no_variables_are_refused(rng):
    with pytest.raises(GraphError, match="0 variables: ask for at least one"):
        sample_scm("lin-in", 0, rng)
