"""Whatever a table is made of, it can be learned from or is refused in one sentence."""

import contextlib
import datetime
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fipscm.errors import FipscmError
from fipscm.suggestions.suggest import suggest
from fipscm.tables.columns import learnable
from fipscm.tables.frames import in_library, library_of

ROWS = 40
RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=ROWS)
FEW = RNG.integers(0, 3, ROWS)
NAMES = np.array(["low", "middle", "high"])[FEW]
HOLED = np.where(RNG.random(ROWS) < 0.2, np.nan, NORMAL)
TRUE = NORMAL > 0
MISSING = [None, np.nan, pd.NA, pd.NaT]


def objects(cells):
    column = np.empty(ROWS, dtype=object)
    column[:] = [cells[row % len(cells)] for row in range(ROWS)]
    return pd.Series(column, dtype=object)


def arrow(cells, kind=None):
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.array(cells, kind)))


COLUMNS = {
    "floats": pd.Series(NORMAL),
    "small floats": pd.Series(NORMAL.astype(np.float16)),
    "long floats": pd.Series(NORMAL.astype(np.longdouble)),
    "holed": pd.Series(HOLED),
    "infinite": pd.Series(np.where(NORMAL > 1, np.inf, NORMAL)),
    "huge": pd.Series(NORMAL * 1e300),
    "tiny": pd.Series(NORMAL * 1e-300),
    "integers": pd.Series(FEW),
    "unsigned": pd.Series(FEW.astype(np.uint64) + np.uint64(2**63)),
    "large integers": objects([10**400, 1, 2]),
    "truth values": pd.Series(TRUE),
    "truth values with a gap": objects([True, False, None]),
    "nullable truth values": pd.Series(TRUE).astype("boolean").where(NORMAL < 1),
    "nullable integers": pd.Series(FEW).astype("Int64").where(NORMAL < 1),
    "nullable floats": pd.Series(HOLED).astype("Float64"),
    "nullable texts": pd.Series(NAMES).astype("string").where(NORMAL < 1),
    "texts": pd.Series(NAMES),
    "texts as objects": pd.Series(NAMES.astype(object), dtype=object),
    "texts with blanks": pd.Series([f" {name} " for name in NAMES]),
    "numbers as texts": pd.Series([f"{number:.2f}" for number in NORMAL]),
    "texts and numbers": objects(["a", 1, 2.5, True]),
    "texts and gaps": objects(["a", "b", *MISSING]),
    "gaps": objects(MISSING),
    "half a character": objects(["\ud800", "b"]),
    "zero bytes": objects(["a\0", "a", "\0"]),
    "bytes": objects([b"a", b"b"]),
    "dates as texts": pd.Series(pd.date_range("2024", periods=ROWS).astype(str)),
    "times": pd.Series(pd.date_range("2024", periods=ROWS)),
    "times in a zone": pd.Series(pd.date_range("2024", periods=ROWS, tz="UTC")),
    "durations": pd.Series(pd.to_timedelta(FEW, "h")),
    "periods": pd.Series(pd.period_range("2024-01", periods=ROWS, freq="M")),
    "dates": objects([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2), None]),
    "intervals": pd.Series(pd.cut(NORMAL, 3)),
    "intervals alone": pd.Series(pd.arrays.IntervalArray.from_breaks(range(ROWS + 1))),
    "categories": pd.Series(NAMES).astype("category"),
    "categories of numbers": pd.Series(FEW).astype("category"),
    "ordered categories": pd.Series(pd.Categorical(NAMES, ["low", "middle", "high", "never"], ordered=True)),
    "decimals": objects([Decimal("1.5"), Decimal("2.5"), None]),
    "fractions": objects([Fraction(1, 2), Fraction(1, 3)]),
    "complex": pd.Series(NORMAL + 1j),
    "sparse": pd.Series(pd.arrays.SparseArray(FEW)),
    "lists": objects([[1], [2], [1]]),
    "sets": objects([{1}, {2}]),
    "tuples": objects([(1,), (2,)]),
    "dictionaries": objects([{"a": 1}, {}]),
    "arrays in cells": objects([np.arange(2), np.arange(3)]),
    "frames in cells": objects([pd.Series([1, 2]), None]),
    "functions": objects([len, max]),
    "Arrow floats": arrow(HOLED),
    "Arrow integers": arrow([None if row % 7 == 0 else int(few) for row, few in enumerate(FEW)]),
    "Arrow truth values": arrow([None if row % 7 == 0 else bool(true) for row, true in enumerate(TRUE)]),
    "Arrow texts": arrow(list(NAMES)),
    "Arrow large texts": arrow(list(NAMES), pa.large_string()),
    "Arrow dictionary": arrow(pa.array(list(NAMES)).dictionary_encode()),
    "Arrow lists": arrow([[1]] * ROWS),
    "Arrow structs": arrow([{"a": 1}] * ROWS),
    "Arrow decimals": arrow([Decimal("1.5"), Decimal("2.5")] * (ROWS // 2)),
    "Arrow dates": arrow([datetime.date(2024, 1, 1), None] * (ROWS // 2)),
    "Arrow times": arrow([datetime.time(1), datetime.time(2)] * (ROWS // 2)),
    "Arrow bytes": arrow([b"a", b"b"] * (ROWS // 2)),
    "Arrow nothing": arrow([None] * ROWS),
}
HEADINGS = st.sampled_from(["a", "b", " c ", "d\0e", "=f", "\ud800", "", 7, "x\ny", "ü", "a.b"])
MAKERS = {
    "pandas": lambda frame: frame,
    "dictionary": lambda frame: {name: frame[name] for name in frame.columns},
    "lists": lambda frame: frame.to_dict("list"),
    "records": lambda frame: frame.to_records(index=False),
    "array": lambda frame: frame.to_numpy(),
    "list of lists": lambda frame: frame.to_numpy().tolist(),
    "masked array": lambda frame: np.ma.masked_invalid(frame.to_numpy(dtype=float)),
    "polars": pl.from_pandas,
    "arrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
    "arrow backed": lambda frame: frame.convert_dtypes(dtype_backend="pyarrow"),
    "nullable": lambda frame: frame.convert_dtypes(),
    "labelled": lambda frame: frame.set_axis(pd.date_range("2024", periods=len(frame))),
    "repeated labels": lambda frame: frame.set_axis([0] * len(frame)),
    "batch": lambda frame: pa.Table.from_pandas(frame, preserve_index=False).to_batches()[0],
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
}


@st.composite
def tables(draw):
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=4))
    frame = pd.DataFrame({f"c{place}": COLUMNS[kind] for place, kind in enumerate(kinds)})
    frame = frame.assign(base=NORMAL, other=RNG.permutation(NORMAL))
    if draw(st.booleans()):
        frame = frame.set_axis(pd.Index([draw(HEADINGS), *frame.columns[1:]], dtype=object), axis=1)
    try:
        return MAKERS[draw(st.sampled_from(sorted(MAKERS)))](frame)
    except Exception:  # the other library refuses it
        return frame


def is_learned_from_or_refused(table):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        with contextlib.suppress(FipscmError):
            numbers, columns = learnable(table, missing_cells=True)
            assert (numbers.dtypes == np.float64).all()
            assert len(numbers) == ROWS
            in_library(library_of(table), columns.decode(numbers.fillna(0.0)))
        with contextlib.suppress(FipscmError):
            suggest(table)


@given(tables())
def test_any_table_is_learned_from_or_refused(table):
    is_learned_from_or_refused(table)


@pytest.mark.parametrize("kind", sorted(COLUMNS))
def test_every_kind_of_column_is_learned_from_set_aside_or_refused(kind):
    is_learned_from_or_refused(pd.DataFrame({"it": COLUMNS[kind], "base": NORMAL, "few": FEW}))
