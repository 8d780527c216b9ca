"""Orders alone: quick, the same whenever they are judged, and a page that follows from the lines."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from fipscm.bench.measured.known_orders import KnownOrder
from fipscm.bench.measured.order_scores import (
    MOST_COLUMNS_JUDGED,
    MOST_ROWS_JUDGED,
    ORDER_LINES,
    judge_orders,
    run_orders,
    some_cells,
)
from fipscm.bench.measured.orders_page import ORDERS_PAGE, orders_page
from fipscm.bench.measured.run import read_lines
from fipscm.errors import FileError
from fipscm.order.weights import WEIGHTS

COMMITTED = Path(__file__).resolve().parents[3] / "docs" / "results"


def chain(rows=400):
    """A nonlinear chain, which the network that ships orders right."""
    rng = np.random.default_rng(0)
    a = rng.uniform(-2, 2, rows)
    b = np.sin(2 * a) + 0.3 * rng.uniform(-1, 1, rows)
    return pd.DataFrame({"c": np.tanh(3 * b) + 0.3 * rng.uniform(-1, 1, rows), "b": b, "a": a})


TABLE = KnownOrder("chain", "simulated", (("a", "b"), ("b", "c"), ("lamp", "c")), chain)


def line_of(table):
    line = {"table": table.name, "group": table.group, "weights": "w", "version": "v"}
    for part in judge_orders(table, WEIGHTS):
        line |= part
    return line


def test_a_line_has_every_order_and_the_raw_share_of_every_pair():
    pytest.importorskip("lingam", reason="DirectLiNGAM is of the extra 'baselines'")
    line, again = line_of(TABLE), line_of(TABLE)
    assert line["pairs"] == len(line["shares"]) == 2  # the lamp is no column of the table
    assert line["right"] == 1.0
    assert all(0.5 < share <= 1 for share in line["shares"])
    assert {"right_r2", "right_direct_lingam", "right_random"} <= line.keys()
    assert {**line, "seconds": 0} == {**again, "seconds": 0}


def test_of_large_tables_the_columns_of_certain_pairs_are_kept():
    frame = pd.DataFrame(np.zeros((3_000, 40)), columns=[f"x{place}" for place in range(40)])
    table = KnownOrder("wide", "simulated", (("x39", "x0"),), lambda: frame)
    some = some_cells(frame, table, np.random.default_rng(0))
    assert some.shape == (MOST_ROWS_JUDGED, MOST_COLUMNS_JUDGED)
    assert {"x0", "x39"} <= set(some.columns)


def test_columns_are_shuffled():
    orders = {tuple(some_cells(chain(), TABLE, np.random.default_rng(seed)).columns) for seed in range(20)}
    assert len(orders) > 3


def test_a_table_that_fails_is_a_line_and_a_later_line_takes_its_place(tmp_path):
    lines, whole = [], partial(pd.DataFrame, chain(100))
    for pairs, read in ((TABLE.pairs, partial(int, "no table")), (TABLE.pairs[2:], whole), (TABLE.pairs, whole)):
        run_orders([KnownOrder("chain", "simulated", pairs, read)], None, 1, tmp_path, lines.append)
    assert lines[0]["error"].startswith("ValueError: invalid literal")
    assert lines[1]["error"].startswith("no certain pair is left")
    (line,) = read_lines(tmp_path / ORDER_LINES)
    assert line == lines[2]
    assert line["pairs"] == 2
    with pytest.raises(FileError, match="There is no weights file"):
        run_orders([TABLE], tmp_path / "none", 1, tmp_path, lines.append)


def test_the_page_counts_every_table_once():
    line = {"group": "corpus", "weights": "w", "version": "v", "status": "done", "seconds": 1.0}
    lines = [
        {**line, "table": "one", "pairs": 1, "right": 1.0, "right_r2": 0.0, "right_random": 0.0},
        {**line, "table": "many", "pairs": 99, "right": 0.0, "right_r2": 0.0, "right_random": 1.0},
        {**line, "table": "late", "status": "timeout", "error": "stopped"},
    ]
    page = orders_page(lines, "fipscm bench orders")
    assert (
        "| corpus | 2 | 100 | 0.500 (0.500) | 0.000 (0.000) | n/a | 0.500 (0.500) | 0.500 (0.500) | n/a | 3 |" in page
    )
    assert "- late: stopped" in page


def test_the_committed_page_of_orders_follows_from_the_committed_lines():
    lines = read_lines(COMMITTED / ORDER_LINES)
    assert (COMMITTED / ORDERS_PAGE).read_text() == orders_page(lines, "fipscm bench orders")
