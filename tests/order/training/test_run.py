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
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.training import journal
from fipscm.order.training.examples import training_batch
from fipscm.order.training.journal import CHECKPOINT, CURVE, LOG
from fipscm.order.training.objectives import COURSES, EvidenceObjective
from fipscm.order.training.recipe import Recipe
from fipscm.order.training.run import pretrain
from fipscm.order.training.trainer import Trainer
from fipscm.order.weights import load_encoder
from fipscm.tables.archive import load_archive

SMOKE = Recipe.read("smoke")
STAGE = replace(
    SMOKE.stages[0], steps=4, warmup=300, nodes=((3, 5, 1.0),), rows=(100, 150), scms=2, families={"p-in": 1.0}
)


LONG = replace(STAGE, steps=1_000, cooldown=0)
TINY = replace(SMOKE, stages=(replace(STAGE, passes=1), replace(LONG, passes=1)))
TINY_POOL = replace(SMOKE, stages=(replace(STAGE, pool=1), replace(LONG, pool=1)))
TINY_RESTART = replace(TINY, stages=(TINY.stages[0], replace(TINY.stages[1], restart=True)))
TINY_PAPER = replace(TINY, network=AxialConfig(width=8, heads=2, layers=1, rows=30))
EVERY_RECIPE = pytest.mark.parametrize(
    "recipe", [TINY, TINY_POOL, TINY_RESTART, TINY_PAPER], ids=["evidence", "pool", "restart", "paper"]
)


@pytest.fixture(autouse=True)
def every_second_step_is_logged(monkeypatch):
    monkeypatch.setattr(journal, "LOG_EVERY", 2)


def tensors_of(run):
    return load_archive(run / CHECKPOINT, "checkpoint")[0]


def assert_same(first, second):
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


@EVERY_RECIPE
def test_a_stopped_run_resumes_bit_for_bit(recipe, tmp_path):
    pretrain(recipe, tmp_path / "whole", steps=6)
    pretrain(recipe, tmp_path / "parts", steps=3)
    pretrain(recipe, tmp_path / "parts", steps=6)
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "parts"))


@EVERY_RECIPE
def test_the_number_of_simulators_changes_nothing(recipe, tmp_path):
    pretrain(recipe, tmp_path / "none", steps=4, simulators=0)
    pretrain(recipe, tmp_path / "two", steps=4, simulators=2)
    assert_same(tensors_of(tmp_path / "none"), tensors_of(tmp_path / "two"))


def first_stage_alone(tmp_path):
    weights = tmp_path / "first.safetensors"
    pretrain(replace(TINY, stages=TINY.stages[:1]), tmp_path / "first", simulators=0, weights=weights)
    return weights


def test_a_restart_after_the_weights_of_the_stages_before_is_that_of_the_whole_run(tmp_path):
    pretrain(TINY_RESTART, tmp_path / "whole", steps=STAGE.steps + 2, simulators=0)
    pretrain(TINY_RESTART, tmp_path / "later", steps=STAGE.steps + 2, simulators=0, after=first_stage_alone(tmp_path))
    assert_same(tensors_of(tmp_path / "whole"), tensors_of(tmp_path / "later"))


def test_a_restart_forgets_all_but_the_averaged_weights(tmp_path):
    trainer = pretrain(TINY_RESTART, tmp_path, steps=STAGE.steps, simulators=0)
    averaged = {name: value.clone() for name, value in trainer.average.module.state_dict().items()}
    trainer.restart_if_due()
    assert_same(averaged, trainer.encoder.state_dict())
    assert_same(averaged, trainer.average.module.state_dict())
    assert not trainer.optimizer.state_dict()["state"]


@pytest.mark.parametrize(
    "recipe",
    [TINY, replace(TINY, stages=TINY.stages[:1]), replace(TINY_RESTART, seed=1)],
    ids=["no restart", "no later stage", "another seed"],
)
def test_weights_of_other_stages_are_refused(recipe, tmp_path):
    weights = first_stage_alone(tmp_path)
    with pytest.raises(ModelFileError, match=r"first\.safetensors' are not those of the first stages"):
        pretrain(recipe, tmp_path / "run", steps=STAGE.steps + 1, simulators=0, after=weights)


def test_weights_of_a_stage_that_did_not_end_are_refused(tmp_path):
    weights = tmp_path / "weights.safetensors"
    pretrain(replace(TINY, stages=TINY.stages[:1]), tmp_path / "first", steps=2, simulators=0, weights=weights)
    with pytest.raises(ModelFileError, match="are not those of the first stages"):
        pretrain(TINY_RESTART, tmp_path / "run", steps=STAGE.steps + 1, simulators=0, after=weights)


