"""The results file survives what happens to files."""

import json

import pytest

from fipscm.bench.data.problem import DataSet
from fipscm.bench.run.results import Cell, append_result, is_settled, read_results
from fipscm.errors import DataError


def line(method="pc", status="done", limit=10.0, **data):
    facts = {"name": "lin-in", "nodes": 5, "preset": "released", "family": "erdos-renyi", "rows": 100, "seed": 0}
    return {"method": method, **facts, "scale": "raw", "variant": "plain", "status": status, "limit": limit, **data}


def test_what_is_appended_is_read(tmp_path):
    path = tmp_path / "results.jsonl"
    append_result(path, line(seed=0, f1=0.5))
    append_result(path, line(seed=1, f1=0.7))
    assert [found["f1"] for found in read_results(path)] == [0.5, 0.7]


def test_the_last_line_of_a_cell_counts(tmp_path):
    path = tmp_path / "results.jsonl"
    append_result(path, line(status="timeout"))
    append_result(path, line(f1=1.0))
    assert [found["status"] for found in read_results(path)] == ["done"]


def test_a_corrupt_line_is_named_and_the_rest_is_kept(tmp_path):
    path = tmp_path / "results.jsonl"
    append_result(path, line(seed=0))
    with path.open("a") as file:
        file.write('{"method": "pc", "na\n[1, 2]\n')
    append_result(path, line(seed=1))
    with pytest.warns(UserWarning, match=r"Line [23] of .*results.jsonl is not a result") as warned:
        kept = read_results(path)
    assert len(warned) == 2
    assert [found["seed"] for found in kept] == [0, 1]


def test_a_line_cut_short_by_a_killed_run_costs_only_itself(tmp_path):
    path = tmp_path / "results.jsonl"
    whole = json.dumps(line(seed=0)) + "\n"
    path.write_text(whole + whole[:20])
    append_result(path, line(seed=1))
    with pytest.warns(UserWarning, match="Line 2"):
        assert [found["seed"] for found in read_results(path)] == [0, 1]


def test_a_timeout_is_tried_again_only_with_more_time():
    assert is_settled(line(status="timeout", limit=10), limit=10)
    assert not is_settled(line(status="timeout", limit=10), limit=20)
    assert not is_settled(line(status="failed"), limit=10)
    assert is_settled(line(), limit=1_000)


def test_a_cell_is_found_again_from_its_line():
    data = DataSet("rff-out", 7, "avici", "block-model", 300, 2, "standardized", "outliers")
    assert Cell.of(json.loads(json.dumps({"method": "ges", **vars(data), "f1": 1}))) == Cell("ges", data)


def test_what_cannot_be_read_is_named(tmp_path):
    assert read_results(tmp_path / "results.jsonl") == []
    with pytest.raises(DataError, match=r"Cannot read results from .*Is a directory"):
        read_results(tmp_path)
