"""Commands that learn from a table: its order, its model."""

import json
import sys
from collections.abc import Hashable
from itertools import pairwise
from typing import Annotated, Any

import typer

import fipscm
from fipscm.cli.doubt import doubt
from fipscm.cli.names import MODEL_SUFFIX, NOISES, ORDER_METHODS
from fipscm.cli.options import Assess, FitOptions, Json, OrderOptions, Rows, Seed, unfolded
from fipscm.cli.suggested import tell_suggestions
from fipscm.errors import ModelFileError, OrderError

Picture = Annotated[str | None, typer.Option(help="Draw the graph into this PNG, PDF, SVG or DOT file.")]


@unfolded
def order(
    data: Rows,
    options: OrderOptions,
    method: Annotated[str, typer.Option(help=f"{', '.join(ORDER_METHODS)}.")] = ORDER_METHODS[0],
    as_json: Json = False,
    plot: Picture = None,
    weights: Annotated[str | None, typer.Option(help="Weights that fipscm pretrain wrote, instead of ours.")] = None,
    jobs: Annotated[int, typer.Option(help="Processor cores to use; -1 for all.")] = 1,
    assess: Assess = True,
    seed: Seed = 0,
) -> None:
    """Name the columns in causal order, causes first.  Example: fipscm order data.csv --tiers "age;dose,pain"."""
    import networkx as nx
    import numpy as np

    from fipscm.directions import with_directions
    from fipscm.order import order_confidence, zero_shot
    from fipscm.order.confidence import shipped_calibration
    from fipscm.plotting import draw_graph, require_writable_picture
    from fipscm.tables.read import read_table

    if plot is not None:
        if method in ORDER_METHODS[1:]:
            raise OrderError(f"The method '{method}' finds no graph to draw: leave out --plot, or --method.")
        require_writable_picture(plot)
    chosen = options.choose(read_table(data, reading=options.reading))
    table, known, intervened, _ = chosen
    known.require_variables(fewest=2)
    knowledge, kinds = options.constraints(chosen), options.kinds(list(table.columns))
    columns: dict[str, Any] = {"keep": options.kept(list(table.columns)), **options.panel(list(table.columns))}
    if method != ORDER_METHODS[0]:
        found = fipscm.infer_order(
            table,
            options.scale,
            knowledge,
            method=method,
            weights=weights,
            intervened=intervened,
            kinds=kinds,
            **columns,
        )
        print(json.dumps({"order": found}) if as_json else "\n".join(map(str, found)))
        return
    answer = zero_shot(table, options.scale, knowledge, jobs, weights, intervened, kinds, **columns)
    graph = nx.DiGraph(pairwise(answer.order)) if answer.edges is None else answer.graph()
    facts: dict[str, Any] = {"order": answer.order, "orderable": answer.orderable}
    if answer.edges is not None:
        facts["edges"] = answer.edges.to_dict(orient="index")
    if answer.confounded is not None:
        facts |= {"confounded": answer.confounded.to_dict(orient="index")}
    unsure = answer.remarks
    if assess:
        rng = np.random.default_rng(seed)
        confidence = order_confidence(
            table, rng, options.scale, knowledge, jobs, weights=weights, intervened=intervened, kinds=kinds, **columns
        )
        facts["confidence"] = confidence.to_dict(orient="index")
        graph = with_directions(graph, confidence, knowledge)
        if told := doubt(graph):
            unsure = [*unsure, told]
        if weights is None and intervened is None:  # other orders are not calibrated
            facts["confidence_means"] = shipped_calibration().sentence
            unsure = [*unsure, facts["confidence_means"]]
    if plot is not None:
        answer.probabilities()  # refuses to draw edges that the weights say nothing about
        draw_graph(graph, plot, strength="probability")
    print(json.dumps(facts) if as_json else "\n".join(map(str, answer.order)))
    for sentence in unsure:
        print(f"fipscm: {sentence}", file=sys.stderr)
    tell_suggestions(data, chosen, options)


