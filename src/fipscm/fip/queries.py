"""Questions about units, which the learned SCM answers: observational, interventional, counterfactual."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fipscm.errors import DataError
from fipscm.fip.fitted import Fitted
from fipscm.fip.rows import answer, completed, in_numbers, rules_in_numbers
from fipscm.questions.extrapolation import values_reached, values_set, warn_of_extrapolation
from fipscm.questions.imagined import imagine, imagined_draws
from fipscm.questions.intervals import intervened_averages, with_ends
from fipscm.questions.known_levels import levels_of, require_known_levels, within_levels
from fipscm.questions.recommend import Recommendation, recommend
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.frames import in_library, library_of


def sampled(fitted: Fitted, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Rows of the observational distribution."""
    return answer(fitted, fitted.columns.rounded(fitted.scm.sample(n, rng)))


def intervened(
    fitted: Fitted, do: Do | Intervention, n: int, level: float | None, rng: np.random.Generator
) -> pd.DataFrame:
    """Fresh units under an intervention, or with a level their averages."""
    scm = fitted.scm
    set_to = within_levels(scm, rules_in_numbers(fitted, do))
    require_known_levels(scm, values_set(scm, set_to))
    warn_of_extrapolation(scm, values_set(scm, set_to))
    if level is not None:
        _, noise = scm.sample_arrays(n, rng)
        return intervened_averages(scm, fitted.deviations, set_to, noise, level, fitted.indicators)
    answers = scm.do(set_to).sample(n, rng)
    reached = values_reached(scm, set_to, answers)
    require_known_levels(scm, reached)
    warn_of_extrapolation(scm, reached)
    drawn = ~np.isin(np.arange(len(scm.names)), list(Intervention.parse(set_to, scm.names).rules))
    return answer(fitted, fitted.columns.rounded(answers, drawn))


def counterfactual(
    fitted: Fitted,
    rows: Any,
    do: Do | Intervention,
    level: float | None,
    draws: int | None,
    rng: np.random.Generator,
) -> list[pd.DataFrame]:
    """What these rows would have been: one table, or as many as are drawn."""
    if draws is not None and (draws < 1 or level is not None):
        wrong = f"Cannot draw {draws} tables" if level is None else "Draws have no interval of their own"
        raise DataError(f"{wrong}: ask for at least one draw, or for a level, not for both.")
    scm = fitted.scm
    set_to = within_levels(scm, rules_in_numbers(fitted, do))
    coded = fitted.columns.without_computed(completed(fitted, rows, Intervention.parse(set_to, scm.names).rules))
    seen, values = scm.checked_rows(coded), values_set(scm, set_to)
    asked = {name: np.concatenate([seen[name], values.get(name, [])]) for name in scm.names}
    require_known_levels(scm, asked)
    found = (
        [imagine(scm, coded, set_to, rng)] if draws is None else list(imagined_draws(scm, coded, set_to, draws, rng))
    )
    reached = values_reached(scm, set_to, found[0])
    require_known_levels(scm, reached)
    if level is not None:
        found = [with_ends(found[0], scm, fitted.deviations, coded, set_to, level, rng)]
    warn_of_extrapolation(scm, asked)
    warn_of_extrapolation(scm, reached)
    return [answer(fitted, each, rows) for each in found]


def abducted(fitted: Fitted, rows: Any) -> pd.DataFrame:
    """The noises behind rows; of a category one for each level."""
    frame = fitted.scm.checked_rows(completed(fitted, rows))
    require_known_levels(fitted.scm, {name: frame[name] for name in frame.columns})
    noise = pd.DataFrame(fitted.scm.sample_to_noise(frame.to_numpy()), frame.index, fitted.indicators)
    return in_library(library_of(rows), noise)


def mean_r2(fitted: Fitted, X: Any) -> float:
    """The share of the variance that the causes explain, on average over columns; of a category over its levels."""
    from sklearn.metrics import r2_score

    scm, rows = fitted.scm, fitted.scm.checked_rows(in_numbers(fitted, X)).to_numpy()
    if len(rows) < 2:
        raise DataError("R2 compares errors with the variance of the rows: give at least two rows.")
    shares = [r2_score(scm.measured(node, own), scm.mean(node, rows)) for node, own in enumerate(rows.T)]
    return float(np.mean(shares))


def recommended(
    fitted: Fitted, target: Hashable, value: float, using: Sequence[Hashable] | None, rng: np.random.Generator
) -> Recommendation:
    """Which single column to set, and to what."""
    scm, categories = fitted.scm, fitted.columns.categories
    for name in (target, *(using or ())):
        if name in categories:
            raise DataError(f"'{name}' is a category, which has no average and no range: name other columns.")
    if categories and using is None:
        using = [name for name in scm.names if name not in (target, *categories)]
    ranges = dict(zip(scm.names, zip(scm.low, scm.high, strict=True), strict=True))
    counts = [name for name, kind in fitted.columns.kinds.items() if kind == "count"]
    return recommend(scm, target, value, using, ranges=ranges, levels=levels_of(scm), counts=counts, rng=rng)
