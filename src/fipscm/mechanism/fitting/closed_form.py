"""The part of a fit that is solved in closed form: lines, parabolas, curves. Shapes: N rows, D variables."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.fitting.lines import with_lines_in_doubt
from fipscm.mechanism.fitting.parabolas import find_parabolas
from fipscm.mechanism.fitting.readmitted import readmit
from fipscm.mechanism.fitting.sums import with_sums
from fipscm.mechanism.fitting.table import MOST_RESIDUALS, FitTable
from fipscm.mechanism.held_out import worse_than_lines
from fipscm.mechanism.progress import OnProgress, steps_of
from fipscm.mechanism.regression.box import Box
from fipscm.mechanism.regression.parabola import Parabola
from fipscm.mechanism.regression.process import Process
from fipscm.mechanism.regression.skip import Skip, learn_smoothness
from fipscm.mechanism.regression.usable import told_by
from fipscm.robust import wild_cells


@dataclass(frozen=True)
class ClosedForm:
    """Every node's location, and what it rests on.

    Attributes:
        skip: the locations.
        box: how far the rows reach that they rest on.
        unusable: (N, D), rows that tell nothing about a column.
        curved: (D,), nodes that are solved as smooth curves.
        smooth: how smooth these curves are.
        smoothness: of all nodes for which it is known, those on a scale of their own included.
        parabolas: the nodes for which squares and products of two causes are enough.
    """

    skip: Skip
    box: Box
    unusable: Mask
    curved: Mask
    smooth: Mapping[int, Process]
    smoothness: Mapping[int, Process]
    parabolas: Mapping[int, Parabola]

    @classmethod
    def none(cls, table: FitTable, allowed: Mask, curved: Mask, smoothness: Mapping[int, Process]) -> "ClosedForm":
        """Leaves everything to the network."""
        box = Box.of(table.rows, table.wild)
        return cls(Skip.none(len(allowed)), box, table.unusable(allowed), curved, {}, smoothness, {})

    def residual(self, table: FitTable) -> Array:
        """(N, D), what the locations leave over in the first rows, at most `MOST_RESIDUALS`."""
        z = table.z[:MOST_RESIDUALS]
        return np.asarray(z - self.skip(z, self.box.standardized(table.centre, table.scale)))


def solve_in_closed_form(
    table: FitTable,
    allowed: Mask,
    curved: Mask,
    fitted: int,
    smoothness: Mapping[int, Process] | None,
    parabolas: Mapping[int, Parabola] | None,
    generator: torch.Generator,
    on_progress: OnProgress,
) -> ClosedForm:
    """Solve each node on its allowed causes: curves on the `fitted` first rows, all else on all of them.

    Unless `parabolas` are known, curved nodes are tried for being such, or sums of curves. Rows that were set aside
    for wild cells, or because their columns do not go together, come back where a curve cannot know better, and then
    where the first solution explains them. A curve that does worse than a line on rows left out becomes a line.
    """
    z, unusable = table.z[:MOST_RESIDUALS], table.unusable(allowed)
    smoothness = learn_smoothness(z[:fitted], allowed, curved, smoothness, unusable)
    has_forms, sets_aside = parabolas is not None, bool(table.wild.any() or table.unusual.any())
    if sets_aside and not has_forms:
        unusable, smoothness = readmit(table, allowed, smoothness, unusable, fitted)
    curved = curved & ~table.kinds.linked  # what is on a scale of its own is solved at the end
    if not has_forms:
        smoothness = with_lines_in_doubt(z[:fitted], allowed, curved, smoothness, unusable)
    parabolas = find_parabolas(z, allowed, curved, smoothness, unusable) if parabolas is None else parabolas
    curved = curved & ~np.isin(np.arange(len(allowed)), list(parabolas))
    smoothness = smoothness if has_forms else with_sums(z[:fitted], allowed, curved, smoothness, unusable)
    smooth = {node: process for node, process in smoothness.items() if curved[node]}

    def solved(skip: Skip, unusable: Mask, nodes: Mask | None = None) -> Skip:
        steps = steps_of("Solving nodes", on_progress)
        return skip.solved(table.z, allowed, fitted, smooth, steps, unusable, parabolas, nodes)

    skip = solved(Skip.unsolved(len(allowed), generator), unusable)
    box = _box(table, allowed, unusable)
    residual = z[:fitted] - skip(z[:fitted], box.standardized(table.centre, table.scale))
    worse = worse_than_lines(z[:fitted], residual, allowed, skip, smooth, unusable[:fitted])
    if worse.any():
        curved, smooth = curved & ~worse, {node: process for node, process in smooth.items() if not worse[node]}
        skip = solved(skip, unusable, worse)
    found = ClosedForm(skip, box, unusable, curved, smooth, smoothness, parabolas)
    if not sets_aside:
        return found
    unexplained = _unexplained(found, table)
    skip = solved(skip, unexplained, (unexplained != unusable).any(axis=0))
    return replace(found, skip=skip, box=_box(table, allowed, unexplained), unusable=unexplained)


def _box(table: FitTable, allowed: Mask, unusable: Mask) -> Box:
    """How far the rows reach, wild cells only where a mechanism makes use of them."""
    return Box.of(table.rows, table.wild & ~told_by(unusable, allowed))


def _unexplained(found: ClosedForm, table: FitTable) -> Mask:
    """(N, D), where a column was set from outside, or is farther from what its causes make of it than noise is.

    Rows whose residuals are not taken stay unusable as they are. So do those of levels and counts: on a scale of their
    own nothing is explained yet, and about a line all rows of a rare level lie far out.
    """
    intervened = table.intervened[:MOST_RESIDUALS]
    unexplained = intervened | wild_cells(np.where(intervened, np.nan, found.residual(table)))
    unexplained = np.where(table.kinds.linked, found.unusable[:MOST_RESIDUALS], unexplained)
    return np.vstack([unexplained, found.unusable[MOST_RESIDUALS:]])
