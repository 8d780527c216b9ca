"""Mixtures of the ingredients of `simulate.ingredients`, also within one table. Shapes: N rows, D visible columns.

Each column is standardized before its effects read it, so that nothing explodes and no variance tells the order.
"""

from dataclasses import replace

import numpy as np

from fipscm.graph import topological_order
from fipscm.simulate.ingredients.columns import (
    Column,
    Palette,
    sample_column,
    sample_copy,
    sample_everywhere,
    some,
)
from fipscm.simulate.ingredients.functions import FUNCTIONS
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.measurement_models import DISCRETE
from fipscm.simulate.ingredients.noise_models import NOISE_MODELS
from fipscm.simulate.ingredients.structure import Structure, sample_structure
from fipscm.simulate.prior.drawn import Drawn, numeric
from fipscm.simulate.prior.recording import in_units, random_units, recorded_rows

# Around what a table is made, with shares of the tables.
THEMES = {"linear-gaussian": 0.1, "additive": 0.3, "location-scale": 0.2, "post-nonlinear": 0.2, "discrete": 0.2}
ENTERS = {"location-scale": ("location-scale", "multiplicative"), "post-nonlinear": ("post-nonlinear",)}
MOSTLY = 0.8


def ingredients_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a mixture of ingredients around one theme."""
    structure = sample_structure(nodes, rng)
    theme = str(rng.choice(list(THEMES), p=list(THEMES.values())))
    columns = _columns(structure, rows, _palette(theme, rng), rng)
    values = np.column_stack([column.record for column in columns[:nodes]])
    values, recording = recorded_rows(in_units(values, *random_units(nodes, rng)), rng)
    flags = set().union(*(column.made_with for column in columns), recording)
    flags |= {"hidden-cause"} if len(columns) > nodes else set()
    flags |= {"irrelevant-columns"} if structure.irrelevant else set()
    return numeric(values, structure.adjacency, structure.confounded, flags)


def _palette(theme: str, rng: np.random.Generator) -> Palette:
    """Draw which ingredients the columns of a table may have: one kind of each, or several."""
    if theme == "linear-gaussian":
        share = 0.3 if rng.random() < 0.2 else 0.0
        return Palette(
            ("linear",), ("normal",), ("additive",), measurement_models=("measurement-error",), measured_share=share
        )
    palette = Palette(
        some(tuple(FUNCTIONS), rng),
        some(tuple(LAWS), rng),
        ENTERS.get(theme, ("additive",)),
        set_share=rng.uniform(0, 1) if rng.random() < 0.3 else 0.0,
        measured_share=rng.uniform(0, 0.4) if rng.random() < 0.4 else 0.0,
    )
    if theme == "discrete":
        return replace(palette, measurement_models=tuple(DISCRETE), measured_share=MOSTLY)
    if (everywhere := sample_everywhere(rng)) is not None:
        return replace(palette, measurement_models=(everywhere,), measured_share=1.0)
    return palette


def _columns(structure: Structure, rows: int, palette: Palette, rng: np.random.Generator) -> list[Column]:
    """Draw every column, causes first; hidden roots come last in the list."""
    unmeasured = replace(palette, measured_share=0.0)
    anything = replace(palette, noise_models=tuple(NOISE_MODELS)) if palette.noise_models != ("additive",) else palette
    true = np.zeros((rows, len(structure.edges)))
    columns: dict[int, Column] = {}
    for node in topological_order(structure.edges).tolist():
        causes = true[:, structure.edges[:, node] == 1]
        if node in structure.copies:
            columns[node] = sample_copy(causes[:, 0], palette, rng)
        elif node >= structure.visible or node in structure.copies.values():
            # The copy is to be a worse record of this column than the column itself.
            columns[node] = sample_column(causes, unmeasured, rng)
        else:
            columns[node] = sample_column(causes, palette if rng.random() < MOSTLY else anything, rng)
        true[:, node] = columns[node].true
    return [columns[node] for node in range(len(structure.edges))]
