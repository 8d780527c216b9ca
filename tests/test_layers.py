"""The folder list is the architecture: a part imports only from rows above it, never from its own row."""

import ast
from pathlib import Path

import pytest

import fipscm

ROOT = Path(fipscm.__file__).parent
ROWS = [
    {"errors", "arrays", "threads", "deferred"},
    {"tables.limits", "tables.arrow_size"},
    {"tables.stream"},
    {"robust", "graph", "factorisation", "significance"},
    {"usual"},
    {"layout.picture", "dot"},
    {"layout.sugiyama", "layout.labels", "layout.strokes"},
    {"layout.svg"},
    {"display"},
    {"metrics", "knowledge"},
    {"constraints", "directions"},
    {"tables.formula_cells", "tables.copies", "tables.dialect", "tables.writing", "tables.cells", "tables.frames"},
    {"tables.excel", "tables.columnar"},
    {"tables.formats", "tables.gaps"},
    {"tables.textfile"},
    {"tables.read", "tables.validate"},
    {"tables.kinds"},
    {"tables.derived.precision", "tables.derived.formulas"},
    {"tables.derived.groupings", "tables.derived.totals"},
    {"tables.experiments"},
    {"tables.write", "tables.intervened", "tables.panel", "tables.level_groups"},
    {"tables.columns"},
    {"tables.lags", "suggestions"},
    {"tables.training"},
    {"tables.archive", "tables.checkpoint"},
    {"scm.intervention"},
    {"scm.base"},
    {"scm.fixed_point"},
    {"scm.nodewise"},
    {"scm.standard"},
    {"simulate"},
    {
        "mechanism.edges.of_categories",
        "mechanism.edges.usable",
        "mechanism.heteroscedasticity",
        "mechanism.network",
        "mechanism.parts",
        "mechanism.progress",
        "mechanism.trial",
        "mechanism.weights",
    },
    {
        "mechanism.edges.linear_tests",
        "mechanism.noise_distribution",
        "mechanism.predictors",
        "mechanism.training_range",
    },
    {"mechanism.edges.halves", "mechanism.edges.screen", "mechanism.responses"},
    {"mechanism.inputs", "mechanism.selection_bias"},
    {"mechanism.data", "mechanism.mechanism"},
    {"mechanism.predictors.priors", "mechanism.learned"},
    {"mechanism.families"},
    {"mechanism.edges.by_test", "mechanism.select"},
    {"mechanism.candidates", "mechanism.edges.posterior", "mechanism.spread_causes"},
    {"mechanism.config"},
    {"mechanism.transformer"},
    {"mechanism.fit"},
    {"order.classical.baselines", "order.evidence"},
    {
        "order.network.encoder",
        "order.classical.gaussian",
        "order.rows.experiments",
        "order.classical.shared_noise",
    },
    {"order.network.reader"},
    {"order.removal"},
    {"order.paper"},
    {"order.weights"},
    {"order.model"},
    {"order.inference", "order.classical.hidden_causes"},
    {"order.confidence"},
    {"order.training", "order.zero_shot"},
    {"questions", "plotting", "dowhy"},
    {"report.words", "report.model"},
    {"report.variation", "report.curves", "report.effects", "report.hidden", "report.columns"},
    {"report.charts"},
    {"report.limits"},
    {"report.document"},
    {"report.page"},
    {"fip.settings"},
    {"fip.learning", "fip.fitted"},
    {"fip.rows", "fip.saving"},
    {"fip.queries", "fip.uncertainty"},
    {"estimator"},
    {"bench.measured.corpus"},
    {"bench.data"},
    {"bench.methods"},
    {"bench.tasks"},
    {"bench.run"},
    {"bench.report"},
    {"bench.measured.judged_order", "bench.measured.unseen_rows", "bench.measured.sanity"},
    {"bench.measured.known_effects"},
    {"bench.measured.measure", "bench.measured.known_orders"},
    {"bench.measured.run"},
    {"bench.measured.summary", "bench.measured.order_scores", "bench.measured.calibrate"},
    {"bench.measured.page", "bench.measured.orders_page", "bench.gate"},
    {"explore.units", "explore.edits", "explore.job", "explore.graph_text"},
    {"explore.one_row", "explore.script"},
    {"explore.screen"},
    {"explore.session"},
    {"explore.description"},
    {"explore.web.guard", "explore.web.requests"},
    {"explore.web.routes", "explore.web.connection"},
    {"explore.web.server"},
    {"cli.names", "cli.typed", "cli.doubt", "cli.kinds"},
    {"cli.options"},
    {"cli.source", "cli.suggested"},
    {"cli.commands"},
    {"cli.app"},
    {"cli.main"},
]
ROW = {part: row for row, parts in enumerate(ROWS) for part in parts}
MODULES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in ROOT.rglob("*.py")
    if path.name not in ("__init__.py", "__main__.py")
}


def part_of(module):
    """The longest listed name that the module's name begins with."""
    words = module.split(".")
    names = (".".join(words[:length]) for length in range(len(words), 0, -1))
    return next((name for name in names if name in ROW), None)


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} imports relatively: name the module in full"
            # `from fipscm.order import zero_shot` may name a module, or something that the package offers.
            modules = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from (module if module.removeprefix("fipscm.") in MODULES else node.module for module in modules)


@pytest.mark.parametrize("module", MODULES)
def test_imports_point_upwards(module):
    own = part_of(module)
    assert own is not None, f"{module} has no row yet: place it in ROWS"
    for imported in imports_of(MODULES[module]):
        if not imported.startswith("fipscm."):
            continue
        other = part_of(imported.removeprefix("fipscm."))
        if other is None:  # a package: its parts have been placed, and the lowest one counts
            inside = [ROW[part] for part in ROW if part.startswith(imported.removeprefix("fipscm.") + ".")]
            assert inside, f"{module} imports {imported}, which has no row"
            assert max(inside) < ROW[own], f"{module} imports {imported}, parts of which stand below it"
        elif other != own:
            assert ROW[other] < ROW[own], f"{module} imports {imported}, which does not stand above it"


@pytest.mark.parametrize(("part", "other"), [("order", "mechanism"), ("mechanism", "order")])
def test_orders_and_mechanisms_do_not_import_each_other(part, other):
    own = [path for module, path in MODULES.items() if module.startswith(f"{part}.")]
    assert not [path.name for path in own for name in imports_of(path) if name.startswith(f"fipscm.{other}")]


@pytest.mark.parametrize("part", ["responses", "predictors"])
def test_only_mechanisms_know_their_parts(part):
    own = [path for module, path in MODULES.items() if not module.startswith("mechanism.")]
    assert not [path.name for path in own for name in imports_of(path) if name.startswith(f"fipscm.mechanism.{part}")]


def test_every_row_has_a_file():
    assert {part for part in ROW if not any(part_of(module) == part for module in MODULES)} == set()
