import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from fipscm.errors import ModelFileError
from fipscm.order.network.encoder import EvidenceConfig
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.training.config import PretrainConfig
from fipscm.order.training.examples import TaskConfig, training_batch
from fipscm.order.training.journal import CHECKPOINT, CURVE, LOG
from fipscm.order.training.objectives import COURSES, EvidenceObjective
from fipscm.order.training.run import pretrain
from fipscm.order.training.trainer import OptimizerConfig, Trainer
from fipscm.order.weights import load_encoder
from fipscm.tables.archive import load_archive

TINY = PretrainConfig(
    tasks=TaskConfig(nodes=((3, 5, 1.0),), rows=(100, 150), scms=2, prefixes=2),
    encoder=EvidenceConfig(width=8, rounds=1, heads=2),
    log_every=2,
)
TINY_PAPER = replace(TINY, encoder=AxialConfig(width=8, heads=2, layers=1, rows=30))
TINY_VIEWS = replace(TINY, tasks=replace(TINY.tasks, passes=2, pool=1), encoder=replace(TINY.encoder, evidence="views"))
EVERY_ENCODER = pytest.mark.parametrize("config", [TINY, TINY_VIEWS, TINY_PAPER], ids=["evidence", "views", "paper"])


def tensors_of(run):
    return load_archive(run / CHECKPOINT, "checkpoint")[0]


def assert_same(first, second):
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


@EVERY_ENCODER
def test_a_stopped_run_resumes_bit_for_bit(config, tmp_path):
    pretrain(config, tmp_path / "whole", steps=6)
    pretrain(config, tmp_path / "parts", steps=3)
    pretrain(config, tmp_path / "parts", steps=6)
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "parts"))


@EVERY_ENCODER
def test_the_number_of_simulators_changes_nothing(config, tmp_path):
    pretrain(config, tmp_path / "none", steps=4, simulators=0)
    pretrain(config, tmp_path / "two", steps=4, simulators=2)
    assert_same(tensors_of(tmp_path / "none"), tensors_of(tmp_path / "two"))


ENDLESS = """
import sys
from dataclasses import replace
from pathlib import Path
from test_run import TINY
from fipscm.order.training.run import pretrain
pretrain(replace(TINY, save_minutes=0), Path(sys.argv[1]))
"""


def with_this_folder():
    folders = [os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, folders)), "OMP_NUM_THREADS": "1"}


def test_a_killed_process_loses_nothing_it_had_saved(tmp_path):
    """Killed at a moment nobody chose, resumed, and the same bits as never interrupted."""
    killed = tmp_path / "killed"
    process = subprocess.Popen([sys.executable, "-c", ENDLESS, str(killed)], env=with_this_folder())
    deadline = time.monotonic() + 120
    while not (killed / CHECKPOINT).exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    saved = load_archive(killed / CHECKPOINT, "checkpoint")[1]["step"]
    pretrain(TINY, killed, steps=saved + 4)
    pretrain(TINY, tmp_path / "whole", steps=saved + 4)
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(killed))


def test_batches_seen_again_are_read_from_files_and_only_the_last_are_kept(tmp_path):
    pretrain(TINY_VIEWS, tmp_path, steps=8, simulators=0)
    kept = {int(file.stem) for file in (tmp_path / "batches").iterdir()}
    assert 3 in kept <= {2, 3}


def test_a_run_that_knows_its_last_step_ends_at_rest():
    rates = [OptimizerConfig(rate=1.0, warmup=2, steps=10, cooldown=4).rate_at(step) for step in range(1, 12)]
    assert rates == [0.5, 1, 1, 1, 1, 1, 1, 0.75, 0.5, 0.25, 0]
    assert OptimizerConfig(rate=1.0).rate_at(10**9) == 1


def test_lines_logged_beyond_the_checkpoint_are_forgotten(tmp_path):
    pretrain(TINY, tmp_path, steps=4)
    with (tmp_path / LOG).open("a") as file:  # as a kill leaves them
        file.write(json.dumps({"step": 6, "minutes": 1}) + '\n{"step": 8, "minu')
    pretrain(TINY, tmp_path, steps=6)
    steps = [json.loads(line)["step"] for line in (tmp_path / LOG).read_text().splitlines()]
    assert steps == [2, 4, 6]


def test_a_damaged_checkpoint_is_named(tmp_path):
    pretrain(TINY, tmp_path, steps=1)
    checkpoint = tmp_path / CHECKPOINT
    checkpoint.write_bytes(checkpoint.read_bytes()[:100])
    with pytest.raises(ModelFileError, match=r"checkpoint\.safetensors' is not a checkpoint file"):
        pretrain(TINY, tmp_path, steps=2)


def test_a_run_is_resumed_with_its_own_seed_only(tmp_path):
    pretrain(TINY, tmp_path, steps=1)
    with pytest.raises(ModelFileError, match="has the seed 0, not 1"):
        pretrain(replace(TINY, tasks=replace(TINY.tasks, seed=1)), tmp_path, steps=2)


def test_a_run_is_resumed_with_its_own_encoder_only(tmp_path):
    pretrain(TINY, tmp_path, steps=1)
    with pytest.raises(ModelFileError, match=r"another encoder \(width 8, .*, evidence values, not width 8, heads 2"):
        pretrain(TINY_PAPER, tmp_path, steps=2)


@pytest.fixture
def trained(tmp_path):
    """Weights of a short run."""
    path = tmp_path / "trained.safetensors"
    pretrain(TINY, tmp_path / "earlier", steps=3, simulators=0, weights=path)
    return path


