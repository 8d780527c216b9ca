"""Data sets can be made again by anyone, and their truth is true."""

from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import make_problem
from fipscm.bench.tasks import TASKS
from fipscm.errors import DataError, UnknownNameError
from fipscm.metrics import rescaled_l2
from fipscm.simulate import known_scm, metadataset
from fipscm.simulate.mixed.holes import PATTERNS
from fipscm.simulate.non_additive import NON_ADDITIVE
from fipscm.simulate.worlds import VARIANTS

SHARED = Path(__file__).parents[3] / "shared" / "data"
PLAIN = DataSet("rff-in", 4, "released", "erdos-renyi", rows=300)
EVERY = [
    PLAIN,
    *(replace(PLAIN, variant=variant) for variant in VARIANTS if variant != "plain"),
    DataSet("mlp-in", 4, "released", "erdos-renyi", rows=300),
    DataSet("lingauss", 2, rows=300),
    DataSet("triangle", 3, rows=300),
    DataSet("far-saturating", 6, rows=300),
    DataSet("effect-curved-skewed", 5, rows=300),
    *(DataSet(name, 5, rows=300) for name in NON_ADDITIVE),
    *(DataSet("mixed", 5, rows=300, variant=pattern) for pattern in PATTERNS),
]


@pytest.mark.parametrize("data", EVERY, ids=lambda data: f"{data.name}-{data.variant}")
def test_a_data_set_is_the_same_whenever_it_is_made(data):
    first, second = make_problem(data), make_problem(data)
    assert first.table.equals(second.table)
    assert (first.adjacency == second.adjacency).all()
    assert all(a.truth.equals(b.truth) for a, b in zip(first.tests, second.tests, strict=True))


@pytest.mark.parametrize("data", EVERY, ids=lambda data: f"{data.name}-{data.variant}")
def test_another_seed_is_another_data_set(data):
    assert not make_problem(data).table.equals(make_problem(replace(data, seed=1)).table)


@pytest.mark.parametrize(
    ("data", "seed"),
    [
        (PLAIN, 1341890263),
        (DataSet("triangle", 3, seed=2, scale="standardized"), 1748037280),
        (DataSet("lin-out", 10, "avici", "block-model", 10_000, 1, "raw", "outliers"), 225747920),
    ],
)
def test_the_seeds_of_the_committed_results_stay_as_they_are(data, seed):
    assert crc32(f"{data.label}/rows".encode()) == seed
    assert data.generator("rows").random() == np.random.default_rng(seed).random()


def test_a_field_added_to_a_data_set_changes_no_rows():
    @dataclass(frozen=True)
    class LongerDataSet(DataSet):
        season: str = "any"

    assert LongerDataSet(**vars(PLAIN)).generator("rows").random() == PLAIN.generator("rows").random()


@pytest.mark.parametrize("field", ["name", "nodes", "preset", "family", "rows", "seed", "variant"])
def test_every_field_but_the_scale_makes_another_data_set(field):
    changed = replace(PLAIN, **{field: "another" if isinstance(getattr(PLAIN, field), str) else 7})
    assert changed.label != PLAIN.label
    assert replace(PLAIN, scale="standardized").label == PLAIN.label


def test_a_plain_data_set_is_the_one_of_the_test_collection():
    case = next(case for case in metadataset("rff-in", dims=[4], per_family=1) if case.family == "erdos-renyi")
    assert make_problem(PLAIN).table.equals(case.sample(300))


def test_additive_noise_is_what_is_left_of_the_rows():
    problem = make_problem(PLAIN)
    scm = next(metadataset("rff-in", dims=[4], per_family=1)).scm
    np.testing.assert_allclose(problem.noise, scm.sample_to_noise(problem.table.to_numpy()), atol=1e-9)


def test_standardizing_changes_units_and_nothing_else():
    raw, standard = make_problem(PLAIN), make_problem(replace(PLAIN, scale="standardized"))
    np.testing.assert_allclose(standard.table.std(ddof=0), 1.0)
    for before, after in zip(raw.tests, standard.tests, strict=True):
        (name, value), (_, scaled) = *before.do.items(), *after.do.items()
        assert scaled == pytest.approx((value - raw.table[name].mean()) / raw.table[name].std(ddof=0))
        guess = rescaled_l2(before.truth, before.factual, raw.unit)
        assert rescaled_l2(after.truth, after.factual, standard.unit) == pytest.approx(guess)


def test_the_causal_nf_comparison_has_plain_distances():
    problem = make_problem(DataSet("triangle", 3, rows=300))
    test = problem.tests[0]
    plain = np.linalg.norm((test.truth - test.factual).to_numpy(), axis=1).mean()
    assert rescaled_l2(test.truth, test.factual, problem.unit) == pytest.approx(plain)
    assert test.truth.equals(known_scm("triangle").counterfactual(test.factual, test.do))


