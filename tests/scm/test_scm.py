import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, GraphError, InterventionError, OrderError, UnknownNameError
from fipscm.graph import descendants, topological_order
from fipscm.scm.fixed_point import FixedPointSCM, fixed_point
from fipscm.scm.intervention import Intervention, Shift
from fipscm.scm.standard import StandardSCM
from fipscm.simulate import Noise, known_scm, sample_scm


def test_noise_round_trip(scm, rng):
    rows, noise = scm.sample_arrays(50, rng)
    # Softplus flattens to the left: its inverse loses digits there, in any arithmetic.
    np.testing.assert_allclose(scm.sample_to_noise(rows), noise, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(scm.noise_to_sample(scm.sample_to_noise(rows)), rows, rtol=1e-9, atol=1e-9)


def test_standard_and_fixed_point_agree_in_every_operation(scm, rng):
    fixed = scm.to_fixed_point()
    rows, noise = scm.sample_arrays(20, rng)
    np.testing.assert_allclose(fixed.noise_to_sample(noise), rows, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fixed.sample_to_noise(rows), scm.sample_to_noise(rows), rtol=1e-9, atol=1e-9)
    do = {scm.names[0]: 0.5, scm.names[-1]: Shift(1.0)}
    np.testing.assert_allclose(
        fixed.do(do).noise_to_sample(noise), scm.do(do).noise_to_sample(noise), rtol=1e-9, atol=1e-9
    )


def test_fixed_point_back_to_standard_keeps_graph_and_equations(scm, rng):
    fixed = scm.to_fixed_point()
    standard = StandardSCM.from_fixed_point(fixed)
    np.testing.assert_array_equal(standard.adjacency, scm.adjacency)
    rows, noise = scm.sample_arrays(20, rng)
    np.testing.assert_allclose(standard.noise_to_sample(noise), rows, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(standard.sample_to_noise(rows), scm.sample_to_noise(rows), rtol=1e-9, atol=1e-9)


def test_the_mechanism_is_strictly_triangular_in_x_and_diagonal_in_n(scm, rng):
    scm.to_fixed_point().check_structure(*scm.sample_arrays(20, rng))


def test_as_many_applications_as_variables_reach_the_fixed_point(scm, rng):
    fixed = scm.to_fixed_point()
    _, noise = scm.sample_arrays(10, rng)
    rows = rng.normal(size=noise.shape)  # from any start
    for _ in scm.names:
        rows = fixed.apply(rows, noise)
    np.testing.assert_array_equal(fixed.apply(rows, noise), rows)
    np.testing.assert_array_equal(fixed.noise_to_sample(noise), rows)


def test_iteration_stops_when_nothing_changes():
    calls = []
    fixed_point(lambda x: calls.append(1) or np.zeros_like(x), np.zeros(3), depth=100)
    assert len(calls) == 1


def test_iteration_ends_even_on_nan():
    assert np.isnan(fixed_point(lambda x: x * np.nan, np.zeros(1), depth=5)).all()


def test_null_intervention_is_the_identity(scm, rng):
    rows = scm.sample(20, rng)
    pd.testing.assert_frame_equal(scm.counterfactual(rows, {}), rows, rtol=1e-9, atol=1e-9)
    pd.testing.assert_frame_equal(scm.counterfactual(rows, {scm.names[0]: Shift(0.0)}), rows, rtol=1e-9, atol=1e-9)


def test_do_clamps_its_target_and_leaves_non_descendants_untouched(scm, rng):
    rows = scm.sample(20, rng)
    reach = descendants(scm.adjacency)
    for column, target in enumerate(scm.names):
        changed = scm.counterfactual(rows, {target: 1.5})
        assert (changed[target] == 1.5).all()
        untouched = [name for other, name in enumerate(scm.names) if other != column and not reach[column, other]]
        pd.testing.assert_frame_equal(changed[untouched], rows[untouched], rtol=1e-9, atol=1e-9)


def test_what_a_change_does_not_reach_need_not_be_computed_again(scm, rng):
    rows, noise = scm.sample_arrays(20, rng)
    last = int(scm.order[-1])
    for node in range(len(scm.names)):
        other = noise.copy()
        other[:, node] = noise[::-1, node]
        expected = scm.noise_to_sample(other)
        np.testing.assert_allclose(scm.recomputed(rows, other, scm.on_the_way([node])), expected, rtol=1e-9, atol=1e-9)
        found = scm.recomputed(rows, other, scm.on_the_way([node], [last]))
        np.testing.assert_allclose(found[:, last], expected[:, last], rtol=1e-9, atol=1e-9)


def test_several_targets_arrays_and_functions_at_once(rng):
    scm = known_scm("weak_arrows")
    rows = scm.sample(30, rng)
    values = rng.normal(size=30)
    changed = scm.counterfactual(rows, {"x0": values, "x2": lambda up: 2 * up["x0"], "x3": Shift(0.25)})
    np.testing.assert_array_equal(changed["x0"], values)
    np.testing.assert_array_equal(changed["x2"], 2 * values)
    moved = scm.counterfactual(rows, {"x0": values, "x2": lambda up: 2 * up["x0"]})
    np.testing.assert_allclose(changed["x3"], moved["x3"] + 0.25)
    assert changed.index.equals(rows.index)


def test_values_with_labels_find_their_units(rng):
    scm = known_scm("triangle")
    rows = scm.sample(30, rng).set_axis([f"unit {i}" for i in range(30)])
    shuffled = rows.sort_values("x1").head(20)
    doubled = 2 * shuffled["x1"].to_numpy()
    for rule in (
        2 * rows["x1"],
        Shift(rows["x1"]),
        lambda up: (2 * rows["x1"]).loc[up.index],
        lambda up: 2 * rows["x1"],
        doubled,
    ):
        changed = scm.counterfactual(shuffled, {"x1": rule})
        assert changed.index.equals(shuffled.index)
        np.testing.assert_allclose(changed["x1"], doubled)
    # An array of rows has no labels: there everything goes by position.
    by_place = scm.counterfactual(shuffled.to_numpy(), {"x1": 2 * shuffled["x1"]})
    np.testing.assert_array_equal(by_place["x1"], doubled)


def test_labels_that_do_not_say_which_unit_is_meant_are_refused(rng):
    scm = known_scm("triangle")
    rows = scm.sample(3, rng).set_axis(["a", "b", "c"])
    with pytest.raises(InterventionError, match=r"'x1' is a Series without a value for the row labelled 'b'.*to_numpy"):
        scm.counterfactual(rows, {"x1": rows["x1"].drop("b")})
    twins = rows.set_axis(["a", "a", "b"])
    with pytest.raises(InterventionError, match="repeats labels"):
        scm.counterfactual(twins, {"x1": twins["x1"].iloc[::-1]})
    np.testing.assert_array_equal(scm.counterfactual(twins, {"x1": 2 * twins["x1"]})["x1"], 2 * twins["x1"])


def test_a_function_sees_only_what_is_upstream(rng):
    scm = known_scm("triangle")
    seen = []
    scm.do({"x1": lambda up: seen.append(list(up.columns)) or np.zeros(len(up))}).sample(3, rng)
    assert seen == [["x0"]]


def test_any_lower_triangular_map_may_intervene(rng):
    fixed = known_scm("triangle").to_fixed_point()
    _, noise = fixed.sample_arrays(10, rng)
    doubled = fixed.do(lambda h: np.column_stack([h[:, 0], 2 * h[:, 1] + h[:, 0], h[:, 2]]))
    x = doubled.noise_to_sample(noise)
    np.testing.assert_allclose(x[:, 1], 2 * (10 * x[:, 0] - noise[:, 1]) + x[:, 0])


def test_a_map_that_is_not_lower_triangular_is_refused():
    fixed = known_scm("triangle").to_fixed_point()
    with pytest.raises(InterventionError, match="lets 'x2' change 'x0'"):
        fixed.do(lambda h: np.column_stack([h[:, 2], h[:, 1], h[:, 2]]))


def test_interventions_follow_one_another(rng):
    scm = known_scm("triangle")
    twice = scm.do({"x0": 1.0}).do({"x0": Shift(2.0)})
    assert (twice.sample(5, rng)["x0"] == 3.0).all()


def test_shifts_can_be_abducted_and_replaced_values_cannot(rng):
    for scm in (known_scm("triangle"), known_scm("triangle").to_fixed_point()):
        shifted = scm.do({"x1": Shift(5.0)})
        rows, noise = shifted.sample_arrays(10, rng)
        np.testing.assert_allclose(shifted.sample_to_noise(rows), noise)
        with pytest.raises(InterventionError, match=r"noise of 'x1' cannot be recovered.*before the intervention"):
            scm.do({"x1": 1.0}).sample_to_noise(rows)


def test_operations_return_new_objects_and_change_nothing(rng):
    scm = known_scm("triangle")
    _, noise = scm.sample_arrays(4, rng)
    before = noise.copy()
    rows = scm.sample(4, rng)
    rows_before = rows.copy()
    assert scm.do({"x0": 0.0}) is not scm
    assert scm.interventions == ()
    scm.do({"x0": 0.0}).noise_to_sample(noise)
    scm.counterfactual(rows, {"x1": Shift(1.0)})
    np.testing.assert_array_equal(noise, before)
    pd.testing.assert_frame_equal(rows, rows_before)


def test_the_graph_of_an_scm_cannot_be_overwritten():
    scm = known_scm("triangle")
    with pytest.raises(ValueError, match="read-only"):
        scm.adjacency[0, 1] = 0
    assert scm.adjacency[0, 1] == 1


def test_the_column_order_of_the_rows_does_not_matter(rng):
    scm = known_scm("triangle")
    rows = scm.sample(5, rng)
    turned = ["x2", "x0", "x1"]
    shuffled = scm.counterfactual(rows[turned], {"x0": 0.0})
    pd.testing.assert_frame_equal(shuffled, scm.counterfactual(rows, {"x0": 0.0})[turned])


def test_columns_the_model_does_not_know_are_carried_along(rng):
    scm = known_scm("triangle")
    rows = scm.sample(3, rng)
    patients = rows.assign(patient=["ann", "bob", "eve"])[["patient", "x2", "x1", "x0"]]
    imagined = scm.counterfactual(patients, {"x0": 0.0})
    assert list(imagined.columns) == ["patient", "x2", "x1", "x0"]
    assert list(imagined["patient"]) == ["ann", "bob", "eve"]
    pd.testing.assert_frame_equal(imagined[["x0", "x1", "x2"]], scm.counterfactual(rows, {"x0": 0.0}))
    with pytest.raises(DataError, match="lack the column 'x1'"):
        scm.counterfactual(patients.drop(columns="x1"), {"x0": 0.0})


def test_one_row_may_be_a_series_or_a_dictionary(rng):
    scm = known_scm("triangle")
    rows = scm.sample(3, rng).set_axis(["ann", "bob", "eve"])
    expected = scm.counterfactual(rows.loc[["bob"]], {"x0": 0.0})
    pd.testing.assert_frame_equal(scm.counterfactual(rows.loc["bob"], {"x0": 0.0}), expected)
    from_dictionary = scm.counterfactual(rows.loc["bob"].to_dict(), {"x0": 0.0})
    pd.testing.assert_frame_equal(from_dictionary, expected.reset_index(drop=True))


def test_a_function_that_reads_a_column_downstream_is_told_what_it_may_read(rng):
    scm = known_scm("triangle")
    with pytest.raises(InterventionError, match=r"reads 'x2'.*may read the columns upstream \(x0\)"):
        scm.do({"x1": lambda upstream: upstream["x2"]}).sample(3, rng)
    with pytest.raises(InterventionError, match="reads 'x2'"):
        scm.do({"x1": lambda upstream: upstream[["x0", "x2"]].sum(axis=1)}).sample(3, rng)
    with pytest.raises(InterventionError, match="reads 'x2'"):
        scm.do({"x1": lambda upstream: upstream.x2}).sample(3, rng)
    with pytest.raises(KeyError, match="height"):
        scm.do({"x1": lambda upstream: upstream["height"]}).sample(3, rng)


def test_a_parsed_intervention_is_taken_as_it_is(rng):
    scm = known_scm("triangle")
    parsed = Intervention.parse({"x1": Shift(2.0)}, scm.names)
    noise = scm.noise.sample(5, rng)
    for model in (scm, scm.to_fixed_point()):
        acted = model.do(parsed).noise_to_sample(noise)
        np.testing.assert_array_equal(acted, model.do({"x1": Shift(2.0)}).noise_to_sample(noise))


def test_one_variable_works(rng):
    scm = sample_scm("rff-in", 1, rng)
    rows = scm.sample(5, rng)
    assert (scm.counterfactual(rows, {"x0": 2.0})["x0"] == 2.0).all()
    fixed = scm.to_fixed_point()
    assert fixed.adjacency.shape == (1, 1)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_noise_that_is_not_finite_is_refused(bad, rng):
    scm = known_scm("triangle")
    noise = np.zeros((3, 3))
    noise[2, 1] = bad
    for model in (scm, scm.to_fixed_point()):
        with pytest.raises(DataError, match=r"noise of 'x1' is (nan|inf) at row 2"):
            model.noise_to_sample(noise)


def test_no_rows_are_refused(rng):
    scm = known_scm("triangle")
    with pytest.raises(DataError, match="Cannot draw 0 rows"):
        scm.sample(0, rng)
    with pytest.raises(DataError, match=r"at least one row, not \(0, 3\)"):
        scm.noise_to_sample(np.zeros((0, 3)))


@pytest.mark.parametrize(
    ("do", "error", "message"),
    [
        ({"x9": 1.0}, UnknownNameError, "Unknown intervention target 'x9'.*x0, x1, x2"),
        ({"x0": np.nan}, InterventionError, "'x0' holds NaN or infinity"),
        ({"x0": "high"}, InterventionError, "'x0' is not a number"),
        ({"x0": np.zeros(7)}, InterventionError, r"shape \(7,\) but there are 5 rows"),
        ({"x1": lambda up: up["x0"] * np.nan}, InterventionError, "'x1' holds NaN"),
    ],
)
def test_a_bad_intervention_is_refused(do, error, message, rng):
    scm = known_scm("triangle")
    with pytest.raises(error, match=message):
        scm.counterfactual(scm.sample(5, rng), do)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.zeros((2, 2)), "2 columns, but the model has 3"),
        (pd.DataFrame(np.zeros((2, 3)), columns=["x0", "x1", "y"]), "lack the column 'x2'"),
        (np.full((2, 3), np.nan), "2 missing values"),
    ],
)
def test_rows_that_do_not_fit_are_refused(rows, message):
    with pytest.raises(DataError, match=message):
        known_scm("triangle").counterfactual(rows, {"x0": 0.0})


