"""CONTRIBUTING.md: its code runs as it stands, and its picture of the layout is that of the package."""

import re
from ast import literal_eval
from pathlib import Path

import pytest

import fipscm

TEXT = (Path(__file__).resolve().parents[1] / "CONTRIBUTING.md").read_text()
SECTIONS = dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", TEXT, flags=re.DOTALL | re.MULTILINE))
PACKAGE = Path(fipscm.__file__).parent
PYTHON = re.compile(r"```python\n(.*?)```", flags=re.DOTALL)


def code_lines(block):
    """How many lines of a block are neither empty nor imports."""
    return len([line for line in block.splitlines() if line and not line.startswith(("import ", "from "))])


@pytest.mark.parametrize("section", ["A mechanism", "A response family", "A graph family", "A rival", "A question"])
def test_the_code_of_a_section_runs_and_is_short(section, capsys):
    blocks = PYTHON.findall(SECTIONS[section])
    assert blocks
    assert max(code_lines(block) for block in blocks) < 30
    exec(compile("\n".join(blocks), section, "exec"), {"__name__": "contributing"})
    if section == "A rival":
        assert {"tos", "f1", "shd", "auc_roc"} <= literal_eval(capsys.readouterr().out).keys()


def test_the_layout_names_every_part_of_the_package():
    tree = SECTIONS["The layout"].split("```")[1].split("src/fipscm/\n")[1]
    named = [name for line in tree.splitlines() if line for name in line[:26].split()]
    parts = {path.name for path in PACKAGE.glob("*.py") if not path.name.startswith("__")}
    parts |= {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    assert set(named) == parts
    assert len(named) == len(set(named))


def test_every_file_it_names_exists():
    root = PACKAGE.parents[1]
    named = re.findall(r"`((?:[\w.]+/)+[\w.]*)`", TEXT)
    assert len(named) > 10
    for name in named:
        assert (root / name).exists() or (PACKAGE / name).exists(), name
