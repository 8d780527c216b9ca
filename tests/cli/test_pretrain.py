import pandas as pd
import pytest

from fipscm.order.weights import WEIGHTS, load_encoder
from fipscm.simulate import known_scm
from fipscm.tables.archive import load_archive

QUICK = ("pretrain", "--tasks", "small", "--simulators", 0, "--minutes", 0.01)


def test_pretrain_starts_resumes_and_writes_weights(fipscm, tmp_path):
    quick = (*QUICK, "--run", tmp_path)
    assert fipscm(*quick).returncode == 0
    before = load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"]
    assert fipscm(*quick, "--weights", tmp_path / "weights.safetensors").returncode == 0
    assert load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"] > before + 0.5
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert facts["command"] == f"fipscm pretrain --run {tmp_path} --minutes 0.01 --tasks small --seed 0"


def test_the_papers_encoder_is_trained_saved_and_used(fipscm, tmp_path, rng):
    weights, data = tmp_path / "paper.safetensors", tmp_path / "data.csv"
    fipscm(*QUICK, "--run", tmp_path, "--encoder", "paper", "--scale", "raw", "--weights", weights)
    assert load_encoder(weights).config.scale == "raw"
    assert load_archive(weights, "weights")[1]["command"].endswith("--seed 0 --encoder paper --scale raw")
    known_scm("triangle").sample(300, rng).to_csv(data, index=False)
    named = fipscm("order", data, "--scale", "raw", "--weights", weights, "--no-assess").stdout.split()
    assert sorted(named) == sorted(pd.read_csv(data).columns)


def test_further_training_begins_with_the_weights_given(fipscm, tmp_path):
    quick = ("pretrain", "--minutes", 0, "--simulators", 0, "--run", tmp_path)
    fipscm(*quick, "--encoder", "views", "--start", WEIGHTS, "--weights", tmp_path / "again.safetensors")
    again, shipped = (load_encoder(path).state_dict() for path in (tmp_path / "again.safetensors", WEIGHTS))
    assert all((again[name] == value).all() for name, value in shipped.items())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--encoder", "papr"), "did you mean 'paper'"),
        (("--scale", "raw"), "both scales at once"),
        (("--encoder", "paper", "--scale", "row"), "did you mean 'raw'"),
    ],
)
def test_a_mistake_is_found_before_training(fipscm, tmp_path, arguments, message):
    ended = fipscm(*QUICK, "--run", tmp_path / "run", *arguments)
    assert ended.returncode == 2
    assert message in ended.stderr
    assert not (tmp_path / "run").exists()
