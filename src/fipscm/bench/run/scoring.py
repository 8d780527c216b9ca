"""How an answer is scored: by every score that the answer and the truth allow."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask
from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.method import Answer, Generative, MixedModel
from fipscm.graph import descendants
from fipscm.metrics import SCORES
from fipscm.scm.intervention import Do
from fipscm.simulate import CounterfactualTest
from fipscm.simulate.effects import KnownEffect
from fipscm.simulate.mixed.truth import Contrast, MixedTruth

INTERVENED_ROWS = 10_000
SAMPLE_ROWS = 1_000  # the MMD of two samples takes time and memory with the square of their rows


def score_answer(answer: Answer, problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    """Every score of an answer by its key in SCORES; one that is not finite is left out.

    Samples and noises are compared with the complete rows of the table.
    """
    if problem.effects:
        return {} if answer.interval is None else _interval_scores(answer.interval, problem.effects)
    judged_by_the_graph = {
        "tos": answer.order,
        "f1": answer.adjacency,
        "cpdag_f1": answer.adjacency,
        "skeleton_f1": answer.adjacency,
        "shd": answer.adjacency,
        "auc_roc": answer.edge_scores,
        "auc_prg": answer.edge_scores,
        "calibration": answer.edge_probabilities,
    }
    found = dict(answer.figures) | {
        key: SCORES[key](part, problem.adjacency) for key, part in judged_by_the_graph.items() if part is not None
    }
    if problem.mixed is not None and answer.mixed_model is not None:
        found |= _mixed_scores(answer.mixed_model, problem.mixed, problem.unit, int(rng.integers(2**31)))
    elif answer.model is not None and problem.is_numeric:
        found |= _model_scores(answer.model, problem.complete_rows(), rng)
    if answer.log_likelihood is not None and problem.held_out is not None:
        found["log_likelihood"] = float(np.mean(answer.log_likelihood(problem.held_out))) / problem.held_out.shape[1]
    if answer.doubts is not None:
        found["doubted"] = float(answer.doubts())
    return {key: round(float(value), 6) for key, value in found.items() if np.isfinite(value)}


def _model_scores(model: Generative, problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    columns = problem.table.columns
    found = {"mmd": _discrepancy(model, problem.table, rng)}
    if problem.tests:
        answers = (model.counterfactual(test.factual, test.do)[columns] for test in problem.tests)
        errors = [_error(test, answer, problem) for test, answer in zip(problem.tests, answers, strict=True)]
        found[problem.judged_by] = float(np.mean(errors))
    noise = model.noise(problem.table)
    if noise is not None and problem.noise is not None:
        found["noise"] = SCORES["noise"](problem.noise, noise, problem.unit)
    return found


def mean_changes(model: MixedModel, truth: MixedTruth, seed: int) -> list[Array]:
    """What changes on average in every figure (F,), for each contrast that the truth is known of."""
    figures = truth.figures

    def change(contrast: Contrast) -> Array:
        ends: list[Do] = [{contrast.treatment: value} for value in (contrast.treated, contrast.control)]
        treated, control = (figures(model.intervene(do, INTERVENED_ROWS, seed)).mean(axis=0) for do in ends)
        return np.where(figures.belonging_to(contrast.treatment), 0.0, treated - control)

    return [change(contrast) for contrast in truth.contrasts]


def _mixed_scores(model: MixedModel, truth: MixedTruth, unit: Array, seed: int) -> dict[str, float]:
    """Of what is to be expected: of all units under interventions, and of single rows had things been different."""
    figures, found = truth.figures, {}
    if truth.contrasts:
        true = [contrast.truth for contrast in truth.contrasts]
        found["effects"] = SCORES["effects"](true, mean_changes(model, truth, seed), unit)
    errors = [
        SCORES["counterfactual"](test.truth, np.mean([figures(frame) for frame in possible], axis=0), unit)
        for test in truth.expectations
        if (possible := model.counterfactuals(test.factual, test.do, seed))
    ]
    return found | ({"counterfactual": float(np.mean(errors))} if errors else {})


def _interval_scores(
    interval: Callable[[KnownEffect], tuple[float, float]], effects: Sequence[KnownEffect]
) -> dict[str, float]:
    """How often intervals hold the truth, over all effects and for each size, and how wide they are."""
    ends = {effect: interval(effect) for effect in effects}
    held = {effect.size: float(low <= effect.truth <= high) for effect, (low, high) in ends.items()}
    widths = [high - low for low, high in ends.values()]
    by_size = {f"coverage_{size}": share for size, share in held.items()}
    means = {"coverage": held.values(), "width": widths, "no_width": [width == 0 for width in widths]}
    return {key: round(float(np.mean(list(values))), 6) for key, values in means.items()} | by_size


def _error(test: CounterfactualTest, answer: pd.DataFrame, problem: Problem) -> float:
    """By the score of the tests; beyond the rows only the effects of what was done are looked at."""
    columns = problem.table.columns
    judged: Mask = np.ones(len(columns), dtype=np.bool_)
    if problem.judged_by == "far":
        judged = np.any(descendants(problem.adjacency)[columns.isin(list(test.do))], axis=0)
    return SCORES[problem.judged_by](test.truth.loc[:, judged], answer.loc[:, judged], problem.unit[judged])


def _discrepancy(model: Generative, table: pd.DataFrame, rng: np.random.Generator) -> float:
    """Between rows of the table and as many rows of the model."""
    rows = min(len(table), SAMPLE_ROWS)
    observed = table.iloc[rng.choice(len(table), rows, replace=False)]
    return SCORES["mmd"](observed, model.sample(rows, rng)[table.columns])
