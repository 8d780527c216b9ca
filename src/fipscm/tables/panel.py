"""Rows that belong together or follow each other: the column that names their units, and the one that tells the time.

Shapes: N rows, D variables.
"""

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fipscm.arrays import Array
from fipscm.errors import unknown_name
from fipscm.tables.kinds import is_called_identifier, is_time, words_of

OFF = "none"  # what users write where nothing is to be recognised
FEWEST_UNITS = 5  # fewer groups do not tell how groups differ: their column stays a variable
OFTEN = 2.0  # rows of a unit, and rows at a time, on average: otherwise hardly any repeats
AUTOCORRELATED = 4.0  # standard errors of the largest autocorrelation of all columns: no chance in any usual table
FEWEST_BLOCKS = 10  # fewer tell too little about how blocks differ
# Names of columns that tell the time, the coarsest first: a month is one within its year.
_TIMES = (
    {"year", "yr", "jahr", "année", "annee", "año", "ano", "anno"},
    {"quarter", "quartal", "trimestre"},
    {"month", "monat", "mois", "mes", "mese"},
    {"week", "woche", "semaine", "semana"},
    {"day", "tag", "jour", "día", "dia"},
    {"date", "time", "t", "wave", "period", "timestamp", "unix", "datum", "zeit", "welle", "fecha", "temps", "tiempo"},
)
_UNITS = {
    *("id", "idcode", "identifier", "nr", "code", "person", "pid", "subject", "patient", "individual", "unit", "case"),
    *("firm", "company", "plant", "household", "family", "school", "district", "village", "city", "county", "state"),
    *("country", "region", "iso", "num", "fips", "nummer", "firma", "haushalt", "schule", "kreis", "land"),
    *("ville", "pays", "entreprise", "ménage", "ciudad", "país", "empresa", "hogar"),
}


class Panel(NamedTuple):
    """Which column names the units that rows belong to, and which ones tell the time, the coarsest first."""

    group: Hashable | None = None
    times: tuple[Hashable, ...] = ()

    @property
    def time(self) -> Hashable | None:
        """The column that tells the time, the coarsest if there are several."""
        return self.times[0] if self.times else None


def recognise_panel(frame: pd.DataFrame, group: Hashable | None = None, time: Hashable | None = None) -> Panel:
    """The columns of a table (N, D) that name its units and tell the time, unless they are given; "none" for none.

    Units are recognised if they repeat and have one row at each time, or are called identifiers, a series without
    units if no time repeats.
    """
    group, time = (_given(frame, name, title) for name, title in ((group, "group"), (time, "time")))
    names: list[Hashable] = list(frame.columns)
    if time is None:
        times = [name for name in names if name != group and _tells_time(frame[name])]
    else:
        times = [] if time == OFF else [time]
    if group is None:
        candidates = [name for name in names if name not in times and _may_name_units(frame[name])]
        found = [name for name in candidates if _makes_panel(frame, name, times)]
        found += [name for name in candidates if is_called_identifier(name) and _repeats(frame[name])]
        group = found[0] if found else OFF
    group = None if group == OFF else group
    units = [] if group is None else [group]
    alone = [name for name in times if not frame.duplicated([*units, name]).any()]
    panel = Panel(group, tuple(alone[:1] or sorted(times, key=_coarseness)))
    return panel if units or time is not None or _is_series(frame, panel) else Panel()


def no_variables(frame: pd.DataFrame, panel: Panel) -> dict[Hashable, str]:
    """Why the columns of a panel are no variables: what names units, and what only numbers the rows of a series."""
    reasons: dict[Hashable, str] = {}
    if panel.group is not None:
        units = frame[panel.group].nunique()
        each = f"{len(frame) / units:.3g} rows" if len(frame) % units == 0 else f"about {len(frame) / units:.3g} rows"
        reasons[panel.group] = f"names {units:,} units, each in {each}: taken as the group of the rows"
        for name in frame.columns:
            if (
                name != panel.group
                and _may_name_units(frame[name])
                and _are_one_to_one(frame[name], frame[panel.group])
            ):
                reasons[name] = f"names the same units as '{panel.group}'"
    elif panel.time is not None and pd.api.types.is_numeric_dtype(frame[panel.time]) and frame[panel.time].is_unique:
        reasons[panel.time] = "tells the time of each row: taken as the time of the rows"
    return reasons


def clusters_of(frame: pd.DataFrame, panel: Panel, values: Array) -> NDArray[np.intp] | None:
    """(N,) which rows of values (N, D) belong together: those of a unit, or a block of a series; None if none do."""
    return blocks_of(frame, panel, values) if panel.group is None else units_of(frame, panel)


def units_of(frame: pd.DataFrame, panel: Panel) -> NDArray[np.intp] | None:
    """(N,) the number of the unit that each row belongs to; a row without a unit is one of its own."""
    if panel.group is None:
        return None
    codes = pd.factorize(frame[panel.group])[0].astype(np.intp)
    alone = codes < 0
    codes[alone] = codes.max() + 1 + np.arange(alone.sum())
    return codes


