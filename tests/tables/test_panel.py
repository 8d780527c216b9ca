import json

import numpy as np
import pandas as pd
import pytest

from fipscm.errors import UnknownNameError
from fipscm.tables.columns import Columns
from fipscm.tables.panel import Panel, clusters_of, recognise_panel, time_order, told_panel

UNITS, TIMES = 20, 6


@pytest.fixture
def panel(rng):
    """Six years of twenty countries, shuffled."""
    rows = UNITS * TIMES
    table = pd.DataFrame(
        {
            "country": np.repeat([f"land {unit}" for unit in range(UNITS)], TIMES),
            "continent": np.repeat(["north", "south"], rows // 2),
            "year": np.tile(np.arange(1990, 1990 + TIMES), UNITS),
            "income": rng.normal(size=rows),
            "age": rng.normal(size=rows),
        }
    )
    return table.sample(frac=1, random_state=0).reset_index(drop=True)


@pytest.fixture
def series(rng):
    """Two hundred days of two columns, the first of which wanders."""
    walk = np.cumsum(rng.normal(size=200))
    return pd.DataFrame({"date": pd.date_range("2020-01-01", periods=200), "sales": walk, "rain": rng.normal(size=200)})


def test_units_that_repeat_at_several_times_are_a_group_and_no_variable(panel):
    columns = Columns.of(panel)
    assert (columns.group, columns.time) == ("country", "year")
    assert columns.set_aside == {"country": "names 20 units, each in 6 rows: taken as the group of the rows"}
    assert {"year", "continent"} <= set(columns.variables)
    clusters = clusters_of(panel, columns.panel, panel[["income", "age"]].to_numpy())
    assert len(set(zip(clusters, panel["country"], strict=True))) == UNITS
    assert len(np.unique(clusters)) == UNITS
    assert told_panel(panel, columns.panel, clusters).endswith("as 20 independent groups, not 120 rows.")
    numbered = panel.assign(country=panel["country"].str.removeprefix("land ").astype(int))
    assert "country" in Columns.of(numbered).set_aside
    assert recognise_panel(numbered.rename(columns={"country": "score"})) == Panel()


def test_other_names_of_the_same_units_are_no_variables_either(panel):
    columns = Columns.of(panel.assign(iso=panel["country"].str.upper()))
    assert columns.set_aside["iso"] == "names the same units as 'country'"


def test_identifiers_that_repeat_are_a_group_without_a_time(rng):
    table = pd.DataFrame({"Store ID": rng.integers(100, 120, 200), "sales": rng.normal(size=200)})
    assert recognise_panel(table) == Panel("Store ID")
    assert recognise_panel(table.assign(**{"Store ID": rng.permutation(200)})) == Panel()


def test_years_of_unrelated_rows_and_categories_are_no_panel(panel, rng):
    assert recognise_panel(panel.drop(columns="country")) == Panel()
    assert recognise_panel(panel.drop(columns="year")) == Panel()
    assert recognise_panel(pd.concat([panel, panel])) == Panel()  # each unit has two rows at the same time
    weather = pd.DataFrame({"date": pd.date_range("2020", periods=200), "weather": rng.choice(list("abcdefgh"), 200)})
    assert recognise_panel(weather).group is None
    durations = pd.DataFrame({"time": rng.permutation(200), "age": rng.normal(size=200)})
    assert recognise_panel(durations) == Panel()


def test_a_series_has_blocks_of_neighbours_if_they_resemble_each_other(series, rng):
    shuffled = series.sample(frac=1, random_state=0)
    for rows in (series, shuffled):
        columns = Columns.of(rows)
        assert (columns.group, columns.time) == (None, "date")
        clusters = clusters_of(rows, columns.panel, rows[["sales", "rain"]].to_numpy())
        in_time = clusters[time_order(rows, columns.panel)]
        assert (np.diff(in_time) >= 0).all()
        assert 10 <= len(np.unique(in_time)) <= 200 ** (2 / 3) + 1
        assert "follow each other in time ('date')" in told_panel(rows, columns.panel, clusters)
    noise = rng.normal(size=(200, 2))
    assert clusters_of(series, Columns.of(series).panel, noise) is None
    assert told_panel(series, Columns.of(series).panel, None) == ""


def test_a_year_that_numbers_the_rows_is_their_time_and_years_with_quarters_are_too(series):
    yearly = series.drop(columns="date").assign(year=np.arange(1800, 2000))
    assert Columns.of(yearly).set_aside == {"year": "tells the time of each row: taken as the time of the rows"}
    assert "year" in Columns.of(yearly, named=["year"], kinds={"year": "continuous"}).variables
    quarterly = series.drop(columns="date").assign(quarter=np.arange(200) % 4 + 1, year=1950 + np.arange(200) // 4)
    columns = Columns.of(quarterly)
    assert columns.panel == Panel(None, ("year", "quarter"))
    assert {"year", "quarter"} <= set(columns.variables)
    shuffled = quarterly.sample(frac=1, random_state=0)
    order = time_order(shuffled, columns.panel)
    pd.testing.assert_frame_equal(shuffled.iloc[order], quarterly)


def test_the_user_knows_better(panel, series):
    assert recognise_panel(panel, group="none").group is None
    assert recognise_panel(panel, group="none", time="none") == Panel()
    assert recognise_panel(panel, group="continent") == Panel("continent", ("year",))
    assert recognise_panel(series, time="none") == Panel()
    assert Columns.of(panel, named=["country"]).kinds["country"] == "categorical"
    assert Columns.of(panel, named=["country"]).group == "country"
    for option in ("group", "time"):
        with pytest.raises(UnknownNameError, match=f"Unknown column in `{option}` 'yaer': did you mean 'year'"):
            recognise_panel(panel, **{option: "yaer"})


def test_a_row_without_a_unit_belongs_to_itself(panel):
    holed = panel.assign(country=panel["country"].where(panel.index > 2))
    clusters = clusters_of(holed, Panel("country", ("year",)), panel[["income"]].to_numpy())
    assert len(np.unique(clusters)) == UNITS + 3


def test_what_is_known_survives_json_and_old_files_know_nothing(panel):
    columns = Columns.of(panel)
    settings = json.loads(json.dumps(columns.settings()))
    assert Columns.restore(settings).panel == columns.panel
    for added in ("group", "times", "dependence", "computed"):
        del settings[added]
    assert Columns.restore(settings).panel == Panel()
