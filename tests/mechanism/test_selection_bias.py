import numpy as np

from fipscm.mechanism.selection_bias import selected_by_outcome

NOWHERE = np.zeros((500, 3), dtype=bool)
CHAIN = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=bool)  # the first causes the second, which causes the third


def chain(rng):
    values = np.zeros((500, 3))
    for column in range(3):
        values[:, column] = values[:, column - 1] + rng.standard_normal(500)
    return values


def missing_where(driver, column=1):
    """A column is missing where something is large."""
    holes = np.zeros((500, 3), dtype=bool)
    holes[:, column] = driver > 1
    return holes


def test_rows_selected_by_an_effect_are_recognised(rng):
    values = chain(rng)
    assert selected_by_outcome(values, missing_where(values[:, 2]), NOWHERE, CHAIN).tolist() == [False, True, True]


def test_rows_that_lack_a_cause_because_of_the_column_itself_are_recognised(rng):
    values = chain(rng)
    holes = missing_where(values[:, 1], column=0)
    assert selected_by_outcome(values, holes, NOWHERE, CHAIN).tolist() == [True, True, False]


def test_rows_selected_by_a_cause_or_by_chance_do_not_mislead(rng):
    values = chain(rng)
    for driver in (values[:, 0], rng.standard_normal(500)):
        assert not selected_by_outcome(values, missing_where(driver), NOWHERE, CHAIN).any()


def test_an_experiment_is_no_selection(rng):
    values = chain(rng)
    was_set = NOWHERE.copy()
    was_set[:200, 1] = True
    values[:200, 1:] += 5
    assert not selected_by_outcome(values, missing_where(rng.standard_normal(500)), was_set, CHAIN).any()
