"""Summaries say what they rest on, and what is missing."""

import json

import pytest

from fipscm.bench.report.summary import summary
from fipscm.bench.run.results import append_result
from fipscm.cli.main import main
from fipscm.errors import DataError, UnknownNameError


def line(method, nodes, seed=0, status="done", **scores):
    data = {"name": "lin-out", "preset": "released", "family": "block-model", "rows": 10_000, "scale": "raw"}
    facts = {"method": method, "nodes": nodes, "seed": seed, "variant": "plain", "status": status, "limit": 60.0}
    return {**data, **facts, **scores}


@pytest.fixture
def results(tmp_path):
    """A file in which `fip` is done at d = 10 (twice) and 20, and rivals on some of these."""
    path = tmp_path / "results.jsonl"
    for each in (
        line("fip", 10, 0, f1=0.8, counterfactual=0.1, tos=1.0, seconds=2.0),
        line("fip", 10, 1, f1=1.0, counterfactual=0.2, tos=1.0, seconds=4.0),
        line("fip", 20, 0, f1=0.5, counterfactual=0.4, tos=1.0, seconds=8.0),
        line("pc", 10, 0, f1=0.9),
        line("ges", 10, 0, f1=0.95),
        line("ges", 10, 1, "timeout"),
        line("dowhy-predicted", 20, 0, counterfactual=0.3),
    ):
        append_result(path, each)
    return path


def rows_of(table):
    return [row.strip("| ").split(" | ") for row in table.splitlines()[2:]]


def test_the_scoreboard_weighs_dimensions_equally_and_names_the_closest_rival(results):
    f1, error = rows_of(summary("scoreboard", results))
    assert f1[:3] == ["lin-out", "directed F1", "0.700"]
    assert f1[4] == "0.950 ges (1 SCMs, ours there 0.800)"
    assert error[2] == "0.275"
    assert error[4] == "0.300 dowhy-predicted (1 SCMs, ours there 0.400)"


def test_the_pipeline_shows_every_dimension(results):
    over_all, by_dim = summary("pipeline", results).split("\n\n")
    assert rows_of(over_all) == [["lin-out", "2 (d = 10) / 1 (d = 20)", "0.700", "0.2750", "0.2750"]]
    assert [row[1:5] for row in rows_of(by_dim)] == [["10", "2", "1.000", "0.900"], ["20", "1", "1.000", "0.500"]]


def test_a_summary_without_results_says_so(results, tmp_path):
    with pytest.raises(DataError, match="hold nothing that this summary shows"):
        summary("orders", results)
    with pytest.raises(DataError, match=r"nowhere\.jsonl holds no result yet"):
        summary("orders", tmp_path / "nowhere.jsonl")


def test_a_missing_rival_is_a_dash(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text(json.dumps(line("fip", 10, f1=1.0, counterfactual=0.1)) + "\n")
    assert rows_of(summary("scoreboard", path))[0][4] == "-"


def test_an_unknown_summary_is_refused(results):
    with pytest.raises(UnknownNameError, match="did you mean 'scoreboard'"):
        summary("scorebord", results)


def test_the_command_prints_the_summary_of_a_folder(results, capsys):
    with pytest.raises(SystemExit) as ending:
        main(["bench-summary", "pipeline", "--out", str(results.parent)])
    assert ending.value.code == 0
    assert capsys.readouterr().out == summary("pipeline", results) + "\n"


def test_coverage_is_told_by_mechanism_rows_and_method_over_all_noises(tmp_path):
    shares = {"coverage_zero": 1.0, "coverage_weak": 1.0, "width": 0.5, "no_width": 0.0}
    for law, held in (("normal", 1.0), ("heavy", 0.0)):
        scores = {**shares, "coverage_medium": held, "coverage": (2 + held) / 3}
        append_result(tmp_path / "results.jsonl", line("fip-order", 5, **scores) | {"name": f"effect-linear-{law}"})
    (row,) = rows_of(summary("coverage", tmp_path / "results.jsonl"))
    assert row == ["linear", "10000", "fip-order", "2", "0.833 (0.167)", "1.00 / 1.00 / 0.50", "0.500"]


def test_noises_shows_what_additive_noise_costs_and_the_closest_rival(tmp_path):
    for method, error in (("fip-order", 0.1), ("fip-order-additive", 0.3), ("carefl", 0.2), ("causal-nf", 0.4)):
        cell = line(method, 5, counterfactual=error) | {"name": "noise-saturating"}
        append_result(tmp_path / "results.jsonl", cell)
    (row,) = rows_of(summary("noises", tmp_path / "results.jsonl"))
    assert row == ["noise-saturating", "5", "10000", "1", "0.100", "0.300", "0.200 carefl", "-", "-"]


def test_noises_compares_methods_on_the_scms_that_all_of_them_had(tmp_path):
    for method, seed, error in (("fip-order", 0, 0.1), ("carefl", 0, 0.2), ("carefl", 1, 0.9)):
        cell = line(method, 5, counterfactual=error) | {"name": "noise-saturating", "seed": seed}
        append_result(tmp_path / "results.jsonl", cell)
    (row,) = rows_of(summary("noises", tmp_path / "results.jsonl"))
    assert row[3:7] == ["1", "0.100", "-", "0.200 carefl"]


def test_mixed_shows_each_pattern_of_missing_cells(tmp_path):
    for variant, f1 in (("missing-10", 0.8), ("plain", 0.9)):
        cell = line("fip", 5, f1=f1, effects=0.1, counterfactual=0.2) | {"name": "mixed", "variant": variant}
        append_result(tmp_path / "results.jsonl", cell)
    rows = rows_of(summary("mixed", tmp_path / "results.jsonl"))
    assert [row[2:5] for row in rows] == [["plain", "1", "0.900 / -"], ["missing-10", "1", "0.800 / -"]]
    assert rows[0][5:] == ["0.100 / - / - / -", "0.200 / - / - / -"]
