"""The random SCM priors P_IN and P_OUT, in both presets. Shapes: D variables, P parents, K features.

`avici` follows AVICI's own configuration, `released` the code the paper released; the two disagree, so every result
names its preset. The networks (mlp-in, mlp-out) are neither's: a third kind of mechanism on the same graphs and noises.
"""

from dataclasses import dataclass

import numpy as np

from fipscm.arrays import Adjacency, Array
from fipscm.errors import GraphError, unknown_name
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.graphs import sample_graph
from fipscm.simulate.mechanisms import Equation, Fourier, Linear, Location, LogisticNetwork, NoiseSpread
from fipscm.simulate.noises import Noise

RANDOM_FEATURES = 100
HIDDEN_UNITS = 100
Range = tuple[float, float]


@dataclass(frozen=True)
class FourierRanges:
    """Length and output scales of Fourier functions; `shared`: all nodes share one draw of the features."""

    lengths: tuple[Range, ...]
    outputs: tuple[Range, ...]
    shared: bool = False


_SPREAD = FourierRanges(((10, 10),), ((2, 2),))


@dataclass(frozen=True)
class Prior:
    """A distribution over SCMs, linear unless it has `functions` or `networks`.

    A tuple of ranges means: choose one range per SCM, then draw within it.

    Attributes:
        families: graph families, one drawn per SCM unless the caller names one.
        weights: ranges of the absolute linear weights.
        functions: ranges of the Fourier functions.
        networks: ranges of the absolute weights of networks with one hidden layer.
        noise: the name of the noise law.
        common_scale: all noises of an SCM share one scale.
        heteroscedastic: the noise scale is a random function of the parents instead of a number.
    """

    families: tuple[str, ...]
    weights: tuple[Range, ...] = ()
    functions: FourierRanges | None = None
    networks: tuple[Range, ...] = ()
    noise: str = "normal"
    common_scale: bool = False
    heteroscedastic: bool = False
    scales: Range = (0.2, 2.0)
    biases: Range = (-3.0, 3.0)

    def sample(self, nodes: int, rng: np.random.Generator, family: str | None = None) -> StandardSCM:
        """Draw one SCM."""
        adjacency = sample_graph(family or str(rng.choice(self.families)), nodes, rng)
        locations = self._locations(adjacency, rng)
        if self.heteroscedastic:
            spreads = [NoiseSpread(function) for function in _fourier(adjacency, rng, _SPREAD, (0, 0))]
            equations = [Equation(*pair) for pair in zip(locations, spreads, strict=True)]
            scales: Array = np.ones(nodes)
        else:
            equations = [Equation(location) for location in locations]
            scales = rng.uniform(*self.scales, 1 if self.common_scale else nodes) * np.ones(nodes)
        return StandardSCM.build(adjacency, Noise.of(self.noise, scales), tuple(equations))

    def _locations(self, adjacency: Adjacency, rng: np.random.Generator) -> list[Location]:
        if self.networks:
            return _logistic_networks(adjacency, rng, self.networks, self.biases)
        if self.functions is None:
            return _linear(adjacency, rng, self.weights, self.biases)
        return _fourier(adjacency, rng, self.functions, self.biases)


def _one_of(ranges: tuple[Range, ...], rng: np.random.Generator) -> Range:
    return ranges[rng.integers(len(ranges))]


def _linear(
    adjacency: Adjacency, rng: np.random.Generator, weights: tuple[Range, ...], biases: Range
) -> list[Location]:
    size = _one_of(weights, rng)
    matrix = rng.uniform(*size, adjacency.shape) * rng.choice([-1.0, 1.0], adjacency.shape)
    bias = rng.uniform(*biases, len(adjacency))
    return [Linear(matrix[adjacency[:, node] == 1, node], bias[node]) for node in range(len(adjacency))]


