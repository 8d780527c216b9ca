"""What interactions between causes leave unexplained. Shapes: N rows, D variables, F random features.

An additive fit cannot see that two causes act together. For every variable, random Fourier features of the few others
that its additive fit needs most are fitted to what the additive fit left over.
"""

import math

import numpy as np
import torch
from torch import Tensor

from fipscm.order.evidence.leave_one_out import row_blocks

CAUSES = 4
FREQUENCY = 1.2
CLIP = 5.0
# How many features see which of the variables, ranked by how much the additive fit needs them.
_SEEN_RANKS = {(0, 1): 24, (0, 2): 16, (1, 2): 16, (0, 1, 2): 24, (0, 1, 2, 3): 16}


def _features() -> tuple[Tensor, Tensor]:
    """Frequencies (CAUSES, F) and phases (F,): constants of the statistic, the same for every table."""
    rng = np.random.default_rng(0)
    frequencies = np.zeros((CAUSES, sum(_SEEN_RANKS.values())))
    start = 0
    for ranks, count in _SEEN_RANKS.items():
        frequencies[ranks, start : start + count] = FREQUENCY * rng.standard_normal((len(ranks), count))
        start += count
    phases = rng.uniform(0, 2 * math.pi, frequencies.shape[1])
    return torch.from_numpy(frequencies).float(), torch.from_numpy(phases).float()


FREQUENCIES, PHASES = _features()


class InteractionResiduals:
    """Residuals by (variable, its most needed others), kept so that removing a leaf refits only what it touches.

    What they explain of a variable is computed once for the same others. Its additive residual moves a little with
    every leaf that goes, and these moves are not followed: an approximation that makes large tables much faster.
    """

    def __init__(self, values: Tensor):
        # Features are bounded by one and ridged, so single precision loses nothing and halves the time.
        self._values = values.clamp(-CLIP, CLIP).float()
        self._known: dict[tuple[int, ...], Tensor] = {}

    def of(self, residuals: Tensor, needs: Tensor, kept: Tensor) -> Tensor:
        """(N, D) additive residuals, (D, D) needs at [j, i], (D,) columns of the table -> (N, D) residuals."""
        count = min(CAUSES, len(kept) - 1)
        ranked = kept[needs.argsort(dim=1, descending=True, stable=True)[:, :count]]
        keys = [(int(kept[j]), *ranked[j].tolist()) for j in range(len(kept))]
        self._known = {key: self._known[key] for key in keys if key in self._known}
        for j, key in enumerate(keys):
            if key not in self._known:
                self._known[key] = self._explained(residuals[:, j].float(), ranked[j])
        explained = torch.stack([self._known[key] for key in keys], dim=1)
        return residuals - explained.double()

    def _explained(self, target: Tensor, causes: Tensor) -> Tensor:
        """What the random features of some variables explain of a target (N,)."""
        rows, features = len(target), FREQUENCIES.shape[1]
        sums, products = torch.zeros(features), torch.zeros(features, features)
        moments = torch.zeros(features)
        for block in row_blocks(rows, features):
            waves = self._waves(causes, block)
            sums += waves.sum(dim=0)
            products += waves.T @ waves
            moments += waves.T @ target[block]
        means = sums / rows
        centred = products / rows - torch.outer(means, means)
        centred.diagonal().add_(1e-3 + 1 / rows)
        weights = torch.cholesky_solve((moments / rows)[:, None], torch.linalg.cholesky(centred))[:, 0]
        blocks = row_blocks(rows, features)
        # The features of a single block are at hand; those of many would not fit into memory together.
        fitted = [waves @ weights] if len(blocks) == 1 else [self._waves(causes, block) @ weights for block in blocks]
        return torch.cat(fitted) - means @ weights

    def _waves(self, causes: Tensor, rows: slice) -> Tensor:
        return torch.cos(self._values[rows][:, causes] @ FREQUENCIES[: len(causes)] + PHASES)
