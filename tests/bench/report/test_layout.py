"""Pages follow from results alone: means, spreads, quotes, bold type and timeouts."""

import pandas as pd
import pytest

from fipscm.bench.report.layout import page
from fipscm.bench.report.pictures import draw
from fipscm.bench.report.quotes import quote
from fipscm.bench.tasks import TASKS, Grid, Task

TASK = Task("A title", "something", ("fip", "pc", "fip-graph"), ("f1",), grid=Grid(("lin-out",)))


def line(method, nodes, seed=0, status="done", **scores):
    data = {"name": "lin-out", "preset": "released", "family": "block-model", "rows": 10_000, "scale": "raw"}
    return {"method": method, "nodes": nodes, "seed": seed, "variant": "plain", "status": status, **data, **scores} | {
        "limit": 60.0
    }


def table(*lines, task=TASK):
    text = page(task, pd.DataFrame(lines), "fipscm bench f1")
    rows = [row.strip("| ").split(" | ") for row in text.splitlines() if row.startswith("| ") and "---" not in row]
    return {row[0]: dict(zip(rows[0][1:], row[1:], strict=True)) for row in rows[1:]}


def test_entries_are_means_and_deviations_beside_the_paper():
    found = table(line("pc", 10, 0, f1=0.4), line("pc", 10, 1, f1=0.6))
    assert found["pc"]["d = 10"] == "0.500 (0.141) n=2 [0.530 (0.160)]"


def test_the_best_is_bold_even_if_it_is_a_rival():
    found = table(line("pc", 10, f1=0.97), line("fip", 10, f1=0.5))
    assert found["pc"]["d = 10"].startswith("**0.970**")
    assert found["fip"]["d = 10"].startswith("0.500")


def test_a_quoted_figure_can_be_the_best():
    found = table(line("pc", 50, f1=0.5), line("fip", 50, f1=0.6))
    assert found["avici (quoted)"]["d = 50"] == "[**0.640** (0.160)]"


def test_methods_are_compared_with_those_that_are_told_as_much():
    found = table(line("fip", 10, f1=0.96), line("fip-graph", 10, f1=1.0))
    assert found["fip"]["d = 10"].startswith("**0.960**")
    assert found["fip-graph"]["d = 10"].startswith("**1.000**")
    assert found["fip-graph"]["told"] == "graph"


def test_timeouts_and_failures_are_shown():
    found = table(
        line("pc", 10, 0, f1=0.5), line("pc", 10, 1, "timeout"), line("fip", 10, 0, "timeout"),
        line("pc", 20, 0, "failed"),
    )  # fmt: skip
    assert found["pc"]["d = 10"].endswith("1 of 2 timed out at 60 s")
    assert found["fip"]["d = 10"].endswith("timed out at 60 s")
    assert found["pc"]["d = 20"].endswith("failed")


def test_the_mean_over_dimensions_needs_all_of_them():
    found = table(*(line("pc", nodes, f1=nodes / 100) for nodes in (10, 20, 50)), line("fip", 10, f1=0.9))
    assert found["pc"]["mean"].startswith("0.267 [0.470")
    assert not found["fip"]["mean"][0].isdigit()


def test_the_papers_mean_stands_only_beside_a_mean_over_the_same_columns():
    found = table(line("pc", 10, f1=0.4), line("pc", 20, f1=0.6))
    assert found["pc"]["mean"] == "0.500"


def test_the_papers_figure_of_the_same_method_can_win():
    found = table(line("fip", 10, f1=0.3), line("pc", 10, f1=0.2))
    assert found["fip"]["d = 10"].startswith("0.300 [**0.950**")


def test_nothing_is_best_where_nothing_else_is():
    found = table(line("fip-graph", 40, f1=1.0))
    assert found["fip-graph"]["d = 40"] == "1.000"


def test_what_reads_the_same_counts_the_same():
    found = table(line("fip", 40, f1=0.50012), line("pc", 40, f1=0.50049))
    assert found["fip"]["d = 40"] == found["pc"]["d = 40"] == "**0.500**"


def test_lower_errors_win():
    task = Task("A title", "something", ("fip", "dowhy-predicted"), ("counterfactual",), grid=Grid(("lin-out",)))
    found = table(line("fip", 10, counterfactual=0.01), line("dowhy-predicted", 10, counterfactual=0.2), task=task)
    assert found["fip"]["d = 10"].startswith("**0.010**")


def test_an_unbiased_error_below_zero_is_no_better_than_any_other():
    task = Task("A title", "something", ("fip", "dowhy-predicted"), ("mmd",), grid=Grid(("lin-out",)))
    found = table(line("fip", 10, mmd=-0.002), line("dowhy-predicted", 10, mmd=-0.001), task=task)
    assert found["fip"]["d = 10"] == "**-0.002**"
    assert found["dowhy-predicted"]["d = 10"] == "**-0.001**"


@pytest.mark.parametrize(
    ("figure", "method", "nodes", "rows", "mean"),
    [
        ("parameters", "transformer", 50, 10_000, 375_000),
        ("train_seconds", "transformer", 10, 1_000, 0.0094),
        ("memory", "transformer", 100, 10_000, 41 * 1024),
        ("memory", "d-max-10", 20, 200, 6.59 * 1024),
    ],
)
def test_costs_stand_beside_the_papers(figure, method, nodes, rows, mean):
    assert quote(figure, method, "rff-in", nodes, rows).mean == pytest.approx(mean)


def test_a_picture_is_drawn_only_of_what_was_measured(tmp_path):
    results = pd.DataFrame([line("pc", 10, f1=0.4), line("pc", 20, f1=0.6)])
    assert draw("f1", TASK, results, tmp_path / "f1.png")
    assert (tmp_path / "f1.png").read_bytes().startswith(b"\x89PNG")
    assert not draw("noise", TASK, results, tmp_path / "noise.png")


def test_every_task_compares_known_methods():
    from fipscm.bench.methods import METHODS

    for task in TASKS.values():
        assert set(task.methods) <= METHODS.keys()


def test_a_page_says_who_reads_what_where_cells_are_missing():
    said = "is given its complete rows alone"
    assert said not in page(TASK, pd.DataFrame([line("pc", 10, f1=0.5)]), "")
    assert said in page(TASK, pd.DataFrame([line("pc", 10, f1=0.5) | {"variant": "missing"}]), "")
