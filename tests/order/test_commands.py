import json

import pytest
from typer.testing import CliRunner

from fipscm.cli import app


@pytest.fixture
def data(table, tmp_path):
    path = tmp_path / "data.csv"
    table.to_csv(path, index=False)
    return path


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_order_names_every_column_once(data):
    assert sorted(run("order", data).split()) == ["x0", "x1", "x2", "x3", "x4"]
    assert run("order", data, "--method", "variance").split() != []


def test_order_tells_confidences_and_edges_as_json(data):
    answer = json.loads(run("order", data, "--json", "--scale", "raw"))
    assert sorted(answer["order"]) == sorted(answer["edges"]) == sorted(answer["confidence"])
    last, first = answer["order"][-1], answer["order"][0]
    assert answer["edges"][last][first] == 0
    assert answer["confidence"][first][last] + answer["confidence"][last][first] == pytest.approx(1)


def test_order_draws_the_graph(data, tmp_path):
    run("order", data, "--plot", tmp_path / "graph.png")
    assert (tmp_path / "graph.png").read_bytes().startswith(b"\x89PNG")


def test_pretrain_starts_resumes_and_writes_weights(tmp_path):
    quick = ("pretrain", "--run", tmp_path, "--tasks", "small", "--simulators", 0, "--minutes", 0.01)
    run(*quick)
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    run(*quick, "--weights", tmp_path / "weights.safetensors")
    assert (tmp_path / "checkpoint.safetensors").read_bytes() != before
    assert (tmp_path / "weights.sha256").exists()
