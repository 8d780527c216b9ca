"""The columns of a table as variables: which are left, of which kind, and how names of levels become numbers and back.

A column of names is coded 0, 1, 2, ... in the order of its levels.
"""

import warnings
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import pandas as pd

from fipscm.arrays import Mask
from fipscm.errors import DataError, unknown_name
from fipscm.graph import listed
from fipscm.tables.cells import UNKNOWN
from fipscm.tables.derived import derived_columns, near_copies
from fipscm.tables.frames import with_names
from fipscm.tables.gaps import is_text, told_gaps, with_gaps
from fipscm.tables.kinds import NUMBERS, Level, NoVariable, Variable, as_kind, as_level, recognise
from fipscm.tables.level_groups import MOST_LEVELS, LevelGroups
from fipscm.tables.panel import Panel, no_variables, recognise_panel
from fipscm.tables.validate import as_frame, named_frame, training_frame, unlearnable

NEARLY = 1e-9  # a code that was computed may be off by rounding
LARGEST_WHOLE = 2.0**53  # double precision does not tell larger whole numbers apart


def learnable(
    data: Any,
    kinds: Mapping[Hashable, str] | None = None,
    named: Callable[[Sequence[Hashable]], Collection[Hashable]] = lambda names: (),
    missing_cells: bool = False,
    keep: Collection[Hashable] = (),
    group: Hashable | None = None,
    time: Hashable | None = None,
) -> tuple[pd.DataFrame, "Columns"]:
    """The variables of a table as fresh numbers fit to learn from, and what its columns are, or one clear error.

    Columns that are no variables are set aside, which is an error if `named`, given the names of all, says that they
    are spoken of. So are those that were computed from others, unless they are spoken of or are to be kept.
    """
    names = [name for name, kind in (kinds or {}).items() if kind not in NUMBERS]
    frame, stood = with_gaps(named_frame(data), names)
    for name in keep:
        if name not in frame.columns:
            raise unknown_name("column in `keep`", name, frame.columns)
    columns = Columns.of(frame, kinds, {*named(list(frame.columns)), *keep}, group, time)
    columns.require_variables(fewest=2)
    table = training_frame(columns.encode(columns.without_others(frame)), 2, missing_cells)
    if stood:
        warnings.warn(f"The table was read with {', '.join(told_gaps(stood))}.", UserWarning, stacklevel=3)
    return table, columns


def warn_of_set_aside(columns: "Columns") -> None:
    """Warn once of all columns that are not used."""
    if columns.set_aside:
        warnings.warn(columns.remark, UserWarning, stacklevel=3)


def warn_of_merged(columns: "Columns") -> None:
    """Warn of each category whose levels are modelled in groups."""
    for name, groups in columns.merged.items():
        warnings.warn(
            f"Column '{name}' has {len(groups.levels)} levels: those that are alike in the other columns are modelled "
            f"as one, in {len(groups.labels)} groups such as {listed(map(str, groups.labels), most=3)}.",
            UserWarning,
            stacklevel=3,
        )


def warn_of_near_copies(frame: pd.DataFrame, columns: "Columns") -> None:
    """Warn once of all pairs of columns (N, D) that differ by hardly anything."""
    pairs = near_copies(frame, columns.categories)
    if pairs:
        told = [f"'{one}' and '{two}' ({correlation:.3f})" for one, two, correlation in pairs]
        warnings.warn(
            f"Nearly the same, by their correlation: {listed(told)}. How an effect is shared between such columns is "
            "arbitrary: leave one out unless you need both.",
            UserWarning,
            stacklevel=3,
        )


def warn_of_spellings(columns: "Columns") -> None:
    """Warn of each column two of whose levels differ by capitals or blanks alone."""
    for name, levels in columns.levels.items():
        alike: dict[str, Level] = {}
        for level in levels:
            other = alike.setdefault("".join(str(level).casefold().split()), level)
            if other is not level:
                warnings.warn(
                    f"Column '{name}' has the levels '{other}' and '{level}': if they mean the same, write them alike "
                    "first, for they are taken as two.",
                    UserWarning,
                    stacklevel=3,
                )
                break


