"""Which direction is likelier, whatever the kind of noise."""

import numpy as np
import pytest

from fipscm.order.likelihood import RowLikelihood

ROWS = 1_500


def bent(cause, noise):
    sums = np.sin(2 * cause) + noise / 2
    return np.where(sums > 0, 3 * sums, sums / 3)


def scaled(cause, noise):
    return np.cos(cause) + noise * np.exp(cause) / 4


def curved(cause, noise):
    return np.sin(2 * cause) + noise / 2


EFFECTS = {"bent": bent, "scaled": scaled, "curved": curved}


def table(effect, rng, rows=ROWS):
    cause = rng.uniform(-2, 2, rows)
    return np.column_stack([cause, effect(cause, rng.standard_normal(rows))])


def gain_in_errors(rows, rng):
    """By how many standard errors the rows are likelier if the first column causes the second one."""
    likelihood = RowLikelihood.of(rows, rng)
    none, first, second = frozenset[int](), frozenset({0}), frozenset({1})
    gains = likelihood.given(1, first) + likelihood.given(0, none)
    gains = gains - likelihood.given(0, second) - likelihood.given(1, none)
    return gains.mean() / (gains.std() / np.sqrt(len(gains)))


@pytest.mark.parametrize("kind", EFFECTS)
def test_rows_are_likelier_in_the_direction_they_were_made_in(kind, rng):
    assert gain_in_errors(table(EFFECTS[kind], rng), rng) > 4


def test_lines_with_normal_noise_favour_no_direction(rng):
    cause = rng.standard_normal(ROWS)
    assert abs(gain_in_errors(np.column_stack([cause, cause + rng.standard_normal(ROWS)]), rng)) < 4


def test_what_a_cause_tells_does_not_depend_on_the_units_of_its_effect(rng):
    rows = table(curved, rng)
    stretched = np.column_stack([rows[:, 0], np.exp(rows[:, 1])])

    def told(values):
        likelihood = RowLikelihood.of(values, np.random.default_rng(0))
        return (likelihood.given(1, frozenset({0})) - likelihood.given(1, frozenset())).mean()

    assert told(stretched) == pytest.approx(told(rows), rel=0.1)


def test_a_column_that_does_not_matter_adds_nothing(rng):
    rows = np.column_stack([table(curved, rng), rng.standard_normal(ROWS)])
    likelihood = RowLikelihood.of(rows, rng)
    gains = likelihood.given(1, frozenset({0, 2})) - likelihood.given(1, frozenset({0}))
    assert gains.mean() < 2 * gains.std() / np.sqrt(len(gains))


def test_yes_and_no_have_a_finite_likelihood(rng):
    cause = rng.standard_normal(300)
    rows = np.column_stack([cause, cause > rng.standard_normal(300)]).astype(np.float64)
    likelihood = RowLikelihood.of(rows, rng)
    assert np.isfinite(likelihood.given(1, frozenset({0}))).all()
    assert np.isfinite(likelihood.given(0, frozenset({1}))).all()
