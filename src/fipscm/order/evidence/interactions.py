"""What interactions between causes leave unexplained. Shapes: N rows, D variables, C causes, F random features.

An additive fit cannot see that two causes act together. For every variable, random Fourier features of the few others
that its additive fit needs most are fitted to what the additive fit left over.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from fipscm.order.evidence.leave_one_out import CACHED, row_blocks, tensor_factor


@dataclass(frozen=True)
class InteractionConfig:
    """Random features of several causes."""

    causes: int = 4  # at most: random features of more variables are too sparse to fit anything
    frequency: float = 1.2  # per standard deviation of a cause: about one wave over the bulk of a column
    clip: float = 5.0  # standard deviations beyond which a value counts as an outlier
    # On which causes features depend, the one that the additive fit needs most having rank 0, and how many do so.
    ranks: tuple[tuple[int, ...], ...] = ((0, 1), (0, 2), (1, 2), (0, 1, 2), (0, 1, 2, 3))
    counts: tuple[int, ...] = (24, 16, 16, 24, 16)


INTERACTIONS = InteractionConfig()


def _features() -> tuple[Tensor, Tensor]:
    """Frequencies (C, F) and phases (F,): constants of the statistic, the same for every table."""
    rng = np.random.default_rng(0)
    frequencies = np.zeros((INTERACTIONS.causes, sum(INTERACTIONS.counts)))
    start = 0
    for ranks, count in zip(INTERACTIONS.ranks, INTERACTIONS.counts, strict=True):
        frequencies[ranks, start : start + count] = INTERACTIONS.frequency * rng.standard_normal((len(ranks), count))
        start += count
    phases = rng.uniform(0, 2 * math.pi, frequencies.shape[1])
    return torch.from_numpy(frequencies).float(), torch.from_numpy(phases).float()


FREQUENCIES, PHASES = _features()


class InteractionResiduals:
    """What interactions leave of additive residuals: a function of the rows, the residuals and the needs alone.

    Random features depend on nothing but their causes. Those of the latest call are kept, because most variables still
    need the same causes after a leaf was removed; the residuals are regressed on them anew every time.
    """

    def __init__(self, values: Tensor):
        # Features are bounded by one and ridged, so single precision loses nothing and halves the time.
        self._values = values.clamp(-INTERACTIONS.clip, INTERACTIONS.clip).float()
        self._latest: dict[tuple[int, ...], _FeatureRegression] = {}

    def of(self, residuals: Tensor, needs: Tensor, kept: Tensor) -> Tensor:
        """(N, D) centred targets, (D, D) needs at [j, i], (D,) columns of the table -> (N, D) what is left of them."""
        count = min(INTERACTIONS.causes, len(kept) - 1)
        ranked = kept[needs.argsort(dim=1, descending=True, stable=True)[:, :count]]
        causes = [tuple(row) for row in ranked.tolist()]
        self._latest = self._regressions(causes)
        targets = residuals.float().T.contiguous()
        explained = [self._latest[key].fitted(target) for key, target in zip(causes, targets, strict=True)]
        return residuals - torch.stack(explained, dim=1).double()

    def _regressions(self, causes: list[tuple[int, ...]]) -> dict[tuple[int, ...], "_FeatureRegression"]:
        room = CACHED // (len(self._values) * FREQUENCIES.shape[1])
        return {
            key: self._latest.get(key) or _FeatureRegression(self._values[:, key], keep=place < room)
            for place, key in enumerate(dict.fromkeys(causes))
        }


class _FeatureRegression:
    """Ridge regression of any target on the random features of some causes (N, C)."""

    def __init__(self, causes: Tensor, keep: bool):
        rows, features = len(causes), FREQUENCIES.shape[1]
        self._causes, self._blocks = causes, row_blocks(rows, features)
        self._kept = [self._features_of(block) for block in self._blocks] if keep else None
        sums = torch.zeros(features, dtype=torch.float32)
        products = torch.zeros(features, features, dtype=torch.float32)
        for waves in self._features():
            sums += waves.sum(dim=0)
            products += waves.T @ waves
        self._means = sums / rows
        covariance = products / rows - torch.outer(self._means, self._means)
        covariance.diagonal().add_(1e-3 + 1 / rows)  # ridge: the features of one cause are nearly collinear
        self._factor = tensor_factor(covariance)

    def fitted(self, target: Tensor) -> Tensor:
        """What the features explain of a centred target (N,)."""
        parts = zip(self._features(), self._blocks, strict=True)
        moments = torch.stack([waves.T @ target[block] for waves, block in parts]).sum(dim=0) / len(target)
        weights = torch.cholesky_solve(moments[:, None], self._factor)[:, 0]
        return torch.cat([waves @ weights for waves in self._features()]) - self._means @ weights

    def _features(self) -> Iterable[Tensor]:
        """The features (rows, F) of each block of rows."""
        return map(self._features_of, self._blocks) if self._kept is None else self._kept

    def _features_of(self, rows: slice) -> Tensor:
        causes = self._causes[rows]
        return torch.cos(causes @ FREQUENCIES[: causes.shape[1]] + PHASES)
