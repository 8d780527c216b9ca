"""A learned SCM: an order and a mechanism for each column, among them a category with three levels."""

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, InterventionError, UnknownNameError
from fipscm.mechanism import LearnedSCM
from fipscm.scm.fixed_point import fixed_point
from fipscm.scm.intervention import Shift

WARD, PAIN, VISITS, CURED, COST = 1, 2, 3, 4, 5
LEVELS = {"ward": [0, 1, 2], "pain": [1, 2, 5], "cured": [0, 1]}


@pytest.fixture(scope="module")
def table(mixed):
    return mixed[0]


@pytest.fixture(scope="module")
def model(mixed):
    return mixed[1]


def test_it_is_an_order_and_a_tuple_of_mechanisms(model, table):
    assert isinstance(model.mechanisms, tuple)
    assert len(model.mechanisms) == len(model.names) == table.shape[1]
    assert sorted(model.order) == list(range(7))
    position = np.argsort(model.order)
    for node, mechanism in enumerate(model.mechanisms):
        assert all(position[cause] < position[node] for cause in mechanism.causes)
    np.testing.assert_array_equal(model.allowed.T, model.adjacency == 1)


def test_each_column_has_the_response_of_its_kind(model):
    kinds = [mechanism.response.kind for mechanism in model.mechanisms]
    assert kinds == ["additive", "categorical", "cumulative", "count", "cumulative", "zero-inflated", "additive"]
    assert model.is_discrete


def test_a_category_is_one_column_with_a_noise_for_each_level(model):
    assert model.noise_width == 9
    assert model.noise_place(0) == 0
    assert model.noise_place(WARD) == slice(1, 4)
    assert [model.noise_place(node) for node in range(2, 7)] == [4, 5, 6, 7, 8]
    assert model.noise_names[:5] == ["age", "ward = 0", "ward = 1", "ward = 2", "pain"]
    assert model.noise.sample(10, np.random.default_rng(0)).shape == (10, 9)
    shares = model.mean(WARD, np.zeros((4, 7)) + model.centre)
    assert shares.shape == (4, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1)


@pytest.mark.parametrize("generator", [None, np.random.default_rng(2)], ids=["median", "drawn"])
def test_rows_come_back_from_their_noises(model, table, generator):
    rows = table.to_numpy()
    noise = model.sample_to_noise(rows, generator)
    assert noise.shape == (len(rows), model.noise_width)
    np.testing.assert_allclose(model.noise_to_sample(noise), rows, rtol=1e-6, atol=1e-6)


def test_noises_have_a_shape_that_is_checked(model):
    with pytest.raises(DataError, match=r"shape \(rows, 9\)"):
        model.noise_to_sample(np.zeros((3, 7)))


def test_samples_are_like_the_table(model, table):
    drawn = model.sample(4_000, np.random.default_rng(3))
    for name, levels in LEVELS.items():
        assert set(drawn[name]) <= set(levels)
        for level in levels:
            assert (drawn[name] == level).mean() == pytest.approx((table[name] == level).mean(), abs=0.06)
    for name in ("age", "visits", "cost", "weight"):
        assert abs(drawn[name].mean() - table[name].mean()) < 0.2 * table[name].std()
    assert ((drawn["visits"] >= 0) & (drawn["visits"] % 1 == 0)).all()
    assert (drawn["cost"] >= 0).all()
    assert (drawn["cost"] == 0).mean() == pytest.approx((table["cost"] == 0).mean(), abs=0.06)


def test_doing_nothing_changes_nothing_and_keeps_the_index(model, table):
    rows = table.iloc[5:25]
    pd.testing.assert_frame_equal(model.counterfactual(rows, {}), rows, rtol=1e-6, atol=1e-6)


def test_interventions_of_every_kind_reach_their_targets(model, table):
    rows = table.iloc[:6]
    policy = {"age": 60.0, "ward": 2.0, "visits": np.arange(6.0), "cost": lambda upstream: 2 * upstream["visits"]}
    changed = model.counterfactual(rows, policy)
    assert (changed["age"] == 60).all()
    assert (changed["ward"] == 2).all()
    np.testing.assert_array_equal(changed["visits"], np.arange(6.0))
    np.testing.assert_array_equal(changed["cost"], 2 * np.arange(6.0))
    shifted = model.counterfactual(rows, {"weight": Shift(0.5)})
    np.testing.assert_allclose(shifted["weight"], rows["weight"] + 0.5)


def test_values_with_labels_find_their_units(model, table):
    shuffled = table.head(20).sort_values("age")
    changed = model.counterfactual(shuffled, {"age": 2 * table.head(20)["age"]})
    np.testing.assert_array_equal(changed["age"], 2 * shuffled["age"])


def test_causes_do_not_react_to_their_effects(model, table):
    rows = table.iloc[:30]
    changed = model.counterfactual(rows, {"pain": 5.0})
    pd.testing.assert_frame_equal(changed[["age", "ward"]], rows[["age", "ward"]], rtol=1e-6)
    assert (changed["visits"] != rows["visits"]).any()