def _fourier(adjacency: Adjacency, rng: np.random.Generator, ranges: FourierRanges, biases: Range) -> list[Location]:
    nodes = len(adjacency)
    length, output = (rng.uniform(*_one_of(choices, rng), nodes) for choices in (ranges.lengths, ranges.outputs))
    bias = rng.uniform(*biases, nodes)

    def features(inputs: int) -> tuple[Array, Array, Array]:
        phases = rng.uniform(0, 2 * np.pi, RANDOM_FEATURES)
        return rng.standard_normal((inputs, RANDOM_FEATURES)), phases, rng.standard_normal(RANDOM_FEATURES)

    common = features(nodes) if ranges.shared else None
    functions: list[Location] = []
    for node in range(nodes):
        parents = np.flatnonzero(adjacency[:, node])
        if common is None:
            frequencies, phases, amplitudes = features(len(parents))
        else:
            frequencies, phases, amplitudes = common[0][parents], common[1], common[2]
        functions.append(Fourier(frequencies, phases, amplitudes, length[node], output[node], bias[node]))
    return functions


def _logistic_networks(
    adjacency: Adjacency, rng: np.random.Generator, weights: tuple[Range, ...], biases: Range
) -> list[Location]:
    size = _one_of(weights, rng)

    def signed(*shape: int) -> Array:
        return np.asarray(rng.uniform(*size, shape) * rng.choice([-1.0, 1.0], shape))

    return [
        LogisticNetwork(
            signed(parents, HIDDEN_UNITS), rng.uniform(-2, 2, HIDDEN_UNITS), signed(HIDDEN_UNITS), rng.uniform(*biases)
        )
        for parents in adjacency.sum(axis=0)
    ]


_IN = ("erdos-renyi", "scale-free-in", "scale-free-out")
_OUT = ("watts-strogatz", "block-model", "scale-free-power")

PRIORS: dict[str, dict[str, Prior]] = {
    "avici": {
        "lin-in": Prior(_IN, weights=((1, 3),)),
        "rff-in": Prior(_IN, functions=FourierRanges(((7, 10),), ((10, 20),))),
        "lin-out": Prior(_OUT, weights=((0.5, 2), (2, 4)), noise="laplace", heteroscedastic=True),
        "rff-out": Prior(
            _OUT,
            functions=FourierRanges(((5, 8), (8, 12)), ((8, 12), (18, 22))),
            noise="laplace",
            heteroscedastic=True,
        ),
        "mlp-in": Prior(_IN, networks=((0.5, 2),)),
        "mlp-out": Prior(_OUT, networks=((0.25, 1), (1, 3)), noise="laplace", heteroscedastic=True),
    },
    "released": {
        "lin-in": Prior(_IN, weights=((1, 3),), common_scale=True),
        "rff-in": Prior(_IN, functions=FourierRanges(((7, 10),), ((10, 20),), shared=True)),
        "lin-out": Prior(_OUT, weights=((0.5, 4),), noise="laplace"),
        "rff-out": Prior(_OUT, functions=FourierRanges(((5, 12),), ((8, 22),), shared=True), noise="laplace"),
        "mlp-in": Prior(_IN, networks=((0.5, 2),)),
        "mlp-out": Prior(_OUT, networks=((0.25, 3),), noise="laplace"),
    },
}


def find_prior(name: str, preset: str) -> Prior:
    """Look up a prior by metadataset name and preset."""
    if preset not in PRIORS:
        raise unknown_name("preset", preset, PRIORS)
    if name not in PRIORS[preset]:
        raise unknown_name("SCM distribution", name, PRIORS[preset])
    return PRIORS[preset][name]


def sample_scm(
    name: str, nodes: int, rng: np.random.Generator, preset: str = "released", family: str | None = None
) -> StandardSCM:
    """Draw an SCM: name is lin-, rff- or mlp-, with -in or -out; preset is avici or released.

    >>> scm = sample_scm("rff-out", nodes=3, rng=np.random.default_rng(0))
    >>> scm.sample(2, np.random.default_rng(1)).shape
    (2, 3)
    """
    if nodes < 1:
        raise GraphError(f"Cannot draw an SCM with {nodes} variables: ask for at least one.")
    return find_prior(name, preset).sample(nodes, rng, family)
