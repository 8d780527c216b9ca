"""One measured table from end to end: fit, report and effect as a user would ask for them, then what to compare with.

Everything is told as soon as it is known: a table that is stopped or takes its process with it keeps what came before.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from threadpoolctl import threadpool_limits

from fipscm.bench.measured.corpus import CertainPair, MeasuredTable, corpus
from fipscm.bench.measured.judged_order import (
    contradicting_edges,
    judged_suggestions,
    pairs_among,
    share_right,
    told_confidence,
)
from fipscm.bench.measured.known_effects import answers
from fipscm.bench.measured.sanity import effect_line, insane_intervals
from fipscm.bench.measured.unseen_rows import COMPARED_ROWS, unseen_scores
from fipscm.bench.run.process import error_text, processor_limit
from fipscm.bench.run.results import Line
from fipscm.estimator import FiP
from fipscm.order import infer_order
from fipscm.questions.effect import Effect
from fipscm.tables.kinds import Level

Found = TypeVar("Found")
STAGES = ("fit", "report", "effect")  # what a user waits for, and what the limit is for
BESIDE = "comparison"
CLASSICAL_ORDERS = {"right_r2": "r2", "right_direct_lingam": "direct-lingam"}


def measure_table(name: str, folder: Path | None, limit: float) -> Iterator[Line]:
    """Yield what is found out about a table, part by part; `stage` says what comes next."""
    table = corpus()[name]
    frame = table.read(folder)
    yield {"rows": len(frame), "columns": frame.shape[1], "stage": "fit"}
    with threadpool_limits(limits=1):
        with processor_limit(limit):
            model, line = _timed(_fitted, table, frame)
            yield {"fit": line, "stage": "report"}
            if model is None:
                return
            pairs = pairs_among(table.pairs, model.scm_.names)
            yield _order(model, pairs)
            report, line = _timed(model.report, frame)
            effects = [] if report is None else [strong.effect for strong in report.effects]
            yield {"report": line, **_intervals(model, effects), "stage": "effect"}
            effect, line = _timed(_asked, model, frame)
            found = {} if effect is None else {"answer": effect_line(effect), **_intervals(model, [*effects, effect])}
            yield {"effect": line, **found, "stage": BESIDE}
        with processor_limit(limit):
            yield from _compared(table, frame, model, pairs)
    yield {"stage": ""}


def _compared(table: MeasuredTable, frame: pd.DataFrame, model: FiP, pairs: list[CertainPair]) -> Iterator[Line]:
    """What stands beside our answers; a method that fails has no figure."""
    columns = list(model.scm_.names)
    some = frame[columns].sample(min(len(frame), COMPARED_ROWS), random_state=0)
    for key, method in CLASSICAL_ORDERS.items():
        order, _ = _timed(infer_order, some, method=method)
        yield {key: None if order is None else share_right(order, pairs)}
    told, line = _timed(judged_suggestions, frame, columns, pairs)
    yield {"suggestion_error": line["error"]} if told is None else told
    scores, line = _timed(unseen_scores, model, frame)
    yield {"held_out": line if scores is None else scores}
    yield {"effects": [answers(table, frame, model, truth) for truth in table.effects]}


def _timed(task: Callable[..., Found], *given: Any, **named: Any) -> tuple[Found | None, Line]:
    """What a task finds, or None; its processor seconds, and the error that ended it."""
    started, found, error = time.process_time(), None, ""
    try:
        found = task(*given, **named)
    except Exception as raised:
        error = error_text(raised)
    return found, {"seconds": round(time.process_time() - started, 2), "error": error}


def _fitted(table: MeasuredTable, frame: pd.DataFrame) -> FiP:
    """As `fipscm fit` does it; what is asked about is kept, even if it was computed from other columns."""
    return FiP(keep=table.asked_about, random_state=0).fit(frame).assess()


def _order(model: FiP, pairs: list[CertainPair]) -> Line:
    order = model.causal_order_
    return {
        "kept": len(order),
        "set_aside": {str(name): reason for name, reason in model.columns_.set_aside.items()},
        "pairs": len(pairs),
        "right": share_right(order, pairs),
        "confidence": told_confidence(order, model.order_confidence_, pairs),
        "edges": model.graph_.number_of_edges(),
        "contradictions": contradicting_edges(model.graph_, pairs),
    }


def _intervals(model: FiP, effects: list[Effect]) -> Line:
    return {"intervals": len(effects), "insane": insane_intervals(model, effects)}


def _asked(model: FiP, frame: pd.DataFrame) -> Effect:
    """The effect along the edge with most evidence; without any edge, of the first column on the last."""
    edges = list(model.graph_.edges(data="score"))
    order = model.causal_order_
    cause, outcome, _ = max(edges, key=lambda edge: edge[2]) if edges else (order[0], order[-1], 0.0)
    treated, control = usual_contrast(frame[cause])
    return model.effect(cause, outcome, treated, control)


def usual_contrast(column: pd.Series) -> tuple[Level, Level]:
    """Two values that a column has: its quartiles, or its two most frequent ones.

    >>> usual_contrast(pd.Series([1.0, 2.0, 3.0, 4.0, 5.0]))
    (4.0, 2.0)
    >>> usual_contrast(pd.Series(["no", "no", "yes"]))
    ('yes', 'no')
    """
    if pd.api.types.is_numeric_dtype(column):
        low, high = column.astype(float).quantile([0.25, 0.75], interpolation="nearest")
        if low < high:
            return float(high), float(low)
    control, treated = column.dropna().value_counts().index[:2]
    return treated, control
