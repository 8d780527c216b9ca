"""A recommendation reaches what can be reached, by what may be used, within what was seen."""

import numpy as np
import pytest

from fipscm.errors import InterventionError, UnknownNameError
from fipscm.questions.recommend import recommend
from fipscm.simulate import known_scm


@pytest.fixture
def triangle():
    return known_scm("triangle")


@pytest.mark.parametrize("value", [-5.0, 0.0, 12.0])
def test_what_is_recommended_brings_the_value_about(triangle, value):
    found = recommend(triangle, "x1", value)
    reached = triangle.do(found.do).sample(4_000, np.random.default_rng(1))["x1"].mean()
    assert abs(reached - value) < 0.3  # x1 has a spread of about ten
    assert abs(found.expected - value) < abs(found.present - value)


def test_only_columns_that_may_be_used_are_used(triangle):
    assert list(recommend(triangle, "x2", 5.0, using=["x1"]).do) == ["x1"]
    assert list(recommend(triangle, "x2", 5.0, using=["x0"]).do) == ["x0"]


def test_values_stay_within_the_range(triangle):
    found = recommend(triangle, "x1", 1e6, using=["x0"], ranges={"x0": (-1.0, 2.0)})
    assert found.do == {"x0": 2.0}


def test_counts_are_set_to_whole_numbers(triangle):
    found = recommend(triangle, "x1", 14.0, using=["x0"], ranges={"x0": (0.0, 40.0)}, counts=["x0"])
    assert found.do == {"x0": 1.0}  # x1 is 10 x0 minus a noise of mean 0


def test_the_same_noises_give_the_same_answer(triangle):
    assert recommend(triangle, "x2", 3.0) == recommend(triangle, "x2", 3.0)


@pytest.mark.parametrize(
    ("asked", "error", "says"),
    [
        ({"target": "x9", "value": 1.0}, UnknownNameError, "x9"),
        ({"target": "x0", "value": 1.0}, InterventionError, "it has no causes"),
        ({"target": "x1", "value": 1.0, "using": ["x2"]}, InterventionError, "its causes are x0"),
        ({"target": "x1", "value": float("nan")}, InterventionError, "finite"),
    ],
)
def test_what_cannot_be_is_said(triangle, asked, error, says):
    with pytest.raises(error, match=says):
        recommend(triangle, **asked)
