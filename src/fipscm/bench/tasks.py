"""What can be run: each task is a grid of data sets, the methods it compares and the scores it shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import product

from fipscm.bench.data.bayesian_networks import BAYESIAN_NETWORKS, SMALL_NETWORKS
from fipscm.bench.data.problem import DataSet
from fipscm.bench.data.sources import COLLECTIONS, NETWORKS, RANDOM, SACHS_ROWS
from fipscm.bench.data.tunnel import NODES as TUNNEL_NODES
from fipscm.bench.data.tunnel import TUNNEL, TUNNEL_ROWS
from fipscm.errors import unknown_name
from fipscm.order import SCALES
from fipscm.simulate import C_SUITE, CAUSAL_NF, PRIORS, known_scm
from fipscm.simulate.continued import CONTINUATIONS, NODES
from fipscm.simulate.effects import EFFECT_SCMS
from fipscm.simulate.metadatasets import ROWS
from fipscm.simulate.mixed.draw import MIXED
from fipscm.simulate.mixed.holes import PATTERNS
from fipscm.simulate.non_additive import NON_ADDITIVE
from fipscm.simulate.worlds import PLAIN, VARIANTS

_TABLES = {
    "sachs": (11, SACHS_ROWS),
    "syntren": (20, 500),
    **dict.fromkeys(TUNNEL, (TUNNEL_NODES, TUNNEL_ROWS)),
}


@dataclass(frozen=True)
class Grid:
    """Every combination of these.

    Presets and families concern the random collections only, dims those and the SCMs of `noise` and `mixed`, variants
    the random collections and `mixed`, where they are patterns of missing cells.
    """

    names: tuple[str, ...] = COLLECTIONS
    presets: tuple[str, ...] = ("released",)
    dims: tuple[int, ...] = (10, 20, 50)
    rows: tuple[int, ...] = (ROWS,)
    seeds: tuple[int, ...] = (0, 1, 2)
    scales: tuple[str, ...] = ("raw",)
    variants: tuple[str, ...] = ("plain",)
    families: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        variants = (*VARIANTS, *PATTERNS)
        known = {"preset": (self.presets, PRIORS), "scale": (self.scales, SCALES), "variant": (self.variants, variants)}
        for kind, (asked, names) in known.items():
            for name in asked:
                if name not in names:
                    raise unknown_name(kind, name, names)

    def data_sets(self) -> Iterator[DataSet]:
        """Yield the data sets: the first seed of every kind before any second seed."""
        for seed, name, scale in product(self.seeds, self.names, self.scales):
            if name in RANDOM:
                yield from self._random(name, seed, scale)
            elif name == MIXED or name in NON_ADDITIVE:
                variants = self.variants if name == MIXED else (PLAIN,)
                for nodes, rows, variant in product(self.dims, self.rows, variants):
                    yield DataSet(name, nodes, rows=rows, seed=seed, scale=scale, variant=variant)
            elif name in _TABLES:
                nodes, rows = _TABLES[name]
                yield DataSet(name, nodes, rows=rows, seed=seed, scale=scale)
            elif name in (*CONTINUATIONS, *EFFECT_SCMS, *BAYESIAN_NETWORKS):
                nodes = NODES if name in CONTINUATIONS else BAYESIAN_NETWORKS.get(name, 5)
                yield from (DataSet(name, nodes, rows=rows, seed=seed, scale=scale) for rows in self.rows)
            else:
                nodes = len(known_scm(name).names)
                yield from (DataSet(name, nodes, rows=rows, seed=seed, scale=scale) for rows in self.rows)

    def _random(self, name: str, seed: int, scale: str) -> Iterator[DataSet]:
        for preset, nodes, rows, variant in product(self.presets, self.dims, self.rows, self.variants):
            for family in self.families or PRIORS[preset][name].families:
                yield DataSet(name, nodes, preset, family, rows, seed, scale, variant)


@dataclass(frozen=True)
class Task:
    """One comparison of methods: on which data sets, by which scores, and how its tables are laid out.

    Attributes:
        title: what is compared; the heading of its page.
        reproduces: which table or figure of the paper; None if it is not in the paper.
        methods: compared unless others are asked for.
        figures: scores shown, one table each.
        columns: the property of a data set that tells the columns of a table apart.
        grid: the data sets.
    """

    title: str
    reproduces: str | None
    methods: tuple[str, ...]
    figures: tuple[str, ...]
    columns: str = "nodes"
    grid: Grid = field(default_factory=Grid)


OURS = ("fip", "fip-order", "fip-graph")
DISCOVERY = ("pc", "ges", "golem", "dag-gnn", "gran-dag", "notears-mlp", "direct-lingam", "avici")
_ORDERS = ("variance", "r2", "direct-lingam", "score", "nogam", "random")
GENERATIVE = ("dowhy-graph", "dowhy-predicted")
FLOWS = ("causal-nf", "carefl")
_ADDITIVE = ("fip-additive", "fip-order-additive")
STRESSED = ("fip", "zero-shot", "variance", "pc", "ges", "direct-lingam")

TASKS: dict[str, Task] = {
    "smoke": Task(
        "A first look",
        None,
        ("fip", "variance"),
        ("tos", "f1"),
        grid=Grid(("lin-out",), dims=(5,), rows=(2_000,), seeds=(0,)),
    ),
    "tos": Task(
        "Causal orders by dimension, and the zero-shot graph",
        "figure 2 (TOS against d)",
        ("zero-shot", *_ORDERS),
        ("tos", "f1", "calibration"),
        grid=Grid(presets=("avici", "released"), dims=(10, 20, 50, 100, 200), scales=SCALES),
    ),
    "d-max": Task(
        "Orders and training memory by d_max",
        "figure 1 and table 1 (sub-sampling of d-TOE)",
        ("d-max-2", "d-max-10", "d-max-20"),
        ("tos_10", "tos_20", "tos_50", "memory"),
        grid=Grid(("rff-in",), dims=(20,), rows=(200,), seeds=(0,), families=("erdos-renyi",)),
    ),
    "f1": Task(
        "Graphs: directed F1",
        "figure 3, table 3 and the F1 tables of appendix F",
        (*OURS, "fip-paper", "zero-shot", *DISCOVERY),
        ("f1",),
    ),
    "auc-roc": Task(
        "Graphs: AUC-ROC", "the AUC-ROC tables of appendix F", ("fip", "fip-order", "zero-shot"), ("auc_roc",)
    ),
    "auc-prg": Task("Graphs: AUC-PRG", "the AUC-PRG tables of appendix F", (*OURS, "zero-shot"), ("auc_prg",)),
    "counterfactual": Task(
        "Counterfactuals: r-l2",
        "tables 2 and 4 and the counterfactual tables of appendix F",
        (*OURS, "fip-paper", *GENERATIVE),
        ("counterfactual",),
    ),
    "abduction": Task("Noises: r-l2", "the noise table of appendix F", (*OURS, "dowhy-graph"), ("noise",)),
    "c-suite": Task(
        "C-Suite",
        "figure 3 and table 2 (C-Suite)",
        (*OURS, *DISCOVERY, *GENERATIVE),
        ("f1", "counterfactual", "mmd"),
        columns="name",
        grid=Grid(tuple(C_SUITE)),
    ),
    "syntren": Task(
        "SynTReN: simulated gene expression",
        "figure 3 (SynTReN)",
        (*OURS, "zero-shot", *DISCOVERY, *GENERATIVE),
        ("f1", "tos", "mmd"),
        columns="scale",
        grid=Grid(("syntren",), seeds=tuple(range(10)), scales=SCALES),
    ),
    "sachs": Task(
        "Sachs: protein measurements",
        "figure 3 (Sachs)",
        (*OURS, "zero-shot", *DISCOVERY, *GENERATIVE),
        ("f1", "tos", "mmd"),
        columns="scale",
        grid=Grid(("sachs",), seeds=tuple(range(5)), scales=SCALES),
    ),
    "causal-nf": Task(
        "The comparison of Causal NF",
        "the last counterfactual table of appendix F",
        ("fip-order", *FLOWS, "dowhy-graph"),
        ("counterfactual",),
        columns="name",
        grid=Grid(tuple(CAUSAL_NF), seeds=tuple(range(5))),
    ),
    "complexity": Task(
        "Parameters, time and memory",
        "the complexity tables of appendix F",
        ("transformer",),
        ("parameters", "train_seconds", "test_seconds", "memory"),
        grid=Grid(("rff-in",), dims=(10, 50, 100), rows=(1_000, 10_000), seeds=(0,), families=("erdos-renyi",)),
    ),
    "robustness": Task(
        "Where it fails: broken assumptions",
        None,
        STRESSED,
        ("tos", "f1", "calibration", "counterfactual", "doubted"),
        columns="variant",
        grid=Grid(("lin-out", "rff-out"), dims=(10,), scales=SCALES, variants=tuple(VARIANTS)),
    ),
    "rows": Task(
        "Where it fails: few rows",
        None,
        STRESSED,
        ("tos", "f1", "calibration", "counterfactual"),
        columns="rows",
        grid=Grid(("lin-out", "rff-out"), dims=(10,), rows=(100, 200, 500, 1_000, 10_000, 100_000), scales=SCALES),
    ),
    "pairs": Task(
        "Where it fails: two variables",
        None,
        STRESSED,
        ("tos", "f1", "calibration"),
        columns="variant",
        grid=Grid(
            ("lin-out", "rff-out"),
            dims=(2,),
            seeds=tuple(range(5)),
            scales=SCALES,
            variants=tuple(VARIANTS),
            families=("block-model", "scale-free-power"),  # two nodes of the third, a lattice, often have no edge
        ),
    ),
    "networks": Task(
        "Mechanisms that are networks",
        None,
        STRESSED,
        ("tos", "f1", "calibration", "counterfactual"),
        grid=Grid(NETWORKS, dims=(10, 20), scales=SCALES),
    ),
    "far": Task(
        "Interventions beyond the rows",
        None,
        ("fip-graph", "dowhy-graph", "least-squares"),
        ("far",),
        columns="name",
        grid=Grid(tuple(CONTINUATIONS), rows=(1_000,), seeds=tuple(range(10))),
    ),
    "tunnel": Task(
        "Interventions beyond the rows of a light tunnel",
        None,
        ("fip-graph", "least-squares", "no-change"),
        ("far",),
        columns="name",
        grid=Grid(tuple(TUNNEL), seeds=(0,)),
    ),
    "noise": Task(
        "Noise that is not additive",
        None,
        ("fip", "fip-order", *_ADDITIVE, *FLOWS, "dowhy-order", "dowhy-post-nonlinear"),
        ("counterfactual", "mmd", "log_likelihood", "seconds", "f1"),
        grid=Grid(tuple(NON_ADDITIVE), dims=(5, 10, 20), rows=(1_000, 10_000)),
    ),
    "mixed": Task(
        "Columns of every kind, and missing cells",
        None,
        ("fip", "fip-drop", "fip-graph", "dowhy-mixed", "dowhy-codes"),
        ("tos", "f1", "effects", "counterfactual", "seconds"),
        columns="variant",
        grid=Grid((MIXED,), dims=(5, 10, 20), rows=(1_000, 5_000), variants=tuple(PATTERNS)),
    ),
    "categories": Task(
        "Tables of categories from expert Bayesian networks",
        None,
        ("fip", "zero-shot", "pc-g2", "ges-bdeu"),
        ("cpdag_f1", "skeleton_f1", "tos"),
        columns="name",
        grid=Grid(tuple(SMALL_NETWORKS), rows=(5_000,), seeds=tuple(range(10))),
    ),
    "coverage": Task(
        "Intervals of effects",
        None,
        ("fip-order", "adjustment", "dowhy-bootstrap"),
        ("coverage", "coverage_zero", "coverage_weak", "coverage_medium", "width", "no_width"),
        columns="rows",
        grid=Grid(EFFECT_SCMS, rows=(100, 250, 1_000, 10_000), seeds=tuple(range(40))),
    ),
}


def widened(task: Task, grid: Grid, methods: Sequence[str]) -> Task:
    """Return the task with further data sets and methods added to its own."""
    wider = {
        each.name: tuple(dict.fromkeys([*getattr(task.grid, each.name), *getattr(grid, each.name)]))
        for each in fields(Grid)
        if each.name != "families"
    }
    return replace(task, grid=replace(task.grid, **wider), methods=tuple(dict.fromkeys([*task.methods, *methods])))


def find_task(name: str) -> Task:
    """Look up a task."""
    if name not in TASKS:
        raise unknown_name("task", name, TASKS)
    return TASKS[name]
