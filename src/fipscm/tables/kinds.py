"""Kinds of columns, recognised by their types and values, and columns that are no variables at all."""

import re
from collections.abc import Hashable
from numbers import Real
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import betainc

from fipscm.arrays import Array
from fipscm.errors import DataError, unknown_name
from fipscm.graph import listed
from fipscm.robust import wild_cells
from fipscm.tables.cells import written_numbers
from fipscm.tables.validate import not_numbers

KINDS = ("continuous", "count", "ordinal", "binary", "categorical")
BELOW = "<"  # between the names of grades, the lowest first
_FEW = 10  # as many distinct whole numbers besides 0 are grades rather than measurements
LARGEST_COUNT = 1e9  # steps of one do not matter among larger numbers
MANY = 20  # a step of one is a twentieth of that: half of all counts but 0 are smaller; dollars and percentages are not
SELDOM = 0.05  # share of cells that may be typing errors
_HARDLY, BY_CHANCE = 0.02, 3  # share of counts that may exceed all observed ones, and how many more by chance
TOO_CLOSE, TOO_EVEN = 4.0, 2.0  # standard errors by which variance and skewness may fall below those of counts
# Names of scales, as far as no word beside them counts something: pain is one, days with pain are a number of days.
_SCALES = {
    *("scale", "score", "rating", "likert", "satisfaction", "severity", "grade", "stage", "pain", "nrs", "vas"),
    *("skala", "bewertung", "zufriedenheit", "schweregrad", "stadium", "schmerz", "schmerzen", "schmerzstärke"),
}
_COMPOUNDS = ("skala", "score", "bewertung", "zufriedenheit")  # German writes what is scaled before them
_COUNTED = {
    *("number", "count", "num", "n", "no", "days", "weeks", "times", "episodes", "attacks", "visits", "pills", "per"),
    *("anzahl", "zahl", "nr", "tage", "wochen", "mal", "episoden", "anfälle", "besuche", "tabletten", "pro", "je"),
}
# What numbers are called that only tell rows apart, if each occurs once.
_IDENTIFIERS = ("id", "identifier", "nr", "nummer")
_DATE = (
    r"(?:[0-9]{4}[-/.][0-9]{1,2}[-/.][0-9]{1,2}|[0-9]{1,2}[-/.][0-9]{1,2}[-/.](?:[0-9]{4}|[0-9]{2}))"
    r"(?:[T ][0-9]{1,2}:[0-9]{2}.*)?|[0-2][0-9]:[0-5][0-9](?::[0-5][0-9].*)?"
)
# Of two levels the one that denies is 0, so that effects have the sign that people expect.
_DENIALS = {"no", "n", "nein", "non", "nej", "nee", "nao", "não", "false", "f", "off", "absent", "negative", "never"}
Level = str | bool | int | float


class Variable(NamedTuple):
    """What a column is. Its cells are numbers, or names of levels, which are then given in the order of their codes."""

    kind: str
    levels: tuple[Level, ...] = ()


class NoVariable(NamedTuple):
    """Why a column is not to be modelled, as the end of a sentence that begins with its name.

    It may be a variable all the same if the user says that it is of one of these `kinds`.
    """

    reason: str
    kinds: tuple[str, ...] = ()


NUMBERS = ("continuous", "count", "ordinal", "binary")
RUNNING_NUMBER = NoVariable("numbers the rows", NUMBERS)
OWN_NUMBER = NoVariable("has a number of its own for every row, as identifiers do", NUMBERS)


def recognise(column: pd.Series) -> Variable | NoVariable:
    """What a column is.

    >>> recognise(pd.Series(["no", "yes", "no"]))
    Variable(kind='binary', levels=('no', 'yes'))
    >>> recognise(pd.Series([1, 2, 3, 4])).reason
    'numbers the rows'
    """
    present = column.dropna().infer_objects()
    if is_time(present):
        return NoVariable("holds dates or times")
    if len(present) == 0:
        return NoVariable("has no value at all")
    if _is_strange(present):
        return NoVariable(not_numbers(column) or "holds what is neither numbers nor names")
    if (present == present.iloc[0]).all():
        return NoVariable(f"is constant (always {_shown(present.iloc[0])})")
    if pd.api.types.is_numeric_dtype(present):
        return _recognise_numbers(column, present)
    return _recognise_names(column, present)


