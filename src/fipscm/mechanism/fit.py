"""Learn an SCM on an order or a graph: find the edges, then fit what remains. Shapes: N rows, D variables."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pandas as pd
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import GraphError, unknown_name
from fipscm.graph import adjacency_from_allowed, as_adjacency, topological_order
from fipscm.mechanism.edges import find_edges
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.network.train import TrainingConfig, held_out_errors, train
from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig
from fipscm.mechanism.noise import EmpiricalNoise
from fipscm.mechanism.progress import OnProgress, silent, steps_of
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.skip import Skip
from fipscm.mechanism.regression.smooth import Relevance
from fipscm.mechanism.screen import screen
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain, scores_from_log_p

PIECE = 1_000  # rows at a time: the memory of their Jacobians grows with the square of the variables
TINY = 1e-12  # of a column's standard deviation; residuals below it are rounding errors
EFFECT_ROWS = 2_000  # enough for the average of a derivative
# A level of significance, and the mean absolute derivative between standardized columns that the paper asks of an edge.
THRESHOLDS = {"test": SIGNIFICANCE, "jacobian": 0.1}


@dataclass(frozen=True)
class MechanismConfig:
    """How an SCM is learned.

    Attributes:
        edges: "test", or "jacobian" for the paper's rule.
        prune: fit on the edges found instead of on everything allowed.
        skip: solve a linear and a smooth part first and train the network on the rest; False is the paper's model.
        threshold: the level of the test (0.01), or the mean absolute derivative that makes an edge (0.1).
        device: where the network is trained.
        transformer: the network's sizes.
        training: how it is trained.
    """

    edges: Literal["test", "jacobian"] = "test"
    prune: bool = True
    skip: bool = True
    threshold: float | None = None
    device: str = "cpu"
    transformer: TransformerConfig = field(default_factory=TransformerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def __post_init__(self) -> None:
        if self.edges not in THRESHOLDS:
            raise unknown_name("edge rule", self.edges, THRESHOLDS)

    @property
    def limit(self) -> float:
        """The threshold in force."""
        return THRESHOLDS[self.edges] if self.threshold is None else self.threshold


def fit_mechanism(
    frame: pd.DataFrame,
    allowed: Mask,
    config: MechanismConfig | None = None,
    *,
    order: Order | None = None,
    required: Mask | None = None,
    intervened: Mask | None = None,
    seed: int = 0,
    on_progress: OnProgress = silent,
    checkpoint: Path | None = None,
) -> LearnedSCM:
    """Learn the SCM of a table, given which columns may cause which.

    Args:
        frame: a table (N, D) that has passed `training_frame`.
        allowed: (D, D), true where column j may cause column i: of an order, of a graph, or anything acyclic between.
        config: how to learn.
        order: (D,) an order that allows all of them; one of them is chosen unless given.
        required: (D, D), edges to keep whatever the test says; a known graph requires all it allows.
        intervened: (N, D), cells that were set from outside: such a row tells nothing about the causes of that column.
        seed: of all random choices; the same seed and number of threads give the same model.
        on_progress: told about progress.
        checkpoint: where to resume the training of the network from, written after every epoch; a checksum of
            table and mask is appended to this name.
    """
    config = config or MechanismConfig()
    names, rows = tuple(frame.columns), frame.to_numpy()
    allowed = _checked(allowed, len(names))
    required = np.zeros_like(allowed) if required is None else required & allowed
    generator = torch.Generator().manual_seed(seed)
    intervened = np.zeros(rows.shape, dtype=bool) if intervened is None else intervened
    shuffled = torch.randperm(len(rows), generator=generator).numpy()
    rows, intervened = rows[shuffled], intervened[shuffled]
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    z = (rows - centre) / scale
    order = topological_order(adjacency_from_allowed(allowed)) if order is None else order
    learner = _Learner(names, order, rows, intervened, z, centre, scale, config, generator, on_progress, checkpoint)
    if config.edges == "test" and not (required == allowed).all():
        found = find_edges(z, allowed, generator, config.limit, steps_of("Testing edges", on_progress), intervened)
        kept, scores, curved = found.kept | required, found.scores, found.curved
        return learner.fit(kept if config.prune else allowed, curved, scores, found.smoothness)
    limit = np.log(SIGNIFICANCE / len(names))
    screening = screen(z, allowed, limit, intervened)
    curved = screening.curvature < limit
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    scores = np.where(allowed, scores_from_log_p(log_p, len(names)), 0)
    model = learner.fit(allowed, curved, scores)
    if config.edges == "jacobian":
        _, derivatives = _mean_derivatives(model, rows)
        kept = ((derivatives > config.limit) & allowed) | required
        if config.prune and (kept != allowed).any():
            return replace(learner.fit(kept, curved, scores), edge_derivatives=derivatives.T)
    return model


@dataclass(frozen=True)
class _Learner:
    """A table and how to learn from it; the rows are in random order."""

    names: tuple[Any, ...]
    order: Order
    rows: Array
    intervened: Mask
    z: Array
    centre: Array
    scale: Array
    config: MechanismConfig
    generator: torch.Generator
    on_progress: OnProgress
    checkpoint: Path | None

    def fit(
        self, allowed: Mask, curved: Mask, scores: Array, smoothness: Mapping[int, Relevance] | None = None
    ) -> LearnedSCM:
        """Solve the skip, train the network on its residuals, and take what is left as noises."""
        fitted = round((1 - self.config.training.validation) * len(self.z))
        trained = allowed.any(axis=1) & (curved if self.config.skip else True)
        skip = Skip.none(len(allowed))
        if self.config.skip:
            steps = steps_of("Solving nodes", self.on_progress)
            skip = Skip.fit(self.z, allowed, curved, fitted, self.generator, smoothness, steps, self.intervened)
        box = Box.of(self.rows)
        mean = skip(self.z, box.standardized(self.centre, self.scale))
        residual = np.where(self.intervened, np.nan, self.z - mean)  # what was set has no noise
        unit = np.maximum(np.nanstd(residual, axis=0), TINY)
        network = CausalTransformer(len(allowed), self.config.transformer, self.generator)
        nodes = self._train(network, allowed, np.flatnonzero(trained), residual / unit, fitted)
        unknown = np.zeros(allowed.shape)
        model = LearnedSCM(
            names=self.names,
            order=self.order,
            noise=EmpiricalNoise(self.rows),
            allowed=allowed,
            centre=self.centre,
            scale=self.scale,
            box=box,
            skip=skip,
            network=network if len(nodes) else None,
            nodes=nodes,
            residual_scale=unit,
            edge_scores=scores.T,
            edge_derivatives=unknown,
            edge_weights=unknown,
        )
        noise = EmpiricalNoise.of(self.scale * (residual - model.learned_part(self.z)))
        mean, absolute = _mean_derivatives(model, self.rows[:EFFECT_ROWS])
        weights = mean * self.scale[:, None] / self.scale
        return replace(model, noise=noise, edge_weights=weights.T, edge_derivatives=absolute.T)

    def _train(self, network: CausalTransformer, allowed: Mask, nodes: Order, target: Array, fitted: int) -> Order:
        """Train on some nodes, and return those whose held-out error the network lowers significantly."""
        device = self.config.device
        network.to(device)
        if self.config.skip:
            network.decoder.data.zero_()
        if len(nodes) == 0:
            return nodes
        parents = Parents.of(allowed, nodes, device)
        x = torch.as_tensor(self.z, dtype=torch.float32, device=device)
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
        parts = repr(self.config).encode(), self.z.tobytes(), self.intervened.tobytes(), allowed.tobytes()
        stage = crc32(b"".join(parts))
        return self.checkpoint.with_name(f"{self.checkpoint.name}-{stage:08x}")


def _mean_derivatives(model: LearnedSCM, rows: Array) -> tuple[Array, Array]:
    """(D, D) mean and mean absolute derivatives between standardized columns over rows (N, D); row = effect."""
    total, absolute = np.zeros((2, rows.shape[1], rows.shape[1]))
    for piece in np.array_split(rows, max(1, len(rows) // PIECE)):
        derivatives = model.jacobian(piece)
        total += derivatives.sum(axis=0)
        absolute += np.abs(derivatives).sum(axis=0)
    return total / len(rows), absolute / len(rows)


def _checked(allowed: Mask, variables: int) -> Mask:
    if np.shape(allowed) != (variables, variables):
        raise GraphError(
            f"The mask of allowed causes has shape {np.shape(allowed)}, but the table has {variables} columns: "
            "pass one row and one column per variable."
        )
    return as_adjacency(allowed).astype(bool)
