from typer.testing import CliRunner

from fipscm.cli import app


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def test_pretrain_starts_resumes_and_writes_weights(tmp_path):
    quick = ("pretrain", "--run", tmp_path, "--tasks", "small", "--simulators", 0, "--minutes", 0.01)
    run(*quick)
    before = (tmp_path / "checkpoint.safetensors").read_bytes()
    run(*quick, "--weights", tmp_path / "weights.safetensors")
    assert (tmp_path / "checkpoint.safetensors").read_bytes() != before
    assert (tmp_path / "weights.sha256").exists()
