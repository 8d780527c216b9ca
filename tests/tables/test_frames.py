import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from fipscm.errors import DataError
from fipscm.tables.frames import in_library, library_of, to_pandas, with_names

FRAME = pd.DataFrame({"dose": [1.5, 0.5], "ward": ["A", "B"]})
RECORDS = np.array([(1.5, "A"), (0.5, "B")], dtype=[("dose", float), ("ward", "U1")])
TABLES = [
    FRAME,
    pl.from_pandas(FRAME),
    pa.Table.from_pandas(FRAME),
    FRAME.to_dict("list"),
    {"dose": np.array([1.5, 0.5]), "ward": pd.Series(["A", "B"])},
    RECORDS,
    RECORDS.view(np.recarray),
]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: type(table).__name__)
def test_every_table_with_names_is_the_same_frame(table):
    for found in (to_pandas(table), with_names(table)):
        pd.testing.assert_frame_equal(found, FRAME)


def test_what_has_no_names_is_left_alone():
    values = np.zeros((3, 2))
    assert with_names(values) is values
    assert list(to_pandas(values.tolist()).columns) == ["x0", "x1"]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"dose": [1, 2], "ward": ["A"]}, "equally long"),
        (np.zeros(3), "2-d array"),
        (sparse.dok_array(np.eye(3)), "Sparse input is not supported"),
    ],
)
def test_what_is_no_table_is_refused(table, message):
    with pytest.raises(DataError, match=message):
        to_pandas(table)


def test_answers_come_in_the_library_of_the_table():
    assert library_of(FRAME) == library_of(RECORDS) == "pandas"
    assert in_library("pandas", FRAME) is FRAME
    answer = in_library(library_of(pl.from_pandas(FRAME)), FRAME)
    assert isinstance(answer, pl.DataFrame)
    pd.testing.assert_frame_equal(answer.to_pandas(), FRAME)


def test_an_order_of_levels_comes_back_to_polars():
    grade = pl.Series("grade", ["low", "high"], dtype=pl.Enum(["low", "high"]))
    frame = pl.DataFrame([grade, pl.Series("ward", ["A", "B"], dtype=pl.Categorical)])
    back = in_library("polars", to_pandas(frame))
    assert back.schema["grade"] == grade.dtype
    assert back.schema["ward"] == pl.Categorical
