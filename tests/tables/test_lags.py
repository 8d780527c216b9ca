import numpy as np
import pandas as pd
import pytest

from fipscm.errors import DataError
from fipscm.tables.lags import with_lags

UNITS, TIMES = 20, 8


@pytest.fixture
def panel(rng):
    """Eight years of twenty firms, shuffled; where a firm is does not change."""
    rows = UNITS * TIMES
    table = pd.DataFrame(
        {
            "firm": np.repeat([f"firm {unit}" for unit in range(UNITS)], TIMES),
            "year": np.tile(np.arange(2000, 2000 + TIMES), UNITS),
            "size": np.repeat(rng.normal(size=UNITS), TIMES),
            "sales": rng.normal(size=rows),
            "staff": rng.poisson(3.0, rows),
        }
    )
    return table.sample(frac=1, random_state=0).reset_index(drop=True)


def test_lags_are_the_earlier_rows_of_the_same_unit(panel):
    lagged, tiers = with_lags(panel, lags=2)
    assert len(lagged) == UNITS * (TIMES - 2)
    value = panel.set_index(["firm", "year"])["sales"]
    for steps in (1, 2):
        before = [value[firm, year - steps] for firm, year in zip(lagged["firm"], lagged["year"], strict=True)]
        assert lagged[f"sales (lag {steps})"].tolist() == before
    assert lagged["staff (lag 2)"].dtype == panel["staff"].dtype
    assert tiers == [
        ["year", "size", "sales (lag 2)", "staff (lag 2)"],
        ["sales (lag 1)", "staff (lag 1)"],
        ["sales", "staff"],
    ]
    pd.testing.assert_frame_equal(lagged[panel.columns], panel.loc[lagged.index])


def test_what_is_computed_from_now_has_no_tier(panel):
    older = panel.assign(age=panel["year"] - 1950 + 3 * panel["firm"].str[5:].astype(int))
    tiers = with_lags(older)[1]
    assert "age" in tiers[-1]
    assert "age (lag 1)" not in tiers[0]


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        (lambda df: df.drop(columns="year"), {}, "Lags need a column that tells the time"),
        (lambda df: df, {"time": "none"}, "Lags need a column that tells the time"),
        (lambda df: df, {"group": "none", "time": "year"}, "Two rows have the same time \\('year'\\).*--group"),
        (lambda df: df, {"lags": TIMES}, "No unit has more than 8 rows"),
        (lambda df: df, {"lags": 0}, "at least one lag"),
        (lambda df: df.assign(**{"sales (lag 1)": df["sales"] ** 2}), {}, "Two columns are called 'sales \\(lag 1\\)'"),
    ],
)
def test_what_cannot_be_lagged_is_told(panel, change, options, message):
    with pytest.raises(DataError, match=message):
        with_lags(change(panel), **options)
