"""Which candidates a column has, by what it is, from simple to rich. A new family is one line here."""

from fipscm.mechanism.data import ColumnData
from fipscm.mechanism.families.additive import AdditiveFamily, LogarithmFamily
from fipscm.mechanism.families.discrete import CategoricalFamily, CountFamily, CumulativeFamily
from fipscm.mechanism.families.family import Family
from fipscm.mechanism.families.location_scale import LocationScaleFamily
from fipscm.mechanism.families.post_nonlinear import PostNonlinearFamily
from fipscm.mechanism.families.zero_inflated import ZeroInflatedFamily
from fipscm.mechanism.select import Chain

AUTO, ADDITIVE, LOCATION_SCALE, MONOTONE = "auto", "additive", "location-scale", "monotone"
NOISES = (AUTO, ADDITIVE, LOCATION_SCALE, MONOTONE)
_VALUES = ("linear", "per level", "quadratic", "smooth")
MONOTONE_ROWS = 2_000  # with which a network may win
PROBABILITIES = ("linear", "per level", "smooth")
_DISCRETE: dict[str, type[Family]] = {
    "binary": CumulativeFamily,
    "ordinal": CumulativeFamily,
    "categorical": CategoricalFamily,
    "count": CountFamily,
}


def chains_of(data: ColumnData, noise: str = AUTO) -> tuple[Chain, ...]:
    """The candidates of a column, where its noise may be of any kind or of the kind that was asked for."""
    if data.kind in _DISCRETE:
        return (_chain(_DISCRETE[data.kind], PROBABILITIES, data),)
    hurdles = _chain(ZeroInflatedFamily, PROBABILITIES, data)
    if noise == AUTO and any(family.applies(data) for family in hurdles.families):
        logarithms = tuple(ZeroInflatedFamily(family.predictor, logarithm=True) for family in hurdles.families)
        return hurdles, Chain(logarithms)
    additive = _chain(AdditiveFamily, _VALUES, data)
    if noise != AUTO or not len(data.inputs.causes):
        return (additive,)
    chains = (
        additive,
        _chain(LogarithmFamily, ("linear", "per level", "smooth"), data),
        _chain(PostNonlinearFamily, ("smooth",), data, "sizes"),
        _chain(LocationScaleFamily, _VALUES, data, "sizes"),
    )
    return (*chains, *([_monotone(data)] if len(data.values) >= MONOTONE_ROWS else []))


def forced_chain(data: ColumnData, noise: str) -> Chain:
    """The candidates with the kind of noise that was asked for."""
    return _monotone(data) if noise == MONOTONE else _chain(LocationScaleFamily, _VALUES, data)


def _monotone(data: ColumnData) -> Chain:
    from fipscm.mechanism.families.monotone import MonotoneFamily  # brings the network along

    return _chain(MonotoneFamily, _VALUES, data, "shapes")


def _chain(family: type[Family], predictors: tuple[str, ...], data: ColumnData, signal: str = "") -> Chain:
    has_causes = bool(len(data.mean_reads))
    return Chain(tuple(family(predictor) for predictor in (predictors if has_causes else ("constant",))), signal)
