"""What mechanisms are made of is known inside `mechanism` alone: others ask a mechanism or its response."""

import ast
from pathlib import Path

import pytest

import fipscm

ROOT = Path(fipscm.__file__).parent
INSIDE = ("fipscm.mechanism.responses", "fipscm.mechanism.predictors")
OUTSIDE = [path for path in ROOT.rglob("*.py") if not path.is_relative_to(ROOT / "mechanism")]


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_parts_of_mechanisms_are_not_imported_elsewhere(path):
    assert not [name for name in imported(path) if name.startswith(INSIDE)]
