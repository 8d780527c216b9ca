"""Learn an SCM on an order or a graph: find the edges, then fit what remains. Shapes: N rows, D variables."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pandas as pd
import torch

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import GraphError, unknown_name
from fipscm.graph import adjacency_from_allowed, as_adjacency, topological_order
from fipscm.mechanism.block_edges import join_edges, join_scores, without_references
from fipscm.mechanism.by_kind import with_kinds
from fipscm.mechanism.edges import find_edges
from fipscm.mechanism.held_out import held_out_scores
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.network.train import TrainingConfig, held_out_errors, train
from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig
from fipscm.mechanism.noise import EmpiricalNoise
from fipscm.mechanism.noise_kinds import AUTO, NOISES, with_noises, with_their_noises
from fipscm.mechanism.parabolas import find_parabolas
from fipscm.mechanism.posterior import weigh_edges
from fipscm.mechanism.progress import OnProgress, silent, steps_of
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.parabola import BENDS, Parabola
from fipscm.mechanism.regression.process import MOST_ROWS, Process, is_curved, learn_process
from fipscm.mechanism.regression.skip import Skip, learn_smoothness
from fipscm.mechanism.regression.usable import count_usable, tame_location, told_by, unusable_rows, usable_rows
from fipscm.mechanism.rescaled import ScaleTable, with_even_scales, with_logarithms
from fipscm.mechanism.responding import Blocks
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.kinds import all_additive
from fipscm.mechanism.response.logarithm import Logarithm
from fipscm.mechanism.screen import log_p_of_structure, screen
from fipscm.mechanism.significance import SIGNIFICANCE, log_p_of_gain, scores_from_log_p
from fipscm.mechanism.spread_edges import SpreadSearch, with_spread_edges
from fipscm.mechanism.sums import with_sums
from fipscm.mechanism.uneven import NoiseTable
from fipscm.mechanism.wrong_entries import warn_of_wrong_entries, wrong_entries
from fipscm.robust import wild_cells
from fipscm.usual import usual_rows

PIECE = 1_000  # rows at a time: the memory of their Jacobians grows with the square of the variables
TINY = 1e-12  # of a column's standard deviation; residuals below it are rounding errors
EFFECT_ROWS = 2_000  # enough for the average of a derivative
NETWORK_ROWS = 2_000  # fewer leave too few to tell whether the network improves on the process
MOST_RESIDUALS = 100_000  # rows whose residuals are taken: curves, networks and noises need no more of them
RELEVANT = 0.01  # probability of a cause whose wild values matter, where those of all would leave too few rows
# Odds of one, a level of significance, and the mean absolute derivative between standardized columns of the paper.
THRESHOLDS = {"posterior": 0.0, "test": SIGNIFICANCE, "jacobian": 0.1}


@dataclass(frozen=True)
class MechanismConfig:
    """How an SCM is learned.

    Attributes:
        edges: "posterior" weighs rows and order model, "test" takes p-values alone, "jacobian" is the paper's rule.
        prune: fit on the edges found instead of on everything allowed.
        skip: solve a linear and a smooth part first and train the network on the rest; False is the paper's model.
        threshold: of an edge: log10 of its odds (0), level of its test (0.01), or its mean absolute derivative (0.1).
        provisional: for drawing missing cells alone: no network is trained, nothing is measured on unseen rows, no
            column is tried on another scale, and uneven noise does not change how smooth a curve is.
        noise: "additive", "location-scale", "monotone", or "auto" for the simplest kind that unseen rows do not reject.
        device: where the network is trained.
        transformer: the network's sizes.
        training: how it is trained.
    """

    edges: Literal["posterior", "test", "jacobian"] = "test"
    prune: bool = True
    skip: bool = True
    provisional: bool = False
    noise: str = AUTO
    threshold: float | None = None
    device: str = "cpu"
    transformer: TransformerConfig = field(default_factory=TransformerConfig)
    training: TrainingConfig = field(default_factory=TrainingConfig)

    def __post_init__(self) -> None:
        if self.edges not in THRESHOLDS:
            raise unknown_name("edge rule", self.edges, THRESHOLDS)
        if self.noise not in NOISES:
            raise unknown_name("kind of noise", self.noise, NOISES)

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
    prior: Array | None = None,
    intervened: Mask | None = None,
    kinds: Sequence[str] | None = None,
    blocks: Blocks = (),
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
        prior: (D, D), the order model's probability that column j causes column i; edges="posterior" needs it.
        intervened: (N, D), cells that were set from outside: such a row tells nothing about the causes of that column.
        kinds: (D,) what each column is: "continuous", "count", "ordinal" or "binary"; all continuous unless given.
        blocks: the columns of each category, one for each level, which allow and require the same edges.
        seed: of all random choices; the same seed and number of threads give the same model.
        on_progress: told about progress.
        checkpoint: where to resume the training of the network from, written after every epoch; a checksum of
            table and mask is appended to this name.
    """
    config = config or MechanismConfig()
    allowed = _checked(allowed, frame.shape[1])
    required = np.zeros_like(allowed) if required is None else required & allowed
    order = topological_order(adjacency_from_allowed(allowed)) if order is None else order
    what = Kinds.of(kinds, blocks, frame.shape[1])
    learner = _Learner.of(frame, order, intervened, what, config, seed, on_progress, checkpoint)
    z, generator = learner.z, learner.generator
    steps, judged = steps_of("Testing edges", on_progress), without_references(allowed, learner.rows, blocks)
    if (required == allowed).all():
        return learner.fit(allowed, *_judged(z, allowed, learner.unusable(allowed)))
    uneven = config.noise != Additive.kind
    if config.edges == "posterior":
        prior = _checked_prior(prior, allowed)
        unusable = learner.unusable(judged, judged & (prior > RELEVANT))
        found = weigh_edges(z, judged, prior, generator, steps, unusable, uneven=uneven)
    elif config.edges == "test":
        unusable = learner.unusable(judged)
        found = find_edges(z, judged, generator, config.limit, steps, unusable, uneven=uneven)
    else:
        return _fit_by_derivatives(learner, allowed, required)
    kept, scores = found.kept, found.scores
    if blocks:
        scores = np.where(allowed, join_scores(np.where(judged, scores, -np.inf), blocks), 0.0)
        kept = join_edges(kept, blocks) & (scores > (0.0 if config.edges == "posterior" else -np.log10(config.limit)))
    if not config.prune:
        return learner.fit(allowed, found.curved, scores, found.smoothness)
    search = _spread_search(scores, allowed, config, len(z))
    return learner.fit(kept | required, found.curved, scores, found.smoothness, search)