@dataclass(frozen=True)
class Columns:
    """What is known about the columns of a table.

    Attributes:
        given: the names of all columns.
        variables: what each column is that is to be modelled.
        set_aside: why each of the other columns is not.
        forms: how pandas holds the cells of variables: "truth values", "whole numbers", "category", "ordered category".
        computed: from which columns those were computed that were set aside for that.
        panel: which columns name the units that rows belong to, and tell the time.
        dependence: what it means that rows belong together or follow each other, in words; empty if they do not.
        merged: the levels of categories that have too many to model each: the levels of the variable are groups.
    """

    given: Sequence[Hashable]
    variables: Mapping[Hashable, Variable]
    set_aside: Mapping[Hashable, str] = field(default_factory=dict)
    forms: Mapping[Hashable, str] = field(default_factory=dict)
    computed: Mapping[Hashable, tuple[Hashable, ...]] = field(default_factory=dict)
    panel: Panel = field(default_factory=Panel)
    dependence: str = ""
    merged: Mapping[Hashable, LevelGroups] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        kinds: Mapping[Hashable, str] | None = None,
        named: Collection[Hashable] = (),
        group: Hashable | None = None,
        time: Hashable | None = None,
    ) -> Self:
        """Recognise the columns of a table, except for `kinds` that are given; what is `named` must be a variable.

        `group` and `time` say which columns name the units of the rows and tell the time, "none" that none does.
        """
        names: list[Hashable] = list(frame.columns)
        for name in kinds or ():
            if name not in names:
                raise unknown_name("column in `kinds`", name, names)
        named = {*named, *(kinds or ())}
        panel = recognise_panel(frame, group, time)
        found = {n: as_kind(frame[n], kinds[n]) if kinds and n in kinds else recognise(frame[n]) for n in names}
        found |= {name: NoVariable(reason) for name, reason in no_variables(frame, panel).items() if name not in named}
        variables = {name: column for name, column in found.items() if isinstance(column, Variable)}
        forms = {name: form for name in variables if (form := _form(frame[name]))}
        numbers = as_frame(cls(names, variables, {}, forms).encode(frame[list(variables)]))
        others = {name: NoVariable(reason) for name, reason in unlearnable(numbers, named).items()}
        rest, names_alone = numbers.drop(columns=list(others)), cls(names, variables).categories
        derived = derived_columns(rest, names_alone, kept={*named, *panel.times})
        others |= {name: NoVariable(each.reason) for name, each in derived.items()}
        others |= {name: column for name, column in found.items() if isinstance(column, NoVariable)}
        for name, (reason, possible) in others.items():
            if name in named:
                remedy = ", or set its kind if it is one" if possible else ""
                raise DataError(f"Column '{name}' {reason}, so it is taken for no variable: leave it out{remedy}.")
        variables = {name: variable for name, variable in variables.items() if name not in others}
        merged = _merged(variables, numbers)
        return cls(
            names,
            variables | {name: Variable("categorical", groups.labels) for name, groups in merged.items()},
            {name: others[name].reason for name in names if name in others},
            {name: form for name, form in forms.items() if name not in others},
            {name: each.bases for name, each in derived.items()},
            panel,
            merged=merged,
        )

    @classmethod
    def plain(cls, names: Sequence[Hashable]) -> Self:
        """Columns of which nothing is known but that they hold numbers."""
        return cls(names, {name: Variable("continuous") for name in names})

    @property
    def group(self) -> Hashable | None:
        """The column that names the units which rows belong to."""
        return self.panel.group

    @property
    def time(self) -> Hashable | None:
        """The column that tells the time of the rows."""
        return self.panel.time

    @property
    def kinds(self) -> dict[Hashable, str]:
        """The kind of each variable."""
        return {name: variable.kind for name, variable in self.variables.items()}

    @property
    def levels(self) -> dict[Hashable, tuple[Level, ...]]:
        """The levels of each variable whose cells are names."""
        return {name: variable.levels for name, variable in self.variables.items() if variable.levels}

    def cells_of(self, name: Hashable) -> tuple[Level, ...]:
        """The levels of a column as they stand in tables; empty if it holds numbers."""
        return self.merged[name].levels if name in self.merged else self.levels.get(name, ())

    @property
    def categories(self) -> dict[Hashable, tuple[Level, ...]]:
        """The levels of each variable whose codes are no numbers: there are more than two, in no order."""
        kinds = self.kinds
        return {n: levels for n, levels in self.levels.items() if kinds[n] == "categorical" and len(levels) > 2}

    def indicators(self, name: Hashable) -> list[Hashable]:
        """What the levels of a category are called one by one; of another column its name alone."""
        levels = self.categories.get(name)
        return [name] if levels is None else [f"{name} = {level}" for level in levels]

    @property
    def remark(self) -> str:
        """Which columns were set aside, in words; empty if none was."""
        alike: dict[str, list[Hashable]] = {}
        for name, reason in self.set_aside.items():
            alike.setdefault(reason, []).append(name)
        named = {reason: ", ".join(f"'{name}'" for name in names) for reason, names in alike.items()}
        reasons = "; ".join(
            f"{'each of ' * (len(alike[reason]) > 1)}{names} {reason}" for reason, names in named.items()
        )
        remedy = " What was computed from others stays if you say so: keep=[...], or --keep." if self.computed else ""
        return f"Set aside: {reasons}.{remedy}" if reasons else ""

    def require(self, name: Hashable, kind: str = "column") -> None:
        """Raise if there is no such variable, and say why if it was set aside."""
        if name in self.set_aside:
            another, remedy = "another one", ""
            if name in self.computed:
                another, remedy = listed(self.computed[name]), f", or keep it: keep=[{name!r}], or --keep {name}"
            raise DataError(
                f"Column '{name}' {self.set_aside[name]}, so it was set aside: ask about {another}{remedy}."
            )
        if name not in self.variables:
            raise unknown_name(kind, name, self.variables)

    def require_variables(self, fewest: int) -> None:
        """Raise if so few variables are left because of what was set aside."""
        if self.set_aside and len(self.variables) < fewest:
            raise DataError(
                f"Of {len(self.given)} columns, {len(self.variables)} can be modelled, but at least {fewest} are "
                f"needed: {self.remark.removeprefix('Set aside: ')}"
            )

    def encode(self, rows: Any) -> Any:
        """Rows with numbers for the names of levels; an array may have all columns, as the table had."""
        named = with_names(rows)
        if not isinstance(named, pd.DataFrame):
            return self.without_others(named)
        numbers = [name for name in named.columns if name in self.variables and name not in self.levels]
        coded = named.copy(deep=False)
        if any(is_text(named[name]) for name in numbers):
            coded[numbers] = with_gaps(named[numbers])[0]
        for name in self.levels:
            if name in coded.columns:
                coded[name] = self._codes_of(coded[name])
        for name, form in self.forms.items():
            if form == "truth values" and name in coded.columns and coded[name].dtype == object:  # some are missing
                coded[name] = coded[name].map(float, na_action="ignore").astype(np.float64)
        return coded

    def without_others(self, cells: Any) -> Any:
        """A table of all columns without those set aside; anything else as it is."""
        if isinstance(cells, pd.DataFrame):
            return cells.drop(columns=[name for name in self.set_aside if name in cells.columns])
        is_table = getattr(cells, "ndim", 1) == 2 and cells.shape[1] == len(self.given)
        return cells[:, [name in self.variables for name in self.given]] if is_table and self.set_aside else cells

    def without_computed(self, rows: Any) -> Any:
        """Rows without the columns that were computed from others, which would not follow what those become."""
        if not isinstance(rows, pd.DataFrame):
            return rows
        return rows.drop(columns=[name for name in self.computed if name in rows.columns])

    def decode(self, frame: pd.DataFrame, rows: Any = None) -> pd.DataFrame:
        """The frame with names of levels where all numbers of a column stand for levels, whatever their number type.

        Columns come back in the form that they had in the table, those of whole numbers where all numbers are. Of
        levels that are modelled as one, those are dealt out that the `rows` had which the frame answers, or any.
        """
        named = frame.copy(deep=False)
        for name, (kind, levels) in self.variables.items():
            if name not in frame.columns or (kind == "continuous" and name not in self.forms):
                continue
            codes = frame[name].round()
            if not ((frame[name] - codes).abs() <= NEARLY).all() or codes.abs().max() > LARGEST_WHOLE:
                continue
            if levels and codes.between(0, len(levels) - 1).all():
                cells = pd.Series([levels[int(code)] for code in codes], frame.index)
                if name in self.merged:
                    has_own = isinstance(rows, pd.DataFrame) and name in rows.columns and len(rows) == len(frame)
                    cells = self.merged[name].dealt(cells, rows[name] if has_own else None)
                named[name] = self._formed(name, cells)
            elif not levels:
                named[name] = self._formed(name, codes)
        return named

    def rounded(self, frame: pd.DataFrame, cells: Mask | bool = True) -> pd.DataFrame:
        """The frame (N, D) with whole numbers in these cells (N, D) of columns that hold measurements in such."""
        chosen, found = np.broadcast_to(cells, frame.shape), frame.copy(deep=False)
        for place, name in enumerate(frame.columns):
            if self.forms.get(name) == "whole numbers" and self.kinds[name] == "continuous":
                found[name] = frame[name].round().where(chosen[:, place], frame[name])
        return found

    def _formed(self, name: Hashable, cells: pd.Series) -> pd.Series:
        """Cells in the form that the column had in the table."""
        form = self.forms.get(name, "")
        if form.endswith("category"):
            kind = pd.CategoricalDtype(list(self.cells_of(name)), ordered=form.startswith("ordered"))
            return cells.astype(kind)
        if form == "truth values":
            return cells.astype(bool) if cells.isin((0, 1)).all() else cells
        return cells.astype(np.int64) if form == "whole numbers" else cells

    def code(self, name: Hashable, value: Any) -> Any:
        """What stands for a value of a column: for names of levels their codes; numbers for texts are codes already.

        A function of other columns sees them as they are in the table.
        """
        if callable(value) and (self.levels or self.forms):
            return lambda upstream: self.code(name, value(self.decode(upstream)))
        if isinstance(value, str) and self.forms.get(name) == "truth values":
            raise DataError(f"Column '{name}' is true or false, but '{value}' is a text: give True or False.")
        if name not in self.levels or not isinstance(value, (*_CELL_TYPES, *_SEVERAL_CELLS)):
            return value
        if isinstance(value, _CELL_TYPES):
            return self._codes_of(pd.Series([value], name=name)).iloc[0]
        codes = self._codes_of(pd.Series(value, name=name))
        return codes if isinstance(value, pd.Series) else codes.to_numpy()  # only a Series has labels of its own

    def _codes_of(self, cells: pd.Series) -> pd.Series:
        """Numbers for the names of levels in one column; of levels that are modelled as one, the same number."""
        name = cells.name
        if name in self.merged and not pd.api.types.is_numeric_dtype(cells):
            label_of = self.merged[name].label_of
            cells = cells.astype(object).map(lambda cell: label_of(as_level(cell)), na_action="ignore")
        return _codes(cells, self.levels[name], self.cells_of(name))

    def number(self, name: Hashable, value: Any) -> float:
        """The number that stands for one value of a column."""
        code = self.code(name, value)
        try:
            return float(code)
        except (TypeError, ValueError):
            raise DataError(f"Column '{name}' holds numbers, but {value!r} is none: give a number.") from None

    def code_all(self, do: Any) -> Any:
        """An intervention with codes for names of levels; what has been parsed before is taken as it is."""
        return {name: self.code(name, rule) for name, rule in do.items()} if isinstance(do, Mapping) else do

    def settings(self) -> dict[str, Any]:
        """Ready for JSON."""
        variables = [[name, *variable] for name, variable in self.variables.items()]
        pairs = {name: list(getattr(self, name).items()) for name in ("set_aside", "forms", "computed")}
        panel = {"group": self.panel.group, "times": list(self.panel.times), "dependence": self.dependence}
        merged = [[name, groups.settings()] for name, groups in self.merged.items()]
        return {"given": list(self.given), "variables": variables, **pairs, **panel, "merged": merged}

    @classmethod
    def restore(cls, settings: Mapping[str, Any]) -> Self:
        """From `settings()`."""
        variables = {name: Variable(kind, tuple(levels)) for name, kind, levels in settings["variables"]}
        computed = {name: tuple(bases) for name, bases in settings.get("computed", ())}
        panel = Panel(settings.get("group"), tuple(settings.get("times", ())))
        forms, dependence = dict(settings.get("forms", ())), settings.get("dependence", "")
        merged = {name: LevelGroups.restore(groups) for name, groups in settings.get("merged", ())}
        aside = dict(settings["set_aside"])
        return cls(settings["given"], variables, aside, forms, computed, panel, dependence, merged)


