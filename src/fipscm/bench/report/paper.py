"""The figures the paper published, as printed, to stand beside our own.

Where its main text and its appendix print different digits, the appendix is kept: it agrees with its own dimensions.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from fipscm.errors import unknown_name


@dataclass(frozen=True)
class Published:
    """One figure of one table; what a table does not say is None.

    Attributes:
        figure: what was measured: f1, auc_roc, auc_prg, counterfactual or noise (errors), parameters, seconds (of one
            forward call), memory (of the mechanism model, GiB) or training_memory (of the order model, GiB).
        method: fip is the full pipeline; the ending -order or -graph says that the true one was given.
        name: the collection or SCM, None where the table is about the model alone.
        nodes: number of variables, None for the average over the collection.
        mean: over the data sets.
        std: over the data sets.
        median: over the data sets.
        rows: in one call.
        phase: train or test.
        d_max: leaves per data set that the order model learned from.
    """

    figure: str
    method: str
    name: str | None
    nodes: int | None
    mean: float
    std: float | None
    median: float | None
    rows: int | None = None
    phase: str | None = None
    d_max: int | None = None


@cache
def _by_figure() -> dict[str, tuple[Published, ...]]:
    text = files("fipscm.bench.report").joinpath("paper.json").read_text(encoding="utf-8")
    records = [Published(**record) for record in json.loads(text)]
    return {
        figure: tuple(record for record in records if record.figure == figure)
        for figure in dict.fromkeys(record.figure for record in records)
    }


def figures() -> tuple[str, ...]:
    """Return what the paper measured."""
    return tuple(_by_figure())


def all_published(figure: str) -> Iterator[Published]:
    """Yield everything the paper printed of one figure.

    >>> [(record.nodes, record.mean) for record in all_published("parameters")]
    [(10, 340000), (50, 375000), (100, 420000)]
    """
    if figure not in _by_figure():
        raise unknown_name("published figure", figure, figures())
    yield from _by_figure()[figure]


def published(figure: str, method: str, name: str, nodes: int | None = None) -> Published | None:
    """Return what the paper printed of a method on a collection, or None if it is silent.

    >>> published("f1", "avici", "rff-out", nodes=20)
    Published(figure='f1', method='avici', name='rff-out', nodes=20, mean=0.88, std=0.062, median=None, rows=None, \
phase=None, d_max=None)
    """
    wanted = (method, name, nodes)
    return next((r for r in all_published(figure) if (r.method, r.name, r.nodes) == wanted), None)
