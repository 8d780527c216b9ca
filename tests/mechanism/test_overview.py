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


def test_the_mean_of_the_in_sample_r2_is_the_score_of_the_training_table(model, table):
    found = model.mechanisms_["r2_in_sample"]
    assert found["cause"] == pytest.approx(0, abs=1e-12)
    assert found["straight"] == pytest.approx(table.corr().loc["cause", "straight"] ** 2)
    assert found.mean() == pytest.approx(model.score(table))


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