def blocks_of(frame: pd.DataFrame, panel: Panel, values: Array) -> NDArray[np.intp] | None:
    """(N,) the number of the block of neighbouring rows in a time series of values (N, D); None if rows do not depend.

    Blocks have the length that estimates a variance best if columns are autoregressive (Carlstein 1986,
    https://doi.org/10.1214/aos/1176350057), with the median autocorrelation of all columns.
    """
    order = time_order(frame, panel)
    if order is None:
        return None
    ranks = pd.DataFrame(values[order]).rank().to_numpy()
    centred = np.nan_to_num((ranks - np.nanmean(ranks, axis=0)) / np.nanstd(ranks, axis=0))
    autocorrelations = np.abs((centred[1:] * centred[:-1]).mean(axis=0))
    if autocorrelations.max() * np.sqrt(len(values)) < AUTOCORRELATED:
        return None
    typical = min(float(np.median(autocorrelations)), 0.99)
    best = (np.sqrt(6) * typical / (1 - typical**2)) ** (2 / 3) * len(values) ** (1 / 3)
    length = int(np.clip(best, len(values) ** (1 / 3), len(values) / FEWEST_BLOCKS))
    blocks = np.empty(len(values), dtype=np.intp)
    blocks[order] = np.arange(len(values)) // max(length, 1)
    return blocks


def time_order(frame: pd.DataFrame, panel: Panel) -> NDArray[np.intp] | None:
    """(N,) the positions of the rows in the order of time, unit by unit if there are any; None if nothing tells it."""
    if not panel.times:
        return None
    units = units_of(frame, panel)
    keys = [_as_time(frame[name]).to_numpy() for name in reversed(panel.times)]
    return np.asarray(np.lexsort(keys if units is None else [*keys, units]))


def told_panel(frame: pd.DataFrame, panel: Panel, clusters: NDArray[np.intp] | None) -> str:
    """What it means that rows belong together, in one sentence; empty if they do not."""
    if clusters is None:
        return ""
    count = len(np.unique(clusters))
    means = f"intervals treat them as {count:,} independent groups, not {len(frame):,} rows."
    if panel.group is None:
        named = " and ".join(f"'{name}'" for name in panel.times)
        return f"The rows follow each other in time ({named}) and resemble their neighbours: {means}"
    times = (
        "" if panel.time is None else f" at {len(frame[list(panel.times)].drop_duplicates()):,} times ('{panel.time}')"
    )
    return f"The rows are those of {count:,} units ('{panel.group}'){times}: {means}"


def _given(frame: pd.DataFrame, name: Hashable | None, title: str) -> Hashable | None:
    if name is not None and name != OFF and name not in frame.columns:
        raise unknown_name(f"column in `{title}`", name, frame.columns)
    return name


def _tells_time(column: pd.Series) -> bool:
    present = column.dropna().infer_objects()
    are_numbers = pd.api.types.is_numeric_dtype(present) and not pd.api.types.is_bool_dtype(present)
    is_named = are_numbers and _coarseness(column.name) < len(_TIMES)
    return len(present) == len(column) and (is_named or is_time(present)) and len(present.unique()) > 1


def _coarseness(name: Hashable) -> int:
    """The place of the words of a name among those of times, if it has no other words."""
    words = words_of(name)
    return next((place for place, names in enumerate(_TIMES) if words and words <= names), len(_TIMES))


def _may_name_units(column: pd.Series) -> bool:
    if isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.infer_dtype(column) == "string":
        return True
    return pd.api.types.is_integer_dtype(column) and not words_of(column.name).isdisjoint(_UNITS)


def _makes_panel(frame: pd.DataFrame, group: Hashable, times: Sequence[Hashable]) -> bool:
    """Whether units repeat, and times too, but no unit at the same time."""
    if not times or not _repeats(frame[group]) or frame.duplicated([group, *times]).any():
        return False
    return len(frame) >= OFTEN * len(frame[list(times)].drop_duplicates())


def _repeats(column: pd.Series) -> bool:
    units = column.nunique()
    return units >= FEWEST_UNITS and len(column) >= OFTEN * units


def _are_one_to_one(first: pd.Series, second: pd.Series) -> bool:
    pairs = len(pd.DataFrame({"first": first, "second": second}).drop_duplicates())
    return first.nunique() == second.nunique() == pairs


def _is_series(frame: pd.DataFrame, panel: Panel) -> bool:
    """Whether no time repeats; numbers may be durations, unless the rows stand in their order."""
    order = time_order(frame, panel)
    if order is None or frame.duplicated(list(panel.times)).any():
        return False
    return any(not pd.api.types.is_numeric_dtype(frame[name]) for name in panel.times) or bool(
        (np.diff(order) == 1).all()
    )


def _as_time(cells: pd.Series) -> pd.Series:
    """Dates as numbers, so that they can be sorted; what cannot be read comes last."""
    if pd.api.types.is_numeric_dtype(cells):
        return cells.astype(np.float64)
    texts = cells.astype(str)
    day_first = bool(texts.str.contains(r"\.").any())  # 5.1.2020 is written where the day comes first
    dates = pd.to_datetime(texts, errors="coerce", format="mixed", utc=True, dayfirst=day_first)
    return (dates - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
