import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fipscm.errors import DataError
from fipscm.tables.cells import as_numbers, understand

NUMBERS = st.lists(st.decimals(-(10**9), 10**9, places=2).map(float), min_size=1, max_size=20)
UNITS = st.sampled_from(["", "%", "mg", "°C", "mm Hg", "kg/m²", "€"])


def written(value, decimal, between, unit, gap):
    """A number as people write it."""
    text = f"{value:,.2f}".replace(",", "_").replace(".", decimal).replace("_", between)
    return f"{text}{gap if unit else ''}{unit}"


@given(
    numbers=NUMBERS,
    decimal=st.sampled_from(".,"),
    between=st.sampled_from(["other", "", " ", "\u00a0", "'"]),
    unit=UNITS,
    gap=st.sampled_from(["", " "]),
)
def test_what_was_written_is_read(numbers, decimal, between, unit, gap):
    between = {".": ",", ",": "."}[decimal] if between == "other" else between
    found = as_numbers(pd.Series([written(value, decimal, between, unit, gap) for value in numbers]), decimal)
    assert found.column.tolist() == numbers
    assert found.unit == unit
    assert found.grouped == (between != "" and any(abs(value) >= 1000 for value in numbers))


@given(numbers=NUMBERS, decimal=st.sampled_from(".,"), unit=UNITS)
def test_the_decimal_mark_is_found_by_the_whole_column(numbers, decimal, unit):
    other = {".": ",", ",": "."}[decimal]
    texts = pd.DataFrame({"x": [written(value, decimal, other, unit, " ") for value in numbers]})
    assert understand(texts, likely=other).columns["x"].column.tolist() == numbers


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["1e-5", "2E3"], [1e-5, 2000]),
        (["\u22123", "+4"], [-3, 4]),
        (["€ 12", "€ 3"], [12, 3]),
        (["5 eV", "7 eV"], [5, 7]),
        ([".5", "7."], [0.5, 7]),
    ],
)
def test_other_notations(cells, numbers):
    assert as_numbers(pd.Series(cells), ".").column.tolist() == numbers


@pytest.mark.parametrize(
    "cells",
    [
        ["12.03.2020", "13.03.2020"],
        ["2020-01-05"],
        ["10:30"],
        ["3 mg", "2 g"],
        ["3 mg", "2"],
        ["yes", "no"],
        ["A12", "B7"],
        ["1,23", "4"],
        ["0,123"],
        ["-"],
        [],
    ],
)
def test_what_is_no_column_of_numbers_stays_text(cells):
    assert as_numbers(pd.Series(cells, dtype=str), ".") is None


def test_missing_cells_stay_missing():
    assert as_numbers(pd.Series(["3 mg", None, "4 mg"]), ".").column.isna().tolist() == [False, True, False]


AMBIGUOUS = {"price": ["1,234", "5,678"]}


def test_other_columns_decide_what_a_column_does_not():
    beside_commas = understand(pd.DataFrame(AMBIGUOUS | {"x": ["0,5", "1,25"]}), likely=".")
    assert beside_commas.columns["price"].column.tolist() == [1.234, 5.678]
    beside_points = understand(pd.DataFrame(AMBIGUOUS | {"x": ["0.5", "1.25"]}), likely=",")
    assert beside_points.columns["price"].column.tolist() == [1234, 5678]


def test_a_guess_is_told_and_can_be_overruled():
    for likely, value in ((".", 1234), (",", 1.234)):
        found = understand(pd.DataFrame(AMBIGUOUS), likely)
        assert found.columns["price"].column[0] == value
        (remark,) = (remark for remark in found.remarks if "guess" in remark)
        assert f"'1,234' as {value:g}; see --decimal" in remark
        told = understand(pd.DataFrame(AMBIGUOUS), likely, decimal=",")
        assert told.columns["price"].column[0] == 1.234
        assert not any("guess" in remark for remark in told.remarks)


def test_witnesses_that_contradict_each_other_decide_nothing():
    with pytest.raises(DataError, match=r"'price' holds '1,234'.*other columns use both.*--decimal"):
        understand(pd.DataFrame(AMBIGUOUS | {"x": ["0,5", "1"], "y": ["0.5", "1"]}), likely=".")


def test_a_mark_among_numbers_says_that_there_is_none():
    found = understand(pd.DataFrame({"dose": ["-", "3,5 mg", "k. A.", "4 mg"], "result": ["+", "-", "+", "-"]}), ",")
    assert found.columns["dose"].column.tolist()[1::2] == [3.5, 4]
    assert found.columns["dose"].column.isna().tolist() == [True, False, True, False]
    assert "'-' in 'dose' as missing" in found.remarks
    assert "result" not in found.columns
