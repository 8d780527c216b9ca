import io
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from fipscm.errors import DataError
from fipscm.tables.frames import in_library, library_of, to_pandas, with_names
from fipscm.tables.kinds import recognise
from fipscm.tables.read import parse_table

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


TRUTH = pd.array([True, None, False], dtype="boolean")


@pytest.mark.parametrize(
    ("column", "plain"),
    [
        (TRUTH, np.array([True, None, False], dtype=object)),
        (TRUTH[[0, 2, 2]], np.array([True, False, False])),
        (pd.array([1, None, 3], dtype="Int64"), np.array([1.0, np.nan, 3.0])),
        (pd.array([1, 2, 3], dtype="Int8"), np.array([1, 2, 3], dtype=np.int8)),
        (pd.array([1.5, None, 3], dtype="Float64"), np.array([1.5, np.nan, 3.0])),
        (pd.array(["a", None, "c"], dtype="string"), pd.array(["a", None, "c"], dtype="str")),
        (np.array(["a", None, "c"], dtype=object), pd.array(["a", None, "c"], dtype="str")),
        (pd.arrays.ArrowExtensionArray(pa.array(["a", "b", "a"])), pd.array(["a", "b", "a"], dtype="str")),
        (pd.arrays.ArrowExtensionArray(pa.array([1, None, 3])), np.array([1.0, np.nan, 3.0])),
        (
            pd.arrays.ArrowExtensionArray(pa.array(["a", "b", "a"]).dictionary_encode()),
            pd.Categorical(["a", "b", "a"]),
        ),
        (np.array([Decimal("1.5"), None, Decimal(2)], dtype=object), np.array([1.5, np.nan, 2.0])),
        (pd.arrays.SparseArray([0, 0, 3]), np.array([0, 0, 3])),
        (np.array([1, pd.NA, "a"], dtype=object), np.array([1, None, "a"], dtype=object)),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_is_plain_whatever_its_type(column, plain):
    found = to_pandas(pd.DataFrame({"a": pd.Series(column)}).set_axis([7, 8, 9]))
    pd.testing.assert_series_equal(found["a"], pd.Series(plain, [7, 8, 9], name="a"), check_categorical=False)


def test_masked_cells_of_an_array_are_missing():
    found = to_pandas(np.ma.masked_greater(np.array([[1.0, 2.0], [3.0, 9.0]]), 5))
    assert found.isna().to_numpy().tolist() == [[False, False], [False, True]]


@pytest.mark.parametrize(
    "table",
    [
        {"a": ["\ud800", "b"]},
        {"\ud800": [1.0, 2.0]},
        pd.DataFrame({"a": pd.Series(["\ud800"], dtype=object)}),
        np.array([["\ud800"], ["b"]], dtype=object),
    ],
)
def test_half_a_character_is_one_sentence(table):
    with pytest.raises(DataError):
        to_pandas(table)


@pytest.mark.filterwarnings("ignore:The 'future.infer_string' option")
def test_texts_are_read_alike_where_pandas_has_no_type_for_them():
    book = io.BytesIO()
    texts = {"ward": [" A ", "B", "A"], "seen": ["2024-01-02", "2024-02-03", "2024-03-04"], "age": [1.5, 2.5, 3.5]}
    pd.DataFrame(texts).to_excel(book, index=False)
    found = parse_table(book.getvalue(), "The file").frame
    with pd.option_context("future.infer_string", False):
        older = parse_table(book.getvalue(), "The file").frame
        assert [type(recognise(older[name])) for name in older] == [type(recognise(found[name])) for name in found]
    pd.testing.assert_frame_equal(older, found, check_column_type=False)
    assert found["ward"].tolist() == ["A", "B", "A"]
