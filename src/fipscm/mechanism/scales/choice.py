"""Which columns are modelled on another scale: those whose noise is additive there, as held-out rows tell.

A positive column whose noise multiplies is modelled on its logarithm, so that no sample of it is negative; another one
on an increasing curve that is learned from its rows. Additive noise on another scale is simpler than a spread or a
spline that depends on the causes: where it leaves even noises, no other kind of noise is tried. Where it leaves uneven
ones, it is compared with the kind that takes its place.
Shapes: N rows, D variables.
"""

from dataclasses import replace

import numpy as np

from fipscm.mechanism.learned import LearnedSCM
from fipscm.mechanism.noise.unevenness import log_p_of_unevenness
from fipscm.mechanism.scales.adoption import adopted, on_another_scale, widened
from fipscm.mechanism.scales.comparison import Comparison, compared, log_density_of_unseen
from fipscm.mechanism.scales.rescaling import NaturalLogarithm, Rescaling, rescalings, varies
from fipscm.mechanism.scales.scale_table import ScaleTable
from fipscm.threads import on_one_thread

Doubted = dict[int, tuple[Rescaling, Comparison]]  # nodes on another scale that leaves uneven noises


@on_one_thread()
def with_even_scales(model: LearnedSCM, table: ScaleTable) -> tuple[LearnedSCM, Doubted]:
    """The model of additive noises with other scales where noises are uneven, and those on the other scale are not.

    Also the likeliest other scale of each node that has none which leaves even noises.
    """
    doubted: Doubted = {}
    for node in np.flatnonzero(table.tried & model.allowed.any(axis=1)):
        known = table.used(node, model.allowed[node])
        residual = model.node_noise(node, table.rows[known], table.rows[known, node])
        if log_p_of_unevenness(table.z[known][:, model.allowed[node]], residual) < table.limit:
            for rescaling, limit in rescalings(node, model.allowed[node], table):
                found = compared(model, model, node, table, rescaling)
                if found.is_better and found.log_p_of_unevenness >= limit:
                    model = adopted(model, node, table, rescaling, found)
                    doubted.pop(int(node), None)
                    break
                before = doubted.get(int(node))
                if found.is_better and (before is None or found.gain > before[1].gain):
                    doubted[int(node)] = rescaling, found
    return model, doubted


@on_one_thread()
def with_doubted_scales(model: LearnedSCM, table: ScaleTable, doubted: Doubted) -> LearnedSCM:
    """The model with doubted scales where unseen rows are likelier on them than with the kind of noise that it has.

    A test of thousands of rows finds what a good scale leaves over, and so it does not decide alone.
    """
    for node, (rescaling, found) in doubted.items():
        if np.array_equal(model.allowed[node], found.causes):
            gain = float((found.told - log_density_of_unseen(model, node, table)).mean())
            if gain > 0:
                model = adopted(model, node, table, rescaling, found._replace(gain=gain))
    return model


@on_one_thread()
def with_logarithms(model: LearnedSCM, table: ScaleTable) -> LearnedSCM:
    """The model with logarithms where unseen rows clearly prefer them to the kind of noise that a column has."""
    original, logarithm = model, NaturalLogarithm()
    for node in np.flatnonzero(table.positive & ~on_another_scale(model)):
        if varies(table.values(node, model.allowed[node])):
            found = compared(model, original, node, table, logarithm)
            if found.is_better:
                model = adopted(model, node, table, logarithm, found)
    return replace(model, box=widened(model, table))
