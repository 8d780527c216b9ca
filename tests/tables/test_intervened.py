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
    mask = parse_intervened(NAMES, frame)
    np.testing.assert_array_equal(np.flatnonzero(mask[:, 0]), [0, 1, 2, 3, 4, 8])
    np.testing.assert_array_equal(np.flatnonzero(mask[:, 1]), [8])
    table = pd.DataFrame(mask, index=frame.index, columns=frame.columns)
    for same in (mask, mask.astype(int), table, table[["pain", "dose"]], pd.Series(NAMES, index=frame.index)):
        np.testing.assert_array_equal(parse_intervened(same, frame), mask)


def test_nothing_given_is_nothing_set(frame):
    assert not parse_intervened(None, frame).any()


def test_labels_find_their_rows(frame):
    series = pd.Series(NAMES, index=frame.index)
    np.testing.assert_array_equal(parse_intervened(series.iloc[::-1], frame), parse_intervened(NAMES, frame))


@pytest.mark.parametrize(
    ("intervened", "message"),
    [
        (["dosis"] + [None] * 39, "Unknown column in `intervened` 'dosis': did you mean 'dose'"),
        ([None] * 39, "39 entries, but the table has 40 rows"),
        (np.zeros((40, 3), dtype=bool), r"shape \(40, 3\), but the table has shape \(40, 2\)"),
        (np.full((40, 2), 2.0), "other than true and false"),
        (pd.Series(NAMES), "labelled otherwise"),
        (["dose"] * 40, "'dose' was set in every row, so that nothing can be learned about its causes"),
        (["dose"] * 35 + [None] * 5, "'dose' was set in all but 5 rows, fewer than 20"),
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
    with pytest.raises(DataError, match="'dose' was set in every row that has a value of it, so that nothing"):
        parse_intervened([None] * 25 + ["dose"] * 15, frame)
