"""FiP: from a table to answers, in scikit-learn's manner. Shapes: N rows, D variables, K orders."""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self

import networkx as nx
import numpy as np
import pandas as pd
import torch
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_is_fitted

from fipscm.arrays import Array, Mask, Order
from fipscm.constraints import Constraints
from fipscm.display import card, graph_card, paragraph
from fipscm.dowhy import to_dowhy
from fipscm.errors import DataError, KnowledgeError, ModelFileError, unknown_name
from fipscm.graph import to_networkx
from fipscm.knowledge import Knowledge
from fipscm.mechanism.fit import MechanismConfig, fit_mechanism
from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.overview import overview
from fipscm.mechanism.progress import OnProgress, progress_bar, silent, steps_of
from fipscm.order.encoder import SCALES
from fipscm.order.inference import drawn_orders, precedence_shares, zero_shot_order
from fipscm.questions.check import CheckResult, check_model
from fipscm.questions.effect import Effect, Question, average_effect, bootstrap_corrections
from fipscm.questions.extrapolation import values_set, warn_of_extrapolation
from fipscm.questions.recommend import Recommendation, recommend
from fipscm.questions.uncertainty import agreement
from fipscm.scm.fixed_point import FixedPointSCM
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.archive import load_archive, save_archive
from fipscm.tables.intervened import parse_intervened
from fipscm.tables.validate import one_row, training_frame, warn_of_missing_codes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from fipscm.report import Report

PLAUSIBLE_ORDERS = 20  # a share of them has a standard error of at most 0.11
_ASSESSED = ("order_confidence", "agreement")


