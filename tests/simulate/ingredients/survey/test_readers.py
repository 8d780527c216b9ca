"""Effects read levels as levels, numbers along curves, and times as seasons."""

import numpy as np

from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.survey.readers import LevelsReader, NumberReader, SeasonReader


def test_every_row_of_a_level_is_read_alike_and_levels_differ(rng):
    codes = rng.integers(4, size=300)
    for _ in range(20):
        score = LevelsReader(codes).read(rng)
        heights = [np.unique(score[codes == level].round(9)) for level in range(4)]
        assert all(len(height) == 1 for height in heights)
        assert len(np.unique(heights)) > 1


def test_scores_are_in_standard_units(rng):
    numbers = NumberReader(standardized(rng.exponential(size=500)))
    for reader in (LevelsReader(rng.integers(3, size=500)), numbers, SeasonReader(np.floor(12 * rng.random(500)), 12)):
        for _ in range(20):
            score = reader.read(rng)
            np.testing.assert_allclose([score.mean(), score.std()], [0.0, 1.0], atol=1e-6)


def test_a_season_comes_again():
    months = np.arange(36.0)
    score = SeasonReader(months, 12).read(np.random.default_rng(0))
    np.testing.assert_allclose(score[:12], score[12:24])
