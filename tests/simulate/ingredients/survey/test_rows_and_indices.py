"""Selection, feedback, indices and bad cells do to a table what they are named for."""

import numpy as np
import pytest

from fipscm.simulate.ingredients.survey.feedback import sample_feedback
from fipscm.simulate.ingredients.survey.indices import INDICES, sample_index
from fipscm.simulate.ingredients.survey.mistakes import MOST, with_bad_cells
from fipscm.simulate.ingredients.survey.selection import selected_rows

ROWS = 3_000


def test_selection_on_a_sum_makes_independent_columns_dependent(rng):
    columns = rng.standard_normal((ROWS, 2))
    found = []
    for _ in range(60):
        kept = selected_rows(columns, ROWS // 3, rng)
        assert len(np.unique(kept)) == ROWS // 3
        found.append(abs(np.corrcoef(columns[kept].T)[0, 1]))
    assert max(found) > 0.4  # on both, strictly
    assert min(found) < 0.1  # on one alone
    assert abs(np.corrcoef(columns.T)[0, 1]) < 0.1


def test_selection_on_one_column_narrows_it(rng):
    column = rng.standard_normal((ROWS, 1))
    for _ in range(20):
        assert column[selected_rows(column, ROWS // 3, rng)].std() < 0.95 * column.std()


def test_feedback_leaves_the_cause_in_the_noise_of_its_effect(rng):
    edges = np.array([[0, 1], [0, 0]], dtype=np.int8)
    feedback = sample_feedback(edges, [True, True], rng)
    assert (feedback.cause, feedback.effect) == (0, 1)
    alone, noise = rng.standard_normal((2, 100_000))
    cause = feedback.settled(alone, noise)
    assert np.corrcoef(cause, noise)[0, 1] == pytest.approx(feedback.weight, abs=0.03)
    assert sample_feedback(edges, [True, False], rng) is None


@pytest.mark.parametrize("name", INDICES)
def test_an_index_follows_from_its_parts(name, rng):
    index, least, _ = INDICES[name]
    parts = rng.gamma(4.0, size=(ROWS, least))
    values = index(parts, rng)
    again = index(parts[::-1], np.random.default_rng(1))
    assert np.isfinite(values).all()
    assert np.isfinite(again).all()
    assert np.abs(np.corrcoef(np.column_stack([parts, values]).T)[-1, :-1]).min() > 0.2


def test_an_index_says_which_columns_are_its_parts(rng):
    records = list(rng.gamma(4.0, size=(5, ROWS)))
    for _ in range(40):
        values, parts, name = sample_index(records, rng)
        others = [place for place in range(5) if place not in parts]
        fit = np.corrcoef(np.vstack([values, *records]))[0, 1:]
        assert name in INDICES
        assert np.abs(fit[others]).max() < 0.15
        assert np.abs(fit[parts]).min() > 0.15


def test_bad_cells_are_few_but_there_are_some(rng):
    values = rng.normal(50.0, 5.0, ROWS)
    for _ in range(40):
        changed = np.mean(with_bad_cells(values, rng) != values)
        assert 0 < changed < 2 * MOST
