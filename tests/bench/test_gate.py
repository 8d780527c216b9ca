"""The gate compares cells with what they were, and names what became worse."""

import json
from dataclasses import replace

import pytest

from fipscm.bench.gate import BEFORE, COLLECTIONS, gate_table, run_gate
from fipscm.bench.run.engine import RunSettings
from fipscm.bench.run.results import RESULTS, append_result, read_results

FEW = {"far": replace(COLLECTIONS["far-linear"], method="no-change")}


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    """Results of the cheapest method, under the name of the one that the gate compares."""
    folder = tmp_path_factory.mktemp("now")
    grid = replace(FEW["far"].grid, names=("far-linear",), seeds=(0, 1, 2))
    run_gate(RunSettings(limit=60), folder, lambda place, line: None, {"far": replace(FEW["far"], grid=grid)})
    lines = [line | {"method": COLLECTIONS["far-linear"].method} for line in read_results(folder / RESULTS)]
    (folder / RESULTS).write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def altered(folder, target, change):
    for place, line in enumerate(read_results(folder / RESULTS)):
        append_result(target / RESULTS, line | {"far": line["far"] + change[place]})
    return target


def test_cells_that_stay_as_they_were_are_not_worse(now):
    (row,) = gate_table(now, now).splitlines()[2:]
    assert row.split("|")[1].strip() == "far-linear"
    assert "| 3 |" in row
    assert "worse" not in row


@pytest.mark.parametrize(
    ("change", "is_worse"),
    [((-0.5, -0.6, -0.7), True), ((0.5, 0.6, 0.7), False), ((-0.5, 0.6, -0.2), False)],
    ids=["lower before", "higher before", "some of either"],
)
def test_worse_is_what_errs_more_by_two_standard_errors(now, tmp_path, change, is_worse):
    assert ("worse" in gate_table(now, altered(now, tmp_path, change))) == is_worse


def test_the_selection_is_one_of_about_sixty_cells_and_has_figures_to_compare_with():
    cells = sum(len(list(each.grid.data_sets())) for each in COLLECTIONS.values())
    assert 40 <= cells <= 80
    assert "tunnel" in gate_table(BEFORE)
