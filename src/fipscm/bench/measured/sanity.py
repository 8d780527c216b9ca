"""Whether an effect and its interval can be told to anyone."""

from collections.abc import Iterable

import networkx as nx
import numpy as np

from fipscm.display import digits
from fipscm.estimator import FiP
from fipscm.questions.effect import Effect

WIDEST_INTERVAL = 10.0  # times the range of the outcome: a wider interval says nothing that its column does not


def insane_intervals(model: FiP, effects: Iterable[Effect]) -> list[str]:
    """Those that are not sane, each with the reasons."""
    told = ((effect, insanities(model, effect)) for effect in effects)
    return [f"{effect_line(effect)}: {', '.join(reasons)}" for effect, reasons in told if reasons]


def insanities(model: FiP, effect: Effect) -> list[str]:
    """What is wrong with an effect: its place in its interval, the width of that, or its sign."""
    if not effect.possible:
        return []
    reasons = []
    if not np.isfinite([effect.low, effect.estimate, effect.high]).all():
        reasons.append("not a number")
    elif not effect.low < effect.estimate < effect.high:
        reasons.append("estimate not inside its interval")
    if effect.high - effect.low > WIDEST_INTERVAL * _outcome_range(model, effect):
        reasons.append(f"interval wider than {WIDEST_INTERVAL:g} times the range of the outcome")
    if (sign := _sign_of_the_only_edge(model, effect)) and effect.estimate * sign < 0:
        reasons.append("sign against that of the arrow")
    return reasons


def effect_line(effect: Effect) -> str:
    """An effect in one line."""
    asked = effect.question
    estimate, low, high = map(digits, (effect.estimate, effect.low, effect.high))
    return f"{asked.treatment} on {asked.change_of(effect.level_told)} {estimate} ({low} to {high})"


def _outcome_range(model: FiP, effect: Effect) -> float:
    """That of the column as the model has it; of a probability, one."""
    if effect.level_told is not None:
        return 1.0
    ends = model.mechanisms_.loc[[effect.question.outcome], ["low", "high"]].to_numpy(dtype=float)
    return float(np.ptp(ends))


def _sign_of_the_only_edge(model: FiP, effect: Effect) -> float:
    """The sign that a straight edge gives the effect, if nothing else leads from the cause to the outcome; else 0."""
    asked, graph = effect.question, model.graph_
    cause, outcome = asked.treatment, asked.outcome
    categories = {name for name, kind in model.kinds_.items() if kind == "categorical"}
    if not graph.has_edge(cause, outcome) or categories & {cause, outcome}:
        return 0.0
    if model.mechanisms_["shape"].to_dict()[outcome] != "linear" or graph.edges[cause, outcome]["acts_on"] != "mean":
        return 0.0
    others = graph.copy()
    others.remove_edge(cause, outcome)
    if nx.has_path(others, cause, outcome):
        return 0.0
    return float(np.sign(graph.edges[cause, outcome]["weight"] * (asked.treated - asked.control)))
