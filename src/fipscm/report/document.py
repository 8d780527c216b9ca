"""Everything that a report says, gathered from a model and a table.

Shapes: N rows, D columns of the table, E columns of the model.
"""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.directions import OpenEdge, open_edges
from fipscm.layout import MOST_BOXES, Layout, around, layered, to_svg
from fipscm.layout.strokes import Stroke, strokes
from fipscm.order.confidence import shipped_calibration
from fipscm.questions.column_levels import ColumnLevels, column_levels
from fipscm.questions.findings import CheckResult, Finding
from fipscm.report.charts import Chart, bars_chart, confidence_chart, curve_chart, histogram_chart
from fipscm.report.columns import ColumnFacts, column_facts
from fipscm.report.curves import partial_dependence
from fipscm.report.effects import StrongEffect, strongest_effects
from fipscm.report.hidden import HiddenCauses
from fipscm.report.limits import Limit, limits
from fipscm.report.model import FittedModel
from fipscm.report.variation import variation_shares
from fipscm.report.words import number
from fipscm.tables.training import TrainingTable

MOST_CURVES = 60
PAGE_WIDTH = 1000.0  # pixels
ROWS_SHOWN = 400  # behind the curves
Edge = tuple[Hashable, Hashable, Stroke]  # cause, effect, and how it is drawn
SHAPES = {
    "linear": "a straight line",
    "quadratic": "a parabola",
    "per level": "a line for each level of a cause",
    "smooth": "a smooth curve",
    "transformer": "a curve in which the causes may act together",
}


@dataclass(frozen=True)
class Mechanism:
    """How one column follows its causes; `shape` is empty where levels have no curve.

    Of `open_causes` it is open whether they come before the column.
    """

    name: Hashable
    causes: list[Hashable]
    open_causes: list[Hashable]
    shape: str
    explained: float
    charts: list[Chart]


@dataclass(frozen=True)
class Document:
    """The contents of a report, section by section.

    Attributes:
        names: the columns shown: all, or those nearest to the target.
        columns: how many columns the model has.
        rows: how many rows the table has.
        target: the column whose variation is explained.
        check: the verdict.
        order: the columns shown, causes first.
        confidence: how sure the order is; None if it was given.
        confidence_means: what such a figure was worth on measured tables.
        doubtful: edges whose direction is in doubt.
        picture: the graph as SVG.
        edges: cause, effect and stroke of each edge shown.
        hidden: pairs that may share a hidden cause.
        effects: the strongest ones.
        mechanisms: of the columns that have causes.
        curves_left_out: how many edges have no curve, because others are stronger.
        noises: a histogram for each column that has neither levels nor counts.
        noises_left_out: the columns that have.
        comparisons: real against sampled, for each column.
        joint_fit: whether sampled rows can be told from real ones.
        variation: the sources of the target's variation, the largest first.
        limits: what the model must not be used for.
        facts: kind, range or levels, and missing cells of each column in the table.
        categories: the columns shown that are categories.
        has_levels: whether some columns have levels.
        rows_shown: values of the columns shown, in some rows of the table.
    """

    names: list[Hashable]
    columns: int
    rows: int
    target: Hashable
    check: CheckResult
    order: list[Hashable]
    confidence: Chart | None
    confidence_means: str
    doubtful: list[OpenEdge]
    picture: str
    edges: list[Edge]
    hidden: HiddenCauses
    effects: list[StrongEffect]
    mechanisms: list[Mechanism]
    curves_left_out: int
    noises: list[Chart]
    noises_left_out: list[Hashable]
    comparisons: list[Chart]
    joint_fit: Finding
    variation: pd.Series
    limits: list[Limit]
    facts: list[ColumnFacts]
    categories: list[Hashable]
    has_levels: bool
    rows_shown: Array


