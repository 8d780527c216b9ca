from fipscm.tables.archive import load_archive


def test_pretrain_starts_resumes_and_writes_weights(fipscm, tmp_path):
    quick = ("pretrain", "--run", tmp_path, "--tasks", "small", "--simulators", 0, "--minutes", 0.01)
    assert fipscm(*quick).returncode == 0
    before = load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"]
    assert fipscm(*quick, "--weights", tmp_path / "weights.safetensors").returncode == 0
    assert load_archive(tmp_path / "checkpoint.safetensors", "checkpoint")[1]["seconds"] > before + 0.5
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert facts["command"] == f"fipscm pretrain --run {tmp_path} --minutes 0.01 --tasks small --seed 0"
