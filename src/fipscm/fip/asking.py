"""What is, what if, what would have been: samples, interventions, counterfactuals, noises and densities."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from fipscm.errors import DataError
from fipscm.fip.rows import Rows
from fipscm.fip.state import generator_of
from fipscm.questions.extrapolation import values_reached, values_set, warn_of_extrapolation
from fipscm.questions.imagined import imagine, imagined_draws
from fipscm.questions.intervals import intervened_averages, with_ends
from fipscm.questions.known_levels import levels_of, require_known_levels, within_levels
from fipscm.questions.likelihood import log_likelihood
from fipscm.questions.recommend import Recommendation, recommend
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.frames import in_library, library_of


class Asking(Rows):
    """Questions about units, which the learned SCM answers."""

    def sample(self, n: int = 1000, random_state: Any = None) -> pd.DataFrame:
        """Draw rows from the model: what is. Columns of whole numbers have such again."""
        drawn = self._fitted.sample(n, generator_of(random_state))
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
        scm, rng = self._fitted, generator_of(random_state)
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
        if draws is not None and (draws < 1 or level is not None):
            wrong = f"Cannot draw {draws} tables" if level is None else "Draws have no interval of their own"
            raise DataError(f"{wrong}: ask for at least one draw, or for a level, not for both.")
        scm, rng = self._fitted, generator_of(random_state)
        set_to = within_levels(scm, self._rules(do))
        coded = self.columns_.without_computed(self._complete(rows, Intervention.parse(set_to, scm.names).rules))
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
        require_known_levels(self._fitted, {name: frame[name] for name in frame.columns})
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
        counts = [name for name, kind in self.columns_.kinds.items() if kind == "count"]
        rng = generator_of(random_state)
        return recommend(scm, target, value, using, ranges=ranges, levels=levels_of(scm), counts=counts, rng=rng)
