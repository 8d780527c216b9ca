"""The transformer's part of a fit: trained where the closed form leaves something, kept where unseen rows gain.

Shapes: N rows, D variables.
"""

from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.mechanism.edges.screen import log_p_of_structure
from fipscm.mechanism.fitting.config import MechanismConfig
from fipscm.mechanism.fitting.table import FitTable
from fipscm.mechanism.network.train import held_out_errors, train
from fipscm.mechanism.network.transformer import CausalTransformer, Parents
from fipscm.mechanism.progress import OnProgress
from fipscm.significance import SIGNIFICANCE, log_p_of_gain


@dataclass(frozen=True)
class NetworkTraining:
    """How a network is trained on what a table (N, D) leaves over, and where its training is saved."""

    table: FitTable
    config: MechanismConfig
    generator: torch.Generator
    on_progress: OnProgress
    checkpoint: Path | None

    def nodes_to_train(self, allowed: Mask, curved: Mask, residual: Array, fitted: int) -> Order:
        """Curved nodes whose held-out residuals still depend on their causes; without a skip, all that have causes."""
        tried = curved if self.config.skip else ~self.table.kinds.linked
        nodes = np.flatnonzero(allowed.any(axis=1) & tried)
        if not self.config.skip:
            return nodes
        limit = np.log(SIGNIFICANCE / max(1, len(nodes)))
        later, left = self.table.z[fitted : len(residual)], residual[fitted:]
        known = {node: ~np.isnan(left[:, node]) for node in nodes}
        return np.array(
            [n for n in nodes if log_p_of_structure(later[known[n]][:, allowed[n]], left[known[n], n]) < limit],
            dtype=np.intp,
        )

    def train(self, network: CausalTransformer, allowed: Mask, nodes: Order, target: Array, fitted: int) -> Order:
        """Train on some nodes, and return those whose held-out error the network lowers significantly."""
        device = self.config.device
        network.to(device)
        if self.config.skip:
            network.decoder.data.zero_()
        if len(nodes) == 0:
            return nodes
        parents = Parents.of(allowed, nodes, device)
        x = torch.as_tensor(self.table.z[: len(target)], dtype=torch.float32, device=device)
        wanted = torch.as_tensor(target[:, nodes], dtype=torch.float32, device=device)
        epochs, checkpoint = self.config.training.epochs, self._checkpoint_of(allowed)
        train(
            network, parents, x, wanted, fitted, self.config.training, self.generator,
            lambda progress: self.on_progress("Training", progress.epoch, epochs, f"loss {progress.best:.4f}"),
            checkpoint,
        )  # fmt: skip
        self.on_progress("Training", epochs, epochs, "done")
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
        if not self.config.skip:
            return nodes
        gain = wanted[fitted:].square() - held_out_errors(network, parents, x, wanted, fitted)
        known = [column[~column.isnan()] for column in gain.T]
        limit = np.log(SIGNIFICANCE / len(nodes))
        proven = [len(column) > 1 and log_p_of_gain(column) < limit for column in known]
        return np.asarray(nodes[np.array(proven)], dtype=np.intp)

    def _checkpoint_of(self, allowed: Mask) -> Path | None:
        """A file of its own for every way to learn, table and mask: a refit must not resume another training."""
        if self.checkpoint is None:
            return None
        parts = repr(self.config).encode(), self.table.z.tobytes(), self.table.intervened.tobytes(), allowed.tobytes()
        stage = crc32(b"".join(parts))
        return self.checkpoint.with_name(f"{self.checkpoint.name}-{stage:08x}")