ENDLESS = """
import sys
from pathlib import Path
from test_run import TINY
from fipscm.order.training.run import pretrain
pretrain(TINY, Path(sys.argv[1]), save_minutes=0)
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
    pretrain(TINY_POOL, tmp_path, steps=STAGE.steps + 8, simulators=0)
    kept = {int(file.stem) for file in (tmp_path / "batches" / "1").iterdir()}
    assert 3 in kept <= {2, 3, 4}


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
    with pytest.raises(ModelFileError, match=r"has another seed \(0, not 1\)"):
        pretrain(replace(TINY, seed=1), tmp_path, steps=2)


def test_a_run_is_resumed_with_its_own_encoder_only(tmp_path):
    pretrain(TINY, tmp_path, steps=1)
    differs = r"another network \(width 8, rounds 1, heads 2, dropout 0.0, not width 8, heads 2"
    with pytest.raises(ModelFileError, match=differs):
        pretrain(TINY_PAPER, tmp_path, steps=2)


def test_only_stages_that_have_not_begun_may_change(tmp_path):
    pretrain(TINY, tmp_path, steps=STAGE.steps, simulators=0)
    later = replace(TINY, stages=(TINY.stages[0], replace(LONG, rate=1e-4)))
    assert pretrain(later, tmp_path, steps=STAGE.steps + 1, simulators=0).step == STAGE.steps + 1
    earlier = replace(TINY, stages=(replace(TINY.stages[0], rate=1e-4), LONG))
    with pytest.raises(ModelFileError, match="was trained by another recipe so far"):
        pretrain(earlier, tmp_path, steps=STAGE.steps + 2)


def test_a_batch_without_a_finite_gradient_changes_nothing(tmp_path):
    trainer = Trainer(TINY)
    before = {name: value.clone() for name, value in trainer.encoder.state_dict().items()}
    loss, _ = EvidenceObjective(trainer.encoder)(training_batch(TINY.stages[0], (0, 0, 0)))
    with pytest.warns(UserWarning, match="Step 1 has no finite gradient"):
        trainer.update(loss * torch.inf)
    assert_same(before, trainer.encoder.state_dict())
    assert trainer.step == 1


@EVERY_RECIPE
def test_a_run_leaves_a_log_a_curve_and_weights_to_ship(recipe, tmp_path):
    told = []
    trainer = pretrain(recipe, tmp_path, steps=4, weights=tmp_path / "weights.safetensors", tell=told.append)
    assert [json.loads(line) for line in (tmp_path / LOG).read_text().splitlines()] == told
    assert [line["step"] for line in told] == [2, 4]
    assert (tmp_path / CURVE).read_bytes().startswith(b"\x89PNG")
    shipped = load_encoder(tmp_path / "weights.safetensors").state_dict()
    averaged = trainer.average.module.state_dict()
    assert all(torch.equal(shipped[name], averaged[name]) for name in averaged)
    facts = load_archive(tmp_path / "weights.safetensors", "weights")[1]
    assert (facts["recipe_digest"], facts["steps"]) == (recipe.digest, 4)


@pytest.mark.parametrize(("recipe", "share"), [(TINY, 0.8), (TINY_PAPER, 0.95)], ids=["evidence", "paper"])
def test_training_lowers_the_loss(recipe, share):
    stage, course = replace(LONG, rate=3e-3, warmup=5, scms=4), COURSES[type(recipe.network)]
    trainer = Trainer(replace(recipe, stages=(stage,)))
    objective = course.objective(trainer.encoder)
    batches = [course.batch(stage, recipe.network, (0, 0, index)) for index in range(8)]

    def mean_loss():
        with torch.no_grad():
            return sum(objective(batch)[0].item() for batch in batches) / len(batches)

    before = mean_loss()
    for _ in range(16):
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
    trainer = Trainer(TINY)
    objective = EvidenceObjective(trainer.encoder)
    for step in range(3):
        losses = [objective(training_batch(TINY.stages[0], (0, 0, 2 * step + rank)))[0] for rank in range(2)]
        trainer.update(sum(losses) / 2)
    together = tensors_of(tmp_path / "run")
    for name, value in trainer.encoder.state_dict().items():
        np.testing.assert_allclose(together[f"encoder.{name}"], value, atol=1e-5)
    exported = load_encoder(tmp_path / "run" / "weights.safetensors").state_dict()
    assert all(np.array_equal(together[f"average.module.{name}"], value) for name, value in exported.items())
