"""Learn an SCM on an order or a graph: find the edges, then fit what remains. Shapes: N rows, D variables."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import GraphError
from fipscm.graph import adjacency_from_allowed, as_adjacency, topological_order
from fipscm.mechanism.edges.by_test import find_edges
from fipscm.mechanism.edges.of_categories import join_edges, join_scores, without_references
from fipscm.mechanism.edges.of_spread import SpreadSearch
from fipscm.mechanism.edges.posterior import weigh_edges
from fipscm.mechanism.fitting.config import MechanismConfig
from fipscm.mechanism.fitting.learner import Learner, mean_derivatives
from fipscm.mechanism.fitting.shapes import judge_shapes
from fipscm.mechanism.fitting.table import Kinds
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.progress import OnProgress, silent, steps_of
from fipscm.mechanism.regression.parabola import BENDS, Parabola
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.responding import Blocks
from fipscm.mechanism.response.additive import Additive
from fipscm.mechanism.response.bent import Bent
from fipscm.mechanism.response.logarithm import Logarithm

RELEVANT = 0.01  # probability of a cause whose wild values matter, where those of all would leave too few rows


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
    learner = Learner.of(frame, order, intervened, what, config, seed, on_progress, checkpoint)
    z, generator = learner.table.z, learner.generator
    steps, judged = steps_of("Testing edges", on_progress), without_references(allowed, learner.table.rows, blocks)
    if (required == allowed).all():
        return learner.fit(allowed, *judge_shapes(z, allowed, learner.table.unusable(allowed)))
    uneven = config.noise != Additive.kind
    if config.edges == "posterior":
        prior = _checked_prior(prior, allowed)
        unusable = learner.table.unusable(judged, judged & (prior > RELEVANT))
        found = weigh_edges(z, judged, prior, generator, steps, unusable, uneven=uneven, roughly=config.provisional)
    elif config.edges == "test":
        unusable = learner.table.unusable(judged)
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
    learner = Learner.of(frame, model.order, intervened, what, MechanismConfig(provisional=True), seed)
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
    line = bool(model.skip.weights[node].any())
    return Process(relevance, variance / stretch**2, noise, -np.inf, is_sum, line)


def _fit_by_derivatives(learner: Learner, allowed: Mask, required: Mask) -> LearnedSCM:
    """The paper's rule: fit on everything allowed, keep what moves the fit, and fit again."""
    config = learner.config
    unusable = learner.table.unusable(allowed)
    curved, scores, smoothness = judge_shapes(learner.table.z, allowed, unusable)
    model = learner.fit(allowed, curved, scores, smoothness)
    _, derivatives = mean_derivatives(model, learner.table.rows)
    kept = join_edges(((derivatives > config.limit) & allowed) | required, learner.table.kinds.blocks)
    if config.prune and (kept != allowed).any():
        return replace(learner.fit(kept, curved, scores), edge_derivatives=derivatives.T)
    return model


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
