import json

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError, UnknownNameError
from fipscm.scm.intervention import Shift
from fipscm.tables.columns import Columns, learnable, warn_of_set_aside, warn_of_spellings

ROWS = 40


@pytest.fixture
def table(rng):
    return pd.DataFrame(
        {
            "id": range(ROWS),
            "age": rng.normal(size=ROWS),
            "smoker": rng.choice(["no", "yes"], ROWS),
            "ward": pd.Categorical(rng.choice([1, 2, 3], ROWS)),
            "site": "Rome",
        }
    )


@pytest.fixture
def columns(table):
    return Columns.of(table)


def test_columns_know_their_kinds_and_what_was_set_aside(columns):
    assert columns.kinds == {"age": "continuous", "smoker": "binary", "ward": "categorical"}
    assert columns.levels == {"smoker": ("no", "yes"), "ward": (1, 2, 3)}
    assert columns.remark == "Set aside: 'id' numbers the rows; 'site' is constant (always 'Rome')."


def test_names_become_codes_and_come_back(columns, table):
    coded = columns.encode(table)
    assert coded["smoker"].tolist() == (table["smoker"] == "yes").astype(float).tolist()
    assert coded["ward"].tolist() == (table["ward"].astype(float) - 1).tolist()
    back = columns.decode(coded)
    assert back["smoker"].tolist() == table["smoker"].tolist()
    assert back["ward"].tolist() == table["ward"].tolist()
    assert table["smoker"].iloc[0] in ("no", "yes")


def test_only_numbers_that_are_all_levels_get_names(columns, table):
    coded = columns.encode(table)
    rounding = columns.decode(coded.assign(smoker=coded["smoker"] + 1e-15))
    assert rounding["smoker"].tolist() == table["smoker"].tolist()
    for spoiled in (0.5, 2.0, -1.0, np.nan):
        numbers = coded["smoker"].where(coded.index > 0, spoiled)
        pd.testing.assert_series_equal(columns.decode(coded.assign(smoker=numbers))["smoker"], numbers)
    pd.testing.assert_frame_equal(columns.encode(coded[["smoker"]]), coded[["smoker"]])


def test_a_level_that_was_never_seen_is_named_with_those_that_were(columns, table):
    rows = table.astype({"smoker": object}).assign(smoker=["no", "no", "perhaps"] + ["yes"] * 37)
    with pytest.raises(DataError, match=r"'perhaps' is not a level of column 'smoker' \(row 2.*there are no, yes"):
        columns.encode(rows)
    with pytest.raises(DataError, match=r"'7' is not a level of column 'ward': .*there are 1, 2, 3"):
        columns.code("ward", 7)


def test_values_of_interventions_become_codes(columns):
    half = Shift(0.5)
    do = columns.code_all({"smoker": "yes", "ward": [3, 1], "age": 2.0})
    assert do["smoker"] == 1
    assert do["ward"].tolist() == [2, 0]
    assert do["age"] == 2.0
    assert columns.code_all({"smoker": 1.0, "ward": half}) == {"smoker": 1.0, "ward": half}
    labelled = columns.code("smoker", pd.Series({"ann": "yes", "bob": "no"}))
    assert labelled.to_dict() == {"ann": 1, "bob": 0}
    assert columns.number("smoker", "yes") == 1
    with pytest.raises(DataError, match="'age' holds numbers, but 'old' is none"):
        columns.number("age", "old")


def test_an_array_may_have_all_columns_or_the_variables_alone(columns, table):
    values = np.arange(10.0).reshape(2, 5)
    np.testing.assert_array_equal(columns.encode(values), values[:, 1:4])
    np.testing.assert_array_equal(columns.encode(values[:, :3]), values[:, :3])
    assert list(columns.without_others(table).columns) == ["age", "smoker", "ward"]