def write_document(
    model: FittedModel,
    table: TrainingTable,
    inferred: bool,
    target: Hashable | None,
    rng: np.random.Generator,
) -> Document:
    """Ask a model everything that the report says; an `inferred` order must have been assessed.

    The table has codes for levels, and its missing cells are filled in.
    """
    scm, frame = model.scm_, table.frame
    levels, kinds = column_levels(scm, model.columns_), model.columns_.kinds
    target = _last_effect(model) if target is None else target
    whole = model.to_networkx(standardized=True)
    graph = around(whole, target) if len(whole) > MOST_BOXES else whole
    names = [name for name in scm.names if name in graph]
    order = [name for name in model.causal_order_ if name in graph]
    check = model.check(model.columns_.decode(frame).mask(table.holes), rng)
    hidden = HiddenCauses.of(check)
    layout = layered(graph)
    drawn = zip(layout.routes, strokes(graph, layout.routes), strict=True)
    edges = [(route.cause, route.effect, stroke) for route, stroke in drawn]
    edges.sort(key=lambda edge: -abs(edge[2].strength))
    sampled = scm.sample(len(frame), rng)
    noises, noises_left_out = _noises(model, frame, order)
    some = frame.iloc[np.sort(rng.permutation(len(frame))[:ROWS_SHOWN])]
    return Document(
        names=names,
        columns=len(scm.names),
        rows=len(frame),
        target=target,
        check=check,
        order=order,
        confidence=confidence_chart(order, model.order_confidence_) if inferred else None,
        confidence_means=shipped_calibration().sentence,
        doubtful=open_edges(graph),
        picture=to_svg(graph, layout, [(a, b) for a, b, _ in hidden.pairs], scale=_picture_scale(layout)),
        edges=edges,
        hidden=hidden,
        effects=strongest_effects(model, rng),
        mechanisms=_mechanisms(model, order, frame.to_numpy(), edges[:MOST_CURVES], names),
        curves_left_out=max(0, len(edges) - MOST_CURVES),
        noises=noises,
        noises_left_out=noises_left_out,
        comparisons=_comparisons(frame, sampled, check, {name: kinds[name] for name in order}, levels),
        joint_fit=next(finding for finding in check.findings if finding.check == "joint fit"),
        variation=variation_shares(model, target, rng),
        limits=list(limits(graph, check, inferred, hidden)),
        facts=column_facts(kinds, table, order, levels),
        categories=[name for name in order if name in model.columns_.categories],
        has_levels=bool(levels),
        rows_shown=some[names].to_numpy().T,
    )


def _last_effect(model: FittedModel) -> Hashable:
    """The last column of the order that has a cause; the last one of all if none has."""
    causes = model.mechanisms_["causes"].to_dict()
    return next((name for name in reversed(model.causal_order_) if causes[name]), model.causal_order_[-1])


def _picture_scale(layout: Layout) -> float:
    """Fill the page with a small graph; a large one scrolls, so that its names can be read."""
    return min(1.4, max(1.0, PAGE_WIDTH / layout.width))


def _mechanisms(
    model: FittedModel, order: list[Hashable], rows: Array, drawn: list[Edge], names: list[Hashable]
) -> list[Mechanism]:
    """Of each column with causes, in causal order; the edges drawn have a curve, in which rows (N, D) are averaged."""
    facts, levels = model.mechanisms_.to_dict(orient="index"), column_levels(model.scm_, model.columns_)
    is_open = {(cause, effect) for cause, effect, _ in open_edges(model.to_networkx())}
    found = []
    for name in order:
        curves = [partial_dependence(model, cause, name, rows) for cause, effect, _ in drawn if effect == name]
        charts = [curve_chart(curve, names, levels) for curve in curves]
        own = facts[name]
        if own["causes"]:
            is_curve = name not in levels and not levels.keys() >= set(own["causes"])
            shape = SHAPES[own["shape"]] if is_curve else ""
            unsure = [cause for cause in own["causes"] if (cause, name) in is_open]
            found.append(Mechanism(name, own["causes"], unsure, shape, own["r2_held_out"], charts))
    return found


def _noises(model: FittedModel, frame: pd.DataFrame, order: list[Hashable]) -> tuple[list[Chart], list[Hashable]]:
    """Charts of the noises behind a table, and the columns behind whose values there is a range of noises."""
    scm = model.scm_
    noises = scm.sample_to_noise(frame.to_numpy())
    charts, left_out = [], []
    for name in order:
        node = scm.names.index(name)
        if scm.mechanisms[node].response.discrete:
            left_out.append(name)
            continue
        noise = noises[:, scm.noise_place(node)]
        typical = float(np.quantile(np.abs(noise), 2 / 3))
        share = min(1.0, float(noise.var() / frame[name].var(ddof=0)))
        words = f"Two rows in three are within {number(typical)} of zero; {share:.0%} of the variance is left."
        charts.append(histogram_chart(str(name), words, noise=noise))
    return charts, left_out


def _comparisons(
    frame: pd.DataFrame,
    sampled: pd.DataFrame,
    check: CheckResult,
    kinds: dict[Hashable, str],
    levels: dict[Hashable, ColumnLevels],
) -> list[Chart]:
    distances = {finding.subject: finding.figure for finding in check.findings if finding.check == "marginal fit"}
    charts = []
    for name, kind in kinds.items():
        both = {"real": frame[name].to_numpy(), "sampled": sampled[name].to_numpy()}
        if name in levels:
            charts.append(bars_chart(str(name), levels[name], **both))
        else:
            words = f"Real and sampled lie {distances[str(name)]:.2f} standard deviations apart."
            charts.append(histogram_chart(str(name), words, whole=kind == "count", **both))
    return charts