@unfolded
def fit(
    data: Rows,
    options: FitOptions,
    out: Annotated[str, typer.Option("--out", "-o", help="Where to save the model; ends in .fip.")] = "model.fip",
    edges: Annotated[
        str, typer.Option(help="posterior (rows and order model), test (p-values alone) or jacobian (the paper).")
    ] = "posterior",
    prune: Annotated[bool, typer.Option(help="Keep only the edges found.")] = True,
    skip: Annotated[
        bool, typer.Option(help="Start from regressions; --no-skip is the paper's transformer alone.")
    ] = True,
    noise: Annotated[str, typer.Option(help=f"How noise acts on a column: {', '.join(NOISES)}.")] = NOISES[0],
    plot: Picture = None,
    assess: Assess = True,
    as_json: Json = False,
    seed: Seed = 0,
) -> None:
    """Learn a model from a table and save it.  Example: fipscm fit data.csv --out model.fip --tiers "age;dose,pain"."""
    from fipscm.cli.kinds import told_kinds
    from fipscm.directions import DIRECTION_THRESHOLD
    from fipscm.order.confidence import shipped_calibration
    from fipscm.plotting import draw_graph, require_writable_picture
    from fipscm.tables.read import read_table
    from fipscm.tables.stream import require_one_stream
    from fipscm.tables.write import require_writable

    require_one_stream(data, options.graph)
    if not out.endswith(MODEL_SUFFIX):
        raise ModelFileError(f"Cannot save a model as '{out}': its name must end in .fip, by which commands know it.")
    require_writable(out)
    if plot is not None:
        require_writable_picture(plot)
    chosen = options.choose(read_table(data, reading=options.reading))
    estimator = options.estimator(chosen, seed, edges=edges, prune=prune, skip=skip, noise=noise)
    model = estimator.fit(chosen.table, intervened=chosen.intervened)
    if assess:
        model.assess()
    model.save(out)
    tell_suggestions(data, chosen, options)
    if plot is not None:
        draw_graph(model.to_networkx(standardized=True), plot)
    # What is given is certain, and what experiments show is not calibrated.
    inferred = assess and not options.fix_the_order and chosen.intervened is None
    meaning = shipped_calibration().sentence if inferred else ""
    found = [_told_edge(cause, effect, facts) for cause, effect, facts in model.graph_.edges(data=True)]
    if as_json:
        confidence: dict[str, Any] = {"confidence": model.order_confidence_.to_dict(orient="index")} if assess else {}
        confidence |= {"confidence_means": meaning} if meaning else {}
        mechanisms = model.mechanisms_.to_dict(orient="index")
        facts = {"order": model.causal_order_, "kinds": model.kinds_, **confidence}
        facts |= {"edges": found, "mechanisms": mechanisms, "model": out}
        print(json.dumps(facts))
        return
    print(f"Kinds of columns: {told_kinds(model.columns_)}.")
    print(f"Causal order, causes first: {', '.join(map(str, model.causal_order_))}")
    place = {name: position for position, name in enumerate(model.causal_order_)}
    if found:
        print(
            "Edges; weight: average slope of the effect in this cause alone, per unit (fipscm effect tells what a "
            "change does on all paths); score: evidence, as log10 of the odds:"
        )
    for edge in sorted(found, key=lambda edge: (place[edge["cause"]], place[edge["effect"]])):
        print(_edge_line(edge, is_slope=not {edge["cause"], edge["effect"]} & set(model.columns_.categories)))
    if assess and found and not options.fix_the_order:
        print(doubt(model.graph_) or f"The direction of every edge is at least {DIRECTION_THRESHOLD:.0%} sure.")
        if meaning:
            print(meaning)
    print(f"Saved in {out}.")


def _told_edge(cause: Hashable, effect: Hashable, facts: dict[str, Any]) -> dict[str, Any]:
    """What is told of an edge; a weight, and what it acts on, only where its direction stands."""
    of_arrows = {} if facts.get("directed", True) else {"weight": None, "acts_on": None}
    return {"cause": cause, "effect": effect, **facts, **of_arrows}


def _edge_line(edge: dict[str, Any], *, is_slope: bool) -> str:
    """One edge in words; a category has no unit, so that an edge from or to it is no slope."""
    from fipscm.display import digits

    if not edge.get("directed", True):
        share = f"{edge['confidence']:.0%} for {edge['cause']} first"
        return f"{edge['cause']} - {edge['effect']}, direction open ({share})  score {edge['score']:.1f}"
    direction = f"  direction {edge['confidence']:.0%}" if "confidence" in edge else ""
    part = "" if edge["acts_on"] == "mean" else f"  acts on {edge['acts_on']}"
    weight = f"weight {digits(edge['weight'])}  " if is_slope else ""
    return f"{edge['cause']} -> {edge['effect']}  {weight}score {edge['score']:.1f}{part}{direction}"
