"""Is a table like those the order model was trained on? Shapes: D variables, S summary statistics, T training tables.

A table is summarised by mean and spread of its evidence over variables and pairs. Its distance is the mean square of
the summary in units of the training tables' own spread; the p-value is the share of training tables farther out.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from fipscm.arrays import Array
from fipscm.order.evidence.view import Evidence, View
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.checkpoint import to_arrays, to_tensors

REFERENCE = Path(__file__).with_name("reference.safetensors")
FARTHEST = 10.0  # in standard deviations of the training tables


@dataclass(frozen=True)
class Novelty:
    """The distance of a table from the training tables (about 1 is typical), and the share of those farther out."""

    distance: float
    p_value: float


def novelty(values: Array) -> Novelty:
    """Compare the rows (N, D) of a table with the training tables of the shipped order model."""
    summary = summarise(View.of(values).evidence())
    centre, spread, distances = _reference()
    distance = _distance(summary, centre, spread)
    return Novelty(float(distance), float((distances > distance).double().mean()))


def summarise(evidence: Evidence) -> Tensor:
    """(S,): mean and spread of every node statistic and of every pair statistic off the diagonal."""
    variables = len(evidence.node)
    pairs = evidence.pair[~torch.eye(variables, dtype=torch.bool)]
    parts = [part(sample, dim=0) for sample in (evidence.node, pairs) for part in (torch.mean, _spread)]
    return torch.cat(parts).double()


def write_reference(summaries: Tensor, path: Path = REFERENCE) -> None:
    """Learn centre, spread and usual distances from summaries (T, S) of training tables."""
    centre, spread = summaries.mean(dim=0), summaries.std(dim=0).clamp_min(1e-6)
    distances = torch.stack([_distance(summary, centre, spread) for summary in summaries])
    tensors = {"centre": centre, "spread": spread, "distances": distances}
    save_archive(path, "weights", to_arrays(tensors), {"tables": len(summaries)})


@lru_cache(maxsize=1)
def _reference() -> tuple[Tensor, Tensor, Tensor]:
    tensors = to_tensors(load_archive(REFERENCE, "weights")[0])
    return tensors["centre"], tensors["spread"], tensors["distances"]


def _distance(summary: Tensor, centre: Tensor, spread: Tensor) -> Tensor:
    # Clipped, so that one extreme statistic does not outweigh all the others.
    return ((summary - centre) / spread).clamp(-FARTHEST, FARTHEST).square().mean()


def _spread(sample: Tensor, dim: int) -> Tensor:
    return sample.std(dim=dim, unbiased=False)
