"""The paper's test collections: SCMs of every graph family, and its counterfactual test.

Shapes: N rows, D variables.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
import pandas as pd

from fipscm.scm.base import SCM
from fipscm.scm.intervention import Do
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.priors import find_prior, sample_scm

DIMENSIONS = (10, 20, 50)
ROWS = 10_000


@dataclass(frozen=True)
class TestCase:
    """One SCM of a collection, what it is called, and the seed that remakes it and its rows."""

    __test__ = False  # pytest would collect it because of its name

    name: str
    preset: str
    family: str
    nodes: int
    replicate: int
    seed: int
    scm: StandardSCM

    def sample(self, rows: int = ROWS) -> pd.DataFrame:
        """Draw the rows of this test case: the same ones at every call."""
        return self.scm.sample(rows, self.generator("rows"))

    def generator(self, purpose: str) -> np.random.Generator:
        """Return the random numbers of one purpose, independent of every other purpose and test case."""
        label = f"{self.name}/{self.preset}/{self.family}/{self.nodes}/{self.replicate}/{purpose}"
        return np.random.default_rng([self.seed, crc32(label.encode())])


def metadataset(
    name: str,
    *,
    dims: Sequence[int] = DIMENSIONS,
    preset: str = "released",
    per_family: int = 3,
    seed: int = 0,
) -> Iterator[TestCase]:
    """Yield `per_family` SCMs for each dimension and graph family; each is the same whatever else is asked for.

    >>> [case.family for case in metadataset("lin-in", dims=[3], per_family=1)]
    ['erdos-renyi', 'scale-free-in', 'scale-free-out']
    """
    for nodes in dims:
        for replicate in range(per_family):
            for family in find_prior(name, preset).families:
                label = f"{name}/{preset}/{family}/{nodes}/{replicate}/scm"
                rng = np.random.default_rng([seed, crc32(label.encode())])
                scm = sample_scm(name, nodes, rng, preset, family)
                yield TestCase(name, preset, family, nodes, replicate, seed, scm)


@dataclass(frozen=True)
class CounterfactualTest:
    """Factual rows, an intervention on them, and what they truly would have been."""

    __test__ = False

    factual: pd.DataFrame
    do: Do
    truth: pd.DataFrame


def counterfactual_tests(
    scm: SCM, observed: pd.DataFrame, rng: np.random.Generator, rows: int = 100
) -> Iterator[CounterfactualTest]:
    """Yield D tests: a random variable set to a uniform value within its observed range, on fresh rows."""
    for _ in scm.names:
        target = scm.names[rng.integers(len(scm.names))]
        value = rng.uniform(observed[target].min(), observed[target].max())
        factual, noise = scm.sample_arrays(rows, rng)
        truth = scm.do({target: value}).noise_to_sample(noise)
        columns = list(scm.names)
        yield CounterfactualTest(
            pd.DataFrame(factual, columns=columns), {target: value}, pd.DataFrame(truth, columns=columns)
        )
