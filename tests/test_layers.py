"""The folder list is the architecture: each level imports only from levels above it."""

import ast
from pathlib import Path

import pytest

import fipscm

ROOT = Path(fipscm.__file__).parent
LEVELS = [
    {"errors"},
    {"graph", "metrics", "table", "files", "plotting"},
    {"intervention", "scm", "structural"},
    {"simulate", "nn"},
    {"order", "mechanism"},
    {"constraints", "estimator", "knowledge", "uncertainty", "effects", "diagnostics", "persistence", "bridge"},
    {"bench", "report", "explore"},
    {"cli", "commands", "demo"},
]
LEVEL = {name: level for level, names in enumerate(LEVELS) for name in names}
STRANGERS = [{"nn", "simulate"}, {"order", "mechanism"}]


def part_of(module):
    return module.split(".")[1] if module.startswith("fipscm.") else None


def imports_of(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, f"{path.name} imports relatively: name the module in full"
            yield node.module


MODULES = [path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_upwards(path):
    own = path.relative_to(ROOT).parts[0].removesuffix(".py")
    assert own in LEVEL, f"{own} has no level yet: place it in LEVELS"
    for module in imports_of(path):
        other = part_of(module)
        if other is not None and other != own:
            assert LEVEL[other] <= LEVEL[own], f"{own} imports {other}, which stands below it"
            assert {own, other} not in STRANGERS, f"{own} and {other} must not know each other"
