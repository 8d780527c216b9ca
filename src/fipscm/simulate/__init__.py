from fipscm.simulate.graphs import FAMILIES, sample_graph
from fipscm.simulate.known import C_SUITE, CAUSAL_NF, KNOWN_SCMS, known_scm
from fipscm.simulate.metadatasets import CounterfactualTest, TestCase, counterfactual_tests, metadataset
from fipscm.simulate.noises import NOISES, Noise
from fipscm.simulate.priors import PRIORS, Prior, sample_scm

__all__ = [
    "CAUSAL_NF",
    "C_SUITE",
    "FAMILIES",
    "KNOWN_SCMS",
    "NOISES",
    "PRIORS",
    "CounterfactualTest",
    "Noise",
    "Prior",
    "TestCase",
    "counterfactual_tests",
    "known_scm",
    "metadataset",
    "sample_graph",
    "sample_scm",
]