def test_what_is_known_survives_json(columns):
    for known in (columns, Columns.plain([3, "a"])):
        restored = Columns.restore(json.loads(json.dumps(known.settings())))
        assert (restored.kinds, restored.levels, restored.set_aside) == (known.kinds, known.levels, known.set_aside)


def test_whole_numbers_come_back_as_such_once_their_holes_are_filled(rng):
    counts = rng.poisson(2.0, size=ROWS)
    for holed in (pd.Series(counts).where(rng.random(ROWS) < 0.9), pd.Series(counts, dtype="Int64").replace(1, pd.NA)):
        columns = Columns.of(pd.DataFrame({"visits": holed}))
        answer = pd.DataFrame({"visits": counts.astype(float)})
        assert columns.decode(answer)["visits"].dtype == np.int64
    measured = Columns.of(pd.DataFrame({"visits": counts.astype(float)}))
    assert measured.decode(answer)["visits"].dtype == np.float64


def test_measurements_in_whole_numbers_are_such_again_where_they_are_drawn(rng):
    columns = Columns.of(pd.DataFrame({"pulse": rng.integers(60, 90, size=ROWS), "weight": rng.normal(size=ROWS)}))
    assert columns.kinds == {"pulse": "continuous", "weight": "continuous"}
    answer = pd.DataFrame({"pulse": [71.6, 80.4], "weight": [71.6, 80.4]})
    drawn = columns.decode(columns.rounded(answer))
    assert drawn.to_dict("list") == {"pulse": [72, 80], "weight": [71.6, 80.4]}
    assert drawn["pulse"].dtype == np.int64
    first = np.array([[True, False], [False, False]])
    assert columns.decode(columns.rounded(answer, first))["pulse"].tolist() == [72, 80.4]
    pd.testing.assert_frame_equal(columns.decode(answer), answer)


def test_numbers_too_large_to_be_whole_stay_as_they_are(rng):
    columns = Columns.of(pd.DataFrame({"atoms": rng.integers(2**60, 2**62, size=ROWS)}))
    answer = pd.DataFrame({"atoms": [2.0**70]})
    pd.testing.assert_frame_equal(columns.decode(answer), answer)


def test_a_table_becomes_numbers_and_one_warning(table):
    numbers, columns = learnable(table)
    with pytest.warns(UserWarning, match="Set aside") as said:
        warn_of_set_aside(columns)
    assert [str(warning.message) for warning in said] == [Columns.of(table).remark]
    assert list(numbers.columns) == ["age", "smoker", "ward"]
    assert (numbers.dtypes == np.float64).all()


def test_levels_that_look_alike_are_told(recwarn):
    for levels, said in ((["yes", "no", "Yes"], ["'Yes' and 'yes'"]), (["yes", "no", "never"], [])):
        warn_of_spellings(Columns.of(pd.DataFrame({"smoker": levels * 20})))
        assert len(recwarn) == len(said)
        assert all(words in str(recwarn.pop().message) for words in said)


def test_a_table_of_numbers_stays_as_it_is(rng, recwarn):
    frame = pd.DataFrame(rng.normal(size=(ROWS, 3)), columns=[3, "b", "c"]).assign(few=rng.integers(3, size=ROWS))
    numbers, columns = learnable(frame)
    warn_of_set_aside(columns)
    pd.testing.assert_frame_equal(numbers, frame.astype(float))
    assert not recwarn.list


