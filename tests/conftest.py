"""Shared test material: every SCM the package can make, and where the published data lie."""

from pathlib import Path

import numpy as np
import pytest

from fipscm.simulate import KNOWN_SCMS, PRIORS, known_scm, sample_scm

PUBLISHED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"

EVERY_SCM = {name: known_scm(name) for name in KNOWN_SCMS} | {
    f"{name}-{preset}": sample_scm(name, 6, np.random.default_rng(3), preset)
    for preset, priors in PRIORS.items()
    for name in priors
}


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(params=EVERY_SCM.values(), ids=EVERY_SCM.keys())
def scm(request):
    return request.param


@pytest.fixture
def published_data():
    if not PUBLISHED_DATA.is_dir():
        pytest.skip(f"no published data at {PUBLISHED_DATA}: put the sachs/ and syntren/ folders there to run this")
    return PUBLISHED_DATA
