import numpy as np
import pytest

from fipscm.errors import UnknownNameError
from fipscm.simulate.mixed.draw import mixed_scm
from fipscm.simulate.mixed.holes import PATTERNS, with_holes

ROWS = 5_000


@pytest.fixture(scope="module")
def scm():
    return mixed_scm(10, np.random.default_rng(0))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_pattern_has_its_share_of_missing_cells_and_leaves_the_others(pattern, scm, rng):
    values = scm.values(scm.noise(ROWS, rng))
    table = scm.decode(values)
    holed = with_holes(table, values, pattern, rng)
    assert holed.isna().mean(axis=None) == pytest.approx(PATTERNS[pattern][1], abs=0.01)
    for name in table:
        kept = holed[name].notna()
        assert (holed[name][kept] == table[name][kept]).all()
        assert holed[name].isna().mean() < 0.6


def test_what_is_missing_depends_on_columns_that_are_never_missing(scm, rng):
    values = scm.values(scm.noise(ROWS, rng))
    holes = with_holes(scm.decode(values), values, "missing-depending-30", rng).isna().to_numpy()
    seen = ~holes.any(axis=0)
    assert 0 < seen.sum() < len(seen)
    for column in np.flatnonzero(~seen):
        shifts = [_shift(values[:, other], holes[:, column]) for other in np.flatnonzero(seen)]
        assert max(shifts) > 0.5


def test_at_random_is_at_random(scm, rng):
    values = scm.values(scm.noise(ROWS, rng))
    holes = with_holes(scm.decode(values), values, "missing-30", rng).isna().to_numpy()
    assert max(_shift(values[:, one], holes[:, other]) for one in range(10) for other in range(10)) < 0.15


def test_an_unknown_pattern_is_refused(scm, rng):
    values = scm.values(scm.noise(10, rng))
    with pytest.raises(UnknownNameError, match="missing-10"):
        with_holes(scm.decode(values), values, "missing-11", rng)


def _shift(values, missing):
    """How far the mean of rows with a hole lies from that of the others, in standard deviations."""
    return abs(values[missing].mean() - values[~missing].mean()) / values.std()
