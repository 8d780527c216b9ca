"""Tasks beyond the random collections run from the data to the page."""

from dataclasses import replace

import pytest

from fipscm.bench.report.pages import write_pages
from fipscm.bench.run.engine import RunSettings
from fipscm.bench.run.runner import run_task
from fipscm.bench.tasks import TASKS, Grid, widened
from fipscm.errors import UnknownNameError

SMALL = {
    "noise": {"names": ("noise-multiplicative",), "rows": (300,)},
    "mixed": {"variants": ("missing-10",), "rows": (300,)},
}
QUICK = {
    "noise": ("fip-order-additive", "carefl", "dowhy-post-nonlinear"),
    "mixed": ("fip", "fip-drop", "fip-graph", "dowhy-mixed"),
}


@pytest.mark.parametrize("task", SMALL)
def test_a_task_runs_from_its_data_to_its_page(task, tmp_path):
    pytest.importorskip("dowhy")
    pytest.importorskip("causalflows")
    definition, lines = TASKS[task], []
    grid = replace(definition.grid, dims=(5,), seeds=(0,), **SMALL[task])
    run_task(QUICK[task], grid, RunSettings(limit=120), tmp_path, lambda place, line: lines.append(line))
    assert {(line["method"], line["status"]) for line in lines} == {(method, "done") for method in QUICK[task]}
    page, *pictures = write_pages(task, widened(definition, grid, QUICK[task]), f"fipscm bench {task}", tmp_path)
    assert len(pictures) == len(definition.figures)
    assert all(method in page.read_text() for method in QUICK[task])


def test_tables_of_categories_are_compared_by_directions_skeletons_and_orders(tmp_path):
    pytest.importorskip("pgmpy", reason="the networks lie in the package pgmpy (extra 'baselines')")
    pytest.importorskip("causallearn", reason="baselines of the package causal-learn (extra 'baselines')")
    definition, lines = TASKS["categories"], []
    grid = replace(definition.grid, names=("bayes-earthquake",), seeds=(0,))
    run_task(definition.methods, grid, RunSettings(limit=120), tmp_path, lambda place, line: lines.append(line))
    by_method = {line["method"]: line for line in lines}
    assert {line["status"] for line in lines} == {"done"}
    assert all({"cpdag_f1", "skeleton_f1"} <= by_method[method].keys() for method in definition.methods)
    assert by_method["ges-bdeu"]["cpdag_f1"] == 1.0  # its two v-structures fix every direction
    assert "tos" in by_method["zero-shot"]
    page = write_pages("categories", replace(definition, grid=grid), "fipscm bench categories", tmp_path)[0]
    assert "half in each direction" in page.read_text()


def test_dimensions_and_patterns_count_where_they_mean_something():
    noise, mixed = (list(TASKS[task].grid.data_sets()) for task in ("noise", "mixed"))
    assert {data.nodes for data in noise} == {data.nodes for data in mixed} == {5, 10, 20}
    assert {data.variant for data in noise} == {"plain"}
    assert {data.variant for data in mixed} == set(TASKS["mixed"].grid.variants)


def test_an_unknown_pattern_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'missing-30'"):
        Grid(("mixed",), variants=("missing-31",))
