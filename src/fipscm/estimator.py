"""FiP: from a table to answers, in scikit-learn's manner. Shapes: N rows, D variables.

What a fitted model can do is in `fip/`, a file for each purpose; here are its settings and `fit`.
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, Self

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags

from fipscm.errors import ModelFileError, unknown_name
from fipscm.fip.asking import Asking
from fipscm.fip.judging import Judging
from fipscm.fip.saving import Saving
from fipscm.fip.showing import Showing
from fipscm.fip.state import generator_of
from fipscm.knowledge import Knowledge
from fipscm.mechanism.progress import OnProgress, silent
from fipscm.questions.impute import Domain
from fipscm.tables.blocks import Blocks
from fipscm.tables.columns import learnable, warn_of_merged, warn_of_near_copies, warn_of_set_aside, warn_of_spellings
from fipscm.tables.copies import copied_rows
from fipscm.tables.frames import library_of
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.panel import clusters_of, told_panel
from fipscm.tables.training import TrainingTable, require_more_rows_than_columns
from fipscm.tables.validate import named_frame, warn_of_missing_codes

MISSING = ("impute", "drop", "refuse")


class FiP(Asking, Judging, Saving, Showing):
    """A causal generative model of a table: its order, its mechanisms, its noises.

    A fitted model keeps its training table in memory, for `assess` and for effects over several orders; a saved one
    does not hold it.

    Args:
        order: column names, causes first; inferred zero-shot when neither order nor graph is given.
        graph: a networkx.DiGraph over column names, or an adjacency table (row = cause); its edges are not tested.
        knowledge: hard constraints on order and graph.
        kinds: what columns are, by name, where that is not recognised: "continuous", "count", "ordinal", "binary" or
            "categorical"; grades that have names are told by these, the lowest first, as in "poor < fair < good".
        keep: columns to model although they were computed from others, such as the logarithm of another column; what is
            named in an order, a graph, knowledge or kinds is kept as well.
        group: the column that names the units which rows belong to, as in a panel of persons or countries; recognised
            unless given, "none" for no group. It is no variable, unless it is named as one.
        time: the column that tells when a row was measured; recognised unless given, "none" for none.
        missing: what is done about missing cells. "impute" draws them from the model itself, given the other cells of
            their row, and intervals of effects take that into account; a column may lack up to 60 % of its cells.
            "drop" learns from the complete rows alone, "refuse" takes no table with missing cells.
        scale: "standardized" lets no unit influence the inferred order, "raw" uses the columns' variances as evidence.
        edges: "posterior" for odds that weigh what the order model holds and what the rows say, "test" for the
            statistical test alone, "jacobian" for the paper's rule.
        prune: fit on the edges found; False keeps every edge the order allows.
        skip: solve regressions in closed form and train the transformer on their residuals; False is the paper's
            transformer alone.
        noise: how noise acts on a column: "additive" on top of what the causes say, "location-scale" with a spread that
            depends on the causes, "monotone" in any increasing way; "auto" takes for each column the simplest kind that
            unseen rows do not reject.
        random_state: a seed, a random state, a generator or None.
        n_jobs: how many processor cores to use; None for one, -1 for all.
        device: "auto", "cpu" or a CUDA device.
        verbose: show progress on standard error.

    Attributes:
        causal_order_: column names, causes first.
        kinds_: the kind of each column, by name.
        columns_: what each column is, with the levels of those that hold names, and which were set aside.
        graph_: networkx.DiGraph; every edge has `weight` (average derivative of the effect in the cause, in the
            columns' units), `score` (evidence for the edge) and `acts_on` ("mean", "spread" or "mean and spread" of
            the effect); after `assess` also `confidence` (that the cause precedes the effect) and `directed` (whether
            its direction stands: it is known, or the confidence is at least 0.9). A node has its `kind`.
        adjacency_: 0/1 frame, row = cause, column = effect.
        edge_scores_: frame, same orientation: the evidence for each edge. By default log10 of its posterior odds, kept
            where positive; otherwise -log10 of a p-value corrected for all pairs: with edges="test" that of the test
            that decided (kept above 2), with a given graph or edges="jacobian" that of an F-test on all rows. Scores of
            one kind compare, scores of two kinds do not.
        mechanisms_: frame, one row per column: its `causes`, the `shape` of its mechanism (constant, linear, quadratic,
            smooth or transformer), the kind of its `noise`, `noise_gain` (by how much the kind tried raises the
            log-density of an unseen row over that with additive noise; NaN where that was not doubted), `r2_held_out`
            (the share of the variance that the causes explain in rows which the mechanism has not seen),
            `log_likelihood_held_out` (the mean log-density of such a row given its causes), the `rows` it rests on, and
            the `low`est and `high`est value of the column. From 2,000 rows on, curves are measured on a tenth held out
            from them; whatever was learned from all rows, on each row as if it had been left out.
        edge_derivatives_: frame, same orientation: mean absolute derivative between standardized columns.
        order_confidence_: after `assess`: frame, P(row precedes column).
        agreement_: after `assess`: frame, row = cause: the share of plausible orders that give its total effect the
            same sign.
        scm_: the model behind all answers, a `fipscm.scm.base.SCM`; it has one column for each level of a category.
        blocks_: how the columns of tables relate to those of `scm_`, a `fipscm.tables.blocks.Blocks`.

    >>> from fipscm.simulate import known_scm
    >>> table = known_scm("triangle").sample(3000, np.random.default_rng(0))
    >>> model = FiP(order=["x0", "x1", "x2"], random_state=0).fit(table)
    >>> sorted(model.graph_.edges)
    [('x0', 'x1'), ('x0', 'x2'), ('x1', 'x2')]
    """

    def __init__(
        self,
        *,
        order: Sequence[Hashable] | None = None,
        graph: nx.DiGraph | ArrayLike | None = None,
        knowledge: Knowledge | None = None,
        kinds: Mapping[Hashable, str] | None = None,
        keep: Sequence[Hashable] = (),
        group: Hashable | None = None,
        time: Hashable | None = None,
        missing: str = "impute",
        scale: str = "standardized",
        edges: Literal["posterior", "test", "jacobian"] = "posterior",
        prune: bool = True,
        skip: bool = True,
        noise: Literal["auto", "additive", "location-scale", "monotone"] = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.graph = graph
        self.knowledge = knowledge
        self.kinds = kinds
        self.keep = keep
        self.group = group
        self.time = time
        self.missing = missing
        self.scale = scale
        self.edges = edges
        self.prune = prune
        self.skip = skip
        self.noise = noise
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "refuse"
        return tags

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        intervened: Any = None,
        checkpoint: str | Path | None = None,
        on_progress: OnProgress | None = None,
    ) -> Self:
        """Learn from a table: infer the order unless told, test the edges, fit the mechanisms.

        Args:
            X: a table: a frame of pandas or polars, a dictionary of columns, an array. Columns of two texts are coded
                0 and 1. Columns that cannot be learned from, such as dates, identifiers and free text, and those that
                were computed from others are set aside with a warning. Cells may be missing (NaN); what is done about
                it says `missing`.
            y: not used; an outcome is a column of the table like any other.
            intervened: what was done in each row, if some come from experiments: the name of the column that was set,
                "~" and the name of one whose mechanism was changed somehow, "?" and the name of a setting whose targets
                are unknown (several in a list, None where nothing was done), or a table that is true where a value was
                set. Such a row tells nothing about the causes of what was acted on, and much about its effects: both
                are used.
            checkpoint: a file name under which the training of the network, where one is needed, is saved after every
                epoch; a fit that was interrupted goes on from there. It is removed at the end.
            on_progress: told the stage, the steps done, the steps in all and a note, instead of the bars that `verbose`
                shows; what it raises ends the fit.
        """
        from fipscm.order.network.encoder import SCALES

        if y is not None:
            warnings.warn(
                "y is not used: put the outcome into the table, where it is a column like any other.", stacklevel=2
            )
        if self.missing not in MISSING:
            raise unknown_name("treatment of missing cells", self.missing, MISSING)
        frame, columns = learnable(
            X, self.kinds, self._constraints.named, self.missing != "refuse", self.keep, self.group, self.time
        )
        require_more_rows_than_columns(frame)
        if self.scale not in SCALES:
            raise unknown_name("scale", self.scale, SCALES)
        if checkpoint is not None and not isinstance(self.random_state, (int, np.integer)):
            raise ModelFileError(
                "A fit can only go on from a checkpoint with the same random numbers: set random_state to an integer."
            )
        warn_of_set_aside(columns)
        warn_of_spellings(columns)
        warn_of_merged(columns)
        warn_of_missing_codes(frame)
        warn_of_near_copies(frame, columns)
        done = parse_intervened(columns.without_others(intervened), frame, columns.set_aside)
        clusters = clusters_of(given := named_frame(X), columns.panel, frame.to_numpy())
        if dependence := told_panel(given, columns.panel, clusters):
            warnings.warn(dependence, stacklevel=2)
            columns = replace(columns, dependence=dependence)
        table, rng = TrainingTable.of(frame, done, Blocks.of(columns), clusters), generator_of(self.random_state)
        if clusters is None and (copies := copied_rows(frame)).any():
            warnings.warn(
                f"{copies.sum():,} of {len(frame):,} rows are copies: they equal another row in every column, while "
                "hardly any row equals another in all columns but one. Each row counts once.",
                stacklevel=2,
            )
            table = table.without(copies)
        if table.holes.any():
            table = self._without_holes(table, Domain.of(columns.kinds, frame))
        found = self._read_order(table, self._given_precedence(table), on_progress or silent)
        table = self._without_changed(table, found.order)
        if table.holes.any():
            table = self._imputed(table, found, rng, on_progress)
        scm = self._fit_on(table, found, rng, checkpoint, on_progress)
        if not scm.allowed.any():
            warnings.warn(
                "No edge was found: as far as this table shows, its columns do not influence each other.", stacklevel=2
            )
        self._deviations = self._deviations_of(scm, table, rng)
        self._table: TrainingTable | None = table
        self.columns_, self._library = columns, library_of(X)
        return self._adopt(scm)
