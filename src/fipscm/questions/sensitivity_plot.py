"""What a hidden common cause leaves of an effect, as contours over its two strengths."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from fipscm.display import digits
from fipscm.questions.sensitivity import Sensitivity, Strength

_STEPS, LEAST_REACH, _MARGIN = 60, 0.05, 1.3  # of the grid; axes reach beyond what they have to show
_FARTHEST = 0.99


def plot_sensitivity(found: Sensitivity, axes: Axes | None = None) -> Axes:
    """Contours of the effect left; zero is drawn thick, measured causes are dots, the robustness value a cross."""
    axes = plt.subplots(figsize=(6, 5))[1] if axes is None else axes
    strengths = [each.strength for each in found.benchmarks] + [Strength(found.robustness, found.robustness)]
    right, top = (min(max(LEAST_REACH, *(_MARGIN * each[place] for each in strengths)), _FARTHEST) for place in (0, 1))
    treatment, outcome = np.linspace(0, right, _STEPS), np.linspace(0, top, _STEPS)
    left = [[found.beside(Strength(float(x), float(y))).estimate for x in treatment] for y in outcome]
    lines = axes.contour(treatment, outcome, left, levels=9, colors="#8096b0", linewidths=0.8)
    axes.clabel(lines, fmt=digits, fontsize=8)
    axes.contour(treatment, outcome, left, levels=[0.0], colors="#b3261e", linewidths=2)
    for each in found.benchmarks:
        axes.plot(*each.strength, "o", color="#1f3a5f", markersize=4)
        label = axes.annotate(str(each.name), each.strength, xytext=(4, 4), textcoords="offset points", fontsize=8)
        label.set_parse_math(False)
    axes.plot(found.robustness, found.robustness, "x", color="#b3261e")
    axes.set(xlim=(0, right), ylim=(0, top))
    asked = found.question
    axes.set_xlabel(f"share of {asked.treatment} that a hidden cause explains", parse_math=False)
    axes.set_ylabel(f"share of {asked.outcome} that it explains", parse_math=False)
    axes.set_title(f"Effect left of {digits(found.estimate)}; none along the thick line", fontsize=10, loc="left")
    return axes
