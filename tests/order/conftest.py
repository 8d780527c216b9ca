from dataclasses import replace

import numpy as np
import pytest
import torch

from fipscm.order.network.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.training.recipe import Recipe
from fipscm.order.weights import save_encoder
from fipscm.simulate import sample_scm


@pytest.fixture(autouse=True, scope="session")
def one_thread():
    """Tests run in parallel processes and on small tables: more threads would only get in each other's way."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def tiny_encoder():
    """An untrained network: laws of symmetry hold for any weights."""
    with torch.random.fork_rng():
        torch.manual_seed(0)
        return EvidenceEncoder(EvidenceConfig(width=16, rounds=2, heads=2)).eval()


@pytest.fixture(scope="session")
def save_weights():
    """Write the weights of an encoder that nobody trained, and return the path."""

    def save(encoder, path):
        save_encoder(encoder, path, replace(Recipe.read("smoke"), network=encoder.config).content(), {"steps": 0})
        return path

    return save


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    return sample_scm("rff-in", nodes=5, rng=rng).sample(400, rng)
