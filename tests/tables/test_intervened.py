import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, UnknownNameError
from fipscm.tables.intervened import parse_intervened

NAMES = ["dose"] * 5 + [None, float("nan"), "", ("dose", "pain")] + [None] * 31


@pytest.fixture
def frame():
    values = np.random.default_rng(0).normal(size=(40, 2))
    return pd.DataFrame(values, columns=["dose", "pain"], index=[f"unit {row}" for row in range(40)])


def test_names_and_tables_say_the_same(frame):
    mask = parse_intervened(NAMES, frame).fixed
    np.testing.assert_array_equal(np.flatnonzero(mask[:, 0]), [0, 1, 2, 3, 4, 8])
    np.testing.assert_array_equal(np.flatnonzero(mask[:, 1]), [8])
    table = pd.DataFrame(mask, index=frame.index, columns=frame.columns)
    for same in (mask, mask.astype(int), table, table[["pain", "dose"]], pd.Series(NAMES, index=frame.index)):
        np.testing.assert_array_equal(parse_intervened(same, frame).fixed, mask)


def test_nothing_given_is_nothing_set(frame):
    assert parse_intervened(None, frame).observed.all()


def test_labels_find_their_rows(frame):
    series = pd.Series(NAMES, index=frame.index)
    np.testing.assert_array_equal(
        parse_intervened(series.iloc[::-1], frame).fixed, parse_intervened(NAMES, frame).fixed
    )


@pytest.mark.parametrize(
    ("intervened", "message"),
    [
        (["dosis"] + [None] * 39, "Unknown column in `intervened` 'dosis': did you mean 'dose'"),
        ([None] * 39, "39 entries, but the table has 40 rows"),
        (np.zeros((40, 3), dtype=bool), r"shape \(40, 3\), but the table has shape \(40, 2\)"),
        (np.full((40, 2), 2.0), "other than true and false"),
        (pd.Series(NAMES), "labelled otherwise"),
        (["dose"] * 40, "'dose' was set or changed in every row, so that nothing can be learned about its causes"),
        (["~dose"] * 40, "'dose' was set or changed in every row"),
        (["~dosis"] + [None] * 39, "Unknown column in `intervened` 'dosis': did you mean 'dose'"),
        ([f"?{row}" for row in range(40)], "Of 40 settings in `intervened`, 40 have one row alone"),
        (["?site A"] * 40, "All rows belong to the setting 'site A', so that there is nothing to compare"),
        (["dose"] * 35 + [None] * 5, "'dose' was set or changed in all but 5 rows, fewer than 20"),
    ],
)
def test_a_mistake_is_one_sentence(frame, intervened, message):
    with pytest.raises((DataError, UnknownNameError), match=message):
        parse_intervened(intervened, frame)


def test_a_table_must_name_the_same_columns(frame):
    other = pd.DataFrame(np.zeros((40, 2), dtype=bool), columns=["dose", "pian"], index=frame.index)
    with pytest.raises(DataError, match="has the columns dose, pian, but the table has dose, pain"):
        parse_intervened(other, frame)


def test_rows_without_a_value_do_not_count_as_untouched(frame):
    frame.loc[frame.index[:25], "dose"] = np.nan
    with pytest.raises(DataError, match="'dose' was set or changed in every row that has a value of it"):
        parse_intervened([None] * 25 + ["dose"] * 15, frame)


def test_a_cell_may_name_a_target_that_was_changed_and_a_setting(frame):
    done = parse_intervened(["~dose", ("pain", "?B"), "?B", None] * 10, frame)
    np.testing.assert_array_equal(done.changed, np.tile([[1, 0], [0, 0], [0, 0], [0, 0]], (10, 1)) > 0)
    np.testing.assert_array_equal(done.fixed, np.tile([[0, 0], [0, 1], [0, 0], [0, 0]], (10, 1)) > 0)
    np.testing.assert_array_equal(done.setting, [0, 1, 1, 0] * 10)
    np.testing.assert_array_equal(done.observed, [False, False, False, True] * 10)
    assert done.labels == ("", "B")


def test_of_settings_alone_the_commonest_is_the_reference(frame):
    done = parse_intervened(["?A"] * 10 + ["?B"] * 20 + ["?C"] * 10, frame)
    assert done.labels == ("B", "A", "C")
    np.testing.assert_array_equal(done.observed, [False] * 10 + [True] * 20 + [False] * 10)


def test_a_column_that_is_called_like_a_change_is_taken_by_its_name(frame):
    frame = frame.rename(columns={"pain": "~dose"})
    done = parse_intervened(["~dose"] * 10 + [None] * 30, frame)
    assert done.fixed[:, 1].sum() == 10
    assert not done.changed.any()


@pytest.mark.parametrize("cell", ["ward", "~ward"])
def test_experiments_on_a_column_that_does_not_vary_are_refused_in_a_sentence(frame, cell):
    with pytest.raises(DataError, match="'ward' in `intervened` holds one value, so experiments on it tell nothing"):
        parse_intervened([cell] + [None] * 39, frame, {"ward": "holds one value"})