class FiP(BaseEstimator):
    """A causal generative model of a table: its order, its mechanisms, its noises.

    A fitted model keeps its training table in memory, for `assess` and for effects over several orders; a saved one
    does not hold it.

    Args:
        order: column names, causes first; inferred zero-shot when neither order nor graph is given.
        graph: a networkx.DiGraph over column names, or an adjacency table (row = cause); its edges are not tested.
        knowledge: hard constraints on order and graph.
        scale: "standardized" lets no unit influence the inferred order, "raw" uses the columns' variances as evidence.
        edges: "test" for the statistical edge test, "jacobian" for the paper's rule.
        prune: fit on the edges found; False keeps every edge the order allows.
        skip: solve regressions in closed form and train the transformer on their residuals; False is the paper's
            transformer alone.
        random_state: a seed, a random state, a generator or None.
        n_jobs: how many processor cores to use; None for one, -1 for all.
        device: "auto", "cpu" or a CUDA device.
        verbose: show progress on standard error.

    Attributes:
        causal_order_: column names, causes first.
        graph_: networkx.DiGraph; every edge has `weight` (average derivative of the effect in the cause, in the
            columns' units) and `score` (evidence for the edge); after `assess` also `confidence` (that the cause
            precedes the effect).
        adjacency_: 0/1 frame, row = cause, column = effect.
        edge_scores_: frame, same orientation: -log10 of the p-value of each edge, corrected for all pairs. With
            edges="test" it is that of the test that decided, on held-out rows where a mechanism is curved; otherwise
            that of an F-test on all rows. Scores compare within a model, not between the two kinds.
        mechanisms_: frame, one row per column: its `causes`, the `shape` of its mechanism (constant, linear, smooth or
            transformer), `r2_in_sample` (the share of its variance that the causes explain in the training table), the
            `rows` of that table, and the `low`est and `high`est value there.
        edge_derivatives_: frame, same orientation: mean absolute derivative between standardized columns.
        order_confidence_: after `assess`: frame, P(row precedes column).
        agreement_: after `assess`: frame, row = cause: the share of plausible orders that give its total effect the
            same sign.
        scm_: the model behind all answers, a `fipscm.scm.base.SCM`.

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
        scale: str = "standardized",
        edges: Literal["test", "jacobian"] = "test",
        prune: bool = True,
        skip: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "auto",
        verbose: bool = False,
    ) -> None:
        self.order = order
        self.graph = graph
        self.knowledge = knowledge
        self.scale = scale
        self.edges = edges
        self.prune = prune
        self.skip = skip
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device
        self.verbose = verbose

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
            X: a table of numbers.
            y: not used; an outcome is a column of the table like any other.
            intervened: which columns were set from outside, if some rows come from experiments: for each row the name
                of the column (several in a list, None where nothing was set), or a table of true and false. Such a row
                tells nothing about the causes of that column, and much about its effects: both are used.
            checkpoint: a file name under which the training of the network, where one is needed, is saved after every
                epoch; a fit that was interrupted goes on from there. It is removed at the end.
            on_progress: told the stage, the steps done, the steps in all and a note, instead of the bars that `verbose`
                shows; what it raises ends the fit.
        """
        if y is not None:
            warnings.warn(
                "y is not used: put the outcome into the table, where it is a column like any other.", stacklevel=2
            )
        frame = training_frame(X, fewest_columns=2)
        if frame.shape[1] > len(frame):
            raise DataError(
                f"The table has {frame.shape[1]} columns but only {len(frame)} rows: "
                "collect more rows, or keep the columns that matter."
            )
        if self.scale not in SCALES:
            raise unknown_name("scale", self.scale, SCALES)
        if checkpoint is not None and not isinstance(self.random_state, (int, np.integer)):
            raise ModelFileError(
                "A fit can only go on from a checkpoint with the same random numbers: set random_state to an integer."
            )
        warn_of_missing_codes(frame)
        table = _Table(frame, parse_intervened(intervened, frame))
        rng = _generator(self.random_state)
        order = self._choose_order(table, on_progress or silent)
        scm = self._fit_on(table, order, rng, checkpoint, on_progress)
        if not scm.allowed.any():
            warnings.warn(
                "No edge was found: as far as this table shows, its columns do not influence each other.", stacklevel=2
            )
        self.corrections_ = bootstrap_corrections(scm, table.values, rng, intervened=table.intervened)
        self._table: _Table | None = table
        return self._adopt(scm)

    def assess(self, X: Any = None) -> Self:
        """Find out how far the answers depend on the inferred order, by drawing 20 orders that the rows make plausible.

        Afterwards `order_confidence_` and `agreement_` exist, and are saved with the model. The rows are those of the
        training table, unless another table is given: a loaded model needs one. Rows from experiments do not belong
        in it.
        """
        scm, names = self._fitted, self._fitted.names
        table = self._training_table if X is None else self._observations(X)
        orders = self._draw_orders(PLAUSIBLE_ORDERS, _generator(self.random_state), table)
        possible = self._constraints.knowledge.allowed(names)
        shares = agreement(table.values, scm.order, orders, possible, table.intervened)
        return self._adopt_assessment(precedence_shares(orders), shares)

    def sample(self, n: int = 1000, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the model: what is."""
        return self._fitted.sample(n, _generator(random_state))

    def intervene(self, do: Do | Intervention, n: int = 1000, random_state: Any = None) -> pd.DataFrame:
        """Draw fresh units under an intervention: what if.

        Values may be numbers, arrays of length n, `Shift(amount)`, or functions of the frame of upstream columns.
        A warning says so where they lie far beyond the rows of the training table.
        """
        warn_of_extrapolation(self._fitted, values_set(self._fitted, do))
        return self._fitted.do(do).sample(n, _generator(random_state))

    def counterfactual(self, rows: Any, do: Do | Intervention) -> pd.DataFrame:
        """What these same units would have been under an intervention; index and unknown columns are kept.

        One row may come as a Series or a dictionary. A warning says so where the rows or the values set lie far beyond
        the rows of the training table.
        """
        scm = self._fitted
        answers = scm.counterfactual(rows, do)
        seen, values = scm.checked_rows(one_row(rows)), values_set(scm, do)
        asked = {name: np.concatenate([seen[name], values.get(name, [])]) for name in scm.names}
        warn_of_extrapolation(scm, asked)
        return answers

    def abduct(self, rows: Any) -> pd.DataFrame:
        """The noises behind rows, in the units of the columns."""
        frame = self._fitted.checked_rows(rows)
        return pd.DataFrame(self._fitted.sample_to_noise(frame.to_numpy()), frame.index, frame.columns)

    def score(self, X: Any, y: None = None) -> float:
        """Mean over columns of R2, the share of the variance that the causes explain (about zero for roots)."""
        frame = self._fitted.checked_rows(X)
        if len(frame) < 2:
            raise DataError("R2 compares errors with the variance of the rows: give at least two rows.")
        return float(r2_score(frame, self._fitted.predict(frame.to_numpy())))

    def effect(
        self,
        treatment: Hashable,
        on: Hashable,
        treated: float = 1.0,
        control: float = 0.0,
        *,
        level: float = 0.95,
        orders: int = 0,
        random_state: Any = 0,
    ) -> Effect:
        """Average effect on one column of setting another to `treated` instead of `control`, with an interval.

        With `orders`, so many plausible orders are drawn and fitted as well; the estimate is the average over all of
        them, and a warning says so if they disagree about its sign.
        """
        scm, rng = self._fitted, _generator(random_state)
        for name in (treatment, on):
            if name not in scm.names:
                raise unknown_name("column", name, scm.names)
        question = Question(treatment, on, treated, control)
        warn_of_extrapolation(scm, {treatment: (treated, control)})
        models = [(scm, self.corrections_), *self._models_on_other_orders(orders, rng)]
        found = average_effect(question, models, level, rng)
        if self._assessment is not None and not orders and not self._constraints.fix_the_order:
            places = scm.names.index(treatment), scm.names.index(on)
            found = replace(found, agreement=float(self._assessment[1].to_numpy()[places]))
        if doubt := found.disagreement:
            warnings.warn(f"Plausible causal orders disagree about {doubt}.", UserWarning, stacklevel=2)
        return found

    def recommend(
        self, target: Hashable, *, value: float, using: Sequence[Hashable] | None = None, random_state: Any = 0
    ) -> Recommendation:
        """Which single column to set, and to what, so that the average of another comes nearest to a wanted value.

        Only values among the rows of the training table are considered; `using` names the columns that can be acted on,
        by default every other one. The answer's `.do` can be passed to `intervene`.
        """
        scm = self._fitted
        ranges = dict(zip(scm.names, zip(scm.box.low, scm.box.high, strict=True), strict=True))
        return recommend(scm, target, value, using, ranges=ranges, rng=_generator(random_state))

    def check(self, X: Any, random_state: Any = 0) -> CheckResult:
        """Test the model's assumptions on a table: a result with .table, .passed and a verdict in words.

        Rows from experiments do not belong in it: a column that was set does not follow its causes.
        """
        frame = self._observations(X).frame
        inferred_on = None if self._constraints.fix_the_order else self.scale
        return check_model(self._fitted, frame, _generator(random_state), inferred_on)

    def report(self, X: Any, *, target: Hashable | None = None, random_state: Any = 0) -> "Report":
        """Everything the model says about a table, as one page for a browser: `model.report(df).save("report.html")`.

        The verdict comes first, then order, graph, effects, mechanisms, noises, and what the model must not be used
        for. `target` is the column whose variation is explained, by default the last of the order that has
        causes. A model that has not been assessed is assessed on this table.
        """
        from fipscm.report import build_report  # needs libraries that nothing else needs

        if target is not None and target not in self._fitted.names:
            raise unknown_name("column", target, self._fitted.names)
        given, frame = self._constraints.fix_the_order, self._observations(X).frame
        model = self if given or self._assessment is not None else copy(self).assess(frame)
        return build_report(model, frame, not given, target, _generator(random_state))

    def save(self, path: str | Path) -> None:
        """Write the model into one file: safetensors and JSON, no pickle.

        The file holds the sorted noises of each column, from which samples are drawn, but no row of the table.
        """
        scm = self._fitted
        assessed = dict(zip(_ASSESSED, (frame.to_numpy() for frame in self._assessment or ()), strict=False))
        arrays = {f"scm.{name}": array for name, array in scm.arrays().items()}
        settings = {**scm.settings(), "parameters": self._parameters()}
        save_archive(path, "model", {**arrays, "corrections": self.corrections_, **assessed}, settings)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a saved model; its answers are bit for bit those of the model that was saved."""
        arrays, settings = load_archive(path, "model")
        if "parameters" in settings:
            model = cls(**Constraints.restore(settings["parameters"]))
        else:  # a file of an older version does not say whether its order was given or inferred
            model = cls(order=[settings["names"][column] for column in arrays["scm.order"]])
        model.corrections_, model._table = arrays["corrections"], None
        parts = {name.removeprefix("scm."): array for name, array in arrays.items() if name.startswith("scm.")}
        model._adopt(LearnedSCM.restore(parts, settings))
        if all(name in arrays for name in _ASSESSED):
            model._adopt_assessment(*(arrays[name] for name in _ASSESSED))
        return model

    def to_networkx(self, *, standardized: bool = False) -> nx.DiGraph:
        """A copy of the graph, with `weight` and `score` on every edge; weights in standard deviations if asked."""
        scm, graph = self._fitted, self.graph_.copy()
        if standardized:
            spread = dict(zip(scm.names, scm.scale.tolist(), strict=True))
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
    def _training_table(self) -> "_Table":
        if self._table is None:
            raise DataError(
                "This needs the training table, which a saved model does not hold: fit on the table again, or call "
                "assess() before saving."
            )
        return self._table

    def _observations(self, X: Any) -> "_Table":
        """A table that the model can be held against, in which nothing was set from outside."""
        frame = training_frame(self._fitted.checked_rows(X))
        return _Table(frame, np.zeros(frame.shape, dtype=bool))

    @property
    def _constraints(self) -> Constraints:
        return Constraints(self.order, self.graph, self.knowledge or Knowledge())

    def _parameters(self) -> dict[str, Any]:
        """The constructor's arguments, ready for JSON; a seed is kept, a generator, whose state changes, is not."""
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else None
        given = self._constraints.settings(self._fitted.names)
        return {**self.get_params(), **given, "random_state": seed, "device": str(self.device)}

    def _choose_order(self, table: "_Table", on_progress: OnProgress) -> Order:
        """The order given, or the inferred one; always one the knowledge permits."""
        names = list(table.frame.columns)
        if self._constraints.fix_the_order:
            return self._constraints.given_order(names)
        before = self._precedence(names)
        return zero_shot_order(
            table.values,
            self._raw,
            before,
            n_jobs=self.n_jobs,
            intervened=table.intervened,
            on_step=steps_of("Inferring the order", on_progress),
        ).order

    def _precedence(self, names: Sequence[Hashable]) -> Mask | None:
        """(D, D), who must stand before whom in an inferred order."""
        return None if self.knowledge is None else self.knowledge.precedence(names)

    @property
    def _raw(self) -> bool:
        return self.scale == "raw"

    def _fit_on(
        self,
        table: "_Table",
        order: Order,
        rng: np.random.Generator,
        checkpoint: str | Path | None = None,
        on_progress: OnProgress | None = None,
    ) -> LearnedSCM:
        names = list(table.frame.columns)
        device = ("cuda" if torch.cuda.is_available() else "cpu") if self.device == "auto" else self.device
        shown = progress_bar() if self.verbose and on_progress is None else nullcontext(on_progress or silent)
        with shown as report:
            return fit_mechanism(
                table.frame,
                self._constraints.allowed(order, names),
                MechanismConfig(self.edges, self.prune, self.skip, device=device),
                order=order,
                required=self._constraints.required(order, names),
                intervened=table.intervened,
                seed=int(rng.integers(2**31)),
                on_progress=report,
                checkpoint=None if checkpoint is None else Path(checkpoint),
            )

    def _models_on_other_orders(self, count: int, rng: np.random.Generator) -> Iterator[tuple[LearnedSCM, Array]]:
        """Models on plausible orders, each with its corrections."""
        if count and self._constraints.fix_the_order:
            raise KnowledgeError("The causal order was given, so no other one is plausible: ask without `orders`.")
        if not count:
            return
        table = self._training_table
        for order in self._draw_orders(count, rng, table):
            scm = self._fit_on(table, order, rng)
            yield scm, bootstrap_corrections(scm, table.values, rng, intervened=table.intervened)

    def _draw_orders(self, count: int, rng: np.random.Generator, table: "_Table") -> list[Order]:
        """Orders that the rows make plausible; only the one in use where it was given."""
        if self._constraints.fix_the_order:
            return [self._fitted.order]
        before = self._precedence(self._fitted.names)
        return drawn_orders(
            table.values, rng, self._raw, before, n_jobs=self.n_jobs, draws=count, intervened=table.intervened
        )

    def _adopt(self, scm: LearnedSCM) -> Self:
        self.scm_ = scm
        self.feature_names_in_ = np.array(scm.names, dtype=object)
        self.n_features_in_ = len(scm.names)
        self.causal_order_ = [scm.names[column] for column in scm.order]
        self.adjacency_ = self._named(scm.adjacency)
        self.edge_scores_ = self._named(scm.edge_scores)
        self.edge_derivatives_ = self._named(scm.edge_derivatives)
        self.mechanisms_ = overview(scm)
        self._assessment: tuple[pd.DataFrame, pd.DataFrame] | None = None
        self.graph_ = to_networkx(scm.adjacency, scm.names, weight=scm.edge_weights, score=scm.edge_scores)
        return self

    def _adopt_assessment(self, confidence: Array, agreeing: Array) -> Self:
        self._assessment = self._named(confidence), self._named(agreeing)
        self.graph_ = self.graph_.copy()  # a copy of this model may hold the same graph
        for cause, effect in self.graph_.edges:
            self.graph_.edges[cause, effect]["confidence"] = float(self._assessment[0].loc[cause, effect])
        return self

    def _named(self, matrix: ArrayLike) -> pd.DataFrame:
        return pd.DataFrame(np.asarray(matrix), list(self._fitted.names), list(self._fitted.names))


class _Table(NamedTuple):
    """What a model is learned from."""

    frame: pd.DataFrame
    intervened: Mask  # (N, D), true where a column was set from outside

    @property
    def values(self) -> Array:
        """(N, D)."""
        return self.frame.to_numpy()


def _generator(random_state: Any) -> np.random.Generator:
    """A generator from a seed, a generator (used as it is), scikit-learn's random state, or nothing."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**31))
    return np.random.default_rng(random_state)