def as_kind(column: pd.Series, kind: str) -> Variable:
    """The column as the kind that the user says it is, or a DataError that says why it cannot be one.

    Grades that have names are told by these, the lowest first.

    >>> as_kind(pd.Series(["poor", "good", "fair", "good"]), "poor < fair < good")
    Variable(kind='ordinal', levels=('poor', 'fair', 'good'))
    """
    if BELOW in kind:
        return _as_grades(column, kind)
    if kind not in KINDS:
        raise unknown_name(f"kind of column '{column.name}'", kind, KINDS)
    found = recognise(column)
    if isinstance(found, NoVariable) and kind not in found.kinds:
        raise DataError(f"Column '{column.name}' {found.reason}, so it cannot be {kind}: leave it out.")
    levels = found.levels if isinstance(found, Variable) else ()
    if kind == "categorical":
        return Variable(kind, levels_of(column))
    distinct = len(levels) or column.nunique()
    if kind == "binary" and distinct != 2:
        raise DataError(f"Column '{column.name}' has {distinct} distinct values, so it cannot be binary.")
    if levels and (kind in ("continuous", "count") or (kind == "ordinal" and _is_unordered(column))):
        remedy = "use numbers"
        if kind == "ordinal":
            remedy = f"say which comes first, as in '{f' {BELOW} '.join(map(str, levels))}'"
        raise DataError(f"Column '{column.name}' holds {listed(levels)}, which is not {kind}: {remedy}.")
    if kind == "count" and not _are_counts(column):
        raise DataError(f"Column '{column.name}' holds other than whole numbers from 0 up, so it cannot be a count.")
    return Variable(kind, levels)


def _as_grades(column: pd.Series, told: str) -> Variable:
    """The column as grades, the names of which are told from the lowest to the highest, as in 'low < high'."""
    found = {str(level).strip(): level for level in levels_of(column)}
    grades = [name.strip() for name in told.split(BELOW)]
    if sorted(grades) != sorted(found):
        raise DataError(
            f"Column '{column.name}' holds {listed(found, most=20)}, but its grades were told as {listed(grades)}: "
            f"tell each of them once, from the lowest to the highest, with '{BELOW}' between them."
        )
    return Variable("ordinal" if len(grades) > 2 else "binary", tuple(found[name] for name in grades))


def levels_of(column: pd.Series) -> tuple[Level, ...]:
    """The levels that occur in a column: in the order of a pandas category, else sorted, but no before yes."""
    present = column.dropna()
    if isinstance(present.dtype, pd.CategoricalDtype):
        levels = [as_level(level) for level in present.cat.remove_unused_categories().cat.categories]
    else:
        found = {as_level(cell) for cell in present.unique()}
        levels = sorted(found, key=lambda level: (isinstance(level, str), level))
    if len(levels) == 2 and _is_unordered(present):
        levels.sort(key=lambda level: str(level).lower() not in _DENIALS)
    return tuple(levels)


def as_level(cell: object) -> Level:
    """A cell as the name of a level, as model files can hold it; an interval, for one, by its text."""
    plain = cell.item() if isinstance(cell, np.generic) else cell
    return plain if isinstance(plain, (str, bool, int, float)) else str(plain)


def _recognise_numbers(column: pd.Series, present: pd.Series) -> Variable | NoVariable:
    if _is_running(column):
        return RUNNING_NUMBER
    if is_called_identifier(column.name) and pd.api.types.is_integer_dtype(present) and present.is_unique:
        return OWN_NUMBER
    return Variable(kind_of_numbers(present.to_numpy(dtype=np.float64), _scale_in(column.name)))


def _recognise_names(column: pd.Series, present: pd.Series) -> Variable | NoVariable:
    levels, is_category = levels_of(present), isinstance(present.dtype, pd.CategoricalDtype)
    if not is_category:
        are_numbers = pd.to_numeric(present, errors="coerce").notna()
        if _are_mostly_written_numbers(present):
            return _mixture(column)
        if len(levels) > max(2, len(present) / 2) and are_numbers.mean() < 0.5:
            alike = "tells every row apart, as identifiers do"
            text = f"is free text ({len(levels)} distinct texts in {len(present)} cells)"
            return NoVariable(alike if len(levels) == len(present) else text)
        # Some levels have numbers for names, as in 0, 1, 2 and 5+; a number that occurs once is a mistake.
        if are_numbers.any() and (len(levels) > MANY or present.value_counts().min() < 2):
            return _mixture(column)
    if len(levels) == 2:
        return Variable("binary", levels)
    return Variable("categorical" if _is_unordered(present) else "ordinal", levels)


def _mixture(column: pd.Series) -> NoVariable:
    return NoVariable(not_numbers(column) or "holds numbers as text", ("categorical",))


def _are_mostly_written_numbers(present: pd.Series) -> bool:
    """Whether these are measurements with a unit or a decimal comma, and not a few levels such as 10 mg and 20 mg."""
    if present.nunique() <= _FEW:
        return False
    written = written_numbers(present)
    return bool(written.mean() >= 0.5 and present[written].nunique() > _FEW)


def _is_strange(present: pd.Series) -> bool:
    """Whether there are complex numbers, lists or other things that are neither numbers nor names."""
    if pd.api.types.is_complex_dtype(present):
        return True
    is_mixture = present.dtype.kind == "O" and not isinstance(present.dtype, (pd.CategoricalDtype, pd.StringDtype))
    return is_mixture and not all(isinstance(cell, (str, Real)) for cell in present)


def is_time(present: pd.Series) -> bool:
    """Whether cells, none of which is missing, are dates or times."""
    dtype = present.dtype
    if isinstance(dtype, pd.StringDtype):
        return len(present) > 0 and bool(present.str.fullmatch(_DATE).all())
    is_typed = isinstance(dtype, (pd.DatetimeTZDtype, pd.PeriodDtype)) or dtype.kind in "mM"
    return is_typed or (dtype.kind == "O" and pd.api.types.infer_dtype(present) in ("date", "datetime", "time"))


