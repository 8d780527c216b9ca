"""An interval that nobody can believe is found, whatever made it."""

from dataclasses import replace

import numpy as np
import pytest

from fipscm import FiP
from fipscm.bench.measured.sanity import insane_intervals, insanities
from fipscm.simulate import known_scm


@pytest.fixture(scope="module")
def model():
    table = known_scm("triangle").sample(300, np.random.default_rng(0))[["x0", "x1"]]
    return FiP(order=["x0", "x1"], random_state=0).fit(table)


def test_an_honest_effect_is_sane(model):
    assert insane_intervals(model, [model.effect("x0", on="x1")]) == []


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda e: {"high": e.estimate}, "not inside"),
        (lambda e: {"low": e.estimate + 1, "high": e.estimate + 2}, "not inside"),
        (lambda e: {"low": -1e6}, "wider"),
        (lambda e: {"high": float("nan")}, "not a number"),
    ],
)
def test_each_insanity_has_its_reason(model, change, reason):
    effect = model.effect("x0", on="x1")
    (found,) = insanities(model, replace(effect, **change(effect)))
    assert reason in found


def test_a_sign_against_the_only_arrow_is_insane(model):
    straight = model.mechanisms_.loc["x1", "shape"] == "linear"
    effect = model.effect("x0", on="x1")
    turned = replace(effect, estimate=-effect.estimate, low=-effect.high, high=-effect.low)
    assert bool(insanities(model, turned)) == straight
