"""How orders alone do on tables whose order is known in part: quick, so that a new network can be judged by it.

One line of results per table: the share of certain pairs that each order has the right way round, and for every
certain pair the share of drawn orders that have it so, as it is, uncalibrated.
"""

import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from threadpoolctl import threadpool_limits

from fipscm.bench.measured.judged_order import pairs_among, share_right
from fipscm.bench.measured.known_orders import KnownOrder
from fipscm.bench.measured.run import record, version
from fipscm.bench.run.process import processor_limit, run_apart
from fipscm.bench.run.results import DONE, FAILED, TIMEOUT, Line
from fipscm.errors import FileError
from fipscm.order import infer_order, order_confidence
from fipscm.order.weights import WEIGHTS
from fipscm.tables.write import make_folder, require_writable

ORDER_LINES = "orders.jsonl"
# A table in a few seconds: twenty orders of more columns than these take longer than all else together.
MOST_ROWS_JUDGED, MOST_COLUMNS_JUDGED = 2_000, 20
_DRAWS = 20  # as `assess` and `order` draw
SECONDS = 60.0  # of the processor; then a table has what is known by then
_CLASSICAL = {"right_r2": "r2", "right_direct_lingam": "direct-lingam"}


def run_orders(
    tables: Sequence[KnownOrder], weights: Path | None, jobs: int, out: Path, tell: Callable[[Line], None]
) -> None:
    """Judge orders of the tables, each in a process of its own; a line takes the place of the table's earlier one."""
    file = WEIGHTS if weights is None else weights
    if not file.is_file():
        raise FileError(f"There is no weights file '{file}': name one that 'fipscm pretrain --weights' wrote.")
    make_folder(out)
    require_writable(out / ORDER_LINES)
    calls = (delayed(_run)(table, file) for table in tables)
    workers = Parallel(n_jobs=jobs, backend="threading", return_as="generator_unordered", batch_size=1)
    for line in workers(calls):
        record(out / ORDER_LINES, line, by=("table",))
        tell(line)


def judge_orders(table: KnownOrder, weights: Path, limit: float = SECONDS) -> Iterator[Line]:
    """Yield what is found out about a table, part by part."""
    rng = np.random.default_rng(crc32(table.name.encode()))
    frame = some_cells(table.read(), table, rng)
    started = time.process_time()
    with processor_limit(limit), threadpool_limits(limits=1):
        order = infer_order(frame, weights=weights)
        pairs = pairs_among(table.pairs, order)
        yield {
            "rows": len(frame),
            "columns": len(order),
            "pairs": len(pairs),
            "right": share_right(order, pairs),
            "right_random": share_right([order[place] for place in rng.permutation(len(order))], pairs),
        }
        if not pairs:
            yield {"status": FAILED, "error": "no certain pair is left of the columns that are ordered"}
            return
        shares = order_confidence(frame, rng, resamples=_DRAWS, weights=weights)  # uncalibrated, as weights are named
        of = shares.to_dict(orient="index")
        yield {"draws": _DRAWS, "shares": [round(float(of[a][b]), 3) for a, b in pairs]}
        yield {"seconds": round(time.process_time() - started, 2)}
        for key, method in _CLASSICAL.items():
            yield {key: share_right(infer_order(frame, method=method), pairs)}
    yield {"status": DONE}


def some_cells(frame: pd.DataFrame, table: KnownOrder, rng: np.random.Generator) -> pd.DataFrame:
    """At most so many rows and columns, those of certain pairs before others.

    The columns are shuffled: causes often stand first in a file, and no tie must be broken by that.
    """
    rows = np.sort(rng.permutation(len(frame))[:MOST_ROWS_JUDGED])
    judged = {name for pair in table.pairs for name in pair}
    drawn = rng.permutation(frame.shape[1])
    chosen = sorted(drawn, key=lambda place: frame.columns[place] not in judged)[:MOST_COLUMNS_JUDGED]
    return frame.iloc[rows, rng.permutation(chosen)].reset_index(drop=True)


def _run(table: KnownOrder, weights: Path) -> Line:
    line: Line = {"table": table.name, "group": table.group, "version": version(), "weights": digest_of(weights)}
    for part in run_apart(judge_orders, (table, weights), SECONDS):
        line |= part
    if line["status"] == TIMEOUT:
        line["error"] = f"stopped after {SECONDS:g} s of the processor"
    return line


@cache
def digest_of(weights: Path) -> str:
    """The beginning of the hash of a weights file: which network a line was made by."""
    return hashlib.sha256(weights.read_bytes()).hexdigest()[:8]
