"""The user's rows in the model's numbers and back, with missing cells filled in."""

import warnings
from collections.abc import Collection
from typing import Any, cast

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from fipscm.errors import DataError, counted, unknown_name
from fipscm.fip.state import State, generator_of
from fipscm.questions.impute import SWEEPS, Domain, Imputer
from fipscm.scm.base import checked_rows
from fipscm.scm.intervention import Do, Intervention
from fipscm.tables.experiments import Experiments
from fipscm.tables.frames import in_library, library_of, with_names
from fipscm.tables.training import TrainingTable
from fipscm.tables.validate import one_row, training_frame


class Rows(State):
    """Reads rows and interventions, and writes answers in the names, levels and library of the user."""

    def impute(self, rows: Any, draws: int | None = None, random_state: Any = 0) -> Any:
        """The rows with every missing cell filled in, given the other cells of its row; index and other columns kept.

        By default with values that are together the most probable. With `draws`, a list of so many tables, each with
        values drawn from the model: what differs between them is what the rows leave open.
        """
        if draws is not None and draws < 1:
            raise DataError(f"Cannot draw {draws} tables: ask for at least one.")
        scm, coded = self._fitted, self._coded(rows)
        frame, rng = scm.checked_rows(coded, missing_cells=True), generator_of(random_state)
        imputer = Imputer(scm, Domain(self.blocks_.inner_kinds, scm.names, scm.box.low, scm.box.high), rng)
        copies = np.tile(frame.to_numpy(), (draws or 1, 1))
        holes = np.isnan(copies)
        filled = imputer.redraw(imputer.start(copies), holes, SWEEPS)
        if draws is None:
            filled = imputer.climb(filled, holes, SWEEPS)
        parts = (pd.DataFrame(part, frame.index, frame.columns) for part in np.split(filled, draws or 1))
        cells = (self.columns_.rounded(part, frame.isna().to_numpy()) for part in parts)
        tables = [self._answer(_with_cells(coded, each), rows) for each in cells]
        return tables[0] if draws is None else tables

    def _coded(self, rows: Any) -> Any:
        """Rows of any library, one or many, in numbers: those of the model's columns."""
        coded, blocks = self._in_codes(rows), self.blocks_
        if blocks.are_columns:
            return coded
        return blocks.encode(_with_cells(coded, checked_rows(coded, blocks.outer, missing_cells=True)))

    def _in_codes(self, rows: Any) -> Any:
        """Rows of any library, one or many, with codes for names of levels."""
        check_is_fitted(self, "scm_")
        return self.columns_.encode(one_row(rows))

    def _frame(self, X: Any) -> pd.DataFrame:
        """A table that the model can be held against, with codes for names of levels."""
        missing_cells = self.missing != "refuse"
        frame = checked_rows(self._in_codes(X), self.blocks_.outer, missing_cells)
        return training_frame(frame, missing_cells=missing_cells)

    def _rules(self, do: Do | Intervention) -> Do | Intervention:
        """An intervention on the model's columns, in numbers."""
        if self.blocks_.are_columns:
            return cast(Do, self.columns_.code_all(do))
        if isinstance(do, Intervention):  # what has been parsed is in codes already
            rules = {do.names[column]: rule for column, rule in do.rules.items()}
        else:
            rules = self.columns_.code_all(do)
        for name in rules:
            if name not in self.blocks_.outer:
                raise unknown_name("intervention target", name, self.blocks_.outer)
        return self.blocks_.do(rules)

    def _complete(self, rows: Any, needed: Collection[int] = ()) -> Any:
        """Rows in numbers, their missing cells filled in; those of the columns `needed` may not be missing."""
        coded = self._coded(rows)
        if self.missing == "refuse":
            return coded
        frame = self._fitted.checked_rows(coded, missing_cells=True)
        holes = frame.isna()
        if not holes.any(axis=None):
            return coded
        for column in needed:
            if holes.iloc[:, column].any():
                place, name = int(holes.iloc[:, column].to_numpy().argmax()), self.blocks_.owner(column)
                raise DataError(
                    f"Row {place}, counted from 0, has no value of '{name}', which the intervention sets: without it "
                    "nobody can say what is changed, so fill it in first (impute does), or leave the row out."
                )
        cells = len({(row, self.blocks_.owner(column)) for row, column in zip(*np.nonzero(holes), strict=True)})
        warnings.warn(f"Filled in {counted(cells, 'missing cell')} of the rows with probable values.", stacklevel=3)
        return self._coded(self.impute(rows))

    def _answer(self, frame: pd.DataFrame, asked_with: Any = None) -> pd.DataFrame:
        """An answer in the columns' own names, in the library of the rows asked with, or else of the training table."""
        library = self._library if asked_with is None else library_of(asked_with)
        return in_library(library, self.columns_.decode(self.blocks_.decode(frame), with_names(one_row(asked_with))))

    def _observations(self, X: Any) -> TrainingTable:
        """A table that the model can be held against, in which nothing was set from outside."""
        frame = self._frame(X)
        table = TrainingTable.of(frame, Experiments.none(frame.shape), self.blocks_)
        return table.with_values(self._frame(self.impute(X, draws=1)[0]).to_numpy()) if table.holes.any() else table


def _with_cells(rows: Any, cells: pd.DataFrame) -> pd.DataFrame:
    """The rows with these cells; columns that the cells do not have are kept where rows have names."""
    if not isinstance(rows, pd.DataFrame):
        return cells
    return pd.concat([cells, rows.drop(columns=list(cells.columns))], axis=1)[list(rows.columns)]
