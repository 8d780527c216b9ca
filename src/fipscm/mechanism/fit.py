"""Learn an SCM on an order or a graph: find the edges, then one mechanism per column. Shapes: N rows, D columns.

In the search for edges a category is as many inputs as it has levels: E inputs in all.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from joblib import Parallel, delayed, effective_n_jobs

from fipscm.arrays import Array, Mask, Order
from fipscm.errors import GraphError
from fipscm.graph import adjacency_from_allowed, as_adjacency, topological_order
from fipscm.mechanism.candidates import ADDITIVE, AUTO, chains_of, forced_chain
from fipscm.mechanism.config import MechanismConfig
from fipscm.mechanism.data import ColumnData, Rows
from fipscm.mechanism.edges.by_test import EdgeTest, find_edges
from fipscm.mechanism.edges.of_categories import joined_edges, joined_scores, without_references
from fipscm.mechanism.edges.posterior import weigh_edges
from fipscm.mechanism.edges.screen import screen
from fipscm.mechanism.families.additive import AdditiveFamily
from fipscm.mechanism.families.zero_inflated import is_hurdle
from fipscm.mechanism.inputs import Inputs, expanded
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.predictors.gaussian_process import Process
from fipscm.mechanism.progress import OnProgress, silent, steps_of
from fipscm.mechanism.select import Search, Selection
from fipscm.mechanism.spread_causes import FEWEST_ROWS, with_spread_causes
from fipscm.mechanism.transformer import Transformer
from fipscm.mechanism.weights import cell_weights, warn_of_outliers
from fipscm.significance import SIGNIFICANCE, scores_from_log_p
from fipscm.threads import on_one_thread

_MOST_ROWS = 100_000  # of a column: more change a line by less than a hundredth of what it leaves
RELEVANT = 0.01  # probability of a cause whose outliers matter, where those of all would leave too few rows
_FEWEST_TOLD = 0.5  # of the rows: where outliers of causes would leave fewer, they are borne


class Kinds(NamedTuple):
    """(D,) what each column is, and (D,) how many levels it has as a category; zero for numbers."""

    names: tuple[str, ...]
    levels: tuple[int, ...]

    @classmethod
    def of(cls, names: Sequence[str] | None, levels: Sequence[int] | None, columns: int) -> "Kinds":
        """All continuous unless given."""
        return cls(
            ("continuous",) * columns if names is None else tuple(names),
            (0,) * columns if levels is None else tuple(levels),
        )


@dataclass(frozen=True)
class Table:
    """Rows in random order, and what they may tell.

    Attributes:
        names: of the columns.
        rows: (N, D), codes where a column is a category.
        kinds: what the columns are.
        intervened: (N, D), cells that were set from outside.
        weights: (N, D), how much each cell counts.
        inputs: (N, E), with indicators for levels, and
        owners: (E,) the column that each of them stands for.
    """

    names: tuple[Hashable, ...]
    rows: Array
    kinds: Kinds
    intervened: Mask
    weights: Array
    inputs: Array
    owners: Order

    @classmethod
    def of(cls, frame: pd.DataFrame, kinds: Kinds, intervened: Mask | None, seed: int) -> "Table":
        """Shuffle a table (N, D), and weigh its cells."""
        rows: Array = frame.to_numpy(dtype=np.float64)
        shuffled = np.random.default_rng(seed).permutation(len(rows))
        rows = rows[shuffled]
        acted_on = np.zeros(rows.shape, dtype=bool) if intervened is None else intervened[shuffled]
        # Amounts with zeros have long tails by nature.
        numbers = np.array([kind == "continuous" for kind in kinds.names]) & ~is_hurdle(rows)
        inputs = expanded(rows, kinds.levels)
        owners = np.repeat(np.arange(rows.shape[1]), np.maximum(kinds.levels, 1))
        weights = np.ones(rows.shape)
        if numbers.any():
            judged = numbers[owners]
            of_inputs = cell_weights(inputs, judged)
            weights[:, numbers] = of_inputs[:, judged]
        return cls(tuple(frame.columns), rows, kinds, acted_on, weights, inputs, owners)

    def told(self, node: int, causes: Order) -> Mask:
        """(N,), the rows that tell about a column with these causes: neither set nor outlying, nor are its causes.

        Where outliers of causes would leave too few, they are borne.
        """
        own = ~self.intervened[:, node] & (self.weights[:, node] > 0)
        with_causes = own & (self.weights[:, causes] > 0).all(axis=1)
        return with_causes if with_causes.sum() >= _FEWEST_TOLD * own.sum() else own

    def rows_of(self, node: int, causes: Order) -> Rows:
        """Positions of the rows that a mechanism is learned from."""
        return np.flatnonzero(self.told(node, causes))[:_MOST_ROWS]

    def column(self, node: int, causes: Order, process: Process | None, reads: Mask | None = None) -> ColumnData:
        """What a mechanism is learned from; the mean may depend on some of the causes alone (P,)."""
        rows = self.rows_of(node, causes)
        levels = [self.kinds.levels[cause] for cause in causes]
        of_causes = self.rows[rows][:, causes]
        inputs = Inputs.of(causes, levels, of_causes)
        mean_reads = np.arange(len(inputs.centre)) if reads is None else np.flatnonzero(reads[inputs.owners])
        fits = process is not None and len(process.relevance) == len(mean_reads)
        return ColumnData(
            name=self.names[node],
            kind=self.kinds.names[node],
            values=self.rows[rows, node],
            levels=self.kinds.levels[node],
            causes=of_causes,
            inputs=inputs,
            weights=self.weights[rows, node],
            mean_reads=mean_reads,
            process=process if fits else None,
            variables=np.array([*self.variables(causes), *self.variables([node])[:1]], dtype=np.intp),
        )

    def variables(self, columns: Sequence[int] | Order) -> list[int]:
        """The inputs that stand for some columns."""
        return [int(place) for column in columns for place in np.flatnonzero(self.owners == column)]


class Found(NamedTuple):
    """(D, D) edges, row = effect; (D, D) their scores; and the smoothness of columns, by position."""

    kept: Mask
    scores: Array
    smoothness: Mapping[int, Process]


@dataclass(frozen=True)
class Known:
    """Mechanisms of one table, by column and causes: a fit on another order learns only those that are not there yet.

    Attributes:
        seed: of the fits that share them.
        selections: what was learned so far; every fit adds to it.
    """

    seed: int
    selections: dict[tuple[int, tuple[int, ...]], Selection] = field(default_factory=dict)


@dataclass(frozen=True)
class Learner:
    """Learns mechanisms of a table, each once for the causes that it has."""

    table: Table
    config: MechanismConfig
    transformer: Transformer
    known: dict[tuple[int, tuple[int, ...]], Selection] = field(default_factory=dict)

    def selections(
        self, kept: Mask, allowed: Mask, found: "Found", on_progress: OnProgress
    ) -> tuple[list[Selection], Array]:
        """Of all columns: with causes of their means, then of their spreads, and a network where it is needed.

        The scores (D, D) are those that were found, and those of edges on the spread alone.
        """
        selections, scores = self.mechanisms(kept, found.smoothness, on_progress), found.scores.copy()
        if self.config.looks_for_spread:
            for node in np.flatnonzero((allowed & ~kept).any(axis=1)):
                selections[node] = self._with_spread(node, selections[node], allowed[node] & ~kept[node], found, scores)
        columns = {node: self.column(node, each.mechanism.causes) for node, each in enumerate(selections)}
        rows = {node: self.table.rows_of(node, each.mechanism.causes) for node, each in enumerate(selections)}
        rows = {node: own[own < len(self.transformer.x)] for node, own in rows.items()}
        return self.transformer.improved(columns, rows, selections), scores

    def column(self, node: int, causes: Order | Sequence[int], process: Process | None = None) -> ColumnData:
        """What a mechanism of a column with these causes is learned from."""
        return self.table.column(node, np.asarray(causes, dtype=np.intp), process)

    def _with_spread(self, node: int, selection: Selection, possible: Mask, found: "Found", scores: Array) -> Selection:
        """The mechanism of a column, where other columns may move its spread; their scores (D, D) are entered."""
        mechanism, tables = selection.mechanism, self.table
        numbers = [cause for cause in np.flatnonzero(possible) if not tables.kinds.levels[cause]]
        columns = np.array(numbers, dtype=np.intp)
        data = self.column(node, mechanism.causes)
        taken = [trial.candidate for trial in selection.trials if trial.verdict == "taken"]
        if mechanism.response.kind != ADDITIVE or len(data.values) < FEWEST_ROWS or not len(columns) or not taken:
            return selection
        family = AdditiveFamily(taken[0].removesuffix(", additive"))
        start = np.log(10) * scores[node, columns] - 0.5 * np.log(len(tables.rows))
        if self.config.edges != "posterior":
            start = np.full(len(columns), -2 * np.log(len(possible)))
        limits = np.minimum(start, np.log(SIGNIFICANCE / len(possible) ** 2))

        def widened(further: list[int]) -> ColumnData:
            causes = np.sort(np.array([*mechanism.causes, *further], dtype=np.intp))
            return self.table.column(node, causes, None, np.isin(causes, mechanism.causes))

        values = tables.rows[tables.rows_of(node, mechanism.causes)][:, columns]
        wider = with_spread_causes(data, family, selection, values, columns, limits, widened, self.config.criterion)
        for cause, log_p in zip(wider.causes, wider.log_p, strict=True):
            scores[node, cause] = float((start[columns == cause][0] - log_p) / np.log(10))
        return wider.selection

    def mechanisms(self, allowed: Mask, smoothness: Mapping[int, Process], on_progress: OnProgress) -> list[Selection]:
        """Of all columns; what is known of a column with the same causes is kept."""
        wanted = [(node, tuple(np.flatnonzero(causes).tolist())) for node, causes in enumerate(allowed)]
        anew = [key for key in wanted if key not in self.known]
        on_step = steps_of("Learning mechanisms", on_progress)
        tasks = [
            delayed(learn_column)(self.column(node, causes, smoothness.get(node)), self.config) for node, causes in anew
        ]
        one_by_one = effective_n_jobs(self.config.jobs) == 1  # engines of clusters return all at once
        found = Parallel(n_jobs=self.config.jobs, return_as="generator" if one_by_one else "list")(tasks)
        for step, (key, selection) in enumerate(zip(anew, found, strict=True), start=1):
            self.known[key] = selection
            on_step(step, len(anew))
        return [self.known[key] for key in wanted]


@on_one_thread()
def learn_column(data: ColumnData, config: MechanismConfig) -> Selection:
    """The mechanism of one column."""
    chains = chains_of(data, ADDITIVE if config.provisional else config.noise)
    search = Search(data, config.criterion)
    best = search.run(chains)
    if config.noise not in (AUTO, ADDITIVE) and not config.provisional and data.kind == "continuous":
        forced = [f for f in forced_chain(data, config.noise).families if f.predictor == best.family.predictor]
        if forced and forced[0].applies(data):
            best = search.scored(forced[0], best) or best
    return search.selection(best)


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
    levels: Sequence[int] | None = None,
    seed: int = 0,
    known: Known | None = None,
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
        kinds: (D,) what each column is, one of `tables.kinds.KINDS`; all continuous unless given.
        levels: (D,) how many levels a category has; zero for numbers.
        seed: of all random choices; the same seed and number of threads give the same model.
        known: mechanisms of the same table, learned with the same settings before; its seed takes the place of `seed`.
        on_progress: told about progress.
        checkpoint: where to resume the training of the network from, written after every epoch.
    """
    config, known = config or MechanismConfig(), known or Known(seed)
    seed = known.seed
    allowed = _checked(allowed, frame.shape[1])
    required = np.zeros_like(allowed) if required is None else required & allowed
    order = topological_order(adjacency_from_allowed(allowed)) if order is None else order
    table = Table.of(frame, Kinds.of(kinds, levels, frame.shape[1]), intervened, seed)
    if not config.provisional:
        warn_of_outliers(table.rows, table.weights, table.names)
    found = find(table, allowed, required, prior, config, seed, on_progress)
    learner = Learner(
        table, config, Transformer.of(table.inputs, config, seed, on_progress, checkpoint), known.selections
    )

    def model(kept: Mask) -> LearnedSCM:
        selections, scores = learner.selections(kept, allowed, found, on_progress)
        trials = tuple(trial for selection in selections for trial in selection.trials)
        mechanisms = tuple(selection.mechanism for selection in selections)
        return LearnedSCM(table.names, np.asarray(order), mechanisms, scores.T, trials)

    if config.edges != "jacobian":
        return model(found.kept if config.prune else allowed)
    full = model(allowed)  # the paper's rule: fit on everything allowed, keep what moves the fit, and fit again
    kept = ((config.limit < full.edge_derivatives.T) & allowed) | required
    return model(kept) if config.prune and (kept != allowed).any() else full


