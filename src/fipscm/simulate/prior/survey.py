"""Tables as social science, medicine, economics and ecology have them. Shapes: N rows, H hidden, D visible columns.

Attributes are mostly roots, and their effects read the levels that are recorded. Columns have the scales on which
people record, and some tables have what measured ones now and then have: groups, trends, waves, indices, feedback,
selected rows, bad cells.
"""

from dataclasses import dataclass, replace

import numpy as np

from fipscm.arrays import Array, Mask
from fipscm.graph import relabel
from fipscm.simulate.ingredients.columns import is_informative, some, tamed
from fipscm.simulate.ingredients.functions import standardized
from fipscm.simulate.ingredients.laws import LAWS
from fipscm.simulate.ingredients.survey.columns import (
    SurveyColumn,
    record_latent,
    sample_latent,
    sample_noise,
    sample_nominal,
)
from fipscm.simulate.ingredients.survey.feedback import Feedback, sample_feedback
from fipscm.simulate.ingredients.survey.indices import near_copy, sample_index
from fipscm.simulate.ingredients.survey.mistakes import with_bad_cells
from fipscm.simulate.ingredients.survey.nominal import MOST_NOMINAL_LEVELS
from fipscm.simulate.ingredients.survey.predictors import gains, sample_strength
from fipscm.simulate.ingredients.survey.readers import NumberReader
from fipscm.simulate.ingredients.survey.scales import RECORDING_SCALES, Measurement, RecordingScale
from fipscm.simulate.ingredients.survey.selection import selected_rows
from fipscm.simulate.ingredients.survey.structure import Plan, sample_plan
from fipscm.simulate.ingredients.survey.times import sample_time
from fipscm.simulate.prior.drawn import Drawn
from fipscm.simulate.prior.recording import recorded_rows

# Shares of the tables with indices, feedback, selected rows and bad cells, and with codes for names of levels.
INDEXED, FEEDBACK, SELECTED, MISTAKEN, CODED = 0.15, 0.1, 0.12, 0.05, 0.25
SELECTED_FROM = 3  # from so many times the rows of a table some are selected
MANY_VALUES = 12  # a bad cell among fewer distinct values would be a level of its own
MOST_GROUPS = 12
NOMINAL = "nominal"
# How often a column of each role has which scale, before a table's own preference for some of them.
SCALE_SHARES: dict[str, dict[str, float]] = {
    "attribute": {
        **{"binary": 0.36, NOMINAL: 0.18, "grades": 0.12, "age": 0.12, "measurement": 0.12, "unrounded": 0.03},
        **{"schooling": 0.03, "count": 0.03, "money": 0.03, "share": 0.02},
    },
    "intermediate": {
        **{"binary": 0.24, NOMINAL: 0.05, "grades": 0.14, "age": 0.02, "measurement": 0.22, "unrounded": 0.05},
        **{"schooling": 0.06, "count": 0.08, "money": 0.06, "share": 0.04, "score": 0.05, "hurdle": 0.05},
        **{"limited": 0.03},
    },
    "outcome": {
        **{"binary": 0.24, NOMINAL: 0.04, "grades": 0.1, "measurement": 0.2, "unrounded": 0.06, "count": 0.1},
        **{"money": 0.1, "share": 0.07, "score": 0.05, "hurdle": 0.1, "limited": 0.02, "duration": 0.04},
    },
}


