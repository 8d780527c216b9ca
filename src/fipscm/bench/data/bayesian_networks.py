"""Tables of categories, drawn from Bayesian networks that experts wrote. Shapes: N rows, D variables, L levels.

The networks are files of the package pgmpy, in the format BIF, and are read by it.
"""

import gzip
from functools import cache
from importlib import resources
from importlib.util import find_spec
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from fipscm.arrays import Adjacency, Order
from fipscm.errors import NotInstalledError

SMALL_NETWORKS = {"bayes-cancer": 5, "bayes-survey": 6, "bayes-asia": 8, "bayes-earthquake": 5}
LARGER_NETWORKS = {"bayes-sachs": 11, "bayes-child": 20, "bayes-insurance": 27, "bayes-alarm": 37}
BAYESIAN_NETWORKS = {**SMALL_NETWORKS, **LARGER_NETWORKS}  # each with its number of variables


def categories_table(name: str, rows: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Adjacency]:
    """Draw rows (N, D) from a network, each cell the name of a level; and return them with the network's graph (D, D).

    Files list causes before effects. So the columns are shuffled: a position must not tell the order.
    """
    network = _network(name)
    levels: dict[str, Order] = {}  # (N,) positions of levels
    cells = {}
    for node in nx.topological_sort(network):
        law = network.get_cpds(node)
        case = np.zeros(rows, dtype=np.intp)  # which column of the probability table a row has
        for cause, count in zip(law.variables[1:], law.cardinality[1:], strict=True):
            case = case * count + levels[cause]
        bounds = law.get_values()[:, case].cumsum(axis=0)[:-1]  # (L - 1, N)
        levels[node] = (rng.random(rows) > bounds).sum(axis=0)
        cells[node] = np.array(law.state_names[node], dtype=object)[levels[node]]
    names = [str(node) for node in rng.permutation(list(cells))]
    return pd.DataFrame(cells)[names], nx.to_numpy_array(network, names, weight=None, dtype=np.int8)


@cache
def _network(name: str) -> Any:
    """As the package has it; reading a file takes longer than drawing from it."""
    if find_spec("pgmpy") is None:
        raise NotInstalledError(f"'{name}' lies in the package 'pgmpy': install fipscm[baselines].")
    from pgmpy.readwrite import BIFReader

    file = resources.files("pgmpy").joinpath(f"utils/example_models/{name.removeprefix('bayes-')}.bif.gz")
    return BIFReader(string=gzip.decompress(file.read_bytes()).decode()).get_model()
