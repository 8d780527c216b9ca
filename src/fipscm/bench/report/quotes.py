"""Which figure of the paper belongs beside a cell of our tables."""

from dataclasses import dataclass

from fipscm.bench.data.sources import COLLECTIONS
from fipscm.bench.report.paper import Published, all_published, figures, published

# By our score of a cost: the paper's figure and phase, and the factor from its units to ours.
_COST = {
    "parameters": ("parameters", None, 1.0),
    "train_seconds": ("seconds", "train", 1.0),
    "test_seconds": ("seconds", "test", 1.0),
    "memory": ("memory", "train", 1024.0),
}


@dataclass(frozen=True)
class Quote:
    """A published mean and, where it was printed, a standard deviation."""

    mean: float
    std: float | None

    @classmethod
    def of(cls, record: Published, factor: float = 1.0) -> "Quote":
        """Take over a record, in our units."""
        return cls(record.mean * factor, None if record.std is None else record.std * factor)


def quote(figure: str, method: str, name: str, nodes: int | None, rows: int) -> Quote | None:
    """Return what the paper printed of a method on a data set, or None if it is silent; no `nodes`: the average."""
    if method == "transformer":
        return _cost(figure, nodes, rows)
    if method.startswith("d-max-"):
        return _training_memory(method) if figure == "memory" else None
    if figure not in figures():
        return None
    record = published(figure, method, name, nodes if name in COLLECTIONS else None)
    return Quote.of(record) if record else None


def quoted_methods(figure: str, name: str) -> list[str]:
    """Return every method that has a published figure on a collection or SCM."""
    if figure not in figures():
        return []
    return list(dict.fromkeys(record.method for record in all_published(figure) if record.name == name))


def _cost(figure: str, nodes: int | None, rows: int) -> Quote | None:
    kind, phase, factor = _COST[figure]
    for record in all_published(kind):
        if (record.nodes, record.phase) == (nodes, phase) and record.rows in (None, rows):
            return Quote.of(record, factor)
    return None


def _training_memory(method: str) -> Quote:
    steps = int(method.removeprefix("d-max-"))
    return next(Quote.of(record, 1024.0) for record in all_published("training_memory") if record.d_max == steps)