def find(
    table: Table,
    allowed: Mask,
    required: Mask,
    prior: Array | None,
    config: MechanismConfig,
    seed: int,
    on_progress: OnProgress,
) -> Found:
    """The edges that rows and order model hold, and those that are required."""
    z = (table.inputs - table.inputs.mean(axis=0)) / np.maximum(table.inputs.std(axis=0), 1e-12)
    owners, pairs = table.owners, np.ix_(table.owners, table.owners)
    possible = allowed[pairs]
    judged = without_references(possible, table.inputs, owners)
    held = None if prior is None else _checked_prior(prior, allowed)[pairs]
    unusable = _unusable(table, judged, held)
    generator, steps = torch.Generator().manual_seed(seed), steps_of("Testing edges", on_progress)
    level = config.limit if config.edges == "test" else SIGNIFICANCE  # the paper's rule has a limit of derivatives
    if (required == allowed).all():
        screening = screen(z, judged, np.zeros(judged.shape), unusable)
        tested = EdgeTest(judged, scores_from_log_p(screening.dependence, len(z.T)), screening.curvature < 0, {})
    elif config.edges == "posterior":
        tested = weigh_edges(
            z,
            judged,
            _checked_prior(prior, allowed)[pairs],
            generator,
            steps,
            unusable,
            uneven=config.uneven,
            roughly=config.provisional,
        )
    else:
        tested = find_edges(z, judged, generator, level, steps, unusable, uneven=config.uneven)
    limit = 0.0 if config.edges == "posterior" else -np.log10(level)
    scores = joined_scores(np.where(judged, tested.scores, -np.inf), owners)
    scores = np.where(allowed & np.isfinite(scores), scores, 0.0)
    kept = (joined_edges(tested.kept & judged, owners) & (scores > limit)) | required
    smoothness = {
        int(owners[node]): process
        for node, process in tested.smoothness.items()
        if not table.kinds.levels[owners[node]]
    }
    return Found(kept, scores, smoothness)


def _unusable(table: Table, judged: Mask, held: Array | None) -> Mask:
    """(N, E), where a row says nothing about an input: it was set or is outlying there, or one of its causes is.

    Where the causes that may matter would leave too few rows, outliers of causes are borne.
    """
    outlying = (table.weights == 0)[:, table.owners]
    own: Mask = np.asarray(table.intervened[:, table.owners] | outlying)
    if not outlying.any():
        return own
    unusable: Mask = own
    for causes in (judged, *([] if held is None else [judged & (held > RELEVANT)]))[::-1]:
        either = own | (outlying @ causes.T)
        unusable = np.where(either.mean(axis=0) <= 1 - _FEWEST_TOLD, either, unusable)
    return np.asarray(unusable)


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