def test_a_mechanism_that_breaks_the_order_is_named(rng):
    def looks_ahead(x, n):
        return np.column_stack([x[:, 1] + n[:, 0], n[:, 1]])

    scm = FixedPointSCM(("a", "b"), np.array([0, 1]), Noise.of("normal", np.ones(2)), looks_ahead)
    with pytest.raises(GraphError, match="mechanism of 'a' reads the value of 'b'"):
        scm.check_structure(rng.normal(size=(5, 2)), rng.normal(size=(5, 2)))


def test_a_wrong_order_is_refused():
    noise = Noise.of("normal", np.ones(2))
    with pytest.raises(OrderError, match="repeats '0'"):
        FixedPointSCM(("a", "b"), np.array([0, 0, 1]), noise, lambda x, n: n)
    with pytest.raises(GraphError, match="effect before its cause"):
        known_scm("triangle").to_fixed_point(np.array([2, 1, 0]))


def test_every_topological_order_gives_the_same_sample(rng):
    scm = known_scm("large_backdoor")
    _, noise = scm.sample_arrays(10, rng)
    other = np.array([0, 2, 4, 6, 1, 3, 5, 7, 8])
    assert not np.array_equal(other, topological_order(scm.adjacency))
    np.testing.assert_allclose(scm.to_fixed_point(other).noise_to_sample(noise), scm.noise_to_sample(noise))
