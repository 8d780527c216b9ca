import numpy as np
import pandas as pd
import pytest

from fipscm.errors import GraphError, UnknownNameError
from fipscm.graph import find_cycle
from fipscm.simulate.mechanisms import Fourier, Linear
from fipscm.simulate.worlds import ERROR_SIZE, VARIANTS

WITH_SCM = [variant for variant in VARIANTS if variant != "hidden-confounder"]
NON_ADDITIVE = ["non-additive", "post-nonlinear", "multiplicative"]
ADDITIVE = [variant for variant in WITH_SCM if variant not in NON_ADDITIVE]
RECORDED = ["outliers", "discrete", "missing", "measurement-error"]  # the table is not what the SCM made
COLLECTIONS = [("lin-in", "released"), ("rff-out", "avici")]  # the simplest one, and the one with every complication

every_variant = pytest.mark.parametrize("variant", VARIANTS)
every_collection = pytest.mark.parametrize(("name", "preset"), COLLECTIONS)


def world(variant, name="lin-in", preset="released", nodes=8, rows=400, seed=0, family=""):
    return VARIANTS[variant](name, nodes, preset, family, rows, np.random.default_rng(seed))


def parents_of(found, node):
    return found.table.to_numpy()[:, found.adjacency[:, node] == 1]


@every_variant
@every_collection
def test_the_seed_decides_the_world(variant, name, preset):
    first, again, other = (world(variant, name, preset, nodes=4, seed=seed) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first.table, again.table)
    np.testing.assert_array_equal(first.adjacency, again.adjacency)
    assert not np.array_equal(first.table, other.table)


@every_variant
@every_collection
def test_a_world_shows_the_columns_asked_for_and_an_acyclic_graph(variant, name, preset):
    found = world(variant, name, preset)
    assert found.table.shape == (400, 8)
    assert np.isfinite(found.table.to_numpy()).all() == (variant != "missing")
    assert found.adjacency.shape == (8, 8)
    assert find_cycle(found.adjacency) is None
    assert (found.scm is not None) == (variant in WITH_SCM)
    assert (found.noise is not None) == (variant in ADDITIVE)


@pytest.mark.parametrize("variant", WITH_SCM)
@every_collection
def test_noise_round_trip(variant, name, preset):
    found = world(variant, name, preset)
    rows = found.scm.sample(400, np.random.default_rng(9)).to_numpy()
    np.testing.assert_allclose(found.scm.noise_to_sample(found.scm.sample_to_noise(rows)), rows, rtol=1e-6, atol=1e-8)
    assert list(found.scm.names) == list(found.table.columns)
    np.testing.assert_array_equal(found.scm.adjacency, found.adjacency)


@pytest.mark.parametrize("variant", ["plain", "mixed", "iscm"])
def test_additive_noise_is_the_abducted_noise_in_column_units(variant):
    found = world(variant)
    ratio = found.noise / found.scm.sample_to_noise(found.table.to_numpy())
    np.testing.assert_allclose(ratio, np.broadcast_to(np.median(ratio, axis=0), ratio.shape), rtol=1e-6)
    if variant != "iscm":
        np.testing.assert_allclose(ratio, 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("variant", "spread"), [("plain", False), ("location-scale", True), *((variant, True) for variant in NON_ADDITIVE)]
)
def test_what_the_noise_adds_depends_on_the_parents_only_if_it_is_not_additive(variant, spread):
    found = world(variant)
    for node in np.flatnonzero(found.adjacency.any(axis=0)):
        parents, function = parents_of(found, node), found.scm.functions[node]
        added = function(parents, np.ones(400)) - function(parents, np.zeros(400))
        assert (added > 0).all() or variant == "multiplicative"
        assert (added.std() > 0.1 * np.abs(added.mean())) == spread


@every_collection
def test_internally_standardized_columns_carry_no_order_in_their_variance(name, preset):
    found = world("iscm", name, preset)
    fresh = found.scm.sample(20_000, np.random.default_rng(9))
    np.testing.assert_allclose(fresh.std(), 1, atol=0.05)
    np.testing.assert_allclose(fresh.mean(), 0, atol=0.05)
    plain = world("plain", name, preset).table.std()
    assert plain.max() > 2 * plain.min()


@pytest.mark.parametrize("seed", range(5))
def test_a_hidden_confounder_correlates_what_the_visible_causes_leave_unexplained(seed):
    plain, confounded = world("plain", rows=4000, seed=seed), world("hidden-confounder", rows=4000, seed=seed)
    np.testing.assert_array_equal(plain.adjacency, confounded.adjacency)
    # A regression would hide it where one confounded column causes the other: the true equations do not.
    for found, pairs in ((plain, 0), (confounded, 1)):
        residuals = plain.scm.sample_to_noise(found.table.to_numpy())
        correlations = np.abs(np.corrcoef(residuals.T)[np.triu_indices(8, 1)])
        assert (correlations > 0.4).sum() == pairs
        assert (correlations > 0.08).sum() == pairs


