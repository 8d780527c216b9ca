import math
import warnings

import numpy as np
import pytest
import torch

from fipscm.graph import allowed_from_order
from fipscm.mechanism.network.train import TrainingConfig, chunked_backward, held_out_errors, train
from fipscm.mechanism.network.transformer import CausalTransformer, Parents, TransformerConfig

SMALL = TransformerConfig(width=16, heads=2, head_width=8, layers=2, hidden=16)
PARENTS = Parents.of(allowed_from_order([0, 1]), [1])


@pytest.fixture(scope="module")
def curve():
    rng = np.random.default_rng(0)
    x = torch.as_tensor(rng.standard_normal((1_000, 2)), dtype=torch.float32)
    return x, torch.sin(2 * x[:, :1]) + 0.1 * torch.as_tensor(rng.standard_normal((1_000, 1)), dtype=torch.float32)


def run(curve, config, **options):
    network = CausalTransformer(2, SMALL, torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    return network, train(network, PARENTS, *curve, 800, config, generator, **options)


def test_training_learns_a_curve_close_to_its_noise(curve):
    _, progress = run(curve, TrainingConfig(epochs=20, batch=100, rate=5e-3))
    assert progress.best < 0.05


def test_cells_without_a_target_teach_nothing(curve):
    x, target = curve
    gaps = target.clone()
    gaps[::2] = math.nan
    gradients = []
    for inputs, wanted in ((x, gaps), (x[1::2], target[1::2])):
        network = CausalTransformer(2, SMALL, torch.Generator().manual_seed(0))
        chunked_backward(network, PARENTS, inputs, wanted)
        gradients.append(network.decoder.grad[1])
    torch.testing.assert_close(2 * gradients[0], gradients[1])
    assert (held_out_errors(network, PARENTS, x, gaps, 800)[::2] == 0).all()


def test_the_best_weights_are_restored(curve):
    network, progress = run(curve, TrainingConfig(epochs=12, batch=100, rate=5e-3, patience=2))
    error = (network(curve[0][800:], PARENTS) - curve[1][800:]).square().mean().item()
    assert error == pytest.approx(progress.best, rel=1e-5)


def test_the_same_seed_gives_the_same_weights(curve):
    config = TrainingConfig(epochs=2)
    first, second = (run(curve, config)[0].state_dict() for _ in range(2))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_an_interrupted_run_resumes_where_it_stopped(curve, tmp_path):
    config = TrainingConfig(epochs=4, batch=200)
    uninterrupted, _ = run(curve, config)

    def interrupt(progress):
        if progress.epoch == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(curve, config, report=interrupt, checkpoint=tmp_path / "run")
    resumed, progress = run(curve, config, checkpoint=tmp_path / "run")
    assert progress.epoch == 4
    for name, value in uninterrupted.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], value, rtol=0, atol=0)


def test_divergence_stops_with_the_last_good_weights_and_a_warning(curve):
    x, target = curve
    poisoned = target.clone()
    poisoned[3] = math.inf
    with pytest.warns(RuntimeWarning, match="diverged in epoch 1"):
        network, _ = run((x, poisoned), TrainingConfig(epochs=3))
    assert all(value.isfinite().all() for value in network.state_dict().values())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run(curve, TrainingConfig(epochs=1))
