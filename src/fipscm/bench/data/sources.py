"""From the name of a data set to its rows and its truth. Shapes: N rows, D variables."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from fipscm.arrays import Array
from fipscm.bench.data.bayesian_networks import BAYESIAN_NETWORKS, categories_table
from fipscm.bench.data.problem import DataSet, Problem
from fipscm.bench.data.tunnel import TUNNEL, tunnel_problem
from fipscm.errors import DataError, unknown_name
from fipscm.scm.base import SCM
from fipscm.simulate import (
    C_SUITE,
    CAUSAL_NF,
    PRIORS,
    CounterfactualTest,
    KnownTable,
    TestCase,
    counterfactual_tests,
    known_scm,
    load_sachs,
    load_syntren,
    metadataset,
)
from fipscm.simulate.continued import CONTINUATIONS, continued_scm, far_tests
from fipscm.simulate.effects import EFFECT_SCMS, effect_scm, known_effects
from fipscm.simulate.mixed.draw import MIXED, mixed_scm
from fipscm.simulate.mixed.holes import with_holes
from fipscm.simulate.mixed.truth import Figures, MixedTruth
from fipscm.simulate.non_additive import NON_ADDITIVE, non_additive_scm, typical_tests
from fipscm.simulate.worlds import PLAIN, VARIANTS, World, additive_noise

COLLECTIONS = ("lin-in", "lin-out", "rff-in", "rff-out")  # the paper's
NETWORKS = ("mlp-in", "mlp-out")
RANDOM = (*COLLECTIONS, *NETWORKS)
HELD_OUT_ROWS = 1_000
SACHS_ROWS = 800  # of 853: the paper draws five subsamples
INTERVENED = {"triangle": (0, 1), "simpson": (0, 1, 2), "large_bd": (0, 1, 2, 4)}


def make_problem(data: DataSet, folder: Path | None = None) -> Problem:
    """Make the rows and the truth of a data set; `folder` has measured/, and sachs/ and syntren/ unless downloaded."""
    problem = _raw_problem(data, folder)
    return problem.standardized() if data.scale == "standardized" else problem


def _raw_problem(data: DataSet, folder: Path | None) -> Problem:
    simulated: tuple[tuple[Collection[str], Callable[[DataSet], Problem]], ...] = (
        (RANDOM, _random),
        (C_SUITE, _c_suite),
        (CAUSAL_NF, _causal_nf),
        (CONTINUATIONS, _continued),
        (EFFECT_SCMS, _with_effects),
        (NON_ADDITIVE, _non_additive),
        ((MIXED,), _mixed),
        (BAYESIAN_NETWORKS, _categories),
    )
    for names, make in simulated:
        if data.name in names:
            return make(data)
    if data.name == "sachs":
        known = load_sachs(folder and folder / "sachs")
        rows = data.generator("rows").choice(len(known.observations), SACHS_ROWS, replace=False)
        return _from_table(replace(known, observations=known.observations.iloc[np.sort(rows)].reset_index(drop=True)))
    if data.name == "syntren":
        return _from_table(load_syntren(data.seed + 1, folder and folder / "syntren"))
    if data.name in TUNNEL:
        return tunnel_problem(data, folder)
    known_names = [name for names, _ in simulated for name in names]
    raise unknown_name("data set", data.name, (*known_names, "sachs", "syntren", *TUNNEL))


def _random(data: DataSet) -> Problem:
    """An SCM of a test collection, as it is or with one assumption broken."""
    if data.variant == PLAIN:
        case = _test_case(data)
        table = case.sample(data.rows)
        return _from_scm(case.scm, table, case.generator("counterfactuals"), additive_noise(case.scm, table))
    if data.variant not in VARIANTS:
        raise unknown_name("variant", data.variant, VARIANTS)
    make = VARIANTS[data.variant]
    world: World = make(data.name, data.nodes, data.preset, data.family, data.rows, data.generator("world"))
    if world.scm is None:
        return Problem(world.table, world.adjacency, world.table.std(ddof=0).to_numpy())
    return _from_scm(world.scm, world.table, data.generator("counterfactuals"), world.noise, world.clean)


def _test_case(data: DataSet) -> TestCase:
    if data.preset not in PRIORS:
        raise unknown_name("preset", data.preset, PRIORS)
    cases = metadataset(data.name, dims=[data.nodes], preset=data.preset, per_family=data.seed + 1)
    return next(case for case in cases if (case.family, case.replicate) == (data.family, data.seed))


def _c_suite(data: DataSet) -> Problem:
    scm = known_scm(data.name)
    table = scm.sample(data.rows, data.generator("rows"))
    return _from_scm(scm, table, data.generator("counterfactuals"), None)


def _causal_nf(data: DataSet) -> Problem:
    """The comparison of Causal NF: quartiles of some columns, 1,000 fresh rows each, errors not rescaled."""
    scm = known_scm(data.name)
    rng = np.random.default_rng([data.seed, len(INTERVENED[data.name])])
    table = scm.sample(data.rows, rng)
    # The rescaled error is a mean over the D columns where this comparison has a sum: the unit makes up for it.
    unit = np.full(len(scm.names), len(scm.names) ** -0.5)
    return Problem(table, scm.adjacency, unit, lambda: _quartile_tests(scm, table, INTERVENED[data.name], rng))


def _quartile_tests(
    scm: SCM, table: pd.DataFrame, targets: tuple[int, ...], rng: np.random.Generator
) -> Iterator[CounterfactualTest]:
    for target in targets:
        for share in (0.25, 0.5, 0.75):
            do = {scm.names[target]: round(float(table.iloc[:, target].quantile(share)), 2)}
            factual = scm.sample(1_000, rng)
            yield CounterfactualTest(factual, do, scm.counterfactual(factual, do))


def _continued(data: DataSet) -> Problem:
    scm = continued_scm(data.name, data.generator("scm"))
    table = scm.sample(data.rows, data.generator("rows"))
    unit, rng = table.std(ddof=0).to_numpy(), data.generator("counterfactuals")
    return Problem(table, scm.adjacency, unit, lambda: far_tests(scm, table, rng), judged_by="far")


def _with_effects(data: DataSet) -> Problem:
    if data.scale != "raw":
        raise DataError(f"The effects of '{data.name}' are known on its own scale: ask for --scales raw.")
    scm = effect_scm(data.name, data.generator("scm"))
    table = scm.sample(data.rows, data.generator("rows"))
    effects = tuple(known_effects(scm, data.generator("effects")))
    return Problem(table, scm.adjacency, table.std(ddof=0).to_numpy(), effects=effects)


def _non_additive(data: DataSet) -> Problem:
    """Given as they are, because amounts are to stay positive: their variances are one and say nothing anyway."""
    scm = non_additive_scm(data.name, data.nodes, data.generator("scm"))
    table = scm.sample(data.rows, data.generator("rows"))
    return Problem(
        table,
        scm.adjacency,
        table.std(ddof=0).to_numpy(),
        lambda: typical_tests(scm, table, data.generator("counterfactuals")),
        held_out=scm.sample(HELD_OUT_ROWS, data.generator("held-out")),
        scale="standardized",
    )


def _mixed(data: DataSet) -> Problem:
    """All patterns of missing cells of a seed have the same rows."""
    if data.scale != "raw":
        raise DataError(f"Names of levels in '{data.name}' have no scale: ask for --scales raw.")
    whole = replace(data, variant=PLAIN)
    scm = mixed_scm(data.nodes, whole.generator("scm"))
    rows = scm.values(scm.noise(data.rows, whole.generator("rows")))
    table = scm.decode(rows)
    truth = MixedTruth(scm, table, seed=int(whole.generator("truth").integers(2**31)))
    holed = with_holes(table, rows, data.variant, data.generator("holes"))
    return Problem(holed, scm.adjacency, Figures(scm).unit(rows), mixed=truth, scale="standardized")


def _categories(data: DataSet) -> Problem:
    if data.scale != "raw":
        raise DataError(f"Names of levels in '{data.name}' have no scale: ask for --scales raw.")
    table, adjacency = categories_table(data.name, data.rows, data.generator("rows"))
    return Problem(table, adjacency, np.ones(len(adjacency)), scale="standardized")


def _from_scm(
    scm: SCM, table: pd.DataFrame, rng: np.random.Generator, noise: Array | None, clean: pd.DataFrame | None = None
) -> Problem:
    """Interventions lie within the range of the table, or of what it was before some cells were recorded wrongly."""
    unit, observed = table.std(ddof=0).to_numpy(), table if clean is None else clean
    return Problem(table, scm.adjacency, unit, lambda: counterfactual_tests(scm, observed, rng), noise)


def _from_table(known: KnownTable) -> Problem:
    return Problem(known.observations, known.adjacency, known.observations.std(ddof=0).to_numpy())