def test_the_confounded_pairs_are_told():
    found = world("hidden-confounder", rows=4000)
    residuals = world("plain", rows=4000).scm.sample_to_noise(found.table.to_numpy())
    correlated = np.abs(np.corrcoef(residuals.T)) - np.eye(8) > 0.4
    np.testing.assert_array_equal(found.confounded, correlated)


def test_one_variable_cannot_be_confounded():
    with pytest.raises(GraphError, match="not 1: ask for at least two"):
        world("hidden-confounder", nodes=1)


@every_collection
def test_one_cell_in_five_percent_of_the_rows_is_far_out_and_the_truth_is_clean(name, preset):
    clean, dirty = world("plain", name, preset), world("outliers", name, preset)
    changed = (clean.table != dirty.table).to_numpy()
    assert changed.sum(axis=1).max() == 1
    assert changed.any(axis=1).mean() == 0.05
    distance = ((dirty.table - clean.table.mean()) / clean.table.std(ddof=0)).abs().to_numpy()[changed]
    assert ((distance >= 5) & (distance <= 10)).all()
    np.testing.assert_array_equal(clean.noise, dirty.noise)


@pytest.mark.parametrize("variant", RECORDED)
@every_collection
def test_a_worse_record_has_the_truth_of_the_plain_world(variant, name, preset):
    clean, worse = world("plain", name, preset), world(variant, name, preset)
    np.testing.assert_array_equal(clean.adjacency, worse.adjacency)
    np.testing.assert_array_equal(clean.noise, worse.noise)
    assert not clean.table.equals(worse.table)


@every_collection
def test_every_third_column_has_few_levels(name, preset):
    levels = world("discrete", name, preset).table.nunique()
    assert (levels.iloc[::3] <= 5).all()
    assert (levels.iloc[[1, 2, 4, 5, 7]] == 400).all()


def test_one_cell_in_ten_is_missing_and_the_others_are_untouched():
    clean, holes = world("plain", rows=4000).table, world("missing", rows=4000).table
    np.testing.assert_allclose(holes.isna().mean(), 0.1, atol=0.02)
    assert holes.fillna(clean).equals(clean)


def test_measurement_error_has_its_share_of_every_column():
    clean, noisy = world("plain", rows=4000).table, world("measurement-error", rows=4000).table
    np.testing.assert_allclose((noisy - clean).std() / clean.std(), ERROR_SIZE, rtol=0.1)


# Means of tables that committed benchmark results rest on: whoever changes them must run those again.
@pytest.mark.parametrize(
    ("variant", "linear", "fourier"),
    [
        ("plain", 29.623722362485285, -10.856121408923926),
        ("non-additive", 28.676832282198532, -10.834034804855818),
        ("hidden-confounder", 29.83773217197193, -10.841371761347537),
        ("mixed", 2.1504282730397835, 0.6577367443463739),
        ("outliers", 29.426122227586347, -10.90744838506778),
        ("iscm", -0.002407977019497227, -0.04710783653040102),
    ],
)
def test_worlds_with_committed_results_stay_what_they_were(variant, linear, fourier):
    first = world(variant, "lin-out", "released", 6, 200, 7, "block-model")
    second = world(variant, "rff-out", "avici", 6, 200, 7, "watts-strogatz")
    assert first.table.to_numpy().mean() == pytest.approx(linear, rel=1e-9)
    assert second.table.to_numpy().mean() == pytest.approx(fourier, rel=1e-9)


@pytest.mark.parametrize("variant", [variant for variant in VARIANTS if variant != "hidden-confounder"])
def test_networks_go_through_every_change_as_well(variant):
    assert world(variant, "mlp-out", nodes=4).table.shape == (400, 4)


@pytest.mark.parametrize("name", ["lin-in", "rff-out"])
def test_mixed_holds_both_kinds_of_function_and_the_noise_of_its_collection(name):
    found, plain = world("mixed", name, nodes=20), world("plain", name, nodes=20)
    effects = np.flatnonzero(found.adjacency.any(axis=0))
    assert {type(found.scm.functions[node].location) for node in effects} == {Linear, Fourier}
    assert found.scm.noise.laws == plain.scm.noise.laws
    assert (len(set(found.scm.noise.scale)) == 1) == (len(set(plain.scm.noise.scale)) == 1)


@every_variant
@pytest.mark.parametrize("slip", [{"name": "lin-inn"}, {"preset": "relased"}, {"family": "erdos-reny"}])
def test_a_slip_in_a_name_is_refused(variant, slip):
    with pytest.raises(UnknownNameError, match="did you mean"):
        world(variant, **slip)
