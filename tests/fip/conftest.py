"""A model of three columns, whose order is given."""

import numpy as np
import pytest

from fipscm import FiP
from fipscm.simulate import known_scm

ORDER = ["age", "dose", "pain"]


@pytest.fixture(scope="module")
def table():
    frame = known_scm("triangle").sample(4000, np.random.default_rng(0))
    return frame.set_axis(ORDER, axis=1).set_axis([f"row{i}" for i in range(4000)])


@pytest.fixture(scope="module")
def model(table):
    return FiP(order=ORDER, random_state=0).fit(table)
