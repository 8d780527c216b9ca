"""Tables whose order is known in part: what a new order network is judged by. Each table stands here once.

corpus: the tables of `corpus`, by what is certain about their columns.
tiers: tables whose columns experts put into tiers; a column of a lower tier is no effect of one in a higher tier.
graphs: proteins and a light tunnel, whose graph is known: a cause precedes its descendants.
pairs: a cause and an effect each (Mooij et al., 2016), from the package cdt.
syntren: gene expression from a simulator (Van den Bulcke et al., 2006), whose graph is known.
simulated: tables of every test world, only if asked for by name.
"""

import json
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from zlib import crc32

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.bench.measured.corpus import CertainPair, corpus
from fipscm.errors import DataError, NotInstalledError
from fipscm.graph import descendants
from fipscm.simulate import PRIORS
from fipscm.simulate.worlds import VARIANTS
from fipscm.tables.read import parse_table

GRAPHS = {
    "sachs": ("sachs/observations.csv", "sachs/graph.csv"),
    "light_tunnel": ("measured/chamber/reference.csv", "measured/chamber/graph.csv"),
    **{f"syntren_{n:02d}": (f"syntren/observations_{n:02d}.csv", f"syntren/graph_{n:02d}.csv") for n in range(1, 11)},
}
TIERS = "measured/tiers"
_SYNTREN, SIMULATED = "syntren", "simulated"
NOT_MEASURED = (_SYNTREN, SIMULATED)
SIMULATED_SEEDS, SIMULATED_NODES, SIMULATED_ROWS = range(4), 8, 1_000  # 432 tables: a choice wants 400
# Folders of data whose tables are judged by their whole answer, not by the corpus's few facts about them.
ANSWERED_IN_FULL = ("data/sachs/", "data/syntren/", "data/measured/chamber/", f"data/{TIERS}/")


@dataclass(frozen=True)
class KnownOrder:
    """A table and the pairs (a, b) of its columns such that b is no cause of a."""

    name: str
    group: str
    pairs: tuple[CertainPair, ...]
    read: Callable[[], pd.DataFrame]


def known_orders(folder: Path | None) -> dict[str, KnownOrder]:
    """Every table that can be read on this machine, by name, with a warning for each group or table that cannot."""
    groups = (_of_corpus, _of_tiers, _of_graphs, _of_pairs)
    return {table.name: table for group in groups for table in _readable(group, folder)}


def chosen_orders(names: str | None, folder: Path | None) -> list[KnownOrder]:
    """The tables with these names, or of groups with these names, separated by commas; all if None."""
    known = known_orders(folder)
    if names is None:
        return list(known.values())
    asked = names.split(",")
    if SIMULATED in asked:
        known |= {table.name: table for table in _simulated()}
    groups = {*(table.group for table in known.values()), SIMULATED}
    if unknown := [name for name in asked if name not in known and name not in groups]:
        raise DataError(
            f"No table or group of tables is called '{unknown[0]}' here: the groups are {', '.join(sorted(groups))}, "
            "and their tables stand in the results of `fipscm bench orders`."
        )
    return [table for table in known.values() if table.name in asked or table.group in asked]


def _readable(group: Callable[[Path | None], Iterator[KnownOrder]], folder: Path | None) -> Iterator[KnownOrder]:
    try:
        yield from group(folder)
    except NotInstalledError as reason:
        warnings.warn(f"Skipped: {reason}", stacklevel=4)


def _of_corpus(folder: Path | None) -> Iterator[KnownOrder]:
    for table in corpus().values():
        if any(file.startswith(ANSWERED_IN_FULL) for file in table.files):
            continue
        try:
            table.require(folder)
        except NotInstalledError as reason:
            warnings.warn(f"Skipped: {reason}", stacklevel=5)
            continue
        yield KnownOrder(table.name, "corpus", tuple(table.pairs), partial(table.read, folder))


def _of_tiers(folder: Path | None) -> Iterator[KnownOrder]:
    known = json.loads(_file(f"{TIERS}/tiers.json", folder).read_text())
    for name, tiers in known.items():
        pairs = tuple((a, b) for a in tiers for b in tiers if tiers[a] < tiers[b])
        yield KnownOrder(name, "tiers", pairs, partial(_read, _file(f"{TIERS}/{name}.csv", folder)))


def _of_graphs(folder: Path | None) -> Iterator[KnownOrder]:
    for name, (rows, graph) in GRAPHS.items():
        pairs = tuple(nx.transitive_closure_dag(_graph(_file(graph, folder))).edges)
        group = _SYNTREN if name.startswith(_SYNTREN) else "graphs"
        yield KnownOrder(name, group, pairs, partial(_read, _file(rows, folder)))


def _of_pairs(folder: Path | None) -> Iterator[KnownOrder]:
    """The package is not imported: it needs much that these two files do not."""
    package = find_spec("cdt")
    if package is None or not package.submodule_search_locations:
        raise NotInstalledError("The pairs of cause and effect lie in the package 'cdt': install fipscm[corpus].")
    place = Path(package.submodule_search_locations[0]) / "data" / "resources"
    is_cause = pd.read_csv(place / "Tuebingen_targets.csv", index_col="SampleID")["Target"] > 0
    for name, first, second in pd.read_csv(place / "Tuebingen_pairs.csv").itertuples(index=False):
        pair = ("A", "B") if is_cause[name] else ("B", "A")
        yield KnownOrder(name, "pairs", (pair,), partial(_pair, first, second))


def _simulated() -> Iterator[KnownOrder]:
    for seed, variant, collection in product(SIMULATED_SEEDS, VARIANTS, ("lin-out", "rff-out", "mlp-out")):
        for family in PRIORS["released"][collection].families:
            name = f"{variant}-{collection}-{family}-{seed}"
            rng = np.random.default_rng(crc32(name.encode()))
            world = VARIANTS[variant](collection, SIMULATED_NODES, "released", family, SIMULATED_ROWS, rng)
            columns = [str(column) for column in world.table.columns]
            pairs = tuple((columns[a], columns[b]) for a, b in np.argwhere(descendants(world.adjacency)))
            yield KnownOrder(name, SIMULATED, pairs, partial(world.table.set_axis, columns, axis=1))


def _pair(first: str, second: str) -> pd.DataFrame:
    """Two columns from cells that are separated by spaces."""
    return pd.DataFrame({"A": np.array(first.split(), dtype=float), "B": np.array(second.split(), dtype=float)})


def _graph(path: Path) -> nx.DiGraph:
    """A graph from a list of edges, or from an adjacency table with causes in rows."""
    if path.read_text().startswith("source,target"):
        return nx.from_pandas_edgelist(pd.read_csv(path), create_using=nx.DiGraph)
    return nx.from_pandas_adjacency(pd.read_csv(path, index_col=0), create_using=nx.DiGraph)


def _file(path: str, folder: Path | None) -> Path:
    if folder is None or not (folder / path).is_file():
        raise NotInstalledError(f"{path} is a file of a folder of data: name it by --data.")
    return folder / path


def _read(path: Path) -> pd.DataFrame:
    return parse_table(path.read_bytes(), path.name).frame