def _spread_search(scores: Array, allowed: Mask, config: MechanismConfig, rows: int) -> SpreadSearch:
    """What an edge on the spread alone must overcome: its odds so far, as in `posterior.py`, or the number of tests."""
    if config.edges == "posterior":
        return SpreadSearch(allowed, np.log(10) * scores - 0.5 * np.log(rows))
    return SpreadSearch(allowed, np.full(scores.shape, -2 * np.log(len(allowed))), config.limit)


def refit_regressions(model: LearnedSCM, frame: pd.DataFrame, intervened: Mask | None, seed: int) -> LearnedSCM:
    """Solve the regressions of a model again on another table (N, D) of its columns, in a fraction of the time.

    Its edges stay, and so does the smoothness of its mechanisms; a network is not trained.
    """
    what = Kinds.of_model(model)
    learner = _Learner.of(frame, model.order, intervened, what, MechanismConfig(provisional=True), seed)
    curved = np.asarray(model.skip.amplitudes.any(axis=1))
    noise = np.square(model.noise.ordered).mean(axis=0) / np.square(model.scale)
    # What is on another scale was fitted to another column than the one that its node begins with.
    known = curved & ~np.array([isinstance(response, Logarithm | Bent) for response in model.responses])
    smoothness = {int(node): _smoothness_of(model, node, float(noise[node])) for node in np.flatnonzero(known)}
    parabolas = {
        int(node): Parabola(max(BENDS), float(noise[node]), -np.inf) for node in np.flatnonzero(model.skip.is_parabola)
    }
    alone = SpreadSearch(model.allowed & ~model.on_mean, np.zeros(model.allowed.shape))
    return learner.fit(model.on_mean, curved, model.edge_scores.T, smoothness, alone, parabolas)


def _smoothness_of(model: LearnedSCM, node: int, noise: float) -> Process:
    """As the curve of a node shows it, in standardized columns; a node with a link has its curve on another scale."""
    variance = float(np.square(model.skip.amplitudes[node]).sum() / 2)  # a cosine squared is one half on average
    stretch = float(model.responses[node].moved(np.zeros(1), np.ones(1))[0])
    relevance, is_sum = model.skip.relevance[node, model.on_mean[node]], node in model.skip.sums
    return Process(relevance, variance / stretch**2, noise, -np.inf, is_sum)


