"""FiP: from a table to answers, in scikit-learn's manner. Shapes: N rows, D variables.

Here are the settings, and what can be asked; how it is answered is in `fip/`.
"""

import warnings
from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from fipscm.constraints import Constraints
from fipscm.display import card, graph_card, paragraph
from fipscm.dowhy import to_dowhy
from fipscm.errors import DataError, ModelFileError, unknown_name
from fipscm.fip import queries, uncertainty
from fipscm.fip.fitted import Assessment, Fitted
from fipscm.fip.learning import Learning
from fipscm.fip.rows import fill_in, in_numbers, observations
from fipscm.fip.saving import load_model, save_model
from fipscm.fip.settings import Settings
from fipscm.knowledge import Knowledge
from fipscm.mechanism.progress import OnProgress
from fipscm.questions.effect import Effect
from fipscm.questions.likelihood import log_likelihood
from fipscm.questions.recommend import Recommendation
from fipscm.scm.fixed_point import FixedPointSCM
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.columns import learnable, warn_of_merged, warn_of_near_copies, warn_of_set_aside, warn_of_spellings
from fipscm.tables.copies import copied_rows
from fipscm.tables.frames import library_of
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.kinds import Level
from fipscm.tables.panel import clusters_of, told_panel
from fipscm.tables.training import TrainingTable, require_more_rows_than_columns
from fipscm.tables.validate import named_frame, warn_of_missing_codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fipscm.questions.findings import CheckResult
    from fipscm.questions.sensitivity import Sensitivity
    from fipscm.report import Report

MISSING = ("impute", "drop", "refuse")


