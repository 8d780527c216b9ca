import datetime

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, UnknownNameError
from fipscm.tables.kinds import OWN_NUMBER, NoVariable, Variable, as_kind, levels_of, recognise

ROWS = 200
RNG = np.random.default_rng(0)
GRADES = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)


def column(cells):
    return pd.Series(cells, name="x")


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (RNG.normal(size=ROWS), "continuous"),
        (RNG.normal(120, 15, ROWS).round(), "continuous"),
        (np.where(np.arange(ROWS) < 5, np.nan, RNG.normal(size=ROWS)), "continuous"),
        (np.where(np.arange(ROWS) < 5, np.inf, RNG.poisson(3, ROWS)), "count"),
        (RNG.normal(size=ROWS) * 1e200, "continuous"),
        (RNG.permutation(ROWS).astype(float), "continuous"),
        (np.arange(ROWS) % 73 + 18, "continuous"),  # ages end where counts would go on
        (np.append(np.arange(ROWS) % 73 + 18, 640), "continuous"),  # also if one of them was mistyped
        (np.random.default_rng(2).lognormal(10.4, 0.5, ROWS).round(), "continuous"),  # incomes
        (np.random.default_rng(2).lognormal(10.4, 0.5, ROWS).round() * RNG.integers(0, 2, ROWS), "continuous"),
        (np.random.default_rng(2).gamma(2, 260, 400).round() * (np.arange(400) % 4 > 0), "continuous"),  # debts
        (np.random.default_rng(2).gamma(3, 12, 400).round(), "continuous"),  # percentages
        (np.random.default_rng(1).geometric(0.05, ROWS), "count"),
        (RNG.poisson(3, ROWS), "count"),
        (RNG.poisson(0.8, ROWS), "count"),
        (np.resize([0, 1, 2, 3, 9], 600), "ordinal"),  # as many have 9 as 0: counts would go on
        (np.arange(ROWS) % 5, "ordinal"),
        (np.random.default_rng(1).binomial(2, 0.4, 500), "ordinal"),  # they lie closer together than counts
        (np.random.default_rng(1).normal(5, 2, 500).round().clip(0, 10), "ordinal"),  # points of a scale from 0 to 10
        (RNG.poisson(3, ROWS).astype(float), "count"),
        (RNG.integers(1, 6, ROWS), "ordinal"),
        (RNG.integers(-2, 3, ROWS), "ordinal"),
        (np.arange(ROWS) % 4, "ordinal"),  # grades from 0 to 3 end where counts would go on
        (np.append(np.arange(11), np.random.default_rng(0).binomial(10, 0.3, ROWS)), "ordinal"),  # pain from 0 to 10
        (RNG.choice([0, 5, 10, 20], ROWS), "ordinal"),
        (RNG.random(ROWS) < 0.5, "binary"),
        (RNG.choice([1, 2], ROWS), "binary"),
        (RNG.choice([0.2, 0.7], ROWS), "binary"),
    ],
)
def test_numbers_are_recognised_and_stay_numbers(cells, kind):
    assert recognise(column(cells)) == Variable(kind)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Pain (0-10)", "ordinal"),
        ("pain 0 to 10", "ordinal"),
        ("Schmerz 0 bis 10", "ordinal"),
        ("NRS 0\u201310", "ordinal"),
        ("pain", "ordinal"),
        ("Pain_Score today", "ordinal"),
        ("painScale", "ordinal"),
        ("Toxicity grade", "ordinal"),
        ("Kundenzufriedenheit", "ordinal"),
        ("SCHMERZ nach OP", "ordinal"),
    ]
    + [(name, "count") for name in ("visits", "pain 0-3", "days 0-90", "visits 2020-10", "visits 1.0-10")]
    + [(name, "count") for name in ("pain days", "number of grade 3 events", "Anzahl Schmerzen", "Schmerztage")]
    + [(name, "count") for name in ("children", "paintings", "upgrades", "operating rooms", "Kinder", "goals")],
)
def test_a_name_tells_the_scale_of_its_column(name, kind):
    assert recognise(pd.Series(np.random.default_rng(0).poisson(3, ROWS), name=name)) == Variable(kind)


