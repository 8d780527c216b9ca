import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

from fipscm.order.checkpoint import load_tensors
from fipscm.order.model import EvidenceConfig
from fipscm.order.pretrain import CHECKPOINT, CURVE, LOG, Objective, PretrainConfig, export, pretrain
from fipscm.order.tasks import TaskConfig, training_batch
from fipscm.order.trainer import OptimizerConfig, Trainer
from fipscm.order.weights import load_encoder

TINY = PretrainConfig(
    tasks=TaskConfig(nodes=((3, 5, 1.0),), rows=(100, 150), scms=2, prefixes=2),
    encoder=EvidenceConfig(width=8, rounds=1, heads=2),
    log_every=2,
)


def tensors_of(run):
    return load_tensors(run / CHECKPOINT)[0]


def assert_same(first, second):
    assert first.keys() == second.keys()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_stopped_run_resumes_bit_for_bit(tmp_path):
    pretrain(TINY, tmp_path / "whole", steps=6)
    pretrain(TINY, tmp_path / "parts", steps=3)
    pretrain(TINY, tmp_path / "parts", steps=6)
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "parts"))


def test_the_number_of_simulators_changes_nothing(tmp_path):
    pretrain(TINY, tmp_path / "none", steps=4, simulators=0)
    pretrain(TINY, tmp_path / "two", steps=4, simulators=2)
    assert_same(tensors_of(tmp_path / "none"), tensors_of(tmp_path / "two"))


def test_a_killed_run_repeats_what_it_had_not_saved(tmp_path):
    pretrain(TINY, tmp_path / "whole", steps=6)
    pretrain(TINY, tmp_path / "killed", steps=4)
    with (tmp_path / "killed" / LOG).open("a") as file:  # steps beyond the checkpoint, as a kill leaves them
        file.write(json.dumps({"step": 6, "minutes": 1}) + '\n{"step": 8, "minu')
    (tmp_path / "killed" / f".{CHECKPOINT}.half").write_bytes(b"half a file")
    pretrain(TINY, tmp_path / "killed", steps=6)
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "killed"))
    steps = [json.loads(line)["step"] for line in (tmp_path / "killed" / LOG).read_text().splitlines()]
    assert steps == [2, 4, 6]


def test_a_batch_without_a_finite_gradient_changes_nothing(tmp_path):
    trainer = Trainer(TINY.encoder, TINY.optimizer, seed=0)
    before = {name: value.clone() for name, value in trainer.encoder.state_dict().items()}
    loss, _ = Objective(trainer.encoder)(training_batch(TINY.tasks, 0))
    with pytest.warns(UserWarning, match="Step 1 has no finite gradient"):
        trainer.update(loss * torch.inf)
    assert_same(before, trainer.encoder.state_dict())
    assert trainer.step == 1


def test_a_run_leaves_a_log_a_curve_and_weights_to_ship(tmp_path):
    trainer = pretrain(TINY, tmp_path, steps=4)
    assert len((tmp_path / LOG).read_text().splitlines()) == 2
    assert (tmp_path / CURVE).read_bytes().startswith(b"\x89PNG")
    export(trainer, TINY, tmp_path / "weights.safetensors")
    shipped = load_encoder(tmp_path / "weights.safetensors").state_dict()
    averaged = trainer.average.module.state_dict()
    assert all(torch.equal(shipped[name], averaged[name]) for name in averaged)
    facts = load_tensors(tmp_path / "weights.safetensors")[1]
    assert {"command", "seed", "steps", "prior", "scores", "config"} <= facts.keys()


def test_training_lowers_the_loss():
    tasks = replace(TINY.tasks, scms=4)
    trainer = Trainer(TINY.encoder, OptimizerConfig(rate=3e-3, warmup=5), seed=0)
    objective = Objective(trainer.encoder)
    batches = [training_batch(tasks, index) for index in range(8)]

    def mean_loss():
        with torch.no_grad():
            return sum(objective(batch)[0].item() for batch in batches) / len(batches)

    before = mean_loss()
    for _ in range(8):
        for batch in batches:
            trainer.update(objective(batch)[0])
    assert mean_loss() < 0.8 * before


SCRIPT = """
import sys
from pathlib import Path
from test_pretrain import TINY
from fipscm.order.pretrain import pretrain
pretrain(TINY, Path(sys.argv[1]), steps=3, simulators=0)
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch was built without distributed training")
def test_two_processes_train_one_model(tmp_path):
    """Two trainers on their own batches equal one trainer on the mean of both losses."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    environment = os.environ | {"PYTHONPATH": os.path.dirname(__file__), "OMP_NUM_THREADS": "1"}
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([*torchrun, str(script), str(tmp_path / "run")], env=environment, check=True, timeout=120)
    trainer = Trainer(TINY.encoder, TINY.optimizer, TINY.tasks.seed)
    objective = Objective(trainer.encoder)
    for step in range(3):
        losses = [objective(training_batch(TINY.tasks, 2 * step + rank))[0] for rank in range(2)]
        trainer.update(sum(losses) / 2)
    together = tensors_of(tmp_path / "run")
    for name, value in trainer.encoder.state_dict().items():
        assert torch.allclose(together[f"encoder.{name}"], value, atol=1e-5)
