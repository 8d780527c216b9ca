import numpy as np
import pandas as pd
import pytest

from fipscm import FiP
from fipscm.errors import InterventionError
from fipscm.questions.contrast import compared_values, usual_contrast


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    ward, age = rng.choice(["A", "B", "C"], 300), rng.normal(60, 10, 300)
    table = pd.DataFrame(
        {
            "ward": ward,
            "age": age,
            "smoker": rng.choice(["no", "yes"], 300),
            "arm": rng.integers(1, 3, 300),
            "visits": rng.poisson(0.2, 300),
            "pain": age / 10 + rng.normal(size=300),
        }
    )
    kinds = {"visits": "count", "arm": "binary"}
    return FiP(order=list(table.columns), kinds=kinds, random_state=0).fit(table)


def test_of_two_levels_the_second_is_compared_with_the_first(model):
    assert usual_contrast(model.scm_, model.columns_, "smoker") == (1, 0)
    assert usual_contrast(model.scm_, model.columns_, "arm") == (2, 1)
    assert compared_values(model.scm_, model.columns_, "smoker", "no") == (0, 0)


def test_numbers_are_compared_at_their_quartiles_and_counts_at_counts(model):
    treated, control = usual_contrast(model.scm_, model.columns_, "age")
    np.testing.assert_allclose([control, treated], [53, 67], atol=2)
    treated, control = usual_contrast(model.scm_, model.columns_, "visits")  # three quarters of them are zero
    assert treated > control == 0
    assert treated == round(treated)


def test_of_more_levels_none_is_usual(model):
    assert compared_values(model.scm_, model.columns_, "ward", "C", "B") == (2, 1)
    with pytest.raises(InterventionError, match="'ward' has the levels A, B, C: say with treated and control"):
        compared_values(model.scm_, model.columns_, "ward", "C")


def test_an_effect_without_values_compares_the_usual_ones(model):
    asked = model.effect("age", on="pain").question
    assert (asked.treated, asked.control) == usual_contrast(model.scm_, model.columns_, "age")


def test_values_lie_within_the_rows_even_where_hardly_any_row_differs(rng):
    served = np.where(np.arange(600) % 40 == 0, rng.integers(1, 12, 600), 0)
    rows = pd.DataFrame({"served": served, "fine": rng.normal(size=600)})
    model = FiP(order=["served", "fine"], random_state=0).fit(rows)
    asked = model.effect("served", "fine").question
    assert 0 <= asked.control < asked.treated <= served.max()
