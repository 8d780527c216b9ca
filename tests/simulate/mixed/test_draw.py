"""Mixed SCMs obey the laws of SCMs as far as discrete values allow."""

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import UnknownNameError
from fipscm.metrics import rescaled_l2
from fipscm.simulate.mixed.draw import mixed_scm
from fipscm.simulate.mixed.truth import Figures, expectations, true_contrasts
from fipscm.tables.columns import Columns

ROWS = 2_000


@pytest.fixture(scope="module", params=[5, 10])
def scm(request):
    return mixed_scm(request.param, np.random.default_rng(1))


@pytest.fixture
def values(scm, rng):
    return scm.values(scm.noise(ROWS, rng))


def test_at_least_half_of_the_columns_are_discrete_and_ten_have_a_category(scm):
    kinds = [node.kind for node in scm.nodes]
    discrete = [kind for kind in kinds if kind != "continuous"]
    assert len(discrete) == -(-len(kinds) // 2)
    assert kinds.count("categorical") == (len(kinds) >= 10)
    assert {"binary", "ordinal", "count"} <= set(kinds)


def test_the_kinds_are_recognised_in_the_table(scm, values):
    found = Columns.of(scm.decode(values)).kinds
    assert found == {name: node.kind for name, node in zip(scm.names, scm.nodes, strict=True)}


def test_codes_and_names_are_the_same_rows(scm, values):
    np.testing.assert_array_equal(scm.encode(scm.decode(values)), values)


def test_any_noise_that_could_be_behind_a_row_leads_to_it(scm, values, rng):
    np.testing.assert_allclose(scm.values(scm.abduct(values, rng)), values, atol=1e-9)


def test_the_noises_behind_many_rows_are_together_as_noises_are(scm, rng):
    noise = scm.noise(20_000, rng)
    drawn = scm.abduct(scm.values(noise), rng)
    for before, after in zip(noise, drawn, strict=True):
        shares = np.linspace(0.05, 0.95, 10)
        reach = 0.05 * before.std()
        np.testing.assert_allclose(np.quantile(after, shares, axis=0), np.quantile(before, shares, axis=0), atol=reach)


def test_a_row_set_to_its_own_values_stays_as_it_is(scm, rng):
    row = scm.decode(scm.values(scm.noise(1, rng)))
    own = {name: row[name].item() for name in scm.names}
    np.testing.assert_array_equal(scm.values(scm.noise(3, rng), own), np.repeat(scm.encode(row), 3, axis=0))


def test_every_grade_answer_and_group_is_common(scm, values):
    for place, node in enumerate(scm.nodes):
        if node.levels:
            assert np.bincount(values[:, place].astype(int), minlength=len(node.levels)).min() > 0.05 * ROWS


def test_expectations_set_one_column_and_keep_what_it_does_not_cause(scm, values, rng):
    observed, figures = scm.decode(values), Figures(scm)
    unit = figures.unit(values)
    tests = list(expectations(scm, observed, rng, rows=10))
    assert len(tests) == len(scm.names)
    for test in tests:
        ((name, value),) = test.do.items()
        mine = figures.belonging_to(name)
        expected = figures(test.factual.assign(**{name: pd.Series([value] * 10, dtype=test.factual[name].dtype)}))
        np.testing.assert_allclose(test.truth[:, mine], expected[:, mine])
        assert rescaled_l2(test.truth, figures(test.factual), unit) > 0


def test_contrasts_leave_alone_whatever_is_no_descendant(scm, values, rng):
    figures, reach = Figures(scm), np.linalg.matrix_power(scm.adjacency + np.eye(len(scm.names), dtype=int), 10) > 0
    found = list(true_contrasts(scm, scm.decode(values), rng))
    assert [contrast.treatment for contrast in found] == [
        name for name, effects in zip(scm.names, scm.adjacency, strict=True) if effects.any()
    ]
    for contrast in found:
        others = [
            name for name, hit in zip(scm.names, reach[scm.names.index(contrast.treatment)], strict=True) if not hit
        ]
        assert np.abs(contrast.truth).max() > 0.02
        assert all((contrast.truth[figures.belonging_to(name)] == 0).all() for name in others)


def test_two_rows_that_differ_in_one_answer_differ_by_one_in_that_column(scm, values):
    figures, columns = Figures(scm), len(scm.names)
    place = [node.kind for node in scm.nodes].index("binary")
    other = values.copy()
    other[:, place] = 1 - other[:, place]
    error = rescaled_l2(figures.of_codes(values), figures.of_codes(other), figures.unit(values))
    assert error == pytest.approx(columns**-0.5)


def test_a_level_that_does_not_exist_is_refused(scm):
    name = next(name for name, node in zip(scm.names, scm.nodes, strict=True) if node.kind == "ordinal")
    with pytest.raises(UnknownNameError, match="fair"):
        scm.code(name, "fare")
