import numpy as np
import pandas as pd
import pytest

from fipscm.cli.options import FitOptions
from fipscm.cli.source import open_source
from fipscm.errors import DataError, KnowledgeError, UnknownNameError


@pytest.fixture
def table(rng):
    """Five years of twelve firms; in some rows the price was set from outside."""
    price = rng.normal(size=60)
    return pd.DataFrame(
        {
            "firm": np.repeat(list("abcdefghijkl"), 5),
            "year": np.tile(np.arange(2000, 2005), 12),
            "price": price,
            "sales": rng.exponential(size=60) - price,
            "was set": np.where(np.arange(60) % 5 == 4, "price", ""),
        }
    )


def test_lags_come_with_tiers_and_keep_the_rows_of_experiments(table):
    options = FitOptions(lags=1, intervened="was set")
    chosen = options.choose(table)
    rows, known, intervened, tiers = chosen
    assert tiers == [["year", "price (lag 1)", "sales (lag 1)"], ["price", "sales"]]
    assert (known.group, known.time) == ("firm", "year")
    assert [bool(names) for names in intervened] == (rows["year"] == 2004).tolist()
    assert options.constraints(chosen).tiers == tuple(map(tuple, tiers))
    with pytest.raises(KnowledgeError, match="--lags puts the columns in tiers by time"):
        FitOptions(lags=1, tiers="price;sales").constraints(chosen)
    with pytest.raises(DataError, match="Lags need a column that tells the time"):
        FitOptions(lags=1, drop="year").choose(table)


def test_the_group_is_there_although_it_is_not_among_the_columns(table):
    options = FitOptions(columns="price,sales", group="firm")
    chosen = options.choose(table)
    assert list(chosen.known.variables) == ["price", "sales"]
    assert chosen.known.group == "firm"
    assert options.estimator(chosen, seed=0).group == "firm"
    assert FitOptions(group="none").choose(table).known.group is None
    with pytest.raises(UnknownNameError, match="did you mean 'firm'"):
        FitOptions(group="frim").choose(table)


def test_what_is_spoken_of_is_kept(table):
    computed = table.assign(cost=2.5 * table["price"])
    assert list(FitOptions().choose(computed).known.computed) == ["cost"]
    for options in (
        FitOptions(keep=["cost,price"]),
        FitOptions(keep=["cost", "price"]),
        FitOptions(require=["cost->price"]),
    ):
        assert "cost" in options.choose(computed).known.variables


def test_what_is_asked_about_is_kept(table, tmp_path):
    table.assign(cost=2.5 * table["price"]).to_csv(tmp_path / "data.csv", index=False)
    source = open_source(str(tmp_path / "data.csv"), FitOptions(), 0, kept=("cost", "sales"))
    assert "cost" in source.columns
