"""Learn an SCM on an order or a graph: find the edges, then fit what remains. Shapes: N rows, D variables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import GraphError, unknown_name
from fipscm.graph import adjacency_from_allowed, as_adjacency, topological_order
from fipscm.mechanism.edges import LEVEL, find_edges, log_p_of_gain
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise import EmpiricalNoise
from fipscm.mechanism.progress import Report, silent, steps_of
from fipscm.mechanism.screen import screen
from fipscm.mechanism.skip import Skip
from fipscm.mechanism.smooth import Relevance
from fipscm.mechanism.train import TrainingConfig, held_out_errors, train
from fipscm.mechanism.transformer import CausalTransformer, Parents, TransformerConfig
from fipscm.tables.validate import training_frame

PIECE = 1_000
TINY = 1e-12  # of a column's spread: below it lies rounding error
EFFECT_ROWS = 2_000  # an average effect needs no more
THRESHOLDS = {"test": LEVEL, "jacobian": 0.1}


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
    data: Any,
    allowed: Mask,
    config: MechanismConfig | None = None,
    *,
    required: Mask | None = None,
    seed: int = 0,
    report: Report = silent,
    checkpoint: Path | None = None,
) -> LearnedSCM:
    """Learn the SCM of a table, given which columns may cause which.

    Args:
        data: a table (N, D).
        allowed: (D, D), true where column j may cause column i: of an order, of a graph, or anything acyclic between.
        config: how to learn.
        required: (D, D), edges to keep whatever the test says; a known graph requires all it allows.
        seed: of all random choices; the same seed and number of threads give the same model.
        report: told about progress.
        checkpoint: where to resume the training of the network from, written after every epoch; what follows this name
            tells tables and graphs apart.
    """
    config = config or MechanismConfig()
    frame = training_frame(data)
    names, rows = tuple(frame.columns), frame.to_numpy()
    allowed = _checked(allowed, len(names))
    required = np.zeros_like(allowed) if required is None else required & allowed
    generator = torch.Generator().manual_seed(seed)
    rows = rows[torch.randperm(len(rows), generator=generator).numpy()]
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    z = (rows - centre) / scale
    learner = _Learner(names, rows, z, centre, scale, config, generator, report, checkpoint)
    order = topological_order(adjacency_from_allowed(allowed))
    if config.edges == "test" and not (required == allowed).all():
        found = find_edges(z, allowed, generator, config.limit, steps_of("Testing edges", report))
        kept, scores, curved = found.kept | required, found.scores, found.curved
        return learner.fit(kept if config.prune else allowed, curved, order, scores, found.smoothness)
    limit = np.log(LEVEL / len(names))
    curved = screen(z, allowed, limit).curvature < limit
    model = learner.fit(allowed, curved, order, np.zeros(allowed.shape))
    scores = _average(lambda piece: np.abs(model.jacobian(piece)), rows)
    kept = ((scores > config.limit) & allowed) | required
    if config.prune and (kept != allowed).any():
        return learner.fit(kept, curved, order, scores)
    return replace(model, edge_scores=scores.T)


@dataclass(frozen=True)
class _Learner:
    """A table and how to learn from it; the rows are in random order."""

    names: tuple[Any, ...]
    rows: Array
    z: Array
    centre: Array
    scale: Array
    config: MechanismConfig
    generator: torch.Generator
    report: Report
    checkpoint: Path | None

    def fit(
        self,
        allowed: Mask,
        curved: Mask,
        order: Order,
        scores: Array,
        smoothness: Mapping[int, Relevance] | None = None,
    ) -> LearnedSCM:
        """Solve the skip, train the network on what it leaves, and read the noises off the residuals."""
        fitted = round((1 - self.config.training.validation) * len(self.z))
        trained = allowed.any(axis=1) & (curved if self.config.skip else True)
        skip = Skip.none(len(allowed))
        if self.config.skip:
            steps = steps_of("Solving nodes", self.report)
            skip = Skip.fit(self.z, allowed, curved, fitted, self.generator, smoothness, steps)
        residual = self.z - skip(self.z)
        unit = np.maximum(residual.std(axis=0), TINY)
        network = CausalTransformer(len(allowed), self.config.transformer, self.generator)
        nodes = self._train(network, allowed, np.flatnonzero(trained), residual / unit, fitted)
        unknown = np.zeros(allowed.shape)
        noise = EmpiricalNoise(self.rows)
        model = LearnedSCM(
            self.names, order, noise, allowed, self.centre, self.scale, skip, network, nodes, unit, scores.T, unknown
        )
        noise = EmpiricalNoise.of(self.scale * (residual - model.learned_part(self.z)))
        effects = _average(model.jacobian, self.rows[:EFFECT_ROWS]) * self.scale[:, None] / self.scale
        return replace(model, noise=noise, edge_weights=effects.T)

    def _train(self, network: CausalTransformer, allowed: Mask, nodes: Order, target: Array, fitted: int) -> Order:
        """Train on some nodes, and return those whose held-out error the network lowers beyond doubt."""
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
            lambda progress: self.report("Training", progress.epoch, epochs, f"loss {progress.best:.4f}"),
            checkpoint,
        )  # fmt: skip
        self.report("Training", epochs, epochs, "done")
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
        if not self.config.skip:
            return nodes
        gain = wanted[fitted:].square() - held_out_errors(network, parents, x, wanted, fitted)
        proven = [log_p_of_gain(column) < np.log(LEVEL / len(nodes)) for column in gain.T]
        return np.asarray(nodes[np.array(proven)], dtype=np.intp)

    def _checkpoint_of(self, allowed: Mask) -> Path | None:
        """A file of its own for every table and mask: a refit on fewer edges must not start from another training."""
        if self.checkpoint is None:
            return None
        stage = crc32(allowed.tobytes(), crc32(self.z.tobytes()))
        return self.checkpoint.with_name(f"{self.checkpoint.name}-{stage:08x}")


def _average(derivative: Callable[[Array], Array], rows: Array) -> Array:
    """The mean over all rows (N, D) of a function with values (N, D, D), a piece at a time to spare memory."""
    pieces = np.array_split(rows, max(1, len(rows) // PIECE))
    return np.asarray(sum(derivative(piece).sum(axis=0) for piece in pieces) / len(rows))


def _checked(allowed: Mask, variables: int) -> Mask:
    if np.shape(allowed) != (variables, variables):
        raise GraphError(
            f"The mask of allowed causes has shape {np.shape(allowed)}, but the table has {variables} columns: "
            "pass one row and one column per variable."
        )
    return as_adjacency(allowed).astype(bool)