def test_a_category_moves_its_effects(model):
    means = [model.do({"ward": level}).sample(3_000, np.random.default_rng(1))["pain"].mean() for level in (0.0, 2.0)]
    assert means[1] > means[0] + 1
    assert model.edge_weights[WARD, PAIN] > 1  # the largest difference that a level makes


@pytest.mark.parametrize("cause", [-500.0, 20.0, 120.0, 1e4])
def test_far_away_every_column_stays_in_its_domain(model, cause):
    drawn = model.do({"age": cause}).sample(500, np.random.default_rng(4))
    assert np.isfinite(drawn.to_numpy()).all()
    for name, levels in LEVELS.items():
        assert set(drawn[name]) <= set(levels)
    drawn = model.do({"visits": abs(cause)}).sample(500, np.random.default_rng(4))
    assert (drawn["cost"] >= 0).all()
    assert np.isfinite(drawn["cost"]).all()


def test_bad_interventions_are_refused(model):
    with pytest.raises(UnknownNameError, match="nowhere"):
        model.do({"nowhere": 1.0})
    with pytest.raises(InterventionError, match="NaN"):
        model.do({"age": np.nan})


def test_one_pass_generation_equals_the_fixed_point_iteration(model):
    noise = model.noise.sample(50, np.random.default_rng(2))

    def step(rows):
        nodes = range(len(model.names))
        return np.column_stack([model.node_value(node, rows, noise[:, model.noise_place(node)]) for node in nodes])

    iterated = fixed_point(step, np.zeros((50, 7)), 7)
    np.testing.assert_array_equal(model.noise_to_sample(noise), iterated)


def test_the_model_is_a_fixed_point_scm(model, table):
    fixed, rows = model.to_fixed_point(), table.to_numpy()[:40]
    noise = model.sample_to_noise(rows)
    assert fixed.noise_width == 9
    np.testing.assert_array_equal(fixed.order, model.order)
    np.testing.assert_allclose(fixed.sample_to_noise(rows), noise, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(fixed.noise_to_sample(noise), model.noise_to_sample(noise))
    do = {"ward": 1.0, "weight": Shift(0.5)}
    np.testing.assert_allclose(fixed.do(do).noise_to_sample(noise), model.do(do).noise_to_sample(noise))


def test_another_order_of_the_same_graph_has_the_same_fixed_point(model, table):
    order = np.array([node for node in model.order if node not in (CURED, 6)])
    swapped = np.r_[order, CURED, 6]
    noise = model.sample_to_noise(table.to_numpy()[:10])
    again = model.to_fixed_point(swapped).noise_to_sample(noise)
    np.testing.assert_array_equal(again, model.noise_to_sample(noise))


def test_the_model_survives_its_arrays(model, table):
    arrays = model.arrays()
    assert not any(array.dtype == object for array in arrays.values())
    again = LearnedSCM.restore(arrays, model.settings())
    rows, do = table.iloc[:20], {"age": 65.0}
    pd.testing.assert_frame_equal(again.counterfactual(rows, do), model.counterfactual(rows, do), check_exact=True)
    samples = (each.sample(50, np.random.default_rng(5)) for each in (again, model))
    pd.testing.assert_frame_equal(*samples, check_exact=True)
    for name in ("edge_weights", "edge_derivatives", "edge_scores", "centre", "scale", "low", "high", "order"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert again.noise_names == model.noise_names
    stored = again.arrays()
    assert list(stored) == list(arrays)
    assert all(np.array_equal(stored[name], arrays[name], equal_nan=arrays[name].dtype.kind == "f") for name in arrays)


def test_a_model_without_a_network_carries_none(model):
    assert not any(name.startswith("network.") for name in model.arrays())
    assert model.settings()["transformer"] is None


def test_what_is_known_of_the_columns(model, table):
    low, high = table.quantile(0.01), table.quantile(0.99)  # beyond, a cell may count as an outlier
    assert ((table.min() <= model.low) & (model.low <= low)).all()
    assert ((high <= model.high) & (model.high <= table.max())).all()
    np.testing.assert_allclose(model.centre, table.mean(), atol=0.02 * table.std().max())


def test_densities_are_those_of_unseen_rows(model, table):
    rows = table.to_numpy()
    for node, mechanism in enumerate(model.mechanisms):
        found = model.log_density(node, rows, rows[:, node])
        assert np.isfinite(found).all()
        assert found.mean() == pytest.approx(mechanism.evidence.log_likelihood, abs=0.15)


def test_typical_rows_are_always_the_same(model):
    again = LearnedSCM.restore(model.arrays(), model.settings())
    np.testing.assert_array_equal(model.typical_rows, again.typical_rows)


def test_trials_have_one_row_per_candidate_and_one_taken_per_column(model):
    trials = pd.DataFrame(model.trials)
    assert not trials.duplicated(["column", "candidate"]).any()
    assert (trials[trials["verdict"] == "taken"]["column"].value_counts() == 1).all()
    assert set(trials["column"]) == set(model.names)
    assert set(trials[trials["verdict"] == "taken"]["column"]) == set(model.names)


def test_it_says_what_it_is(model):
    assert repr(model).startswith("LearnedSCM of 7 variables and 7 edges, causes first: age")
