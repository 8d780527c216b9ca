from fipscm.simulate.graphs import FAMILIES, sample_graph
from fipscm.simulate.known import C_SUITE, CAUSAL_NF, KNOWN_SCMS, known_scm
from fipscm.simulate.metadatasets import CounterfactualTest, TestCase, counterfactual_tests, metadataset
from fipscm.simulate.noises import NOISES, Noise
from fipscm.simulate.priors import PRIORS, Prior, sample_scm
from fipscm.simulate.real import KnownTable, load_sachs, load_syntren

__all__ = [
    "CAUSAL_NF",
    "C_SUITE",
    "FAMILIES",
    "KNOWN_SCMS",
    "NOISES",
    "PRIORS",
    "CounterfactualTest",
    "KnownTable",
    "Noise",
    "Prior",
    "TestCase",
    "counterfactual_tests",
    "known_scm",
    "load_sachs",
    "load_syntren",
    "metadataset",
    "sample_graph",
    "sample_scm",
]
