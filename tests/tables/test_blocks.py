"""Tables and models name the same things, categories by one column for each level."""

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, InterventionError
from fipscm.scm.intervention import Shift
from fipscm.tables.blocks import Blocks
from fipscm.tables.columns import Columns

TABLE = pd.DataFrame(
    {"age": np.linspace(0.1, 3, 8), "ward": ["A", "B", "C", "B"] * 2, "dose": np.linspace(5.1, 2, 8) ** 2}
)


@pytest.fixture
def columns():
    return Columns.of(TABLE)


@pytest.fixture
def blocks(columns):
    return Blocks.of(columns)


def test_a_frame_comes_back(blocks, columns):
    coded = columns.encode(TABLE.assign(other=list("stuvwxyz")))
    inner = blocks.encode(coded)
    assert list(inner.columns) == ["age", "ward = A", "ward = B", "ward = C", "dose", "other"]
    assert (inner[["ward = A", "ward = B", "ward = C"]].sum(axis=1) == 1).all()
    pd.testing.assert_frame_equal(blocks.decode(inner), coded)


def test_what_is_missing_stays_so(blocks, columns):
    coded = columns.encode(TABLE.assign(ward=["A", None, "C", "B"] * 2))
    inner = blocks.encode(coded)
    assert inner.iloc[1].isna().tolist() == [False, True, True, True, False]
    pd.testing.assert_frame_equal(blocks.decode(inner), coded)


def test_orders_and_matrices(blocks):
    assert blocks.order(np.array([2, 1, 0])).tolist() == [4, 1, 2, 3, 0]
    assert blocks.outer_order(np.array([4, 1, 2, 3, 0])).tolist() == [2, 1, 0]
    matrix = np.arange(9.0).reshape(3, 3)
    assert blocks.pairs(matrix).shape == (5, 5)
    np.testing.assert_array_equal(blocks.largest(blocks.pairs(matrix)), matrix)
    assert not blocks.pairs(~np.eye(3, dtype=bool))[1:4, 1:4].any()
    assert blocks.cells(np.array([[False, True, False]])).tolist() == [[False, True, True, True, False]]
    assert blocks.within("ward") == (1, 2, 3)
    assert blocks.owner(2) == "ward"


def test_rules(blocks):
    assert blocks.do({"ward": 1.0, "age": 2.0}) == {"ward = A": 0.0, "ward = B": 1.0, "ward = C": 0.0, "age": 2.0}
    rules = blocks.do({"dose": lambda upstream: upstream["ward"] + 1, "ward": np.array([0, 2])})
    assert rules["ward = C"].tolist() == [0, 1]
    upstream = pd.DataFrame({"ward = A": [0.0, 0.0], "ward = B": [1.0, 0.0], "ward = C": [0.0, 1.0]})
    assert rules["dose"](upstream).tolist() == [2, 3]
    with pytest.raises(InterventionError, match="cannot be shifted"):
        blocks.do({"ward": Shift(1.0)})
    with pytest.raises(DataError, match="'3' is not a level of column 'ward': choose one of A, B, C"):
        blocks.do({"ward": 3.0})


def test_without_categories_both_sides_are_the_same():
    rows = TABLE.drop(columns="ward")
    blocks, matrix = Blocks.of(Columns.of(rows)), np.arange(4.0).reshape(2, 2)
    assert blocks.are_columns
    assert blocks.encode(rows) is rows
    assert blocks.decode(rows) is rows
    assert blocks.largest(matrix) is matrix
    np.testing.assert_array_equal(blocks.pairs(matrix), matrix)
    assert blocks.order(np.array([1, 0])).tolist() == [1, 0]


def test_a_level_may_not_be_called_as_a_column():
    with pytest.raises(DataError, match="A column is called 'ward = A'"):
        Blocks.of(Columns.of(TABLE.assign(**{"ward = A": TABLE["age"] ** 2})))
