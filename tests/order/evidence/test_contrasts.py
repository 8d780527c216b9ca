import numpy as np
import pytest

from fipscm.order.evidence.contrasts import CONTRASTS, pair_contrasts
from fipscm.order.evidence.view import View


def found(values, name):
    view = View.of(values)
    return pair_contrasts(view.columns, view.alone)[..., CONTRASTS.index(name)]


def line(rng):
    cause = rng.exponential(size=4_000)
    return np.column_stack([cause, cause + rng.exponential(size=4_000)])


def spread(rng):
    """A cause and an effect whose noise alone depends on it."""
    cause = rng.normal(size=4_000)
    return np.column_stack([cause, np.exp(0.8 * cause) * rng.normal(size=4_000)])


def flat(rng):
    """A cause that is spread evenly, and a nonlinear effect with little noise."""
    cause = rng.uniform(size=4_000)
    return np.column_stack([cause, cause**3 + 0.02 * rng.normal(size=4_000)])


@pytest.mark.parametrize(
    ("draw", "name"),
    [
        (line, "entropy contrast of a line"),
        (spread, "location-scale contrast"),
        (flat, "regression error contrast"),
    ],
)
def test_two_columns_show_the_direction(draw, name, rng):
    contrast = found(draw(rng), name)
    assert contrast[1, 0] > 0.2
    assert contrast[1, 0] == pytest.approx(-contrast[0, 1].item(), abs=1e-5)