class FiP(BaseEstimator):
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
        selection_: frame, one row per candidate that was tried for a `column`: its `score` (mean log-density of unseen
            rows), its `gain` on the best before it with the `standard_error` of that, the `seconds` it took, and the
            `verdict`; a model that was loaded has none.
        scm_: the model behind all answers, a `fipscm.scm.base.SCM`; in its columns levels have codes.

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
        named, missing_cells = self._settings.constraints.named, self.missing != "refuse"
        frame, columns = learnable(X, self.kinds, named, missing_cells, self.keep, self.group, self.time)
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
        table = TrainingTable.of(frame, done, columns, clusters)
        if clusters is None and (copies := copied_rows(frame)).any():
            warnings.warn(
                f"{copies.sum():,} of {len(frame):,} rows are copies: they equal another row in every column, while "
                "hardly any row equals another in all columns but one. Each row counts once.",
                stacklevel=2,
            )
            table = table.without(copies)
        rng = generator_of(self.random_state)
        learned = Learning(self._settings, table, rng, on_progress).learn(checkpoint)
        if not learned.scm.allowed.any():
            warnings.warn(
                "No edge was found: as far as this table shows, its columns do not influence each other.", stacklevel=2
            )
        library = library_of(X)
        fitted = Fitted(self._settings, columns, learned.scm, learned.deviations, learned.table, library)
        return self._adopt(replace(fitted, known=learned.known))

    def sample(self, n: int = 1000, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the model: what is. Columns of whole numbers have such again."""
        return queries.sampled(self._model, n, generator_of(random_state))

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
        return queries.intervened(self._model, do, n, level, generator_of(random_state))

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

        Columns that were set aside because they were computed from others are left out: compute them anew.

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
        found = queries.counterfactual(self._model, rows, do, level, draws, generator_of(random_state))
        return found[0] if draws is None else found

    def abduct(self, rows: Any) -> pd.DataFrame:
        """The noises behind rows, in the units of the columns; missing cells are filled in first, as `impute` does.

        Of a level or a count it is the median of the noises that explain it, on the scale of logits; a category has
        one noise for each of its levels.
        """
        return queries.abducted(self._model, rows)

    def impute(self, rows: Any, draws: int | None = None, random_state: Any = 0) -> Any:
        """The rows with every missing cell filled in, given the other cells of its row; index and other columns kept.

        By default with values that are together the most probable. With `draws`, a list of so many tables, each with
        values drawn from the model: what differs between them is what the rows leave open.
        """
        if draws is not None and draws < 1:
            raise DataError(f"Cannot draw {draws} tables: ask for at least one.")
        found = fill_in(self._model, rows, draws, generator_of(random_state))
        return found[0] if draws is None else found

    def score(self, X: Any, y: None = None) -> float:
        """Mean over columns of R2, the share of the variance that the causes explain (about zero for roots)."""
        return queries.mean_r2(self._model, X)

    def log_likelihood(self, X: Any) -> pd.Series:
        """The logarithm of the density of each row under the model, in the columns' units; index kept.

        Its mean compares models of the same columns on rows that none of them has seen: the higher, the better.
        """
        model = self._model
        return log_likelihood(model.scm, model.scm.checked_rows(in_numbers(model, X)))

    def recommend(
        self, target: Hashable, *, value: float, using: Sequence[Hashable] | None = None, random_state: Any = 0
    ) -> Recommendation:
        """Which single column to set, and to what, so that the average of another comes nearest to a wanted value.

        Only values among the rows of the training table are considered; `using` names the columns that can be acted on,
        by default every other one that is no category. The answer's `.do` can be passed to `intervene`.
        """
        return queries.recommended(self._model, target, value, using, generator_of(random_state))

    def effect(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: Level | None = None,
        control: Level | None = None,
        *,
        level: float = 0.95,
        orders: int = 0,
        rows: Any = None,
        random_state: Any = 0,
    ) -> Effect:
        """Average effect on one column of setting another to `treated` instead of `control`, with an interval.

        Values that are not given are the second and the first of two levels, or else the upper and the lower quartile
        of the column.

        The interval holds at its level if the causal order is right. It takes into account that an edge may have been
        missed, that the rows are finite, and that a curve may bend between them; with a graph given, only its edges
        may matter. The direct edge is fitted even if it was weighed away. Where the order puts the outcome before the
        treatment, the effect is zero and `possible` is false. If that order was inferred and the model
        holds its table, `if_first` is the effect by a second model, on the likeliest order with the treatment first.
        After `assess`, `precedes` tells the probability that the treatment comes first.

        `methods` has the model's own answer beside a doubly robust estimate from the rows, without any mechanism. If
        they agree, the more precise one is told; if not, the interval holds both. The rows are those of the training
        table; a loaded model needs `rows`, and rows from experiments do not belong in these.

        On a column with two levels, the effect is the difference of the probabilities of the second one. On a category
        it is that of the level whose probability changes most; `by_level` has those of all levels.

        With `orders`, so many plausible orders are drawn and fitted as well; the estimate is the average over all of
        them, the interval holds those of all, and a warning says so if they disagree about its sign.
        """
        question = uncertainty.question_of(self._model, treatment, on, treated, control)
        return uncertainty.effect_of(self._model, question, level, orders, rows, generator_of(random_state))

    def sensitivity(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: Level | None = None,
        control: Level | None = None,
        *,
        strength: float | None = None,
        level: float = 0.95,
        rows: Any = None,
    ) -> "Sensitivity":
        """How strong a hidden common cause of treatment and outcome must be to explain the effect away.

        After Cinelli and Hazlett (2020), for the effect by least squares with the columns before the treatment held
        fixed. `robustness` is the share of the remaining variance of both that brings it to zero, `.table` has the
        strongest measured causes to compare with, `.plot()` draws the effect left over both shares. A `strength`
        between 0 and 1 asks between which bounds the effect lies beside a hidden cause that explains this share of
        both. A loaded model needs `rows`.
        """
        question = uncertainty.question_of(self._model, treatment, on, treated, control)
        return uncertainty.sensitivity_of(self._model, question, strength, level, rows)

    def assess(self, X: Any = None) -> Self:
        """Find out how far the answers depend on the inferred order, by drawing 20 orders that the rows make plausible.

        Afterwards `order_confidence_` and `agreement_` exist, and are saved with the model. The rows are those of the
        training table, unless another table is given: a loaded model needs one. Rows from experiments do not belong
        in it.
        """
        model = self._model
        table = model.training_table if X is None else observations(model, X)
        return self._adopt(uncertainty.assessed(model, table, generator_of(self.random_state)))

    def check(self, X: Any, random_state: Any = 0) -> "CheckResult":
        """Test the model's assumptions on a table: a result with .table, .passed and a verdict in words.

        Rows from experiments do not belong in it: a column that was set does not follow its causes. Missing cells are
        drawn from the model, and rows with and without them are compared: do their other columns differ? After
        `assess`, the verdict tells how many of the edges have an open direction.
        """
        return uncertainty.checked(self._model, X, generator_of(random_state))

    def report(self, X: Any, *, target: Hashable | None = None, random_state: Any = 0) -> "Report":
        """Everything the model says about a table, as one page for a browser: `model.report(df).save("report.html")`.

        The verdict comes first, then order, graph, effects, mechanisms, noises, and what the model must not be used
        for. `target` is the column whose variation is explained, by default the last of the order that has
        causes. A model that has not been assessed is assessed on this table.
        """
        from fipscm.report import build_report  # needs libraries that nothing else needs

        model, given = self._model, self._settings.constraints.fix_the_order
        if target is not None:
            model.columns.require(target)
        table = observations(model, X)
        model = replace(model, table=model.table or table)  # a loaded model has no rows for second opinions
        if not given and model.assessment is None:
            model = uncertainty.assessed(model, table, generator_of(self.random_state))
        return build_report(copy(self)._adopt(model), table, not given, target, generator_of(random_state))

    def to_networkx(self, *, standardized: bool = False) -> nx.DiGraph:
        """A copy of the graph, with `weight` and `score` on every edge; weights in standard deviations if asked."""
        return self._model.standardized_graph if standardized else self.graph_.copy()

    def to_fixed_point(self) -> FixedPointSCM:
        """The same model as the paper defines it: an order, independent noises, a triangular map, and no graph."""
        return self._model.scm.to_fixed_point()

    def to_dowhy(self, random_state: Any = None) -> Any:
        """The same model as a `dowhy.gcm.InvertibleStructuralCausalModel`; needs the extra `baselines`."""
        return to_dowhy(self._model.scm, generator_of(random_state))

    def plot(self, axes: "Axes | None" = None, *, numbers: bool = False, target: Hashable | None = None) -> "Axes":
        """Draw the graph: causes to the left, edge width by strength in standard deviations, colour by sign.

        After `assess`, edges whose direction is open are dashed lines without an arrow head. `numbers` writes the
        strengths beside the others; with a `target`, only its causes and effects are drawn.
        """
        from fipscm.plotting import plot_graph  # drawing libraries are imported where they are used

        return plot_graph(self.to_networkx(standardized=True), axes, numbers=numbers, target=target)

    def save(self, path: str | Path) -> None:
        """Write the model into one file: safetensors and JSON, no pickle.

        The file holds the sorted noises of each column, from which samples are drawn, but no row of the table.
        """
        save_model(path, self._model, self.get_params())

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved model; its answers are bit for bit those of the model that was saved."""
        parameters, saved = load_model(path)
        model = cls(**parameters)
        return model._adopt(saved.fitted(model._settings))

    @property
    def order_confidence_(self) -> pd.DataFrame:
        """P(row precedes column) over plausible orders, once the model has been assessed."""
        return self._model.named(self._assessment("order_confidence_").order_confidence)

    @property
    def agreement_(self) -> pd.DataFrame:
        """The share of plausible orders under which the row's total effect on the column keeps its sign."""
        return self._model.named(self._assessment("agreement_").agreement)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def _adopt(self, fitted: Fitted) -> Self:
        self._fitted = fitted
        self.scm_, self.columns_, self.kinds_ = fitted.scm, fitted.columns, fitted.columns.kinds
        self.feature_names_in_, self.n_features_in_ = np.array(fitted.names, dtype=object), len(fitted.names)
        self.causal_order_, self.graph_ = fitted.causal_order, fitted.graph
        self.adjacency_ = fitted.named(fitted.scm.adjacency)
        self.edge_scores_ = fitted.named(fitted.scm.edge_scores)
        self.edge_derivatives_ = fitted.named(fitted.scm.edge_derivatives)
        self.mechanisms_, self.selection_ = fitted.mechanisms, fitted.selection
        return self

    @property
    def _model(self) -> Fitted:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("This FiP has not learned anything yet: call fit(table) first.")
        return self._fitted

    def _assessment(self, attribute: str) -> Assessment:
        if self._model.assessment is None:
            raise AttributeError(f"There is no {attribute} yet: call model.assess() first, which resamples the orders.")
        return self._model.assessment

    @property
    def _settings(self) -> Settings:
        return Settings(
            Constraints.of(self.order, self.graph, self.knowledge),
            self.scale == "raw",
            self.missing,
            self.edges,
            self.prune,
            self.skip,
            self.noise,
            self.n_jobs,
            self.device,
            self.verbose,
        )

    def _repr_html_(self) -> str:
        if not self.__sklearn_is_fitted__():
            return card("FiP", paragraph(f"{self!r}: not fitted yet."))
        return graph_card("FiP", self.to_networkx(standardized=True), self.causal_order_)

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        # scikit-learn would show the parameters only.
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


def generator_of(random_state: Any) -> np.random.Generator:
    """A generator from a seed, a generator (used as it is), scikit-learn's random state, or nothing."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
