import numpy as np
import pandas as pd
import pytest

from fipscm.tables.columns import Columns, learnable
from fipscm.tables.derived import derived_columns, near_copies

ROWS = 300


@pytest.fixture
def table(rng):
    """Measurements that go together, none of which was computed from others."""
    wage = rng.gamma(3.0, 4.0, ROWS).round(2) + 1
    return pd.DataFrame(
        {
            "wage": wage,
            "exper": rng.integers(0, 40, ROWS).astype(float),
            "rent": (0.5 * wage + rng.normal(size=ROWS)).round(2),
            "height": rng.normal(170, 8, ROWS).round(1),
            "female": rng.integers(0, 2, ROWS).astype(float),
        }
    )


FORMULAS = {
    "lwage": (lambda t: np.log(t["wage"]), "is the logarithm of 'wage'"),
    "lwage ": (lambda t: np.log(t["wage"]).astype(np.float32), "is the logarithm of 'wage'"),
    "wage log10": (lambda t: np.log10(t["wage"]).round(3), "is the logarithm of 'wage'"),
    "lexper": (lambda t: np.log1p(t["exper"]), "is the logarithm of 1 + 'exper'"),
    "expersq": (lambda t: t["exper"] ** 2, "is 'exper' squared"),
    "expersq100": (lambda t: t["exper"] ** 2 / 100, "is 'exper' squared"),
    "root": (lambda t: np.sqrt(t["wage"]), "is the square root of 'wage'"),
    "inverse": (lambda t: 1 / t["height"], "is 1 / 'height'"),
    "pounds": (lambda t: t["wage"] / 16, "is 'wage' divided by 16"),
    "cents": (lambda t: 2.2 * t["wage"], "is 2.2 times 'wage'"),
    "fahrenheit": (lambda t: 32 + 1.8 * t["height"], "is 1.8 times 'height' plus 32"),
    "below": (lambda t: 250 - t["height"], "is 250 minus 'height'"),
    "male": (lambda t: 1 - t["female"], "is 1 minus 'female'"),
    "area": (lambda t: t["wage"] * t["height"], "is the product of 'wage' and 'height'"),
    "share": (lambda t: (t["rent"] / t["wage"]).round(4), "is 'rent' divided by 'wage'"),
    "left": (lambda t: t["rent"] - t["wage"], "is 'rent' minus 'wage'"),
    "female_exper": (lambda t: t["female"] * t["exper"], "is the product of 'exper' and 'female'"),
    "total": (lambda t: t["wage"] + t["exper"] + t["rent"], "is the sum of 'wage', 'exper' and 'rent'"),
    "rich": (lambda t: (t["wage"] > 10).astype(float), "is a category of 'wage'"),
    "exper_group": (
        lambda t: pd.cut(t["exper"], [-1, 9, 19, 29, 50], labels=False),
        "is a category of 'exper'",
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_computed_column_is_found_and_told(table, name):
    compute, reason = FORMULAS[name]
    for holed in (table, table.where(np.random.default_rng(1).random(table.shape) > 0.02)):
        found = derived_columns(holed.assign(**{name: compute(holed)}))
        assert {column: derived.reason for column, derived in found.items()} == {name: reason}
        assert derived_columns(holed.assign(**{name: compute(holed)}), kept=[*table, name]) == {}
    noisy = compute(table) + 0.05 * compute(table).std() * np.random.default_rng(2).normal(size=ROWS)
    assert derived_columns(table.assign(**{name: noisy})) == {}


def test_nothing_of_what_was_drawn_was_computed(scm, rng):
    rows = scm.sample(400, rng)
    assert derived_columns(rows) == {}
    assert derived_columns(rows.round(1)) == {}
    assert derived_columns(rows.round().clip(-5, 5)) == {}
    assert derived_columns((rows > rows.median()).astype(float).iloc[:40]) == {}


def test_all_dummies_of_a_category_go_and_one_of_a_full_set_without_it(rng):
    region = pd.Series(rng.choice(["east", "north", "south", "west"], ROWS))
    dummies = pd.get_dummies(region).astype(float)
    table = dummies.assign(region=region, age=rng.normal(size=ROWS))
    assert list(Columns.of(table).variables) == ["region", "age"]
    columns = Columns.of(table.drop(columns="region"))
    assert columns.set_aside == {"west": "is 1 minus the sum of 'east', 'north' and 'south'"}
    coded = table.assign(region=region.map({"east": 1, "north": 2, "south": 3, "west": 4}))
    assert list(Columns.of(coded).variables) == ["region", "age"]


def test_a_total_may_stand_first_and_a_difference_last(rng):
    parts = pd.DataFrame(rng.gamma(2.0, 5.0, (ROWS, 2)).round(1), columns=["casual", "registered"])
    parts.insert(0, "count", parts.sum(axis=1))
    assert derived_columns(parts)["count"].reason == "is the sum of 'casual' and 'registered'"
    change = parts[["casual", "count"]].set_axis(["before", "after"], axis=1)
    assert list(derived_columns(change.assign(gain=change["after"] - change["before"]))) == ["gain"]


def test_the_plain_measurement_stays_whichever_comes_first(table):
    first = table.assign(lwage=np.log(table["wage"]))[["lwage", *table]]
    assert list(derived_columns(first)) == ["lwage"]
    assert list(derived_columns(first, kept=["lwage"])) == ["wage"]
    unnamed = first.rename(columns={"lwage": "a", "wage": "b"})
    assert list(derived_columns(unnamed)) == ["a"]  # it has more decimals


def test_separation_by_a_gap_or_in_few_rows_is_no_computation(rng):
    group = rng.integers(0, 2, ROWS).astype(float)
    assert derived_columns(pd.DataFrame({"group": group, "x": rng.normal(size=ROWS) + 20 * group})) == {}
    x = rng.normal(50, 10, size=400)
    for rows, cut, few in ((190, 50, True), (400, 50, False), (400, 51.237, True)):
        table = pd.DataFrame({"x": x[:rows], "y": (x[:rows] > cut).astype(float)})
        assert (derived_columns(table) == {}) == few


def test_what_rises_beside_it_does_not_divide_a_year():
    rows = np.arange(ROWS)
    assert derived_columns(pd.DataFrame({"year": rows // 12 + 1990.0, "people": 1e6 + 50.0 * rows + rows**1.5})) == {}


def test_near_copies_are_named(table, rng):
    copied = table.assign(again=table["height"] + 0.3 * rng.normal(size=ROWS))
    ((one, two, correlation),) = near_copies(copied)
    assert (one, two) == ("height", "again")
    assert 0.995 < correlation < 1
    assert derived_columns(copied) == {}


def test_columns_that_are_named_or_kept_stay(table):
    computed = table.assign(lwage=np.log(table["wage"]))
    columns = learnable(computed)[1]
    assert columns.computed == {"lwage": ("wage",)}
    assert "--keep" in columns.remark
    assert "lwage" in learnable(computed, keep=["lwage", "wage"])[1].variables
    assert "lwage" in learnable(computed, {"lwage": "continuous", "wage": "continuous"})[1].variables


def test_a_product_is_found_in_a_large_table(rng):
    values = rng.normal(size=(100_000, 100))
    values[:, ::3] = np.round(3 * values[:, ::3])
    values[:, 99] = values[:, 0] * values[:, 1]
    assert list(derived_columns(pd.DataFrame(values))) == [99]