def _fit_by_derivatives(learner: "_Learner", allowed: Mask, required: Mask) -> LearnedSCM:
    """The paper's rule: fit on everything allowed, keep what moves the fit, and fit again."""
    config = learner.config
    unusable = learner.unusable(allowed)
    curved, scores, smoothness = _judged(learner.z, allowed, unusable)
    model = learner.fit(allowed, curved, scores, smoothness)
    _, derivatives = _mean_derivatives(model, learner.rows)
    kept = join_edges(((derivatives > config.limit) & allowed) | required, learner.kinds.blocks)
    if config.prune and (kept != allowed).any():
        return replace(learner.fit(kept, curved, scores), edge_derivatives=derivatives.T)
    return model


def _judged(z: Array, allowed: Mask, unusable: Mask | None) -> tuple[Mask, Array, dict[int, Process]]:
    """Which nodes are curved in all their allowed causes, the score of each cause, and what smoothness was learned.

    A few rows decide by the marginal likelihood, more of them by a test, whose p-value stands for a Bayes factor of
    1 / (p sqrt(N)) as it does for edges: a line that bends by chance would go anywhere beyond the rows.
    """
    limit = np.log(SIGNIFICANCE / len(allowed)) - 0.5 * np.log(len(z))
    has_causes, few = allowed.any(axis=1), count_usable(z, unusable) <= MOST_ROWS
    with warnings.catch_warnings():
        if few[has_causes].all():
            warnings.simplefilter("ignore", UserWarning)  # of too few rows for the test, which does not decide
        screening = screen(z, allowed, np.full(allowed.shape, limit), unusable)
    curved, smoothness = screening.curvature < limit, {}
    for node in np.flatnonzero(has_causes & few):
        rows = usable_rows(z, node, unusable)
        causes, effect = rows[:, allowed[node]], rows[:, node]
        process = learn_process(causes, effect)
        curved[node] = is_curved(process, causes, effect)
        if curved[node]:
            smoothness[int(node)] = process
    log_p = np.where(curved[:, None], screening.dependence, screening.linear)
    return curved, np.where(allowed, scores_from_log_p(log_p, len(allowed)), 0), smoothness


@dataclass(frozen=True)
class Kinds:
    """(D,) what each column is, and the columns of each category."""

    names: tuple[str, ...]
    blocks: Blocks = ()

    @classmethod
    def of(cls, names: Sequence[str] | None, blocks: Blocks, variables: int) -> "Kinds":
        """All continuous unless given."""
        return cls(("continuous",) * variables if names is None else tuple(names), blocks)

    @classmethod
    def of_model(cls, model: LearnedSCM) -> "Kinds":
        """As the responses of a model tell them."""
        kinds = {"thresholds": "ordinal", "gumbel": "binary", "count": "count"}
        return cls(tuple(kinds.get(response.kind, "continuous") for response in model.responses), model.blocks)

    @property
    def linked(self) -> Mask:
        """(D,), true for columns that are not continuous."""
        return np.array([name != "continuous" for name in self.names])


