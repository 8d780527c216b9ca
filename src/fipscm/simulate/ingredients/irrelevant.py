"""Columns that have nothing to do with any other, such as an arm of a trial or the digit of a case number."""

import numpy as np

from fipscm.simulate.ingredients.survey.columns import SurveyColumn, record_latent, sample_nominal
from fipscm.simulate.ingredients.survey.scales import RECORDING_SCALES

NOMINAL_SHARE, NOMINAL_LEVELS = 0.4, 12  # many levels fit chance best, so these are what is learned from most
SCALE_NAMES = ("binary", "grades", "count", "measurement")


def irrelevant_column(rows: int, rng: np.random.Generator) -> SurveyColumn:
    """Draw a category or a column of numbers from nothing."""
    if rng.random() < NOMINAL_SHARE:
        return sample_nominal(np.zeros((rows, 0)), NOMINAL_LEVELS, rng)
    name = str(rng.choice(SCALE_NAMES))
    return record_latent(rng.standard_normal(rows), name, RECORDING_SCALES[name](rng), rng)
