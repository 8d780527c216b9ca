import numpy as np
import pytest
import torch

from fipscm.order.network.encoder import EvidenceConfig, EvidenceEncoder
from fipscm.order.network.views_encoder import ViewsEncoder
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
def views_encoder(tiny_encoder):
    """The same network, shown both views; of what it does not know it says something arbitrary."""
    with torch.random.fork_rng():
        torch.manual_seed(1)
        wide = ViewsEncoder(EvidenceConfig(width=16, rounds=2, heads=2, evidence="views"))
    wide.learn_from(tiny_encoder)
    return wide.eval()


@pytest.fixture
def table():
    rng = np.random.default_rng(1)
    return sample_scm("rff-in", nodes=5, rng=rng).sample(400, rng)
