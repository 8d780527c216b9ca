"""One column of a survey at a time, from its causes. Shapes: N rows, P causes."""

from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array
from fipscm.simulate.ingredients.columns import TRIES, is_informative, tamed
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.noise_models import AdditiveNoise, LocationScaleNoise, NoiseModel, PostNonlinearNoise
from fipscm.simulate.ingredients.survey.nominal import sample_levels
from fipscm.simulate.ingredients.survey.predictors import sample_signal
from fipscm.simulate.ingredients.survey.readers import LevelReader, LevelsReader, NumberReader
from fipscm.simulate.ingredients.survey.scales import RECORDING_SCALES, SKEWED, RecordingScale, unrounded

FINER = 0.12  # share of the effects that are recorded more coarsely than their own effects read them
LOGARITHM = 0.6  # share of the skewed columns of which effects read the logarithm
HETEROSCEDASTIC, POST_NONLINEAR = 0.15, 0.1  # shares of the effects with another noise model than an additive one


@dataclass(frozen=True)
class SurveyColumn:
    """What is recorded (N,), how effects read it, and whether it holds codes of levels without an order."""

    record: Array
    reader: LevelReader
    is_category: bool = False


def sample_nominal(scores: Array, most: int, rng: np.random.Generator) -> SurveyColumn:
    """Draw a category from the scores (N, P) of its causes."""
    codes = sample_levels(scores, most, rng)
    return SurveyColumn(codes.astype(np.float64), LevelsReader(codes), is_category=True)


def sample_latent(scores: Array, noise: Array, strength: float, rng: np.random.Generator) -> Array:
    """(N, P) scores of the causes and noise (N,) -> (N,); `strength` is the share of the causes in the variance."""
    if not scores.shape[1]:
        return noise
    model = _noise_model(scores.shape[1], strength, rng)
    return tamed(model(sample_signal(scores, rng), noise, scores))


def _noise_model(causes: int, strength: float, rng: np.random.Generator) -> NoiseModel:
    drawn, additive = rng.random(), AdditiveNoise(strength)
    if drawn < HETEROSCEDASTIC:
        return replace(LocationScaleNoise.sample(causes, rng), inner=additive)
    return (
        replace(PostNonlinearNoise.sample(causes, rng), inner=additive)
        if drawn < HETEROSCEDASTIC + POST_NONLINEAR
        else additive
    )


def sample_noise(rows: int, laws: tuple[str, ...], rng: np.random.Generator) -> Array:
    """Draw from one of the laws (N,), in standard units."""
    return tamed(LAWS[str(rng.choice(laws))](rng, (rows,)))


def record_latent(latent: Array, name: str, scale: RecordingScale, rng: np.random.Generator) -> SurveyColumn:
    """Record a latent value (N,) on a scale of this name; with all digits where the scale leaves nothing to learn."""
    for _ in range(TRIES):
        record = scale(latent, rng)
        if is_informative(record):
            return SurveyColumn(record, NumberReader(_as_read(latent, record, name, rng)))
        scale = RECORDING_SCALES[name](rng)
    return SurveyColumn(unrounded(rng)(latent, rng), NumberReader(latent))


def _as_read(latent: Array, record: Array, name: str, rng: np.random.Generator) -> Array:
    if rng.random() < FINER:
        return latent
    if name in SKEWED and rng.random() < LOGARITHM:
        return standardized(np.log1p(record / max(float(np.median(record)), 1e-3)))
    return tamed(record)
