"""A training run as data: `shipped.toml` beside this file is all there is to know about the weights that ship.

A recipe has a network, an optimizer and stages; every stage has its learning rate, the sizes of its simulated tables
and the shares of the families that they are drawn from. A run trains the stages one after the other, from nothing.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

from fipscm.errors import FipscmError, OrderError, unknown_name
from fipscm.order.network.encoder import EvidenceConfig
from fipscm.order.paper.axial import AxialConfig
from fipscm.order.weights import CONFIGS, recipe_hash
from fipscm.simulate.prior.training_table import TABLE_FAMILIES

FOLDER = Path(__file__).parent
RECIPES = tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@dataclass(frozen=True)
class OptimizerConfig:
    """AdamW, and the running average of the weights that a run ends in.

    Attributes:
        weight_decay: of AdamW.
        clip: largest norm of a gradient.
        memory: steps over which the weights are averaged.
    """

    weight_decay: float
    clip: float
    memory: int


@dataclass(frozen=True)
class Stage:
    """A number of steps on simulated tables of some sizes and families.

    Attributes:
        steps: how many.
        rate: learning rate after the warm-up.
        warmup: steps over which it rises to that, at the beginning.
        cooldown: steps over which it falls to zero, at the end.
        nodes: ranges of the number of variables, one drawn per batch with its weight.
        rows: smallest and largest number of rows, on the scale of logarithms; the paper's encoder has a fixed one.
        cells: most cells of a table, so that a large table does not take the time of many small ones.
        scms: most tables per batch.
        pairs: most pairs of variables in all tables of a batch, so that every batch takes about the same time.
        prefixes: from each table, so many numbers of leaves are removed; the paper's encoder has one per batch.
        passes: how often a batch is seen on average: simulating a table takes longer than learning from it.
        pool: how many of the last batches may be seen again.
        families: the share of the tables of each family of the prior.
        restart: the optimizer begins anew, from the averaged weights of the stages before.
    """

    steps: int
    rate: float
    warmup: int
    cooldown: int
    nodes: tuple[tuple[int, int, float], ...]
    rows: tuple[int, int]
    cells: int
    scms: int
    pairs: int
    prefixes: int
    passes: int
    pool: int
    families: Mapping[str, float]
    restart: bool = False

    def rate_at(self, step: int) -> float:
        """The learning rate of a step of this stage, counted from one."""
        return self.rate * max(0.0, min(1.0, step / self.warmup, (self.steps - step + 1) / max(self.cooldown, 1)))


@dataclass(frozen=True)
class Recipe:
    """What is trained, and how."""

    seed: int
    network: EvidenceConfig | AxialConfig
    optimizer: OptimizerConfig
    stages: tuple[Stage, ...]

    @classmethod
    def read(cls, source: str | Path) -> Self:
        """The recipe of a name that the package knows, or of a TOML file."""
        path = FOLDER / f"{source}.toml" if str(source) in RECIPES else Path(source)
        if not path.is_file():
            if path.suffix == ".toml":
                raise OrderError(f"There is no recipe file '{path}': check the name and the folder.")
            raise unknown_name("recipe", str(source), RECIPES)
        try:
            return cls.parse(tomllib.loads(path.read_text(encoding="utf-8")))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, FipscmError) as error:
            raise OrderError(f"The recipe '{path.name}' cannot be read: {error}") from None

    @classmethod
    def parse(cls, content: Mapping[str, Any]) -> Self:
        """Read what a TOML file holds."""
        parts = _entries(cls, content, "the recipe")
        network = dict(parts["network"])
        kind = network.pop("encoder", None)
        if kind not in CONFIGS:
            raise unknown_name("encoder", kind, CONFIGS)
        stages = tuple(_stage(each, f"stage {place}") for place, each in enumerate(parts["stages"], start=1))
        if not stages:
            raise OrderError("It has no stage: add one with [[stages]].")
        optimizer = OptimizerConfig(**_entries(OptimizerConfig, parts["optimizer"], "the optimizer"))
        return cls(
            int(parts["seed"]), CONFIGS[kind](**_entries(CONFIGS[kind], network, "the network")), optimizer, stages
        )

    @property
    def steps(self) -> int:
        """Of all stages."""
        return sum(stage.steps for stage in self.stages)

    def content(self) -> dict[str, Any]:
        """What a file would hold, for `parse` to read back."""
        kind = next(name for name, config in CONFIGS.items() if isinstance(self.network, config))
        stages = [asdict(stage) for stage in self.stages]
        for stage in stages:
            if not stage["restart"]:
                del stage["restart"]  # recipes written before there were restarts keep their hash
        return {**asdict(self), "network": {"encoder": kind, **asdict(self.network)}, "stages": stages}

    @property
    def digest(self) -> str:
        """A hash of all that the recipe says; weights name the one they were trained by."""
        return recipe_hash(self.content())

    def at(self, step: int) -> tuple[int, int]:
        """Which stage a step belongs to, and its number within that stage; all are counted from zero."""
        first = 0
        for place, stage in enumerate(self.stages):
            if step < first + stage.steps:
                return place, step - first
            first += stage.steps
        raise OrderError(f"The recipe has {self.steps} steps, so there is no step {step + 1}: add a stage to it.")


def _stage(content: Mapping[str, Any], where: str) -> Stage:
    parts = _entries(Stage, content, where)
    for family in parts["families"]:
        if family not in TABLE_FAMILIES:
            raise unknown_name("family of tables", family, TABLE_FAMILIES)
    low, high = parts["rows"]
    nodes = tuple((int(least), int(most), float(weight)) for least, most, weight in parts["nodes"])
    return Stage(**{**parts, "nodes": nodes, "rows": (low, high), "families": dict(parts["families"])})


def _entries(kind: type, content: Mapping[str, Any], where: str) -> dict[str, Any]:
    """The entries, if all that are needed are there and no other ones."""
    known = {each.name: each.default is MISSING for each in fields(kind)}
    for name in content:
        if name not in known:
            raise unknown_name(f"entry of {where}", name, known)
    for name, is_needed in known.items():
        if is_needed and name not in content:
            raise OrderError(f"{where[0].upper()}{where[1:]} has no entry '{name}': add it.")
    return dict(content)
