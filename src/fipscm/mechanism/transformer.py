"""The causal transformer beside functions in closed form: trained once for all columns that ask for it.

Columns ask for it whose best mechanism leaves something that depends on the causes; without a skip, all columns of
numbers do, and functions in closed form have no part. Shapes: N rows, D columns, E inputs, Q columns that ask.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zlib import crc32

import numpy as np
import torch

from fipscm.arrays import Array, Mask
from fipscm.mechanism.config import MechanismConfig
from fipscm.mechanism.data import MOST_COMPARED, ColumnData, Rows
from fipscm.mechanism.families.additive import AdditiveFamily
from fipscm.mechanism.mechanism import Mechanism
from fipscm.mechanism.network.train import train
from fipscm.mechanism.network.transformer import CausalTransformer, Parents
from fipscm.mechanism.noise_distribution import EmpiricalNoise
from fipscm.mechanism.predictors.network import NetworkPart
from fipscm.mechanism.progress import OnProgress
from fipscm.mechanism.responses.additive import Additive
from fipscm.mechanism.select import Search, Selection, explained, with_slopes
from fipscm.mechanism.trial import Trial

_FEWEST_ROWS = 2_000  # fewer leave too few to tell whether a network improves on functions in closed form
SEEN = 0.8  # of the rows; a network is judged by the others
_TINY = 1e-12  # of a column's standard deviation; residuals below it are rounding errors


@dataclass(frozen=True)
class Transformer:
    """Rows of all inputs, standardized, and how to train on them.

    Attributes:
        x: (N, E) in random order.
        centre: (E,) and
        scale: (E,) of the inputs.
        config: how to learn.
        seed: of the weights and of the order of the rows in training.
        on_progress: told about progress.
        checkpoint: where to resume the training.
    """

    x: Array
    centre: Array
    scale: Array
    config: MechanismConfig
    seed: int
    on_progress: OnProgress
    checkpoint: Path | None

    @classmethod
    def of(
        cls, inputs: Array, config: MechanismConfig, seed: int, on_progress: OnProgress, checkpoint: Path | None
    ) -> "Transformer":
        """Of inputs (N, E)."""
        centre, scale = inputs.mean(axis=0), np.maximum(inputs.std(axis=0), _TINY)
        x = (inputs[:MOST_COMPARED] - centre) / scale
        return cls(x, centre, scale, config, seed, on_progress, checkpoint)

    def improved(
        self, columns: Mapping[int, ColumnData], rows: Mapping[int, Rows], selections: Sequence[Selection]
    ) -> list[Selection]:
        """The selections, with the network where it is needed and proves itself.

        Args:
            columns: what mechanisms are learned from, by position.
            rows: the positions among the rows of x of theirs.
            selections: of all columns.
        """
        asking = [node for node, data in columns.items() if self._asks(data, selections[node].mechanism)]
        found = list(selections)
        if not asking:
            return found
        begun = {node: self._begun(columns[node], selections[node].mechanism) for node in asking}
        target, units = np.full((len(self.x), len(asking)), np.nan), {}
        for place, node in enumerate(asking):
            residual = begun[node].noise(columns[node].causes, columns[node].values) / columns[node].scale
            units[node] = max(float(residual.std()), _TINY)
            target[rows[node], place] = residual / units[node]
        network = self._trained(columns, asking, target)
        for node in asking:
            part = self._part(columns[node], units[node], network)
            found[node] = self._judged(columns[node], rows[node], begun[node], part, selections[node])
        return found

    def _asks(self, data: ColumnData, mechanism: Mechanism) -> bool:
        if data.kind != "continuous" or not len(data.inputs.causes) or mechanism.response.kind != Additive.kind:
            return False
        if not self.config.skip:
            return True
        has_rows = len(data.values) >= _FEWEST_ROWS and not self.config.provisional
        if not has_rows or not mechanism.predictor.is_curved:
            return False
        return Search(data, self.config.criterion).leaves_structure(mechanism)

    def _begun(self, data: ColumnData, mechanism: Mechanism) -> Mechanism:
        """What the network is trained beside: a mechanism in closed form, or a level alone."""
        if self.config.skip:
            return mechanism
        constant = AdditiveFamily("constant")
        return constant.fit(data, data.all_rows, constant.prepare(data))

    def _trained(self, columns: Mapping[int, ColumnData], asking: Sequence[int], target: Array) -> CausalTransformer:
        generator = torch.Generator().manual_seed(self.seed)
        network = CausalTransformer(self.x.shape[1], self.config.transformer, generator).to(self.config.device)
        if self.config.skip:
            network.decoder.data.zero_()
        nodes = [int(columns[node].variables[-1]) for node in asking]
        allowed: Mask = np.zeros((self.x.shape[1], self.x.shape[1]), dtype=bool)
        for node, place in zip(asking, nodes, strict=True):
            allowed[place, columns[node].variables[:-1]] = True
        device, epochs = self.config.device, self.config.training.epochs
        seen = round(SEEN * len(self.x)) if self.config.skip else len(self.x)
        checkpoint = self._checkpoint_of(allowed)
        train(
            network,
            Parents.of(allowed, nodes, device),
            torch.as_tensor(self.x[:seen], dtype=torch.float32, device=device),
            torch.as_tensor(target[:seen], dtype=torch.float32, device=device),
            round((1 - self.config.training.validation) * seen),
            self.config.training,
            generator,
            lambda progress: self.on_progress("Training", progress.epoch, epochs, f"loss {progress.best:.4f}"),
            checkpoint,
        )
        self.on_progress("Training", epochs, epochs, "done")
        if checkpoint is not None:
            checkpoint.unlink(missing_ok=True)
        return network

    def _part(self, data: ColumnData, unit: float, network: CausalTransformer) -> NetworkPart:
        """The network's part in one column, which reads inputs as that column standardizes them."""
        places = data.variables[:-1]
        stretch = data.inputs.scale / self.scale[places]
        shift = (data.inputs.centre - self.centre[places]) / self.scale[places]
        return NetworkPart(int(data.variables[-1]), places, stretch, shift, unit, network)

    def _judged(
        self, data: ColumnData, rows: Rows, begun: Mechanism, part: NetworkPart, before: Selection
    ) -> Selection:
        """The column with the network, if unseen rows are likelier with it, or if there is nothing else."""
        mechanism = replace(begun, predictor=replace(begun.predictor, network=part))
        seen = rows < round(SEEN * len(self.x))
        unseen = np.flatnonzero(~seen)

        def with_noise(mechanism: Mechanism, of: Mask) -> Mechanism:
            noise = mechanism.noise(data.causes[: len(rows)][of], data.values[: len(rows)][of])
            return replace(mechanism, noise_law=EmpiricalNoise(np.sort(noise)[:, None]))

        tried, simple = (with_noise(each, seen) for each in (mechanism, before.mechanism))
        causes, values = data.causes[unseen], data.values[unseen]
        density = tried.log_density(causes, values)
        gains = density - simple.log_density(causes, values)
        is_taken = not self.config.skip or self.config.criterion.prefers(gains)
        figures = float(density.mean()), float(gains.mean()), float(gains.std() / len(gains) ** 0.5)
        name = "transformer, additive"
        trial = Trial(data.name, name, *figures, np.nan, "taken" if is_taken else "not ahead")
        if not is_taken:
            return Selection(before.mechanism, (*before.trials, trial))
        final = with_noise(mechanism, np.ones(len(rows), dtype=bool))
        about = replace(
            final.evidence,
            rows=len(rows),
            r2=explained(replace(data, causes=causes, values=values), tried.mean(causes)),
            log_likelihood=figures[0],
        )
        others = [each._replace(verdict="not ahead") if each.verdict == "taken" else each for each in before.trials]
        return Selection(with_slopes(replace(final, evidence=about), data), (*others, trial))

    def _checkpoint_of(self, allowed: Mask) -> Path | None:
        """A file of its own for every way to learn, table and mask: a refit must not resume another training."""
        if self.checkpoint is None:
            return None
        stage = crc32(b"".join((repr(self.config).encode(), self.x.tobytes(), allowed.tobytes())))
        return self.checkpoint.with_name(f"{self.checkpoint.name}-{stage:08x}")
