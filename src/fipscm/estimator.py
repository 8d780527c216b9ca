"""FiP: from a table to answers, in scikit-learn's manner. Shapes: N rows, D variables, K orders.

What learns needs PyTorch and is imported by the methods that learn: a loaded model answers without it.
"""

import warnings
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, cast

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from fipscm.arrays import Array, Mask, Order
from fipscm.constraints import Constraints
from fipscm.display import card, graph_card, paragraph
from fipscm.dowhy import to_dowhy
from fipscm.errors import DataError, KnowledgeError, ModelFileError, unknown_name
from fipscm.graph import allowed_from_order, to_networkx
from fipscm.knowledge import Knowledge
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.overview import acts_on, overview
from fipscm.mechanism.progress import OnProgress, progress_bar, silent, steps_of
from fipscm.questions.deviations import Deviations, draw_deviations
from fipscm.questions.effect import Effect, Question, average_effect
from fipscm.questions.extrapolation import values_reached, values_set, warn_of_extrapolation
from fipscm.questions.imagined import imagine, imagined_draws
from fipscm.questions.impute import SWEEPS, Domain, Imputer
from fipscm.questions.intervals import intervened_averages, require_level, with_ends
from fipscm.questions.known_levels import levels_of, require_known_levels, within_levels
from fipscm.questions.likelihood import log_likelihood
from fipscm.questions.recommend import Recommendation, recommend
from fipscm.questions.uncertainty import agreement
from fipscm.scm.base import checked_rows
from fipscm.scm.fixed_point import FixedPointSCM
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.blocks import Blocks
from fipscm.tables.columns import Columns, learnable, warn_of_set_aside, warn_of_spellings
from fipscm.tables.frames import in_library, library_of
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.training import TrainingTable, require_more_rows_than_columns
from fipscm.tables.validate import one_row, training_frame, warn_of_missing_codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fipscm.order.removal import Removal
    from fipscm.questions.check import CheckResult
    from fipscm.report import Report

PLAUSIBLE_ORDERS = 20  # a share of them has a standard error of at most 0.11
MISSING = ("impute", "drop", "refuse")
ROUNDS = 2  # of solving the regressions again and drawing missing cells anew; a third changes little
SWEEPS_PER_ROUND = 2  # each goes on from the cells of the one before
REDRAWN = 3  # further tables with other values in missing cells, so that intervals know what those leave open
_ASSESSED = ("order_confidence", "agreement")


