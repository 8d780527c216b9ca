import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fipscm.errors import DataError
from fipscm.tables.validate import as_frame, training_frame, warn_of_missing_codes


@pytest.fixture
def frame(rng):
    return pd.DataFrame(rng.normal(size=(30, 2)), columns=["dose", "pain"])


def test_a_good_table_comes_back_as_a_copy(frame):
    checked = training_frame(frame)
    pd.testing.assert_frame_equal(checked, frame)
    checked.iloc[0, 0] = 99.0
    assert frame.iloc[0, 0] != 99.0


def test_arrays_and_integers_become_float_frames():
    assert as_frame(np.arange(6).reshape(3, 2)).dtypes.tolist() == [np.float64, np.float64]


def test_columns_may_be_called_by_text_or_integers(frame):
    for names in (["dose", "pain"], [3, 1], ["dose", 1], pd.RangeIndex(2), np.array([5, 7], dtype=np.int8)):
        assert json.loads(json.dumps(list(as_frame(frame.set_axis(names, axis=1)).columns))) == list(names)


def test_any_library_that_exchanges_frames_is_welcome(frame):
    pd.testing.assert_frame_equal(as_frame(pa.Table.from_pandas(frame)), frame)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda df: df.assign(dose=np.where(df.index == 7, np.nan, df["dose"])),
            r"'dose' holds 1 missing.*row 7.*fill the gaps",
        ),
        (lambda df: df.assign(pain=np.where(df.index > 27, np.inf, df["pain"])), r"'pain' holds 2 infinite.*row 28"),
        (lambda df: df.assign(dose="high"), r"'dose' is not numeric \(row 0, counted from 0, holds 'high'; every cell"),
        (
            lambda df: df.assign(dose=["1", "2", "n/a"] + ["3"] * 27),
            r"row 2, counted from 0, holds 'n/a'; 1 of 30",
        ),
        (
            lambda df: df.assign(dose=["<5", "2", "?", "none", "-"] + ["3"] * 25),
            r"row 0, counted from 0, holds '<5', row 2 '\?', row 3 'none'; 4 of 30",
        ),
        (
            lambda df: df.assign(dose=["low", "high"] * 14 + ["low", "12"]),
            r"'dose' is text with numbers in it \(row 29, counted from 0, holds '12'; 1 of 30",
        ),
        (lambda df: df.assign(dose=[str(row) for row in range(30)]), "numbers are stored as"),
        (lambda df: df.assign(dose=[f"{row},5" for row in range(30)]), r"'dose' holds numbers as text \('0,5'\)"),
        (
            lambda df: df.assign(dose=[f"{row} mg" for row in range(28)] + ["none", "3 g"]),
            r"such as '0 mg', but not everywhere \(row 28, counted from 0, holds 'none', row 29 '3 g'; 2 of 30",
        ),
        (lambda df: df.assign(dose=df["dose"] * 1e160), r"as large as \de\+160.*larger unit"),
        (lambda df: df.assign(dose=df["dose"] * 1e-200), "smaller unit"),
        (lambda df: df.assign(dose=3.0), r"'dose' is constant \(always 3\)"),
        (lambda df: df.assign(copy=df["dose"]), "'copy' is identical to 'dose'"),
        (lambda df: df.iloc[:19], "19 rows, but at least 20"),
        (lambda df: df.set_axis(["a", "a"], axis=1), "Two columns are called 'a'"),
        (lambda df: df.set_axis([("a", 1), ("b", 1)], axis=1), r"called \('a', 1\).*rename the columns"),
        (lambda df: df.set_axis(pd.to_datetime(["2020", "2021"]), axis=1), r"called Timestamp.*rename the columns"),
        (lambda df: df.set_axis(["dose", np.nan], axis=1), "called nan"),
        (lambda df: df[[]], "0 columns, but at least 1"),
        (lambda df: df["dose"].to_numpy(), "2-d array"),
    ],
)
def test_a_table_that_cannot_be_learned_from_is_refused(frame, spoil, message):
    with pytest.raises(DataError, match=message):
        training_frame(spoil(frame))


def test_a_code_for_missing_values_is_noticed(frame):
    with pytest.warns(UserWarning, match=r"'dose' is -9999 in 3 rows"):
        warn_of_missing_codes(frame.assign(dose=np.where(frame.index < 3, -9999, frame["dose"])))


def test_large_values_among_others_are_no_code(frame, recwarn):
    warn_of_missing_codes(frame.assign(dose=np.where(frame.index < 3, 999, 40.0 * frame.index)))
    assert not recwarn.list
