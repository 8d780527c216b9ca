"""P_IN with other noise, perhaps other functions, laws and hidden causes, and perhaps with errors of measurement.

Shapes: N rows, D visible columns.
"""

import numpy as np

from fipscm.arrays import Adjacency, Array
from fipscm.graph import leaves, relabel
from fipscm.simulate.ingredients.columns import Column, Palette, recorded, sample_everywhere, some
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.measurement_models import MEASUREMENT_MODELS, shared_error
from fipscm.simulate.prior.altering import (
    ALTERATIONS,
    hidden_push,
    sample_altered,
    with_any_law,
    with_other_functions,
)
from fipscm.simulate.prior.drawn import Drawn, numeric
from fipscm.simulate.prior.p_in import training_scm
from fipscm.simulate.prior.recording import in_units, recorded_rows

# Shares of the tables: other functions, other laws; a hidden cause, added or unseen; some measurement models; errors
# that columns share.
OTHER_FUNCTIONS, ANY_LAW, PUSHED, UNSEEN_ROOTS, SENSED, SHARED = 0.4, 0.4, 0.2, 0.2, 0.35, 0.06


def altered_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a table of P_IN as it might be."""
    true = _truth(nodes, rows, rng)
    palette = _sensing(rng)
    columns = [recorded(Column(z, z, frozenset()), palette, rng) for z in map(standardized, true.values.T)]
    records = np.column_stack([column.record for column in columns])
    records, recording = recorded_rows(in_units(records, true.values.std(axis=0), np.zeros(nodes)), rng)
    flags = set(true.flags).union(*(column.made_with for column in columns), recording)
    return numeric(records, true.adjacency, true.confounded, flags)


def _truth(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """What is measured."""
    scm, noise_model = training_scm(nodes + 1, rng), str(rng.choice(list(ALTERATIONS)))
    is_other = rng.random() < OTHER_FUNCTIONS
    scm = with_other_functions(scm, rng) if is_other else scm
    noise, has_any_law = scm.noise.sample(rows, rng), rng.random() < ANY_LAW
    noise = with_any_law(noise, rng) if has_any_law else noise
    nobody = np.zeros(nodes + 1, dtype=bool)
    noise, pushed = hidden_push(noise, rng) if rng.random() < PUSHED else (noise, nobody)
    unseen = _unseen(scm.adjacency, rng)
    seen = np.delete(np.arange(nodes + 1), unseen)
    values: Array = sample_altered(scm, noise, noise_model, rng)[:, seen]
    moved, others = scm.adjacency[unseen, seen] == 1, ~np.eye(nodes, dtype=bool)
    confounded = (np.outer(moved, moved) | np.outer(pushed[seen], pushed[seen])) & others
    is_shared = rng.random() < SHARED
    if is_shared:
        values, confounded = shared_error(values, rng), others
    changes = {
        "p-in": True,
        noise_model: noise_model != "additive",
        "other-functions": is_other,
        "any-smooth": has_any_law,
        "shared-error": is_shared,
        "hidden-cause": bool(confounded.any()),
    }
    flags = {change for change, is_made in changes.items() if is_made}
    return numeric(values, relabel(scm.adjacency, seen), confounded, flags)


def _sensing(rng: np.random.Generator) -> Palette:
    """Draw what records the columns: nothing, some measurement models here and there, or one kind everywhere."""
    if (everywhere := sample_everywhere(rng)) is not None:
        return Palette((), (), (), measurement_models=(everywhere,), measured_share=1.0)
    share = rng.uniform(0, 0.5) if rng.random() < SENSED else 0.0
    return Palette((), (), (), measurement_models=some(tuple(MEASUREMENT_MODELS), rng), measured_share=share)


def _unseen(adjacency: Adjacency, rng: np.random.Generator) -> int:
    """Now and then a root with two or more effects, which confounds them; else a leaf, which nobody misses."""
    confounders = np.flatnonzero(~adjacency.any(axis=0) & (adjacency.sum(axis=1) >= 2))
    confounds = len(confounders) and rng.random() < UNSEEN_ROOTS
    return int(rng.choice(confounders if confounds else np.flatnonzero(leaves(adjacency))))