class FiP(BaseEstimator):
    """A causal generative model of a table: its order, its mechanisms, its noises.

    A fitted model keeps its training table in memory, for `assess` and for effects over several orders; a saved one
    does not hold it.

    Args:
        order: column names, causes first; inferred zero-shot when neither order nor graph is given.
        graph: a networkx.DiGraph over column names, or an adjacency table (row = cause); its edges are not tested.
        knowledge: hard constraints on order and graph.
        kinds: what columns are, by name, where that is not recognised: "continuous", "count", "ordinal", "binary" or
            "categorical".
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
            the effect); after `assess` also `confidence` (that the cause precedes the effect). A node has its `kind`.
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
                0 and 1. Dates, identifiers, free text and constant columns are set aside with a warning. Cells may be
                missing (NaN); what is done about it says `missing`.
            y: not used; an outcome is a column of the table like any other.
            intervened: which columns were set from outside, if some rows come from experiments: for each row the name
                of the column (several in a list, None where nothing was set), or a table of true and false. Such a row
                tells nothing about the causes of that column, and much about its effects: both are used.
            checkpoint: a file name under which the training of the network, where one is needed, is saved after every
                epoch; a fit that was interrupted goes on from there. It is removed at the end.
            on_progress: told the stage, the steps done, the steps in all and a note, instead of the bars that `verbose`
                shows; what it raises ends the fit.
        """
        from fipscm.order.encoder import SCALES

        if y is not None:
            warnings.warn(
                "y is not used: put the outcome into the table, where it is a column like any other.", stacklevel=2
            )
        if self.missing not in MISSING:
            raise unknown_name("treatment of missing cells", self.missing, MISSING)
        frame, columns = learnable(X, self.kinds, self._constraints.named, missing_cells=self.missing != "refuse")
        require_more_rows_than_columns(frame)
        if self.scale not in SCALES:
            raise unknown_name("scale", self.scale, SCALES)
        if checkpoint is not None and not isinstance(self.random_state, (int, np.integer)):
            raise ModelFileError(
                "A fit can only go on from a checkpoint with the same random numbers: set random_state to an integer."
            )
        warn_of_set_aside(columns)
        warn_of_spellings(columns)
        warn_of_missing_codes(frame)
        was_set = parse_intervened(columns.without_others(intervened), frame)
        table, rng = TrainingTable.of(frame, was_set, Blocks.of(columns)), _generator(self.random_state)
        if table.holes.any():
            table = self._without_holes(table, Domain.of(columns.kinds, frame))
        found = self._read_order(table, self._given_precedence(table), on_progress or silent)
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

    def impute(self, rows: Any, draws: int | None = None, random_state: Any = 0) -> Any:
        """The rows with every missing cell filled in, given the other cells of its row; index and other columns kept.

        By default with values that are together the most probable. With `draws`, a list of so many tables, each with
        values drawn from the model: what differs between them is what the rows leave open.
        """
        if draws is not None and draws < 1:
            raise DataError(f"Cannot draw {draws} tables: ask for at least one.")
        scm, coded = self._fitted, self._coded(rows)
        frame, rng = scm.checked_rows(coded, missing_cells=True), _generator(random_state)
        imputer = Imputer(scm, Domain(self.blocks_.inner_kinds, scm.names, scm.box.low, scm.box.high), rng)
        copies = np.tile(frame.to_numpy(), (draws or 1, 1))
        holes = np.isnan(copies)
        filled = imputer.redraw(imputer.start(copies), holes, SWEEPS)
        if draws is None:
            filled = imputer.climb(filled, holes, SWEEPS)
        parts = (pd.DataFrame(part, frame.index, frame.columns) for part in np.split(filled, draws or 1))
        cells = (self.columns_.rounded(part, frame.isna().to_numpy()) for part in parts)
        tables = [self._answer(_with_cells(coded, each), rows) for each in cells]
        return tables[0] if draws is None else tables

    def assess(self, X: Any = None) -> Self:
        """Find out how far the answers depend on the inferred order, by drawing 20 orders that the rows make plausible.

        Afterwards `order_confidence_` and `agreement_` exist, and are saved with the model. The rows are those of the
        training table, unless another table is given: a loaded model needs one. Rows from experiments do not belong
        in it.
        """
        return self._assess(self._training_table if X is None else self._observations(X))

    def _assess(self, table: TrainingTable) -> Self:
        from fipscm.order.confidence import confidence

        orders = self._draw_orders(PLAUSIBLE_ORDERS, _generator(self.random_state), table)
        possible = self._constraints.knowledge.allowed(self.blocks_.outer)
        order = self.blocks_.outer_order(self._fitted.order)
        shares = agreement(_readable(table.values, table.blocks), order, orders, possible, table.intervened)
        observed, before = _readable(table.observed, table.blocks), self._given_precedence(table)
        sure = confidence(observed, orders, self._raw, before, bool(table.intervened.any()))
        return self._adopt_assessment(sure, shares)

    def sample(self, n: int = 1000, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the model: what is. Columns of whole numbers have such again."""
        drawn = self._fitted.sample(n, _generator(random_state))
        return self._answer(self.columns_.rounded(drawn))

    def intervene(
        self, do: Do | Intervention, n: int = 1000, random_state: Any = None, *, level: float | None = None
    ) -> pd.DataFrame:
        """Draw fresh units under an intervention: what if.

        Values may be numbers, arrays of length n, `Shift(amount)`, or functions of the frame of upstream columns.
        A warning says so where they lie far beyond the rows of the training table. Columns of whole numbers have such
        again, unless they were set to others.

        With a `level`, such as 0.95, the answer is instead the average of each column over n such units, with its
        interval: a frame with one row per column, and the columns `average`, `low` and `high`. A category has a row
        for each of its levels, with the share of units that have it.
        """
        scm, rng = self._fitted, _generator(random_state)
        set_to = within_levels(scm, self._rules(do))
        require_known_levels(scm, values_set(scm, set_to))
        warn_of_extrapolation(scm, values_set(scm, set_to))
        if level is None:
            answers = scm.do(set_to).sample(n, rng)
            reached = values_reached(scm, set_to, answers)
            require_known_levels(scm, reached)
            warn_of_extrapolation(scm, reached)
            drawn = ~np.isin(np.arange(len(scm.names)), list(Intervention.parse(set_to, scm.names).rules))
            return self._answer(self.columns_.rounded(answers, drawn))
        _, noise = scm.sample_arrays(n, rng)
        return intervened_averages(scm, self._deviations, set_to, noise, level)

    def counterfactual(
        self,
        rows: Any,
        do: Do | Intervention,
        *,
        level: float | None = None,
        draws: int | None = None,
        random_state: Any = 0,
    ) -> Any:
        """What these same units would have been under an intervention; index and unknown columns are kept.

        One row may come as a Series or a dictionary. A warning says so where the rows or the values set lie far beyond
        the rows of the training table. Measurements in whole numbers are not rounded: small changes would vanish.

        Missing cells are filled in first, as `impute` does, with a warning. Only a column that the intervention sets
        must be there: without it nobody can say what is changed.

        With a `level`, such as 0.95, there are two more columns for each of the model's: `name (low)` and
        `name (high)`, between which each unit's value would have been; not for categories.

        The noise behind a level or a count is not a point but a range, from which 100 are drawn for every row: the
        answer has the most probable value of columns with levels or counts, and the mean of the others. With `draws`,
        it is a list of so many tables instead, each with noises drawn from their ranges.
        """
        if draws is not None and (draws < 1 or level is not None):
            wrong = f"Cannot draw {draws} tables" if level is None else "Draws have no interval of their own"
            raise DataError(f"{wrong}: ask for at least one draw, or for a level, not for both.")
        scm, rng = self._fitted, _generator(random_state)
        set_to = within_levels(scm, self._rules(do))
        coded = self._complete(rows, Intervention.parse(set_to, scm.names).rules)
        seen, values = scm.checked_rows(coded), values_set(scm, set_to)
        asked = {name: np.concatenate([seen[name], values.get(name, [])]) for name in scm.names}
        require_known_levels(scm, asked)
        drawn = [] if draws is None else list(imagined_draws(scm, coded, set_to, draws, rng))
        answers = imagine(scm, coded, set_to, rng) if draws is None else drawn[0]
        reached = values_reached(scm, set_to, answers)
        require_known_levels(scm, reached)
        if level is not None:
            answers = with_ends(answers, scm, self._deviations, coded, set_to, level, rng)
        warn_of_extrapolation(scm, asked)
        warn_of_extrapolation(scm, reached)
        return self._answer(answers, rows) if draws is None else [self._answer(each, rows) for each in drawn]

    def abduct(self, rows: Any) -> pd.DataFrame:
        """The noises behind rows, in the units of the columns; missing cells are filled in first, as `impute` does.

        Of a level or a count it is the median of the noises that explain it, on the scale of logits; a category has
        one noise for each of its levels.
        """
        frame = self._fitted.checked_rows(self._complete(rows))
        noise = pd.DataFrame(self._fitted.sample_to_noise(frame.to_numpy()), frame.index, frame.columns)
        return in_library(library_of(rows), noise)

    def score(self, X: Any, y: None = None) -> float:
        """Mean over columns of R2, the share of the variance that the causes explain (about zero for roots)."""
        frame = self._fitted.checked_rows(self._coded(X))
        if len(frame) < 2:
            raise DataError("R2 compares errors with the variance of the rows: give at least two rows.")
        from sklearn.metrics import r2_score

        return float(r2_score(frame, self._fitted.predict(frame.to_numpy())))

    def log_likelihood(self, X: Any) -> pd.Series:
        """The logarithm of the density of each row under the model, in the columns' units; index kept.

        Its mean compares models of the same columns on rows that none of them has seen: the higher, the better.
        """
        return log_likelihood(self._fitted, self._fitted.checked_rows(self._coded(X)))

    def effect(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: float | str = 1.0,
        control: float | str = 0.0,
        *,
        level: float = 0.95,
        orders: int = 0,
        random_state: Any = 0,
    ) -> Effect:
        """Average effect on one column of setting another to `treated` instead of `control`, with an interval.

        The interval holds at its level if the causal order is right. It takes into account that an edge may have been
        missed, that the rows are finite, and that a curve may bend between them; with a graph given, only its edges
        may matter. Where none is found, it tells how large an effect could be; where the order puts the outcome
        before the treatment, the effect is zero and `possible` is false.

        On a column with two levels, the effect is the difference of the probabilities of the second one. On a category
        it is that of the level whose probability changes most; `by_level` has those of all levels.

        With `orders`, so many plausible orders are drawn and fitted as well; the estimate is the average over all of
        them, the interval holds those of all, and a warning says so if they disagree about its sign.
        """
        scm, rng = self._fitted, _generator(random_state)
        for name in (treatment, on):
            if name not in self.blocks_.outer:
                raise unknown_name("column", name, self.blocks_.outer)
        above, below = (self.columns_.number(treatment, value) for value in (treated, control))
        question = Question(treatment, on, above, below, self.columns_)
        set_to = values_set(scm, question.intervention(scm.names))
        require_known_levels(scm, set_to)
        warn_of_extrapolation(scm, set_to)
        require_level(level)
        models = [(scm, self._deviations), *self._models_on_other_orders(orders, rng)]
        found = average_effect(question, models, level, rng)
        if self._assessment is not None and not orders and not self._constraints.fix_the_order:
            places = self.blocks_.outer.index(treatment), self.blocks_.outer.index(on)
            found = replace(found, agreement=float(self._assessment[1].to_numpy()[places]))
        if doubt := found.disagreement:
            warnings.warn(f"Plausible causal orders disagree about {doubt}.", UserWarning, stacklevel=2)
        return found

    def recommend(
        self, target: Hashable, *, value: float, using: Sequence[Hashable] | None = None, random_state: Any = 0
    ) -> Recommendation:
        """Which single column to set, and to what, so that the average of another comes nearest to a wanted value.

        Only values among the rows of the training table are considered; `using` names the columns that can be acted on,
        by default every other one that is no category. The answer's `.do` can be passed to `intervene`.
        """
        scm, blocks = self._fitted, self.blocks_
        for name in (target, *(using or ())):
            if name in blocks.levels:
                raise DataError(f"'{name}' is a category, which has no average and no range: name other columns.")
        if blocks.levels and using is None:
            using = [name for name in blocks.outer if name not in (target, *blocks.levels)]
        ranges = dict(zip(scm.names, zip(scm.box.low, scm.box.high, strict=True), strict=True))
        levels = levels_of(scm)
        return recommend(scm, target, value, using, ranges=ranges, levels=levels, rng=_generator(random_state))

    def check(self, X: Any, random_state: Any = 0) -> "CheckResult":
        """Test the model's assumptions on a table: a result with .table, .passed and a verdict in words.

        Rows from experiments do not belong in it: a column that was set does not follow its causes. Missing cells are
        drawn from the model, and rows with and without them are compared: do their other columns differ?
        """
        from fipscm.order.hidden_causes import hidden_causes
        from fipscm.questions.check import CheckResult, check_model, hidden_cause_findings, missing_findings

        rng, frame = _generator(random_state), self._frame(X)
        inferred_on = None if self._constraints.fix_the_order else self.scale
        hidden = hidden_causes(_readable(frame.to_numpy(), self.blocks_), self._raw)
        asides = *missing_findings(frame), *hidden_cause_findings(self.blocks_.outer, hidden)
        if frame.isna().any(axis=None):
            coded = self._coded(self.impute(X, draws=1, random_state=rng)[0])[list(self._fitted.names)]
        else:
            coded = self.blocks_.encode(frame)
        return CheckResult((*check_model(self._fitted, coded, rng, inferred_on).findings, *asides))

    def report(self, X: Any, *, target: Hashable | None = None, random_state: Any = 0) -> "Report":
        """Everything the model says about a table, as one page for a browser: `model.report(df).save("report.html")`.

        The verdict comes first, then order, graph, effects, mechanisms, noises, and what the model must not be used
        for. `target` is the column whose variation is explained, by default the last of the order that has
        causes. A model that has not been assessed is assessed on this table.
        """
        from fipscm.report import build_report  # needs libraries that nothing else needs

        if target is not None and target not in self.blocks_.outer:
            raise unknown_name("column", target, self.blocks_.outer)
        given, table = self._constraints.fix_the_order, self._observations(X)
        model = self if given or self._assessment is not None else copy(self)._assess(table)
        return build_report(model, table, not given, target, _generator(random_state))

    def save(self, path: str | Path) -> None:
        """Write the model into one file: safetensors and JSON, no pickle.

        The file holds the sorted noises of each column, from which samples are drawn, but no row of the table.
        """
        scm = self._fitted
        assessed = dict(zip(_ASSESSED, (frame.to_numpy() for frame in self._assessment or ()), strict=False))
        arrays = {f"scm.{name}": array for name, array in scm.arrays().items()}
        settings = {**scm.settings(), "parameters": self._parameters(), "columns": self.columns_.settings()}
        arrays |= {f"deviations.{name}": array for name, array in self._deviations.arrays().items()}
        save_archive(path, "model", {**arrays, **assessed}, settings)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved model; its answers are bit for bit those of the model that was saved."""
        arrays, settings = load_archive(path, "model")
        if "parameters" in settings:
            parameters = Constraints.restore(settings["parameters"])
            kinds = parameters.get("kinds")
            model = cls(**{**parameters, "kinds": None if kinds is None else dict(kinds)})
        else:  # a file of an older version does not say whether its order was given or inferred
            model = cls(order=[settings["names"][column] for column in arrays["scm.order"]])
        scm = LearnedSCM.restore(_part(arrays, "scm."), settings)
        if "corrections" in arrays:  # a file of an older version
            model._deviations = Deviations.from_corrections(arrays["corrections"], scm)
        else:
            model._deviations = Deviations(**_part(arrays, "deviations."))
        is_old = "columns" not in settings
        model.columns_ = Columns.plain(settings["names"]) if is_old else Columns.restore(settings["columns"])
        model._table, model._library = None, "pandas"
        model._adopt(scm)
        if all(name in arrays for name in _ASSESSED):
            model._adopt_assessment(*(arrays[name] for name in _ASSESSED))
        return model

    def to_networkx(self, *, standardized: bool = False) -> nx.DiGraph:
        """A copy of the graph, with `weight` and `score` on every edge; weights in standard deviations if asked."""
        scm, graph = self._fitted, self.graph_.copy()
        if standardized:
            members = self.blocks_.members
            spread = {n: float(scm.scale[list(m)].max()) for n, m in zip(self.blocks_.outer, members, strict=True)}
            for cause, effect, data in graph.edges(data=True):
                data["weight"] *= spread[cause] / spread[effect]
        return graph

    def to_fixed_point(self) -> FixedPointSCM:
        """The same model as the paper defines it: an order, independent noises, a triangular map, and no graph."""
        return self._fitted.to_fixed_point()

    def to_dowhy(self, random_state: Any = None) -> Any:
        """The same model as a `dowhy.gcm.InvertibleStructuralCausalModel`; needs the extra `baselines`."""
        return to_dowhy(self._fitted, _generator(random_state))

    def plot(self, axes: "Axes | None" = None, *, numbers: bool = False, target: Hashable | None = None) -> "Axes":
        """Draw the graph: causes to the left, edge width by strength in standard deviations, colour by sign.

        After `assess`, edges whose direction is in doubt are pale. `numbers` writes the strengths beside the edges;
        with a `target`, only its causes and effects are drawn.
        """
        from fipscm.plotting import plot_graph  # drawing libraries are imported where they are used

        return plot_graph(self.to_networkx(standardized=True), axes, numbers=numbers, target=target)

    def _repr_html_(self) -> str:
        if not hasattr(self, "scm_"):
            return card("FiP", paragraph(f"{self!r}: not fitted yet."))
        return graph_card("FiP", self.to_networkx(standardized=True), self.causal_order_)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # scikit-learn would show the parameters only.
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    @property
    def kinds_(self) -> dict[Hashable, str]:
        """The kind of each column, by name."""
        check_is_fitted(self, "scm_")
        return self.columns_.kinds

    @property
    def order_confidence_(self) -> pd.DataFrame:
        """P(row precedes column) over plausible orders, once the model has been assessed."""
        return self._assessed("order_confidence_")[0]

    @property
    def agreement_(self) -> pd.DataFrame:
        """The share of plausible orders under which the row's total effect on the column keeps its sign."""
        return self._assessed("agreement_")[1]

    def _assessed(self, attribute: str) -> tuple[pd.DataFrame, pd.DataFrame]:
        assessment: tuple[pd.DataFrame, pd.DataFrame] | None = getattr(self, "_assessment", None)
        if assessment is None:
            raise AttributeError(f"There is no {attribute} yet: call model.assess() first, which resamples the orders.")
        return assessment

    @property
    def _fitted(self) -> LearnedSCM:
        check_is_fitted(self, "scm_")
        scm: LearnedSCM = self.scm_
        return scm

    @property
    def blocks_(self) -> Blocks:
        """How the columns of tables relate to those of the model."""
        check_is_fitted(self, "scm_")
        return Blocks.of(self.columns_)

    def _coded(self, rows: Any) -> Any:
        """Rows of any library, one or many, in numbers: those of the model's columns."""
        coded, blocks = self._in_codes(rows), self.blocks_
        if blocks.are_columns:
            return coded
        return blocks.encode(_with_cells(coded, checked_rows(coded, blocks.outer, missing_cells=True)))

    def _in_codes(self, rows: Any) -> Any:
        """Rows of any library, one or many, with codes for names of levels."""
        check_is_fitted(self, "scm_")
        return self.columns_.encode(one_row(rows))

    def _frame(self, X: Any) -> pd.DataFrame:
        """A table that the model can be held against, with codes for names of levels."""
        missing_cells = self.missing != "refuse"
        frame = checked_rows(self._in_codes(X), self.blocks_.outer, missing_cells)
        return training_frame(frame, missing_cells=missing_cells)

    def _rules(self, do: Do | Intervention) -> Do | Intervention:
        """An intervention on the model's columns, in numbers."""
        if self.blocks_.are_columns:
            return cast(Do, self.columns_.code_all(do))
        if isinstance(do, Intervention):  # what has been parsed is in codes already
            rules = {do.names[column]: rule for column, rule in do.rules.items()}
        else:
            rules = self.columns_.code_all(do)
        for name in rules:
            if name not in self.blocks_.outer:
                raise unknown_name("intervention target", name, self.blocks_.outer)
        return self.blocks_.do(rules)

    def _complete(self, rows: Any, needed: Collection[int] = ()) -> Any:
        """Rows in numbers, their missing cells filled in; those of the columns `needed` may not be missing."""
        coded = self._coded(rows)
        if self.missing == "refuse":
            return coded
        frame = self._fitted.checked_rows(coded, missing_cells=True)
        holes = frame.isna()
        if not holes.any(axis=None):
            return coded
        for column in needed:
            if holes.iloc[:, column].any():
                place, name = int(holes.iloc[:, column].to_numpy().argmax()), self.blocks_.owner(column)
                raise DataError(
                    f"Row {place}, counted from 0, has no value of '{name}', which the intervention "
                    "sets: without it nobody can say what is changed, so fill it in, or leave the row out."
                )
        cells = int(holes.to_numpy().sum())
        warnings.warn(f"{cells} missing cells of the rows were filled in with probable values.", stacklevel=3)
        return self._coded(self.impute(rows))

    def _answer(self, frame: pd.DataFrame, asked_with: Any = None) -> pd.DataFrame:
        """An answer in the columns' own names, in the library of the rows asked with, or else of the training table."""
        library = self._library if asked_with is None else library_of(asked_with)
        return in_library(library, self.columns_.decode(self.blocks_.decode(frame)))

    @property
    def _training_table(self) -> TrainingTable:
        if self._table is None:
            raise DataError(
                "This needs the training table, which a saved model does not hold: fit on the table again, or call "
                "assess() before saving."
            )
        return self._table

    def _observations(self, X: Any) -> TrainingTable:
        """A table that the model can be held against, in which nothing was set from outside."""
        frame = self._frame(X)
        table = TrainingTable.of(frame, np.zeros(frame.shape, dtype=bool), self.blocks_)
        return table.with_values(self._frame(self.impute(X, draws=1)[0]).to_numpy()) if table.holes.any() else table

    @property
    def _constraints(self) -> Constraints:
        return Constraints(self.order, self.graph, self.knowledge or Knowledge())

    def _parameters(self) -> dict[str, Any]:
        """The constructor's arguments, ready for JSON; a seed is kept, a generator, whose state changes, is not."""
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else None
        given = self._constraints.settings(self.blocks_.outer)
        kinds = None if self.kinds is None else list(self.kinds.items())  # JSON has only texts as keys
        return {**self.get_params(), **given, "kinds": kinds, "random_state": seed, "device": str(self.device)}

    def _read_order(self, table: TrainingTable, before: Mask | None, on_progress: OnProgress = silent) -> "Removal":
        """The order, and the order model's edges along it where they are asked for."""
        from fipscm.order.inference import zero_shot_order
        from fipscm.order.removal import Removal
        from fipscm.order.weights import encoder_for

        names, edges = list(table.frame.columns), self.edges == "posterior" and self.graph is None
        if self._constraints.fix_the_order and not edges:
            return Removal(self._constraints.given_order(names), None)
        return zero_shot_order(
            _readable(table.observed, table.blocks),
            self._raw,
            before,
            encoder_for(table.blocks.inner_kinds.values()),
            self.n_jobs,
            table.intervened,
            on_step=steps_of("Inferring the order", on_progress),
        )

    def _given_precedence(self, table: TrainingTable) -> Mask | None:
        """(D, D), who must stand before whom: all of a given order, or what is known."""
        names = list(table.frame.columns)
        if self._constraints.fix_the_order:
            return allowed_from_order(self._constraints.given_order(names)).T
        return self._precedence(names)

    def _precedence(self, names: Sequence[Hashable]) -> Mask | None:
        """(D, D), who must stand before whom in an inferred order."""
        return None if self.knowledge is None else self.knowledge.precedence(names)

    @property
    def _raw(self) -> bool:
        return self.scale == "raw"

    def _without_holes(self, table: TrainingTable, domain: Domain) -> TrainingTable:
        """The complete rows, or all rows with cells that other columns predict linearly, to begin with."""
        cells, touched = int(table.holes.sum()), np.asarray(table.holes.any(axis=1))
        count = f"{cells} of {table.holes.size} cells have no value"
        if self.missing == "drop":
            warnings.warn(f"{count}: {touched.sum()} of {len(touched)} rows were left out.", stacklevel=3)
            kept = training_frame(table.frame[~touched])
            require_more_rows_than_columns(kept)
            return TrainingTable.of(kept, table.intervened[~touched], table.blocks)
        from fipscm.order.fill import fill_linearly

        warnings.warn(f"{count} and were filled in by the model, in {touched.sum()} rows.", stacklevel=3)
        return table.with_values(domain.nearest_cells(fill_linearly(table.values), table.holes))

    def _imputed(
        self, table: TrainingTable, found: "Removal", rng: np.random.Generator, on_progress: OnProgress | None
    ) -> TrainingTable:
        """The table with its missing cells drawn from models that were learned from it, each from the one before.

        With a given graph, no mechanism may need such cells: then they are left as they were filled in linearly.
        """
        from fipscm.mechanism.fit import refit_regressions

        if self.graph is not None:
            causes = self._constraints.allowed(found.order, list(table.frame.columns))
            trusting = _trusting_observed(table, causes)
            if not trusting.reads_holes(causes):
                return trusting
        scm, blocks = self._fit_on(table, found, rng, on_progress=on_progress, provisional=True), table.blocks
        table = _trusting_observed(table, blocks.largest(scm.allowed))
        with self._shown(on_progress) as report:
            for turn in range(ROUNDS):
                report("Filling in missing cells", turn, ROUNDS, "")
                inner = table.expanded
                scm = refit_regressions(scm, inner.frame, inner.untold, int(rng.integers(2**31)))
                imputer = Imputer(scm, Domain.of(blocks.inner_kinds, inner.frame), rng)
                drawn = imputer.redraw(inner.values, inner.holes, SWEEPS_PER_ROUND, inner.intervened)
                table = table.with_values(blocks.decode(inner.with_values(drawn).frame).to_numpy())
            report("Filling in missing cells", ROUNDS, ROUNDS, "")
        return table

    def _shown(self, on_progress: OnProgress | None) -> AbstractContextManager[OnProgress]:
        """Who is told about progress: whoever asked to be, or bars if they are wanted."""
        return progress_bar() if self.verbose and on_progress is None else nullcontext(on_progress or silent)

    def _fit_on(
        self,
        table: TrainingTable,
        found: "Removal",
        rng: np.random.Generator,
        checkpoint: str | Path | None = None,
        on_progress: OnProgress | None = None,
        provisional: bool = False,
    ) -> LearnedSCM:
        import torch

        from fipscm.mechanism.fit import MechanismConfig, fit_mechanism

        names, order, blocks, inner = list(table.frame.columns), found.order, table.blocks, table.expanded
        device = ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
        skip = self.skip or provisional
        with self._shown(on_progress) as report:
            return fit_mechanism(
                inner.frame,
                blocks.pairs(self._constraints.allowed(order, names)),
                MechanismConfig(self.edges, self.prune, skip, provisional, self.noise, device=device),
                order=blocks.order(order),
                required=blocks.pairs(self._constraints.required(order, names)),
                prior=None if found.edges is None else blocks.pairs(found.edges.T),
                intervened=inner.untold,
                kinds=list(blocks.inner_kinds.values()),
                blocks=blocks.categories,
                seed=int(rng.integers(2**31)),
                on_progress=report,
                checkpoint=None if checkpoint is None else Path(checkpoint),
            )

    def _deviations_of(self, scm: LearnedSCM, table: TrainingTable, rng: np.random.Generator) -> Deviations:
        """What the table leaves open about the mechanisms, on everything that order and knowledge allow."""
        blocks, inner, redrawn = table.blocks, table.expanded, []
        allowed = self._constraints.allowed(blocks.outer_order(scm.order), blocks.outer)
        if table.reads_holes(allowed):
            imputer = Imputer(scm, Domain.of(blocks.inner_kinds, inner.frame), rng)
            for _ in range(REDRAWN):
                redrawn.append(imputer.redraw(inner.values, inner.holes, SWEEPS_PER_ROUND, inner.intervened))
        return draw_deviations(scm, inner.values, blocks.pairs(allowed), rng, inner.untold, redrawn)

    def _models_on_other_orders(self, count: int, rng: np.random.Generator) -> Iterator[tuple[LearnedSCM, Deviations]]:
        """Models on plausible orders, each with its deviations."""
        if count and self._constraints.fix_the_order:
            raise KnowledgeError("The causal order was given, so no other one is plausible: ask without `orders`.")
        if not count:
            return
        table = self._training_table
        for order in self._draw_orders(count, rng, table):
            scm = self._fit_on(table, self._read_order(table, allowed_from_order(order).T), rng)
            yield scm, self._deviations_of(scm, table, rng)

    def _draw_orders(self, count: int, rng: np.random.Generator, table: TrainingTable) -> list[Order]:
        """Orders that the rows make plausible; only the one in use where it was given."""
        from fipscm.order.inference import drawn_orders
        from fipscm.order.weights import encoder_for

        if self._constraints.fix_the_order:
            return [self.blocks_.outer_order(self._fitted.order)]
        before = self._precedence(self.blocks_.outer)
        return drawn_orders(
            _readable(table.observed, table.blocks),
            rng,
            self._raw,
            before,
            encoder_for(table.blocks.inner_kinds.values()),
            self.n_jobs,
            count,
            table.intervened,
        )

    def _adopt(self, scm: LearnedSCM) -> Self:
        self.scm_ = scm
        blocks = self.blocks_
        self.feature_names_in_ = np.array(blocks.outer, dtype=object)
        self.n_features_in_ = len(blocks.outer)
        self.causal_order_ = [blocks.outer[column] for column in blocks.outer_order(scm.order)]
        edges, scores = blocks.largest(scm.adjacency), blocks.largest(scm.edge_scores)
        self.adjacency_ = self._named(edges)
        self.edge_scores_ = self._named(scores)
        self.edge_derivatives_ = self._named(blocks.largest(scm.edge_derivatives))
        self.mechanisms_ = overview(scm, blocks)
        self._assessment: tuple[pd.DataFrame, pd.DataFrame] | None = None
        self.graph_ = to_networkx(edges, blocks.outer, weight=blocks.largest(scm.edge_weights), score=scores)
        nx.set_edge_attributes(self.graph_, acts_on(scm, blocks), "acts_on")
        nx.set_node_attributes(self.graph_, self.kinds_, "kind")
        return self

    def _adopt_assessment(self, confidence: Array, agreeing: Array) -> Self:
        self._assessment = self._named(confidence), self._named(agreeing)
        self.graph_ = self.graph_.copy()  # a copy of this model may hold the same graph
        for cause, effect in self.graph_.edges:
            self.graph_.edges[cause, effect]["confidence"] = float(self._assessment[0].loc[cause, effect])
        return self

    def _named(self, matrix: ArrayLike) -> pd.DataFrame:
        return pd.DataFrame(np.asarray(matrix), list(self.blocks_.outer), list(self.blocks_.outer))


def _readable(values: Array, blocks: Blocks) -> Array:
    """(N, D) values as the order model reads them, with scores for the levels of categories."""
    from fipscm.order.category_scores import with_scores

    return with_scores(values, [blocks.outer.index(name) for name in blocks.levels])


def _trusting_observed(table: TrainingTable, causes: Mask) -> TrainingTable:
    """The table, where each column (D, D causes) is told by rows that have it and its causes, unless those mislead."""
    from fipscm.mechanism.selection import selected_by_outcome

    selected = selected_by_outcome(table.values, table.holes, table.intervened, causes)
    return table.trusting_observed(causes, selected)


def _with_cells(rows: Any, cells: pd.DataFrame) -> pd.DataFrame:
    """The rows with these cells; columns that the cells do not have are kept where rows have names."""
    if not isinstance(rows, pd.DataFrame):
        return cells
    return pd.concat([cells, rows.drop(columns=list(cells.columns))], axis=1)[list(rows.columns)]


def _generator(random_state: Any) -> np.random.Generator:
    """A generator from a seed, a generator (used as it is), scikit-learn's random state, or nothing."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)


def _part(arrays: Mapping[str, np.ndarray[Any, Any]], prefix: str) -> dict[str, Any]:
    """Arrays whose names begin with a prefix, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
