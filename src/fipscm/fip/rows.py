"""The user's rows in the model's numbers and back, with missing cells filled in."""

import warnings
from collections.abc import Collection
from typing import Any, cast

import numpy as np
import pandas as pd

from fipscm.errors import DataError, InterventionError, counted
from fipscm.fip.fitted import Fitted
from fipscm.questions.impute import SWEEPS, Domain, Imputer
from fipscm.scm.base import checked_rows
from fipscm.scm.intervention import Do, Intervention, Shift
from fipscm.tables.experiments import Experiments
from fipscm.tables.frames import in_library, library_of, with_names
from fipscm.tables.training import TrainingTable
from fipscm.tables.validate import one_row, training_frame


def in_numbers(fitted: Fitted, rows: Any) -> Any:
    """Rows of any library, one or many, with codes for names of levels."""
    coded = fitted.columns.encode(one_row(rows))
    if isinstance(coded, pd.DataFrame) or not fitted.columns.levels:
        return coded
    return fitted.columns.encode(checked_rows(coded, fitted.names, missing_cells=True))


def rules_in_numbers(fitted: Fitted, do: Do | Intervention) -> Do | Intervention:
    """An intervention with codes for names of levels; what has been parsed before is in numbers already."""
    rules = {do.names[column]: rule for column, rule in do.rules.items()} if isinstance(do, Intervention) else do
    for name in fitted.columns.categories:
        if isinstance(rules.get(name), Shift):
            raise InterventionError(f"'{name}' is a category, which cannot be shifted: set it to one of its levels.")
    return do if isinstance(do, Intervention) else cast(Do, fitted.columns.code_all(do))


def judged_table(fitted: Fitted, X: Any) -> pd.DataFrame:
    """A table that the model can be held against, in numbers."""
    missing_cells = fitted.settings.missing != "refuse"
    frame = checked_rows(in_numbers(fitted, X), fitted.names, missing_cells)
    return training_frame(frame, missing_cells=missing_cells)


def observations(fitted: Fitted, X: Any) -> TrainingTable:
    """A table that the model can be held against, in which nothing was set from outside, its missing cells drawn."""
    frame = judged_table(fitted, X)
    table = TrainingTable.of(frame, Experiments.none(frame.shape), fitted.columns)
    if not table.holes.any():
        return table
    filled = fill_in(fitted, X, 1, np.random.default_rng(0))[0]
    return table.with_values(judged_table(fitted, filled).to_numpy())


def fill_in(fitted: Fitted, rows: Any, draws: int | None, rng: np.random.Generator) -> list[pd.DataFrame]:
    """The rows with every missing cell filled in: once with the most probable values, or as many times as drawn."""
    scm, coded = fitted.scm, in_numbers(fitted, rows)
    frame = scm.checked_rows(coded, missing_cells=True)
    imputer = Imputer(scm, Domain(fitted.columns.kinds, scm.names, scm.low, scm.high), rng)
    copies = np.tile(frame.to_numpy(), (draws or 1, 1))
    holes = np.isnan(copies)
    filled = imputer.redraw(imputer.start(copies), holes, SWEEPS)
    if draws is None:
        filled = imputer.climb(filled, holes, SWEEPS)
    parts = (pd.DataFrame(part, frame.index, frame.columns) for part in np.split(filled, draws or 1))
    cells = (fitted.columns.rounded(part, frame.isna().to_numpy()) for part in parts)
    return [answer(fitted, _with_cells(coded, each), rows) for each in cells]


def completed(fitted: Fitted, rows: Any, needed: Collection[int] = ()) -> Any:
    """Rows in numbers, their missing cells filled in; those of the columns `needed` may not be missing."""
    coded = in_numbers(fitted, rows)
    if fitted.settings.missing == "refuse":
        return coded
    frame = fitted.scm.checked_rows(coded, missing_cells=True)
    holes = frame.isna()
    if not holes.any(axis=None):
        return coded
    for column in needed:
        if holes.iloc[:, column].any():
            place, name = int(holes.iloc[:, column].to_numpy().argmax()), frame.columns[column]
            raise DataError(
                f"Row {place}, counted from 0, has no value of '{name}', which the intervention sets: without it "
                "nobody can say what is changed, so fill it in first (impute does), or leave the row out."
            )
    cells = counted(int(holes.to_numpy().sum()), "missing cell")
    warnings.warn(f"Filled in {cells} of the rows with probable values.", stacklevel=4)
    return in_numbers(fitted, fill_in(fitted, rows, None, np.random.default_rng(0))[0])


def answer(fitted: Fitted, frame: pd.DataFrame, asked_with: Any = None) -> pd.DataFrame:
    """An answer in the columns' own names, in the library of the rows asked with, or else of the training table."""
    library = fitted.library if asked_with is None else library_of(asked_with)
    return in_library(library, fitted.columns.decode(frame, with_names(one_row(asked_with))))


def _with_cells(rows: Any, cells: pd.DataFrame) -> pd.DataFrame:
    """The rows with these cells; columns that the cells do not have are kept where rows have names."""
    if not isinstance(rows, pd.DataFrame):
        return cells
    return pd.concat([cells, rows.drop(columns=list(cells.columns))], axis=1)[list(rows.columns)]