def test_a_new_run_begins_with_given_weights(trained, tmp_path):
    begun = pretrain(TINY, tmp_path / "new", steps=0, start=trained, simulators=0)
    expected = load_encoder(trained).state_dict()
    assert_same(begun.encoder.state_dict(), expected)
    assert_same(begun.average.module.state_dict(), expected)
    assert not begun.optimizer.state


def test_a_larger_network_begins_with_what_a_smaller_one_says(trained, tmp_path):
    larger = replace(TINY, encoder=replace(TINY.encoder, rounds=TINY.encoder.rounds + 2, evidence="views"))
    smaller = replace(larger, encoder=replace(TINY.encoder, evidence="views"))
    between = tmp_path / "between.safetensors"
    pretrain(smaller, tmp_path / "smaller", steps=2, start=trained, simulators=0, weights=between)
    begun = pretrain(larger, tmp_path / "larger", steps=0, start=between, simulators=0)
    slab = training_batch(TINY.tasks, 0, "views")[0]
    evidence = slab.pair, slab.node, slab.scale, slab.raw
    for one, other in zip(begun.average.module(*evidence), load_encoder(between)(*evidence), strict=True):
        assert torch.allclose(one, other, atol=1e-5)


def test_a_smaller_network_cannot_begin_with_a_larger_one(trained, tmp_path):
    smaller = replace(TINY, encoder=replace(TINY.encoder, rounds=TINY.encoder.rounds - 1, evidence="views"))
    with pytest.raises(ModelFileError, match="are of another encoder"):
        pretrain(smaller, tmp_path / "new", steps=1, start=trained)


def test_a_checkpoint_goes_before_weights_to_begin_with(trained, tmp_path):
    plain = pretrain(TINY, tmp_path / "run", steps=2, simulators=0)
    with pytest.warns(UserWarning, match=r"goes on from its own checkpoint.*trained\.safetensors' are not used"):
        resumed = pretrain(TINY, tmp_path / "run", steps=2, start=trained, simulators=0)
    assert_same(resumed.encoder.state_dict(), plain.encoder.state_dict())


def test_weights_of_another_encoder_cannot_begin_a_run(trained, tmp_path):
    with pytest.raises(ModelFileError, match=r"another encoder \(encoder evidence, .* \(encoder paper"):
        pretrain(TINY_PAPER, tmp_path / "new", steps=1, start=trained)


def test_a_batch_without_a_finite_gradient_changes_nothing(tmp_path):
    trainer = Trainer(TINY.encoder, TINY.optimizer, seed=0)
    before = {name: value.clone() for name, value in trainer.encoder.state_dict().items()}
    loss, _ = EvidenceObjective(trainer.encoder)(training_batch(TINY.tasks, 0))
    with pytest.warns(UserWarning, match="Step 1 has no finite gradient"):
        trainer.update(loss * torch.inf)
    assert_same(before, trainer.encoder.state_dict())
    assert trainer.step == 1


@EVERY_ENCODER
def test_a_run_leaves_a_log_a_curve_and_weights_to_ship(config, tmp_path):
    told = []
    trainer = pretrain(config, tmp_path, steps=4, weights=tmp_path / "weights.safetensors", tell=told.append)
    assert [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()] == told
    assert [line["step"] for line in told] == [2, 4]
    assert (tmp_path / CURVE).read_bytes().startswith(b"\x89PNG")
    shipped = load_encoder(tmp_path / "weights.safetensors").state_dict()
    averaged = trainer.average.module.state_dict()
    assert all(torch.equal(shipped[name], averaged[name]) for name in averaged)
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert {"command", "seed", "steps", "prior", "scores", "config"} <= facts.keys()


@pytest.mark.parametrize(("config", "share"), [(TINY, 0.8), (TINY_PAPER, 0.9)], ids=["evidence", "paper"])
def test_training_lowers_the_loss(config, share):
    tasks, course = replace(config.tasks, scms=4), COURSES[type(config.encoder)]
    trainer = Trainer(config.encoder, OptimizerConfig(rate=3e-3, warmup=5), seed=0)
    objective = course.objective(trainer.encoder)
    batches = [course.batch(tasks, config.encoder, index) for index in range(8)]

    def mean_loss():
        with torch.no_grad():
            return sum(objective(batch)[0].item() for batch in batches) / len(batches)

    before = mean_loss()
    for _ in range(8):
        for batch in batches:
            trainer.update(objective(batch)[0])
    assert mean_loss() < share * before


SCRIPT = """
import sys
from pathlib import Path
from test_run import TINY
from fipscm.order.training.run import pretrain
run = Path(sys.argv[1])
pretrain(TINY, run, steps=3, simulators=0, weights=run / "weights.safetensors")
"""


@pytest.mark.skipif(not torch.distributed.is_available(), reason="this PyTorch was built without distributed training")
def test_two_processes_train_one_model(tmp_path):
    """Two trainers on their own batches equal one trainer on the mean of both losses."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run([*torchrun, str(script), str(tmp_path / "run")], env=with_this_folder(), check=True, timeout=400)
    trainer = Trainer(TINY.encoder, TINY.optimizer, TINY.tasks.seed)
    objective = EvidenceObjective(trainer.encoder)
    for step in range(3):
        losses = [objective(training_batch(TINY.tasks, 2 * step + rank))[0] for rank in range(2)]
        trainer.update(sum(losses) / 2)
    together = tensors_of(tmp_path / "run")
    for name, value in trainer.encoder.state_dict().items():
        np.testing.assert_allclose(together[f"encoder.{name}"], value, atol=1e-5)
    exported = load_encoder(tmp_path / "run" / "weights.safetensors").state_dict()
    assert all(np.array_equal(together[f"average.module.{name}"], value) for name, value in exported.items())
