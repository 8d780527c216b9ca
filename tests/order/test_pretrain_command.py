from typer.testing import CliRunner

from fipscm.cli import app
from fipscm.order.checkpoint import load_tensors


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_pretrain_starts_resumes_and_writes_weights(tmp_path):
    quick = ("pretrain", "--run", tmp_path, "--tasks", "small", "--simulators", 0, "--minutes", 0.01)
    run(*quick)
    before = load_tensors(tmp_path / "checkpoint.safetensors")[1]["seconds"]
    run(*quick, "--weights", tmp_path / "weights.safetensors")
    assert load_tensors(tmp_path / "checkpoint.safetensors")[1]["seconds"] > before + 0.5
    facts = load_tensors(tmp_path / "weights.safetensors")[1]
    assert facts["command"] == f"fipscm pretrain --run {tmp_path} --minutes 0.01 --tasks small --seed 0"
    assert (tmp_path / "weights.sha256").exists()
