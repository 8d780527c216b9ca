"""What the page is told, ready for JSON: names are text, and numbers are finite or missing."""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from fipscm.arrays import Array
from fipscm.explore.edits import Edits
from fipscm.explore.one_row import Portrait
from fipscm.explore.screen import Screen
from fipscm.explore.session import CHECKING, Session
from fipscm.explore.units import Units
from fipscm.knowledge import Edge
from fipscm.layout import Layout
from fipscm.order.confidence import shipped_calibration
from fipscm.questions.column_levels import ColumnLevels
from fipscm.questions.effect import Effect
from fipscm.questions.recommend import Recommendation

Json = dict[str, Any]


def of_session(session: Session) -> Json:
    """Everything but answers."""
    job = session.job
    return {
        "table": session.data.title,
        "model": session.data.saved_model,
        "rows": len(session.data.table),
        "columns": [str(name) for name in session.data.table.columns],
        "progress": None if job is None else asdict(job.progress),
        "failure": session.failure,
        "verdict": {**asdict(session.verdict), "pending": session.verdict is CHECKING},
        "unusual": session.unusual,
        "edits": of_edits(session.edits),
        "suggestions": [str(each) for each in session.suggestions],
        "screen": of_screen(session.screen) if session.has_screen else None,
    }


def of_screen(screen: Screen) -> Json:
    """The model and its picture."""
    units, mechanisms = screen.units, screen.model.mechanisms_.to_dict(orient="index")
    facts = zip(screen.names, units.axes, units.low, units.high, units.missing, strict=True)
    return {
        "version": screen.version,
        "order": [str(name) for name in screen.model.causal_order_],
        "variables": {
            str(name): {
                "kind": screen.model.kinds_[name],
                "levels": units.levels[name].names if name in units.levels else None,
                "missing": number(missing),
                "axis": numbers(axis),
                "low": number(low),
                "high": number(high),
                "shape": mechanisms[name]["shape"],
                "explained": number(mechanisms[name]["r2_held_out"]),
                **distribution,
            }
            for (name, axis, low, high, missing), distribution in zip(
                facts, _distributions(units, units.before), strict=True
            )
        },
        "edges": [
            {
                "cause": str(cause),
                "effect": str(effect),
                "weight": number(data["weight"]) if data.get("directed", True) else None,
                "strength": number(data["weight"] * _ratio(units, cause, effect))
                if data.get("directed", True)
                else None,
                "score": number(data["score"]),
                "confidence": number(data.get("confidence", np.nan)),
                "directed": data.get("directed", True),
            }
            for cause, effect, data in screen.model.graph_.edges(data=True)
        ],
        "layout": of_layout(screen.layout),
        "remarks": screen.remarks,
        "confidence_means": shipped_calibration().sentence if _is_assessed(screen) else "",
        "changes": {kind: _pairs(edges) for kind, edges in vars(screen.changes).items()},
    }


def _is_assessed(screen: Screen) -> bool:
    return any("confidence" in facts for *_, facts in screen.model.graph_.edges(data=True))


def of_layout(layout: Layout) -> Json:
    """Boxes by name, curves of edges by position."""
    return {
        "width": layout.width,
        "height": layout.height,
        "boxes": {
            str(box.name): {"x": box.x, "y": box.y, "width": box.width, "height": box.height, "lines": box.lines}
            for box in layout.boxes
        },
        "routes": [{"cause": str(r.cause), "effect": str(r.effect), "path": r.path} for r in layout.routes],
    }


def of_edits(edits: Edits) -> Json:
    """As the page sends them back."""
    known = edits.knowledge
    return {
        "required": _pairs(known.required_edges),
        "forbidden": _pairs(known.forbidden_edges),
        "tiers": [[str(name) for name in tier] for tier in known.tiers],
        "roots": [str(name) for name in known.roots],
        "leaves": [str(name) for name in known.leaves],
        "hidden": _pairs(edits.hidden),
        "kinds": {str(name): kind for name, kind in edits.kinds.items()},
    }


def of_answer(screen: Screen, after: Array) -> Json:
    """Every column under an intervention: its average, its spread, and its curve or the shares of its levels."""
    found = zip(screen.names, _distributions(screen.units, after), strict=True)
    return {"version": screen.version, "after": {str(name): distribution for name, distribution in found}}


def of_portrait(portrait: Portrait, levels: Mapping[Hashable, ColumnLevels]) -> Json:
    """One row, fact beside counterfactual; levels by name."""
    columns = zip(portrait.names, portrait.fact, portrait.counterfactual, portrait.deviations, strict=True)
    return {
        "columns": [
            {
                "column": str(name),
                "fact": value(levels.get(name), fact),
                "counterfactual": value(levels.get(name), changed),
                "deviations": number(noise),
            }
            for name, fact, changed, noise in columns
        ],
        "reasons": portrait.reasons,
    }


def of_effect(found: Effect, remarks: list[str]) -> Json:
    """An effect in words and in numbers, with what its computation warned of."""
    asked = found.question
    return {
        "text": str(found),
        "treated": asked.shown(asked.treatment, asked.treated),
        "control": asked.shown(asked.treatment, asked.control),
        "estimate": number(found.estimate),
        "low": number(found.low),
        "high": number(found.high),
        "methods": [
            {
                "method": each.method,
                "estimate": number(each.estimate),
                "low": number(each.low),
                "high": number(each.high),
            }
            for each in found.methods
        ],
        "overlap": None if found.overlap is None else str(found.overlap),
        "remarks": remarks,
    }


def of_recommendation(found: Recommendation, levels: Mapping[Hashable, ColumnLevels]) -> Json:
    """What to set, and what is expected of it."""
    ((column, setting),) = found.do.items()
    return {
        "column": str(column),
        "setting": value(levels.get(column), setting),
        "expected": number(found.expected),
        "present": number(found.present),
        "text": str(found),
    }


def number(value: float) -> float | None:
    """Six digits are more than a screen shows; what is not finite is missing.

    >>> number(1 / 3), number(float("nan"))
    (0.333333, None)
    """
    return float(f"{value:.6g}") if np.isfinite(value) else None


def value(levels: ColumnLevels | None, code: float) -> float | str | None:
    """A number, or the name of the level that it stands for."""
    if levels is None or not np.isfinite(code):
        return number(code)
    return levels.names[int(levels.places(np.array([code]))[0])]


def numbers(values: Array) -> list[float | None]:
    """Each of them."""
    return [number(value) for value in values.tolist()]


def _distributions(units: Units, values: Array) -> list[Json]:
    """Of each column of units (N, D): average and spread, and the shares of its levels, or else its curve."""
    averages, spreads, curves = values.mean(axis=0), values.std(axis=0), units.density(values)
    found = []
    for column, name in enumerate(units.names):
        facts: Json = {"mean": number(averages[column]), "spread": number(spreads[column])}
        if name in units.levels:
            facts["shares"] = numbers(units.levels[name].shares(values[:, column]))
        else:
            facts["density"] = numbers(curves[column])
        found.append(facts)
    return found


def _ratio(units: Units, cause: Hashable, effect: Hashable) -> float:
    """Turns a weight in the columns' units into standard deviations."""
    of_cause, of_effect = (units.spread[units.names.index(name)] for name in (cause, effect))
    return float(of_cause / of_effect)


def _pairs(edges: Iterable[Edge]) -> list[list[str]]:
    return [[str(cause), str(effect)] for cause, effect in edges]
