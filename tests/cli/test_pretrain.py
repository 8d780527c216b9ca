import pandas as pd
import pytest
from typer.testing import CliRunner

from fipscm.cli.main import app
from fipscm.errors import OrderError, UnknownNameError
from fipscm.order.weights import WEIGHTS, load_encoder
from fipscm.simulate import known_scm
from fipscm.tables.archive import load_archive

QUICK = ("pretrain", "--tasks", "small", "--simulators", 0, "--minutes", 0.01)


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_pretrain_starts_resumes_and_writes_weights(tmp_path):
    quick = (*QUICK, "--run", tmp_path)
    run(*quick)
    before = load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"]
    run(*quick, "--weights", tmp_path / "weights.safetensors")
    assert load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"] > before + 0.5
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert facts["command"] == f"fipscm pretrain --run {tmp_path} --minutes 0.01 --tasks small --seed 0"


def test_the_papers_encoder_is_trained_saved_and_used(tmp_path, rng):
    weights, data = tmp_path / "paper.safetensors", tmp_path / "data.csv"
    run(*QUICK, "--run", tmp_path, "--encoder", "paper", "--scale", "raw", "--weights", weights)
    assert load_encoder(weights).config.scale == "raw"
    assert load_archive(weights, "weights")[1]["command"].endswith("--seed 0 --encoder paper --scale raw")
    known_scm("triangle").sample(300, rng).to_csv(data, index=False)
    named = run("order", data, "--scale", "raw", "--weights", weights).split()
    assert sorted(named) == sorted(pd.read_csv(data).columns)


def test_further_training_begins_with_the_weights_given(tmp_path):
    quick = ("pretrain", "--minutes", 0, "--simulators", 0, "--run", tmp_path)
    run(*quick, "--start", WEIGHTS, "--weights", tmp_path / "again.safetensors")
    again, shipped = (load_encoder(path).state_dict() for path in (tmp_path / "again.safetensors", WEIGHTS))
    assert all((again[name] == value).all() for name, value in shipped.items())


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("--encoder", "papr"), UnknownNameError, "did you mean 'paper'"),
        (("--scale", "raw"), OrderError, "both scales at once"),
        (("--encoder", "paper", "--scale", "row"), UnknownNameError, "did you mean 'raw'"),
    ],
)
def test_a_mistake_is_found_before_training(tmp_path, arguments, error, message):
    with pytest.raises(error, match=message):
        run(*QUICK, "--run", tmp_path / "run", *arguments)
    assert not (tmp_path / "run").exists()