UNUSABLE = {
    "nothing": lambda df: np.nan,
    "constant": lambda df: 3.0,
    "mostly missing": lambda df: df["age"].where(df.index < 15),
    "infinite": lambda df: df["age"].where(df.index > 3, np.inf),
    "huge": lambda df: df["age"] * 1e160,
    "tiny": lambda df: df["age"] * 1e-200,
    "twin": lambda df: df["age"],
    "mixture": lambda df: ["high" if row == 7 else str(row) for row in df.index],
    "lists": lambda df: [[row] for row in df.index],
    "complex": lambda df: df["age"] * 1j,
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_column_that_cannot_be_learned_from_is_set_aside_alone_unless_it_is_named(table, kind):
    spoiled = table.assign(more=UNUSABLE[kind](table))
    numbers, columns = learnable(spoiled, missing_cells=True)
    assert list(numbers.columns) == ["age", "smoker", "ward"]
    assert list(columns.set_aside) == ["id", "site", "more"]
    others = {"age"} if kind == "twin" else set()
    with pytest.raises(DataError, match=r"Column 'more' .*, so it is taken for no variable"):
        learnable(spoiled, named=lambda names: {"more", *others}, missing_cells=True)


def test_of_two_columns_hardly_ever_seen_together_the_one_with_fewer_values_goes(rng):
    table = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    table.loc[:25, "a"], table.loc[35:, "b"] = np.nan, np.nan
    columns = learnable(table, missing_cells=True)[1]
    assert columns.set_aside == {"a": "has only 9 values in rows in which 'b' has one"}
    assert list(learnable(table, named=lambda names: {"a"}, missing_cells=True)[1].set_aside) == ["b"]


@pytest.mark.parametrize("gap", ["?", "*", ".", "-", "--", "n/a", "NaN", "null", "none", "Missing", "unknown"])
def test_codes_of_missing_cells_are_missing_where_the_rest_is_no_text(table, gap, rng):
    cells = pd.Series(rng.normal(size=ROWS).round(3).astype(str)).mask(table.index == 5, gap)
    for column in (cells, cells.map(lambda cell: cell if cell == gap else float(cell)).astype(object)):
        with pytest.warns(UserWarning, match="as missing"):
            numbers, columns = learnable(table.assign(dose=column), missing_cells=True)
        assert numbers["dose"].isna().sum() == 1
        assert columns.encode(pd.DataFrame({"dose": column}))["dose"].isna().sum() == 1


def test_a_star_or_a_question_mark_is_no_level(table, recwarn):
    for gap in ("?", "*"):
        holed = table.assign(smoker=table["smoker"].mask(table.index < 3, gap))
        numbers, columns = learnable(holed, missing_cells=True)
        assert columns.levels["smoker"] == ("no", "yes")
        assert numbers["smoker"].isna().sum() == 3
        assert columns.encode(holed)["smoker"].isna().sum() == 3
        assert f"'{gap}' in 'smoker' as missing" in str(recwarn.pop().message)
    truths = table.assign(smoker=(table["smoker"] == "yes").astype(object).mask(table.index < 3, "?"))
    assert learnable(truths, missing_cells=True)[1].forms["smoker"] == "truth values"
    recwarn.clear()
    dashed = table.assign(smoker=table["smoker"].mask(table.index < 3, "-"))
    assert "-" in learnable(dashed)[1].levels["smoker"]


@pytest.mark.parametrize(
    ("change", "arguments", "message"),
    [
        (lambda df: df, {"named": lambda names: {"id"}}, "'id' numbers the rows, so it is taken for no variable"),
        (lambda df: df, {"kinds": {"site": "categorical"}}, "'site' is constant .* cannot be categorical"),
        (lambda df: df[["id", "age"]], {}, "Of 2 columns, 1 can be modelled.*'id' numbers the rows"),
        (lambda df: df[["age"]], {}, "1 column, but at least 2"),
        (lambda df: df.set_axis(list("aabcd"), axis=1), {}, "Two columns are called 'a'"),
    ],
)
def test_what_cannot_be_learned_from_is_refused_in_silence(table, change, arguments, message, recwarn):
    with pytest.raises(DataError, match=message):
        learnable(change(table), **arguments)
    assert not recwarn.list


def test_a_kind_needs_a_column(table):
    with pytest.raises(UnknownNameError, match="Unknown column in `kinds` 'wrad': did you mean 'ward'"):
        Columns.of(table, {"wrad": "categorical"})