def test_what_goes_beyond_ten_is_no_scale_whatever_its_name():
    rng = np.random.default_rng(0)
    assert recognise(pd.Series(rng.poisson(6, ROWS), name="score")) == Variable("count")
    assert recognise(pd.Series(rng.normal(size=ROWS), name="pain")) == Variable("continuous")


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (["yes", "no"] * 20, "binary", ("no", "yes")),
        (["yes", None, "no"] * 20, "binary", ("no", "yes")),
        (["ja", "nein"] * 20, "binary", ("nein", "ja")),
        (pd.Categorical(["F", "M"] * 20), "binary", ("F", "M")),
        (["A", "B", "C"] * 20, "categorical", ("A", "B", "C")),
        (["0", "1", "5+"] * 20, "categorical", ("0", "1", "5+")),
        (["10 mg", "none", "20 mg"] * 20, "categorical", ("10 mg", "20 mg", "none")),
        (pd.Categorical(["b", "a"] * 20, ["b", "a", "never"]), "binary", ("b", "a")),
        (pd.Categorical(["b", "a", "c"] * 20), "categorical", ("a", "b", "c")),
        (pd.Categorical([3, 1, 2] * 20), "categorical", (1, 2, 3)),
        (pd.Categorical(["mid", "low", "high"] * 20, dtype=GRADES), "ordinal", ("low", "mid", "high")),
        (pd.cut(RNG.normal(size=40), [-9, 0, 9]), "binary", ("(-9, 0]", "(0, 9]")),
    ],
)
def test_names_are_recognised_with_their_levels(cells, kind, levels):
    assert recognise(column(cells)) == Variable(kind, levels)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (np.full(ROWS, np.nan), "has no value at all"),
        ([f"{row % 40} mg" for row in range(ROWS)], "holds numbers as text \\('0 mg'\\)"),
        ([f"{row % 40},5" if row else "none" for row in range(ROWS)], "numbers such as '1,5', but not everywhere"),
        (["1", "2", "3"] * 9 + ["<3"], "is not numeric .*'<3'"),
        (["low", "high"] * 9 + ["3"], "is text with numbers in it"),
        ([[1], [2]] * 9, r"is not numeric .*\[1\]"),
        ([1j, 2j] * 9, "complex"),
        (np.arange(ROWS), "numbers the rows"),
        (RNG.permutation(ROWS) + 100, "numbers the rows"),
        (np.full(ROWS, 3.0), r"is constant \(always 3\)"),
        (["Rome"] * ROWS, r"is constant \(always 'Rome'\)"),
        ([f"patient {row}" for row in range(ROWS)], "tells every row apart"),
        ([f"{row}" if row % 9 == 0 else f"A{row}" for row in range(ROWS)], "tells every row apart"),
        ([f"he said {row // 1.5}" for row in range(ROWS)], "is free text"),
        (pd.date_range("2020", periods=ROWS), "dates"),
        (pd.date_range("2020", periods=ROWS, tz="UTC"), "dates"),
        (pd.to_timedelta(np.arange(ROWS), unit="h"), "dates or times"),
        ([datetime.date(2020, 1, 1 + row % 28) for row in range(ROWS)], "dates"),
        (["2020-01-05", "2021-12-31T10:30:00"] * 20, "dates"),
        (["5.1.2020", "31.12.21"] * 20, "dates"),
        (["08:30", "17:05:10"] * 20, "dates or times"),
    ],
)
def test_what_is_no_variable_is_told(cells, reason):
    found = recognise(column(cells))
    assert isinstance(found, NoVariable)
    assert pd.Series([found.reason]).str.contains(reason).all()


NUMBERS = np.random.default_rng(0).choice(10**6, ROWS, replace=False)


@pytest.mark.parametrize("name", ["id", "Patient ID", "customerId", "Kunden-Nr.", "Rechnungsnummer"])
def test_numbers_that_are_called_identifiers_are_none_of_the_variables_unless_the_user_says_so(name):
    numbers = pd.Series(NUMBERS, name=name)
    assert recognise(numbers) == OWN_NUMBER
    assert as_kind(numbers, "continuous") == Variable("continuous")
    assert recognise(numbers // 1000) == Variable("continuous")  # some occur twice
    assert recognise(numbers.rename("income, paid")) == Variable("continuous")


@pytest.mark.parametrize(
    ("cells", "kind", "levels"),
    [
        (np.arange(ROWS), "continuous", ()),
        (np.arange(ROWS), "count", ()),
        ([3, 7, 9] * 9, "categorical", (3, 7, 9)),
        (["low", "high", "3"] * 9, "categorical", ("3", "high", "low")),
        ([1, 2] * 9, "ordinal", ()),
        (pd.Categorical(["mid", "low"] * 9, dtype=GRADES), "ordinal", ("low", "mid")),
    ],
)
def test_the_user_knows_better(cells, kind, levels):
    assert as_kind(column(cells), kind) == Variable(kind, levels)


@pytest.mark.parametrize(
    ("cells", "kind", "message"),
    [
        ([1.0, 2.0, 3.0] * 9, "binary", "'x' has 3 distinct values, so it cannot be binary"),
        ([1.5, 2.0] * 9, "count", "whole numbers from 0 up"),
        (
            ["a", "b", "c"] * 9,
            "ordinal",
            "holds a, b, c, which is not ordinal: say which comes first, as in 'a < b < c'",
        ),
        (["a", "b"] * 9, "continuous", "which is not continuous"),
        (np.ones(9), "binary", r"'x' is constant \(always 1\), so it cannot be binary"),
        (pd.date_range("2020", periods=9), "continuous", "holds dates"),
        (np.arange(9), "categorical", "numbers the rows"),
    ],
)
def test_a_kind_that_a_column_cannot_be_is_refused(cells, kind, message):
    with pytest.raises(DataError, match=message):
        as_kind(column(cells), kind)


def test_grades_that_have_names_are_told_by_these():
    cells = column(["good", "poor", "very good", None] * 9)
    assert as_kind(cells, "poor<good < very good") == Variable("ordinal", ("poor", "good", "very good"))
    for wrong in ("poor < good", "poor < good < good", "poor < good < best"):
        with pytest.raises(DataError, match="holds good, poor, very good, but its grades were told as poor, good"):
            as_kind(cells, wrong)


def test_a_kind_that_is_none_is_refused():
    with pytest.raises(UnknownNameError, match="Unknown kind of column 'x' 'catgorical': did you mean 'categorical'"):
        as_kind(column([1, 2]), "catgorical")


def test_levels_are_sorted_unless_a_category_orders_them():
    assert levels_of(column(["b", "a", None])) == ("a", "b")
    assert levels_of(column([True, False])) == (False, True)
    assert levels_of(column(pd.Categorical(["high", "low"], dtype=GRADES))) == ("low", "high")