@dataclass(frozen=True)
class _Learner:
    """A table and how to learn from it; the rows are in random order."""

    names: tuple[Any, ...]
    order: Order
    rows: Array
    intervened: Mask
    wild: Mask
    z: Array
    centre: Array
    scale: Array
    kinds: Kinds
    config: MechanismConfig
    generator: torch.Generator
    on_progress: OnProgress
    checkpoint: Path | None

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        order: Order,
        intervened: Mask | None,
        kinds: Kinds,
        config: MechanismConfig,
        seed: int,
        on_progress: OnProgress = silent,
        checkpoint: Path | None = None,
    ) -> "_Learner":
        """Shuffle and standardize a table (N, D)."""
        names, rows = tuple(frame.columns), frame.to_numpy()
        generator = torch.Generator().manual_seed(seed)
        intervened = np.zeros(rows.shape, dtype=bool) if intervened is None else intervened
        shuffled = torch.randperm(len(rows), generator=generator).numpy()
        rows, intervened = rows[shuffled], intervened[shuffled]
        wild = wild_cells(rows) & ~kinds.linked  # no level or count is wild
        centre, scale = tame_location(rows, wild)
        z = (rows - centre) / scale
        return cls(
            names, order, rows, intervened, wild, z, centre, scale, kinds, config, generator, on_progress, checkpoint
        )  # fmt: skip

    def unusable(self, *causes: Mask) -> Mask:
        """(N, D), as `unusable_rows`, and the unusual rows."""
        return unusable_rows(self.intervened, self.wild, *causes) | self.unusual[:, None]

    @cached_property
    def unusual(self) -> Mask:
        """(N,), the rows in which nothing was set and the columns do not go together as elsewhere."""
        return np.asarray(~usual_rows(self.rows) & ~self.intervened.any(axis=1))

    def fit(
        self,
        allowed: Mask,
        curved: Mask,
        scores: Array,
        smoothness: Mapping[int, Process] | None = None,
        search: SpreadSearch | None = None,
        parabolas: Mapping[int, Parabola] | None = None,
    ) -> LearnedSCM:
        """Solve the skip, train the network on its residuals, and take what is left as noises.

        Edges that act on the spread alone are looked for if a search is given. Unless `parabolas` are known, curved
        nodes are tried for being such, or sums of curves.
        """
        z = self.z[:MOST_RESIDUALS]
        trains = (not self.config.provisional and len(z) >= NETWORK_ROWS) or not self.config.skip
        fitted = round((1 - self.config.training.validation) * len(z)) if trains else len(z)
        skip, unusable = Skip.none(len(allowed)), self.unusable(allowed)
        box, smooth = Box.of(self.rows, self.wild), dict[int, Process]()
        if self.config.skip:
            smoothness = learn_smoothness(z[:fitted], allowed, curved, smoothness, unusable)
            curved = curved & ~self.kinds.linked  # what is on a scale of its own is solved at the end
            has_forms = parabolas is not None
            parabolas = find_parabolas(z, allowed, curved, smoothness, unusable) if parabolas is None else parabolas
            curved = curved & ~np.isin(np.arange(len(allowed)), list(parabolas))
            smoothness = smoothness if has_forms else with_sums(z[:fitted], allowed, curved, smoothness, unusable)
            smooth = {node: process for node, process in smoothness.items() if curved[node]}
            skip = Skip.unsolved(len(allowed), self.generator)
            skip = self._solved(skip, allowed, fitted, smooth, unusable, parabolas)
            if self.wild.any() or self.unusual.any():
                before, unusable = unusable, self._unexplained(skip, box, unusable)
                changed = (unusable != before).any(axis=0)
                skip = self._solved(skip, allowed, fitted, smooth, unusable, parabolas, changed)
                box = Box.of(self.rows, self.wild & ~told_by(unusable, allowed))
        residual = z - skip(z, box.standardized(self.centre, self.scale))
        untold = self.intervened | (unusable & (self.wild @ allowed.T))
        residual[untold[: len(z)]] = np.nan  # no noise is known there
        unit = np.maximum(np.nanstd(residual, axis=0), TINY)
        network = CausalTransformer(len(allowed), self.config.transformer, self.generator)
        nodes = self._nodes_to_train(allowed, curved, residual, fitted) if trains else np.zeros(0, dtype=np.intp)
        nodes = self._train(network, allowed, nodes, residual / unit, fitted)
        unknown = np.zeros(allowed.shape)
        partial = (curved & allowed.any(axis=1)) | np.isin(np.arange(len(allowed)), nodes)
        model = LearnedSCM(
            names=self.names,
            order=self.order,
            noise=EmpiricalNoise(self.rows),
            responses=all_additive(self.centre, self.scale),
            allowed=allowed,
            on_mean=allowed,
            on_spread=np.zeros_like(allowed),
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
            held_out_r2=np.full(len(allowed), np.nan),
            held_out_log_likelihood=np.full(len(allowed), np.nan),
            noise_gain=np.full(len(allowed), np.nan),
            rows=np.where(partial, (~unusable[:fitted]).sum(axis=0), (~unusable).sum(axis=0)),
            blocks=self.kinds.blocks,
        )
        residual -= model.learned_part(z)
        wrong = wrong_entries(residual) & ~self.kinds.linked
        residual[wrong] = np.nan
        noise, known = EmpiricalNoise.of(self.scale * residual), ~np.isnan(residual)
        residual[unusable[: len(z)]] = np.nan
        model = replace(model, noise=noise)
        if not self.config.provisional:
            r2, log_likelihood = held_out_scores(z, residual, allowed, skip, smooth, fitted, partial)
            model = replace(model, held_out_r2=r2, held_out_log_likelihood=log_likelihood - np.log(self.scale))
        if self.kinds.linked.any():
            rows, told = self.rows[: len(z)], unusable[: len(z)]
            model = with_kinds(model, z, rows, self.kinds.names, smoothness or {}, told)
        table = NoiseTable(z, ~np.isnan(residual), known, fitted, smooth, parabolas or {}, self.config.provisional)
        model = self._with_noises(model, table, wrong, search)
        if not self.config.provisional:
            warn_of_wrong_entries(wrong.sum(axis=0), self.names)
        mean, absolute = _mean_derivatives(model, self.rows[:EFFECT_ROWS])
        weights = mean * self.scale[:, None] / self.scale
        return replace(model, edge_weights=weights.T, edge_derivatives=absolute.T)

    def _with_noises(
        self, model: LearnedSCM, table: NoiseTable, wrong: Mask, search: SpreadSearch | None
    ) -> LearnedSCM:
        """The model with noises that need not be additive, and with causes of their spread."""
        config, first = self.config, slice(0, len(table.z))
        scales = ScaleTable.of(
            table.z, self.rows[first], ~self.kinds.linked, self.intervened[first], self.wild[first], wrong
        )
        # It takes most of the time; what is drawn for a missing cell is in the range of its column on any scale.
        takes_scales = config.skip and config.noise == AUTO and not config.provisional
        if takes_scales:
            model = with_even_scales(model, scales)
        # Of its own, so that what else is learned does not depend on the noises that are tried.
        generator = torch.Generator().manual_seed(self.generator.initial_seed() + 1)
        if search is not None and config.noise != Additive.kind:
            model = with_spread_edges(model, table, search)
        model = with_noises(model, table, config.noise, generator, not config.provisional, self.on_progress)
        model = with_their_noises(model, self.rows[first], table)
        return with_logarithms(model, scales) if takes_scales else model

    def _solved(
        self,
        skip: Skip,
        allowed: Mask,
        fitted: int,
        smooth: Mapping[int, Process],
        unusable: Mask,
        parabolas: Mapping[int, Parabola],
        nodes: Mask | None = None,
    ) -> Skip:
        steps = steps_of("Solving nodes", self.on_progress)
        return skip.solved(self.z, allowed, fitted, smooth, steps, unusable, parabolas, nodes)

    def _unexplained(self, skip: Skip, box: Box, unusable: Mask) -> Mask:
        """(N, D), where a column was set from outside, or is farther from what its causes make of it than noise is.

        Rows whose residuals are not taken stay as `unusable` (N, D) as they are.
        """
        z, intervened = self.z[:MOST_RESIDUALS], self.intervened[:MOST_RESIDUALS]
        residual = z - skip(z, box.standardized(self.centre, self.scale))
        unexplained = intervened | wild_cells(np.where(intervened, np.nan, residual))
        return np.vstack([unexplained, unusable[MOST_RESIDUALS:]])

    def _nodes_to_train(self, allowed: Mask, curved: Mask, residual: Array, fitted: int) -> Order:
        """Curved nodes whose held-out residuals still depend on their causes; without a skip, all that have causes."""
        tried = curved if self.config.skip else ~self.kinds.linked
        nodes = np.flatnonzero(allowed.any(axis=1) & tried)
        if not self.config.skip:
            return nodes
        limit = np.log(SIGNIFICANCE / max(1, len(nodes)))
        later, left = self.z[fitted : len(residual)], residual[fitted:]
        known = {node: ~np.isnan(left[:, node]) for node in nodes}
        return np.array(
            [n for n in nodes if log_p_of_structure(later[known[n]][:, allowed[n]], left[known[n], n]) < limit],
            dtype=np.intp,
        )

    def _train(self, network: CausalTransformer, allowed: Mask, nodes: Order, target: Array, fitted: int) -> Order:
        """Train on some nodes, and return those whose held-out error the network lowers significantly."""
        device = self.config.device
        network.to(device)
        if self.config.skip:
            network.decoder.data.zero_()
        if len(nodes) == 0:
            return nodes
        parents = Parents.of(allowed, nodes, device)
        x = torch.as_tensor(self.z[: len(target)], dtype=torch.float32, device=device)
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


def _checked_prior(prior: Array | None, allowed: Mask) -> Array:
    if prior is None or np.shape(prior) != allowed.shape:
        raise GraphError(
            "Edges as posterior odds need the order model's probability of every edge, one row and one column per "
            "variable: pass them as `prior`, or use edges='test'."
        )
    return prior


def _checked(allowed: Mask, variables: int) -> Mask:
    if np.shape(allowed) != (variables, variables):
        raise GraphError(
            f"The mask of allowed causes has shape {np.shape(allowed)}, but the table has {variables} columns: "
            "pass one row and one column per variable."
        )
    return as_adjacency(allowed).astype(bool)
