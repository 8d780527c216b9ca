"""What the order model trains on: tables as varied as real ones. Shapes: N rows, D visible columns.

One table in four is plain P_IN. Half of them are P_IN as it might be: other functions and laws, noise that is not
additive, causes unseen, errors shared, columns recorded by sensors, each now and then. The others mix the ingredients
of `simulate.ingredients`, also within one table; each column there is standardized before its effects read it, so that
nothing explodes and no variance tells the order.
The graphs, Laplace noise and parameter ranges of P_OUT never appear, and neither do the test worlds' forms: arcsinh and
kinks for post-nonlinear values, bumps for noise scales, bounded factors, networks of logistic units.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Adjacency, Array, Mask
from fipscm.errors import DataError, GraphError
from fipscm.graph import leaves, relabel, topological_order
from fipscm.order.training.altered import (
    ALTERATIONS,
    hidden_push,
    sample_altered,
    with_any_law,
    with_other_functions,
)
from fipscm.order.training.p_in import training_scm
from fipscm.scm.standard import StandardSCM
from fipscm.simulate.ingredients.columns import (
    Column,
    Palette,
    is_informative,
    recorded,
    sample_column,
    sample_copy,
)
from fipscm.simulate.ingredients.entrances import ENTRANCES
from fipscm.simulate.ingredients.functions import FUNCTIONS, standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.sensors import (
    DISCRETE,
    SENSORS,
    missing_at_random,
    missing_by_column,
    repeated_rows,
    shared_error,
)
from fipscm.simulate.ingredients.structure import Structure, sample_structure
from fipscm.simulate.mechanisms import Equation, Linear
from fipscm.simulate.noises import Noise

P_IN, CHANGED = 0.25, 0.5  # shares of the tables
# Shares of the changed ones: other functions, other laws; a hidden cause, added or unseen; some sensors, or one kind
# everywhere; errors that columns share.
OTHER_FUNCTIONS, ANY_LAW, PUSHED, UNSEEN, SENSED, SHARED = 0.4, 0.4, 0.2, 0.2, 0.35, 0.06
EVERYWHERE = {"bent": 0.1, "measurement-error": 0.08}
NODE_RANGE, ROW_RANGE, MOST_CELLS = (2, 100), (30, 10_000), 120_000
WORLDS = {"linear-gaussian": 0.1, "additive": 0.3, "location-scale": 0.2, "post-nonlinear": 0.2, "discrete": 0.2}
ENTERS = {"location-scale": ("location-scale", "multiplicative"), "post-nonlinear": ("post-nonlinear",)}
MOSTLY = 0.8
# A table made with these alone does not tell its order, whatever its rows.
GAUSSIAN = {"linear", "normal", "additive", "near-copy", "measurement-error", "shared-error"}


@dataclass(frozen=True)
class TrainingTable:
    """A simulated table and the truth about it.

    Attributes:
        values: (N, D), NaN where a cell is missing.
        adjacency: (D, D) the true graph of the columns.
        confounded: (D, D) symmetric, true for two columns with a hidden cause in common.
        world: what the table mostly is, one of WORLDS.
        flags: names of the ingredients used, sorted.
    """

    values: Array
    adjacency: Adjacency
    confounded: Mask
    world: str
    flags: tuple[str, ...]


def sample_size(rng: np.random.Generator) -> tuple[int, int]:
    """Draw the numbers of variables and rows, small ones as often as large ones, within a bound on the cells."""
    nodes = _log_uniform(*NODE_RANGE, rng)
    return nodes, _log_uniform(ROW_RANGE[0], min(ROW_RANGE[1], MOST_CELLS // nodes), rng)


def sample_training_table(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """Draw one table.

    >>> sample_training_table(5, 200, np.random.default_rng(0)).values.shape
    (200, 5)
    """
    if nodes < NODE_RANGE[0]:
        raise GraphError(f"A training table with {nodes} variables has no order: ask for at least {NODE_RANGE[0]}.")
    if rows < ROW_RANGE[0]:
        raise DataError(f"{rows} rows are too few to train on: ask for at least {ROW_RANGE[0]}.")
    kind = rng.choice(3, p=[P_IN, CHANGED, 1 - P_IN - CHANGED])
    return (plain_table, _changed_table, _wide_table)[kind](nodes, rows, rng)


def plain_table(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """P_IN as it is, in raw scales."""
    scm = training_scm(nodes, rng)
    values, _ = scm.sample_arrays(rows, rng)
    return TrainingTable(values, scm.adjacency, np.zeros((nodes, nodes), dtype=bool), _plain_world(scm), ("p-in",))


def _changed_table(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """P_IN with other noise, perhaps other functions and causes unseen, its columns perhaps recorded by sensors."""
    true = _changed_truth(nodes, rows, rng)
    palette = _sensing(rng)
    columns = [recorded(Column(z, z, frozenset()), palette, rng) for z in map(standardized, true.values.T)]
    records = np.column_stack([column.record for column in columns]) * true.values.std(axis=0)
    records, recording = _recorded_rows(records, true.world, rng)
    made_with = [column.made_with for column in columns]
    flags, world = set(true.flags).union(*made_with), true.world
    if _half(made_with, set(DISCRETE)):
        world = "discrete"
    elif _half(made_with, {"bent"}):
        world = "post-nonlinear"
    elif world == "linear-gaussian" and not flags - {"p-in", "hidden-cause"} <= GAUSSIAN:
        world = "additive"
    return replace(true, values=records, world=world, flags=tuple(sorted(flags | recording)))


def _changed_truth(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """What the sensors of a changed table see."""
    scm, entrance = training_scm(nodes + 1, rng), str(rng.choice(list(ALTERATIONS)))
    is_other = rng.random() < OTHER_FUNCTIONS
    scm = with_other_functions(scm, rng) if is_other else scm
    noise, has_any_law = scm.noise.sample(rows, rng), rng.random() < ANY_LAW
    noise = with_any_law(noise, rng) if has_any_law else noise
    noise, pushed = hidden_push(noise, rng) if rng.random() < PUSHED else (noise, _none_of(nodes + 1))
    unseen = _unseen(scm.adjacency, rng)
    seen = np.delete(np.arange(nodes + 1), unseen)
    values = sample_altered(scm, noise, entrance, rng)[:, seen]
    moved, others = scm.adjacency[unseen, seen] == 1, ~np.eye(nodes, dtype=bool)
    confounded = (np.outer(moved, moved) | np.outer(pushed[seen], pushed[seen])) & others
    is_shared = rng.random() < SHARED
    if is_shared:
        values, confounded = shared_error(values, rng), others
    world = _plain_world(scm) if entrance == "additive" or not scm.adjacency.any() else _world_of(entrance)
    changes = {
        entrance: entrance != "additive",
        "other-functions": is_other,
        "any-smooth": has_any_law,
        "shared-error": is_shared,
        "hidden-cause": bool(confounded.any()),
    }
    flags = ("p-in", *(change for change, is_made in changes.items() if is_made))
    return TrainingTable(values, relabel(scm.adjacency, seen), confounded, world, flags)


def _none_of(nodes: int) -> Mask:
    return np.zeros(nodes, dtype=bool)


def _world_of(entrance: str) -> str:
    return next(world for world, entrances in ENTERS.items() if entrance in entrances)


def _sensing(rng: np.random.Generator) -> Palette:
    """Draw what records the columns: nothing, some kinds of sensors here and there, or one kind everywhere."""
    if (everywhere := _everywhere(rng)) is not None:
        return Palette((), (), (), sensors=(everywhere,), sensor_share=1.0)
    share = rng.uniform(0, 0.5) if rng.random() < SENSED else 0.0
    return Palette((), (), (), sensors=_some(tuple(SENSORS), rng), sensor_share=share)


def _everywhere(rng: np.random.Generator) -> str | None:
    """Draw which sensor records all columns, if one does."""
    drawn = str(rng.choice(["", *EVERYWHERE], p=[1 - sum(EVERYWHERE.values()), *EVERYWHERE.values()]))
    return drawn or None


def _unseen(adjacency: Adjacency, rng: np.random.Generator) -> int:
    """Now and then a root with two or more effects, which confounds them; else a leaf, which nobody misses."""
    confounders = np.flatnonzero(~adjacency.any(axis=0) & (adjacency.sum(axis=1) >= 2))
    confounds = len(confounders) and rng.random() < UNSEEN
    return int(rng.choice(confounders if confounds else np.flatnonzero(leaves(adjacency))))


def _plain_world(scm: StandardSCM) -> str:
    equations = [function for function in scm.functions if isinstance(function, Equation)]
    if scm.adjacency.any() and any(equation.scale is not None for equation in equations):
        return "location-scale"
    is_linear = not scm.adjacency.any() or all(isinstance(equation.location, Linear) for equation in equations)
    is_normal = isinstance(scm.noise, Noise) and set(scm.noise.laws) == {"normal"}
    return "linear-gaussian" if is_linear and is_normal else "additive"


def _wide_table(nodes: int, rows: int, rng: np.random.Generator) -> TrainingTable:
    """A mixture of ingredients around one kind of world."""
    structure = sample_structure(nodes, rng)
    theme = str(rng.choice(list(WORLDS), p=list(WORLDS.values())))
    columns = _columns(structure, rows, _palette(theme, rng), rng)
    values = np.column_stack([column.record for column in columns[:nodes]])
    values, recording = _recorded_rows(values, theme, rng)
    flags = set().union(*(column.made_with for column in columns), recording)
    flags |= {"hidden-cause"} if len(columns) > nodes else set()
    flags |= {"irrelevant-columns"} if structure.irrelevant else set()
    world = _wide_world(columns, structure, flags)
    return TrainingTable(
        _in_random_units(values, rng), structure.adjacency, structure.confounded, world, tuple(sorted(flags))
    )


def _palette(theme: str, rng: np.random.Generator) -> Palette:
    """Draw which ingredients the columns of a table may have: one kind of each, or several."""
    if theme == "linear-gaussian":
        share = 0.3 if rng.random() < 0.2 else 0.0
        return Palette(("linear",), ("normal",), ("additive",), sensors=("measurement-error",), sensor_share=share)
    palette = Palette(
        _some(tuple(FUNCTIONS), rng),
        _some(tuple(LAWS), rng),
        ENTERS.get(theme, ("additive",)),
        set_share=rng.uniform(0, 1) if rng.random() < 0.3 else 0.0,
        sensor_share=rng.uniform(0, 0.4) if rng.random() < 0.4 else 0.0,
    )
    if theme == "discrete":
        return replace(palette, sensors=tuple(DISCRETE), sensor_share=MOSTLY)
    if (everywhere := _everywhere(rng)) is not None:
        return replace(palette, sensors=(everywhere,), sensor_share=1.0)
    return palette


def _some(names: tuple[str, ...], rng: np.random.Generator) -> tuple[str, ...]:
    """One of these, a few, or all."""
    count = (1, min(3, len(names)), len(names))[rng.integers(3)]
    return tuple(rng.choice(names, count, replace=False).tolist())


def _columns(structure: Structure, rows: int, palette: Palette, rng: np.random.Generator) -> list[Column]:
    """Draw every column, causes first; hidden roots come last in the list."""
    unmeasured = replace(palette, sensor_share=0.0)
    anything = replace(palette, entrances=tuple(ENTRANCES)) if palette.entrances != ("additive",) else palette
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


def _recorded_rows(values: Array, theme: str, rng: np.random.Generator) -> tuple[Array, set[str]]:
    """Repeat rows and lose cells, now and then, as long as every column can still be learned from."""
    used: set[str] = set()
    if rng.random() < 0.1:
        repeated = values[repeated_rows(len(values), rng)]
        if all(is_informative(column) for column in repeated.T):
            values, used = repeated, {"repeated-rows"}
    if rng.random() < 0.2:
        # What is lost by the value of another column could tell the order of an otherwise Gaussian table.
        at_random = theme == "linear-gaussian" or rng.random() < 0.5
        lost = (missing_at_random if at_random else missing_by_column)(values, rng)
        lost &= [is_informative(column[~gone]) for column, gone in zip(values.T, lost.T, strict=True)]
        values = np.where(lost, np.nan, values)
        used |= {"missing-at-random" if at_random else "missing-by-column"} if lost.any() else set()
    return values, used


def _wide_world(columns: list[Column], structure: Structure, flags: set[str]) -> str:
    """Name what at least half of the columns, or of the effects, are."""
    effects = [columns[node].made_with for node in np.flatnonzero(structure.edges.any(axis=0))]
    visible = [column.made_with for column in columns[: structure.visible]]
    if _half(visible, {*DISCRETE, "few-settings"}):
        return "discrete"
    if _half(visible, {"bent"}):
        return "post-nonlinear"
    for world, entrances in ENTERS.items():
        if effects and _half(effects, set(entrances)):
            return world
    is_gaussian = "missing-by-column" not in flags and all(column.made_with <= GAUSSIAN for column in columns)
    return "linear-gaussian" if is_gaussian else "additive"


def _half(members: list[frozenset[str]], kinds: set[str]) -> bool:
    return 2 * sum(bool(member & kinds) for member in members) >= len(members)


def _in_random_units(values: Array, rng: np.random.Generator) -> Array:
    """Give every column a scale and an origin of its own: the units of real tables say little."""
    columns = values.shape[1]
    scale = np.exp(rng.uniform(math.log(0.01), math.log(100.0), columns))
    return scale * (values + rng.uniform(-3, 3, columns))


def _log_uniform(low: int, high: int, rng: np.random.Generator) -> int:
    return round(math.exp(rng.uniform(math.log(low), math.log(high))))