def _is_running(column: pd.Series) -> bool:
    """Whether these are all whole numbers from one to another, each once, in whatever order."""
    if not pd.api.types.is_integer_dtype(column) or column.isna().any():
        return False
    return bool(column.is_unique and int(column.max()) - int(column.min()) == len(column) - 1)


def is_called_identifier(name: Hashable) -> bool:
    """Whether a name says that its column only tells rows or units apart."""
    return any(word in _IDENTIFIERS or word.endswith("nummer") for word in words_of(name))


def words_of(name: Hashable) -> set[str]:
    """The words of a name, in small letters; painScale has two."""
    apart = re.sub("(?<=[a-zäöüß])(?=[A-ZÄÖÜ])", " ", str(name))
    return {word.lower() for word in re.findall(r"[^\W\d_]+", apart)}


def _scale_in(name: Hashable) -> tuple[int, int] | None:
    """The ends of the scale that a name tells, as 'Pain (0-10)' does; if it only calls it one, the widest there is."""
    told = re.search(r"(?<![\d.,])(\d{1,2})\s?(?:-|\N{EN DASH}|to|bis)\s?(\d{1,2})(?![\d.,])", str(name))
    if told:
        return int(told[1]), int(told[2])
    words = words_of(name)
    is_scale = not words.isdisjoint(_SCALES) or any(word.endswith(_COMPOUNDS) for word in words)
    return (0, _FEW) if is_scale and words.isdisjoint(_COUNTED) else None


def kind_of_numbers(values: Array, scale: tuple[int, int] | None = None) -> str:
    """The kind of the finite numbers (N,); of a column whose name tells a `scale`, that within it.

    >>> kind_of_numbers(np.array([1.0, 2.0, 2.0, 3.0, np.nan]))
    'ordinal'
    """
    finite = values[np.isfinite(values)]
    distinct = np.unique(finite)
    if len(distinct) == 2:
        return "binary"
    if len(distinct) == 0 or (distinct % 1 != 0).any() or np.abs(distinct).max() > LARGEST_COUNT:
        return "continuous"
    is_told = scale is not None and scale[0] <= distinct[0] and distinct[-1] <= scale[1] <= scale[0] + _FEW
    if is_told or np.array_equal(distinct, np.arange(_FEW + 1)):  # as counts, a pain of 14 would be drawn
        return "ordinal"
    # One typing error among ages would make counts of them; many wild cells are no errors.
    wild = wild_cells(finite[:, None])[:, 0]
    tame = finite[~wild] if wild.mean() < SELDOM else finite
    are_few = np.count_nonzero(distinct) <= _FEW
    # Counts begin at 0 or come close to it; few of them, at 0 and 1.
    near_zero = tuple(distinct[:2]) == (0, 1) if are_few else 0 <= distinct[0] <= tame.std()
    steps_matter = np.median(finite[finite != 0]) <= MANY
    if near_zero and steps_matter and _vary_as_counts(tame) and _go_on_as_counts(tame):
        return "count"
    return "ordinal" if are_few else "continuous"  # many are measurements that were rounded


def _vary_as_counts(values: Array) -> bool:
    """Whether the values spread as far as counts of their mean do, and thin out upwards at least half as much.

    Points on a scale lie closer together, or as far below their mean as above it. Counts whose means differ from row to
    row vary more than Poisson's, not less.
    """
    mean, variance = values.mean(), values.var()
    variance_error, skewness_error = np.sqrt([(2 * mean**2 + mean) / len(values), 6 / len(values)])
    skewness = np.mean((values - mean) ** 3) / variance**1.5
    spread = variance > mean - TOO_CLOSE * variance_error
    return bool(spread and skewness > 0.5 / np.sqrt(mean) - TOO_EVEN * skewness_error)


def _go_on_as_counts(values: Array) -> bool:
    """Whether counts of the same mean and variance, negative binomial ones, would hardly ever exceed all values.

    Ages, points and percentages end where counts go on: as counts, ages of 200 would be drawn.
    """
    mean = values.mean()
    variance = max(values.var(), 1.0001 * mean)
    beyond = betainc(values.max() + 1, mean**2 / (variance - mean), 1 - mean / variance)
    return bool(beyond <= _HARDLY + BY_CHANCE / len(values))


def _are_counts(column: pd.Series) -> bool:
    values = pd.to_numeric(column, errors="coerce").dropna().to_numpy(dtype=np.float64)
    return bool(((values >= 0) & (values % 1 == 0)).all())


def _is_unordered(column: pd.Series) -> bool:
    return not (isinstance(column.dtype, pd.CategoricalDtype) and column.dtype.ordered)


def _shown(cell: Hashable) -> str:
    return f"{cell:g}" if isinstance(cell, (int, float, np.number)) and not isinstance(cell, bool) else repr(cell)