@pytest.mark.parametrize("scale", ["raw", "standardized"])
def test_complete_rows_keep_their_truth(scale):
    problem = make_problem(replace(PLAIN, variant="missing", scale=scale))
    complete = problem.complete_rows()
    kept = problem.table.notna().all(axis=1).to_numpy()
    assert 0 < kept.sum() < len(kept)
    np.testing.assert_array_equal(complete.table, problem.table[kept])
    np.testing.assert_array_equal(complete.noise, problem.noise[kept])
    assert complete.complete_rows() is complete


def test_a_table_without_a_complete_row_is_refused():
    problem = make_problem(replace(PLAIN, variant="missing"))
    with pytest.raises(DataError, match="Each of the 300 rows lacks a cell"):
        replace(problem, table=problem.table.assign(x0=np.nan)).complete_rows()


def test_all_patterns_of_missing_cells_have_the_same_rows_and_the_same_truth():
    whole, holed = (make_problem(DataSet("mixed", 5, rows=300, variant=name)) for name in ("plain", "missing-30"))
    kept = holed.table.notna()
    assert 0.5 < kept.mean(axis=None) < 0.9
    assert all((holed.table[name][kept[name]] == whole.table[name][kept[name]]).all() for name in whole.table)
    for one, other in zip(whole.mixed.contrasts, holed.mixed.contrasts, strict=True):
        np.testing.assert_array_equal(one.truth, other.truth)


def test_names_have_no_scale():
    with pytest.raises(DataError, match="--scales raw"):
        make_problem(DataSet("mixed", 5, rows=300, scale="standardized"))


def test_variances_that_say_nothing_are_no_evidence_and_amounts_stay_positive():
    problem = make_problem(DataSet("noise-multiplicative", 5, rows=300))
    assert problem.scale == "standardized"
    assert (problem.table > 0).all(axis=None)
    assert problem.held_out is not None
    assert not problem.held_out.head(300).equals(problem.table)


def test_two_variables_of_the_pairs_are_always_cause_and_effect():
    for data in TASKS["pairs"].grid.data_sets():
        if (data.variant, data.scale) == ("plain", "raw"):
            assert make_problem(replace(data, rows=10)).adjacency.sum() == 1


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the tables of Sachs and SynTReN are not in {SHARED}")
@pytest.mark.parametrize("name", ["sachs", "syntren"])
def test_real_tables_have_the_size_the_tasks_say(name):
    for data in list(TASKS[name].grid.data_sets())[:2]:
        problem = make_problem(data, SHARED)
        assert problem.table.shape == (data.rows, data.nodes)
        assert problem.tests == ()


def test_an_unknown_name_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'triangle'"):
        make_problem(DataSet("triangel", 3))


def test_tasks_have_no_data_set_twice():
    for task in TASKS.values():
        data = list(task.grid.data_sets())
        assert len(data) == len(set(data)) > 0


def test_nobody_is_asked_about_values_that_only_wrong_entries_have():
    data = replace(PLAIN, rows=2_000, variant="outliers")
    recorded = make_problem(data)
    world = VARIANTS["outliers"](data.name, data.nodes, data.preset, data.family, data.rows, data.generator("world"))
    clean = world.clean
    assert (recorded.table != clean).any(axis=1).mean() == 0.05
    for test in recorded.tests:
        ((column, value),) = test.do.items()
        assert clean[column].min() <= value <= clean[column].max()


def test_the_light_tunnel_is_judged_where_a_column_was_set(tmp_path):
    place = tmp_path / "measured" / "chamber"
    place.mkdir(parents=True)
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(50, 2)), columns=["red", "ir_1"])
    table.to_csv(place / "reference.csv", index=False)
    table.iloc[:20].assign(red=9.0).to_csv(place / "set_red.csv", index=False)
    pd.DataFrame({"source": ["red", "hidden"], "target": ["ir_1", "ir_1"]}).to_csv(place / "graph.csv", index=False)
    problem = make_problem(DataSet("tunnel-red", 2, rows=50), tmp_path)
    assert problem.adjacency.tolist() == [[0, 1], [0, 0]]
    (test,) = problem.tests
    assert problem.judged_by == "far"
    assert (test.do["red"] == 9.0).all()
    assert len(test.factual) == len(test.truth) == 20


def test_without_its_folder_the_light_tunnel_says_where_it_is_looked_for():
    with pytest.raises(DataError, match="measured/chamber by --data"):
        make_problem(DataSet("tunnel-red", 20, rows=4_000))
