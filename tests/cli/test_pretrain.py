from typer.testing import CliRunner

from fipscm.cli.main import app
from fipscm.tables.archive import load_archive


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_pretrain_starts_resumes_and_writes_weights(tmp_path):
    quick = ("pretrain", "--run", tmp_path, "--tasks", "small", "--simulators", 0, "--minutes", 0.01)
    run(*quick)
    before = load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"]
    run(*quick, "--weights", tmp_path / "weights.safetensors")
    assert load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"] > before + 0.5
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert facts["command"] == f"fipscm pretrain --run {tmp_path} --minutes 0.01 --tasks small --seed 0"
    assert (tmp_path / "weights.sha256").exists()
