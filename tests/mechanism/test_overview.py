import numpy as np
import pandas as pd
import pytest

from fipscm import FiP, load


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    cause = rng.normal(size=500)
    curved = np.cos(2 * cause) + 0.3 * rng.normal(size=500)
    return pd.DataFrame({"curved": curved, "cause": cause, "straight": 2 * cause + rng.normal(size=500)})


@pytest.fixture(scope="module")
def model(table):
    return FiP(graph=pd.DataFrame([[0, 0, 0], [1, 0, 1], [0, 0, 0]], table.columns, table.columns), random_state=0).fit(
        table
    )


def test_each_mechanism_says_what_it_is(model, table):
    found = model.mechanisms_
    assert list(found.index) == list(table.columns)
    assert found["causes"].to_dict() == {"curved": ["cause"], "cause": [], "straight": ["cause"]}
    assert found["shape"].to_dict() == {"curved": "smooth", "cause": "constant", "straight": "linear"}
    assert (found["rows"] == 500).all()
    pd.testing.assert_series_equal(found["low"], table.min(), check_names=False)
    pd.testing.assert_series_equal(found["high"], table.max(), check_names=False)


def test_a_straight_mechanism_is_scored_on_each_row_without_it(model, table):
    cause, effect = table["cause"].to_numpy(), table["straight"].to_numpy()
    lines = [np.polyfit(np.delete(cause, row), np.delete(effect, row), 1) for row in range(500)]
    errors = effect - [np.polyval(line, value) for line, value in zip(lines, cause, strict=True)]
    about_mean = effect - [np.delete(effect, row).mean() for row in range(500)]
    expected = 1 - np.square(errors).mean() / np.square(about_mean).mean()
    assert model.mechanisms_.loc["straight", "r2_held_out"] == pytest.approx(expected)
    assert model.mechanisms_.loc["cause", "r2_held_out"] == pytest.approx(0, abs=1e-12)


def test_held_out_scores_are_those_of_fresh_rows():
    rng = np.random.default_rng(3)
    cause = rng.normal(size=1_500 + 20_000)
    table = pd.DataFrame({"cause": cause, "effect": np.sin(2 * cause) + 0.5 * rng.normal(size=len(cause))})
    model = FiP(graph=[[0, 1], [0, 0]], random_state=0).fit(table.head(1_500))
    fresh, found = table.tail(20_000), model.mechanisms_.loc["effect"]
    error = model.scm_.sample_to_noise(fresh.to_numpy())[:, 1]
    assert found["shape"] == "smooth"
    assert found["r2_held_out"] == pytest.approx(1 - np.mean(error**2) / fresh["effect"].var(), abs=0.03)
    assert model.mechanisms_["log_likelihood_held_out"].sum() == pytest.approx(
        model.log_likelihood(fresh).mean(), abs=0.06
    )


def test_more_rows_hold_a_tenth_out_from_curves_and_none_from_lines():
    rng = np.random.default_rng(4)
    cause = rng.normal(size=2_500)
    curved, straight = np.cos(2 * cause) + 0.3 * rng.normal(size=2_500), cause + rng.normal(size=2_500)
    table = pd.DataFrame({"cause": cause, "curved": curved, "straight": straight})
    found = FiP(graph=[[0, 1, 1], [0, 0, 0], [0, 0, 0]], random_state=0).fit(table).mechanisms_
    assert found["rows"].to_dict() == {"cause": 2_500, "curved": 2_250, "straight": 2_500}
    explained = 1 - 0.09 / curved.var()
    assert found.loc["curved", "r2_held_out"] == pytest.approx(explained, abs=0.05)


def test_a_network_counts_as_a_transformer(table):
    paper = FiP(order=list(table.columns[[1, 0, 2]]), skip=False, prune=False, random_state=0).fit(table.head(100))
    assert paper.mechanisms_["shape"].to_dict() == {
        "curved": "transformer",
        "cause": "constant",
        "straight": "transformer",
    }


def test_a_loaded_model_has_the_same_mechanisms(model, tmp_path):
    model.save(tmp_path / "m.fip")
    pd.testing.assert_frame_equal(load(tmp_path / "m.fip").mechanisms_, model.mechanisms_, check_exact=True)
