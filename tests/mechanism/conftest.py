"""Columns of every kind with known means, and mechanisms that were learned from them."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, softmax

from fipscm.mechanism import fit_mechanism
from fipscm.mechanism.data import ColumnData
from fipscm.mechanism.inputs import Inputs

ROWS = 500
NOISES = np.random.default_rng(99).standard_normal(2_000)  # that a mean without a formula is averaged over
GRADES = np.array([1.0, 2.0, 5.0])


class Column(NamedTuple):
    """How one kind of column is drawn from its causes (N, 3), the last of which is binary."""

    draw: Callable[[Any, np.random.Generator], Any]
    mean: Callable[[Any], Any]
    kind: str = "continuous"
    levels: int = 0


def total(causes):
    return causes @ [1.0, 0.4, 0.5]


def bent(sums):
    return sums + 2 * sums * np.abs(sums)


def scores(causes):
    return np.column_stack([total(causes), np.zeros(len(causes)), 0.5 - total(causes)])


def grades(causes):
    above = expit(1.5 * total(causes)[:, None] - [-1.0, 1.0])
    return GRADES[0] + above @ np.diff(GRADES)


COLUMNS = {
    "additive": Column(
        lambda x, rng: np.sin(1.2 * total(x)) + total(x) / 2 + 0.4 * rng.standard_normal(len(x)),
        lambda x: np.sin(1.2 * total(x)) + total(x) / 2,
    ),
    "logarithm": Column(
        lambda x, rng: np.exp(0.8 * total(x) + 0.4 * rng.standard_normal(len(x))),
        lambda x: np.exp(0.8 * total(x) + 0.08),
    ),
    "post-nonlinear": Column(
        lambda x, rng: bent(1.2 * np.sin(total(x)) + 0.5 * rng.standard_normal(len(x))),
        lambda x: np.array([bent(1.2 * np.sin(each) + 0.5 * NOISES).mean() for each in total(x)]),
    ),
    "location-scale": Column(
        lambda x, rng: 2 * total(x) + np.exp(0.6 * total(x)) * rng.standard_normal(len(x)),
        lambda x: 2 * total(x),
    ),
    "monotone": Column(
        lambda x, rng: np.tanh(total(x) + 0.7 * rng.standard_normal(len(x))),
        lambda x: np.array([np.tanh(each + 0.7 * NOISES).mean() for each in total(x)]),
    ),
    "binary": Column(
        lambda x, rng: (rng.logistic(size=len(x)) < 1.5 * total(x)).astype(float),
        lambda x: expit(1.5 * total(x)),
        "binary",
    ),
    "ordinal": Column(
        lambda x, rng: GRADES[np.digitize(1.5 * total(x) + rng.logistic(size=len(x)), [-1.0, 1.0])],
        grades,
        "ordinal",
    ),
    "count": Column(
        lambda x, rng: rng.poisson(np.exp(0.5 + 0.5 * total(x))).astype(float),
        lambda x: np.exp(0.5 + 0.5 * total(x)),
        "count",
    ),
    "dispersed": Column(
        lambda x, rng: rng.poisson(np.exp(1.5 + 0.5 * total(x)) * rng.gamma(2, 0.5, len(x))).astype(float),
        lambda x: np.exp(1.5 + 0.5 * total(x)),
        "count",
    ),
    "categorical": Column(
        lambda x, rng: (scores(x) + rng.gumbel(size=(len(x), 3))).argmax(axis=1).astype(float),
        lambda x: softmax(scores(x), axis=1),
        "categorical",
        3,
    ),
    "zero-inflated": Column(
        lambda x, rng: (
            (rng.logistic(size=len(x)) < 1 + total(x)) * np.exp(1 + 0.4 * total(x) + 0.3 * rng.standard_normal(len(x)))
        ),
        lambda x: expit(1 + total(x)) * np.exp(1 + 0.4 * total(x) + 0.045),
    ),
}


def column_data(values, causes, kind="continuous", levels=0, cause_levels=None, weights=None):
    """What a mechanism is learned from."""
    causes = np.asarray(causes, dtype=float).reshape(len(values), -1)
    count = causes.shape[1]
    inputs = Inputs.of(np.arange(count), cause_levels or [0] * count, causes)
    return ColumnData(
        name="column",
        kind=kind,
        values=np.asarray(values, dtype=float),
        levels=levels,
        causes=causes,
        inputs=inputs,
        weights=np.ones(len(values)) if weights is None else weights,
        mean_reads=np.arange(len(inputs.centre)),
        process=None,
        variables=np.arange(len(inputs.centre) + 1),
    )


@cache
def drawn(name, rows=ROWS, seed=0):
    """Rows of one of COLUMNS."""
    rng = np.random.default_rng(seed)
    causes = np.column_stack([rng.standard_normal((rows, 2)), rng.random(rows) < 0.4]).astype(float)
    column = COLUMNS[name]
    return column_data(column.draw(causes, rng), causes, column.kind, column.levels)


@pytest.fixture(scope="session", name="column_data")
def make_column_data():
    return column_data


@pytest.fixture(scope="session", name="drawn")
def make_drawn():
    return drawn


@pytest.fixture(scope="session", params=COLUMNS)
def simulated(request):
    """(data, true mean of causes) of each kind of column."""
    return drawn(request.param), COLUMNS[request.param].mean


def mixed_table(rows, seed=0):
    """One column of each kind, each caused by the one before it and some by age."""
    rng = np.random.default_rng(seed)
    age = rng.normal(50, 10, rows)
    z = (age - 50) / 10
    ward = (np.column_stack([np.zeros(rows), 2 * z, -2 * z]) + rng.gumbel(size=(rows, 3))).argmax(axis=1)
    pain = GRADES[np.digitize(np.array([-1.5, 0.0, 2.5])[ward] + rng.logistic(size=rows), [-0.5, 1.5])]
    visits = rng.poisson(np.exp(0.2 + 0.3 * pain))
    cured = rng.logistic(size=rows) < 2 - 0.7 * pain
    cost = (visits > 0) * np.exp(3 + 0.2 * visits + 0.3 * rng.standard_normal(rows))
    weight = 80 - 0.3 * age - 5 * cured + 3 * rng.standard_normal(rows)
    columns = {"age": age, "ward": ward, "pain": pain, "visits": visits, "cured": cured, "cost": cost, "weight": weight}
    return pd.DataFrame(columns).astype(float)


MIXED_KINDS = ("continuous", "categorical", "ordinal", "count", "binary", "continuous", "continuous")
MIXED_LEVELS = (0, 3, 0, 0, 0, 0, 0)
MIXED_EDGES = [("age", "ward"), ("ward", "pain"), ("pain", "visits"), ("pain", "cured"), ("visits", "cost")]
MIXED_EDGES += [("age", "weight"), ("cured", "weight")]


@pytest.fixture(scope="session")
def mixed():
    """(table, model) of columns of all kinds; one of them is a category with three levels."""
    table = mixed_table(400)
    allowed = np.zeros((7, 7), dtype=bool)
    for cause, effect in MIXED_EDGES:
        allowed[table.columns.get_loc(effect), table.columns.get_loc(cause)] = True
    kinds = {"kinds": MIXED_KINDS, "levels": MIXED_LEVELS}
    return table, fit_mechanism(table, allowed, required=allowed, **kinds)