_CELL_TYPES = (str, bool, int, float, np.generic)
_SEVERAL_CELLS = (list, tuple, np.ndarray, pd.Series)


def _form(column: pd.Series) -> str:
    """How pandas holds the cells of a column, where that is not as any number or text."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return "ordered category" if column.dtype.ordered else "category"
    present = column.dropna().infer_objects()
    if pd.api.types.is_bool_dtype(present):
        return "truth values"
    # pandas holds whole numbers as floats as soon as one is missing.
    are_whole = pd.api.types.is_integer_dtype(present) or (
        len(present) < len(column) and pd.api.types.is_float_dtype(present) and (present % 1 == 0).all()
    )
    return "whole numbers" if are_whole else ""


def _merged(variables: Mapping[Hashable, Variable], numbers: pd.DataFrame) -> dict[Hashable, LevelGroups]:
    """The groups of levels of each category that has too many to model each."""
    many = [n for n, (kind, levels) in variables.items() if kind == "categorical" and len(levels) > MOST_LEVELS]
    others = numbers[[name for name, (kind, _) in variables.items() if kind != "categorical"]].to_numpy()
    return {name: LevelGroups.of(variables[name].levels, numbers[name].to_numpy(), others) for name in many}


def _codes(cells: pd.Series, levels: Sequence[Level], told: Sequence[Level]) -> pd.Series:
    """Numbers for names; a column that has numbers instead of texts holds codes already. Errors name those `told`."""
    cells = cells.where(~cells.isin(UNKNOWN - set(levels)))
    numeric = pd.api.types.is_numeric_dtype(cells) and not pd.api.types.is_bool_dtype(cells)
    if numeric and all(isinstance(level, str) for level in levels):
        given = cells.astype(np.float64)
        codes = given.round().where((given - given.round()).abs() <= NEARLY)
        codes = codes.where(codes.between(0, len(levels) - 1))
    else:
        position = {level: float(code) for code, level in enumerate(levels)}
        places, distinct = pd.factorize(cells)  # far fewer than rows
        numbers = np.array([*(position.get(as_level(cell), np.nan) for cell in distinct), np.nan])
        codes = pd.Series(numbers[places], cells.index, name=cells.name)
    unknown = np.flatnonzero(codes.isna() & cells.notna())
    if len(unknown):
        place = f" (row {unknown[0]}, counted from 0)" if len(cells) > 1 else ""
        raise DataError(
            f"'{cells.iloc[unknown[0]]}' is not a level of column '{cells.name}'{place}: in the table that the model "
            f"was learned from there are {listed(told, most=20)}."
        )
    return codes.astype(np.float64)