def survey_table(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Draw a table."""
    if (
        rng.random() < SELECTED
        and (drawn := _selected(_complete(nodes, SELECTED_FROM * rows, rng), rows, rng)) is not None
    ):
        return _recorded(drawn, rng)
    return _recorded(_complete(nodes, rows, rng), rng)


def _complete(nodes: int, rows: int, rng: np.random.Generator) -> Drawn:
    """Every row and cell, the columns in causal order."""
    indices = int(rng.integers(1, max(nodes // 6, 1) + 1)) if rng.random() < INDEXED and nodes > 2 else 0
    plan = sample_plan(nodes - indices, rng)
    study = _Study.sample(plan, rows, rng)
    columns = study.columns()[plan.hidden :]
    edges = np.pad(plan.edges[plan.hidden :, plan.hidden :], (0, indices))
    flags = plan.special | study.flags
    for index in range(nodes - indices, nodes):
        column, parts, name = _index(columns, rng)
        columns.append(column)
        edges[parts, index] = 1
        flags.add(name)
    return Drawn(
        np.column_stack([column.record for column in columns]),
        np.array([column.is_category for column in columns]),
        edges,
        np.pad(plan.confounded, (0, indices)),
        tuple(flags),
    )


def _selected(drawn: Drawn, rows: int, rng: np.random.Generator) -> Drawn | None:
    """Keep rows by their values, unless what is kept could not be learned from."""
    if drawn.is_category.all():
        return None
    kept = drawn.values[selected_rows(drawn.values[:, ~drawn.is_category], rows, rng)]
    is_fine = all(is_informative(column) for column in kept.T)
    return replace(drawn, values=kept, flags=(*drawn.flags, "selection")) if is_fine else None


def _recorded(drawn: Drawn, rng: np.random.Generator) -> Drawn:
    """Lose and spoil cells and shuffle the columns."""
    values, recording = recorded_rows(drawn.values, rng)
    flags, is_category = {*drawn.flags, *recording}, drawn.is_category
    if is_category.any() and rng.random() < CODED:
        is_category, flags = np.zeros_like(is_category), flags | {"coded-levels"}
    if rng.random() < MISTAKEN:
        values, flags = _mistaken(values, is_category, flags, rng)
    shuffled = rng.permutation(len(is_category))
    return Drawn(
        values[:, shuffled],
        is_category[shuffled],
        relabel(drawn.adjacency, shuffled),
        drawn.confounded[np.ix_(shuffled, shuffled)],
        tuple(sorted(flags | ({"hidden-cause"} if drawn.confounded.any() else set()))),
    )


@dataclass(frozen=True)
class _Study:
    """What is needed to draw the columns of a plan one after the other.

    Attributes:
        plan: the graph.
        names: of the scales of all nodes.
        noises: (N,) of each node, so that feedback can bring that of an effect to its cause.
        feedback: an effect that acts back on its cause.
        rng: draws everything.
    """

    plan: Plan
    names: tuple[str, ...]
    noises: tuple[Array, ...]
    feedback: Feedback | None
    rng: np.random.Generator

    @classmethod
    def sample(cls, plan: Plan, rows: int, rng: np.random.Generator) -> "_Study":
        names = _scale_names(plan, rng)
        laws = ("normal",) if rng.random() < 0.3 else ("normal", *some(tuple(LAWS), rng))
        noises = tuple(sample_noise(rows, laws, rng) for _ in names)
        is_free = [
            name not in ("", NOMINAL) and node.role != "wave" for name, node in zip(names, plan.nodes, strict=True)
        ]
        feedback = sample_feedback(plan.edges, is_free, rng) if rng.random() < FEEDBACK else None
        return cls(plan, names, noises, feedback, rng)

    @property
    def flags(self) -> set[str]:
        return {name for name in self.names if name} | ({"feedback"} if self.feedback else set())

    def columns(self) -> list[SurveyColumn]:
        """Draw every column, in causal order."""
        columns: list[SurveyColumn] = []
        scale = self._scale_of_waves()
        for node in range(len(self.names)):
            columns.append(self._column(node, columns, scale))
        return columns

    def _scale_of_waves(self) -> RecordingScale:
        names = [name for name, node in zip(self.names, self.plan.nodes, strict=True) if node.role == "wave"]
        return RECORDING_SCALES[names[0]](self.rng) if names else Measurement.sample(self.rng)

    def _column(self, node: int, before: list[SurveyColumn], scale_of_waves: RecordingScale) -> SurveyColumn:
        role, rows, rng = self.plan.nodes[node].role, len(self.noises[node]), self.rng
        if role in ("hidden", "trait"):
            return SurveyColumn(self.noises[node], NumberReader(self.noises[node]))
        if role == "time":
            return SurveyColumn(*sample_time(rows, rng))
        causes = [before[cause] for cause in np.flatnonzero(self.plan.edges[:, node])]
        if role == "wave":
            latent = self._wave(node, before)
            return record_latent(latent, self.names[node], scale_of_waves, rng)
        scores = np.column_stack([cause.reader.read(rng) for cause in causes]) if causes else np.zeros((rows, 0))
        if self.names[node] == NOMINAL:
            return sample_nominal(scores, MOST_GROUPS if role == "group" else MOST_NOMINAL_LEVELS, rng)
        latent = sample_latent(scores, self.noises[node], self._strength(node), rng)
        if self.feedback and node == self.feedback.cause:
            latent = self.feedback.settled(latent, self.noises[self.feedback.effect])
        return record_latent(latent, self.names[node], RECORDING_SCALES[self.names[node]](rng), rng)

    def _strength(self, node: int) -> float:
        is_star = self.plan.nodes[node].role == "star"
        return float(self.rng.uniform(0.05, 0.5)) if is_star else sample_strength(self.rng)

    def _wave(self, node: int, before: list[SurveyColumn]) -> Array:
        """What a quantity is at one time: its last value and a stable trait, other causes, and noise."""
        latent = self.rng.uniform(0.3, 1.5) * self.noises[node]
        for cause in np.flatnonzero(self.plan.edges[:, node]).tolist():
            reader, weight = before[cause].reader, self.rng.uniform(0.3, 1.2)
            if cause == self.plan.nodes[node].before or self.plan.nodes[cause].role == "trait":
                latent = latent + weight * reader.values if isinstance(reader, NumberReader) else latent
            else:
                latent = latent + weight * gains(1, self.rng) * reader.read(self.rng)
        return tamed(latent)


def _scale_names(plan: Plan, rng: np.random.Generator) -> tuple[str, ...]:
    """Draw the scale of every node; a table prefers some scales to others, and all waves have the same."""
    preference = {name: rng.gamma(0.7) + 0.02 for name in (NOMINAL, *RECORDING_SCALES)}
    names = []
    for role in (node.role for node in plan.nodes):
        shares = SCALE_SHARES.get(role, SCALE_SHARES["outcome"])
        allowed = [name for name in shares if role != "wave" or name != NOMINAL]
        weights = np.array([shares[name] * preference[name] for name in allowed])
        drawn = str(rng.choice(allowed, p=weights / weights.sum()))
        names.append({"hidden": "", "trait": "", "time": "", "group": NOMINAL}.get(role, drawn))
    waves = [place for place, node in enumerate(plan.nodes) if node.role == "wave"]
    return tuple(names[waves[0]] if place in waves else name for place, name in enumerate(names))


def _index(columns: list[SurveyColumn], rng: np.random.Generator) -> tuple[SurveyColumn, list[int], str]:
    """Draw a column that is computed from others; from codes of levels if there are no numbers."""
    numbers = [place for place, column in enumerate(columns) if not column.is_category] or list(range(len(columns)))
    values, parts, name = sample_index([columns[place].record for place in numbers], rng)
    record = values if name == "classes" else Measurement.sample(rng)(values, rng)
    if not is_informative(record):
        values, parts, name = near_copy(standardized(columns[numbers[0]].record)[:, None], rng), [0], "near-copy"
        record = values
    return SurveyColumn(record, NumberReader(standardized(values))), [numbers[part] for part in parts], name


def _mistaken(values: Array, is_category: Mask, flags: set[str], rng: np.random.Generator) -> tuple[Array, set[str]]:
    """Put bad cells into one column of numbers, if there is one."""
    fine = [place for place in np.flatnonzero(~is_category) if len(np.unique(values[:, place])) > MANY_VALUES]
    if not fine:
        return values, flags
    place = int(rng.choice(fine))
    return np.column_stack(
        [with_bad_cells(column, rng) if node == place else column for node, column in enumerate(values.T)]
    ), flags | {"bad-cells"}
