"""How good an answer is: every score that the answer and the truth allow. Shapes: N rows, D variables."""

import numpy as np
import pandas as pd

from fipscm.bench.data.problem import Problem
from fipscm.bench.methods.base import Answer, Generative
from fipscm.metrics import auc_prg, auc_roc, calibration_error, directed_f1, mmd, rescaled_l2, shd, tos

SAMPLE_ROWS = 1_000  # the discrepancy of two samples takes time beyond the square of the rows

# What each score is called in a table, and whether higher is better; None if that depends on the data.
SCORES: dict[str, tuple[str, bool | None]] = {
    "tos": ("topological ordering score", True),
    "f1": ("directed F1", True),
    "shd": ("structural Hamming distance", False),
    "auc_roc": ("AUC-ROC of edges", True),
    "auc_prg": ("AUC-PRG of edges", True),
    "calibration": ("calibration error of edge probabilities, table by table", False),
    "counterfactual": ("counterfactual error", False),
    "noise": ("noise error", False),
    "mmd": ("MMD of samples", False),
    "doubted": ("share of tables whose assumptions the method's own check doubts", None),
    "seconds": ("processor seconds", False),
    "memory": ("peak memory, MB", False),
    "parameters": ("parameters", False),
    "train_seconds": ("processor seconds of one training step on all rows", False),
    "test_seconds": ("processor seconds of one forward pass on all rows", False),
    "tos_10": ("topological ordering score on 10 variables, by d in training", True),
    "tos_20": ("topological ordering score on 20 variables, by d in training", True),
    "tos_50": ("topological ordering score on 50 variables, by d in training", True),
}


def score(answer: Answer, problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    """Compare an answer with the truth."""
    found: dict[str, float] = dict(answer.figures)
    if answer.order is not None:
        found["tos"] = tos(answer.order, problem.adjacency)
    if answer.adjacency is not None:
        found["f1"] = directed_f1(answer.adjacency, problem.adjacency)
        found["shd"] = shd(answer.adjacency, problem.adjacency)
    if answer.edge_scores is not None:
        found["auc_roc"] = auc_roc(answer.edge_scores, problem.adjacency)
        found["auc_prg"] = auc_prg(answer.edge_scores, problem.adjacency)
    if answer.edge_probabilities is not None:
        found["calibration"] = calibration_error(answer.edge_probabilities, problem.adjacency)
    if answer.model is not None:
        found |= _model_scores(answer.model, problem, rng)
    if answer.doubts is not None:
        found["doubted"] = float(answer.doubts())
    return {name: round(float(value), 6) for name, value in found.items() if np.isfinite(value)}


def _model_scores(model: Generative, problem: Problem, rng: np.random.Generator) -> dict[str, float]:
    found = {"mmd": _discrepancy(model, problem.table, rng)}
    if problem.tests:
        errors = [
            rescaled_l2(test.truth, model.counterfactual(test.factual, test.do)[problem.table.columns], problem.unit)
            for test in problem.tests
        ]
        found["counterfactual"] = float(np.mean(errors))
    noise = model.noise(problem.table)
    if noise is not None and problem.noise is not None:
        found["noise"] = rescaled_l2(problem.noise, noise, problem.unit)
    return found


def _discrepancy(model: Generative, table: pd.DataFrame, rng: np.random.Generator) -> float:
    """Between rows of the table and as many rows of the model."""
    rows = min(len(table), SAMPLE_ROWS)
    observed = table.iloc[rng.choice(len(table), rows, replace=False)]
    return mmd(observed, model.sample(rows, rng)[table.columns])
