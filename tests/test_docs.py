"""Documents name only what exists, and no place on the machine that wrote them."""

import re
import shlex
from pathlib import Path
from pkgutil import resolve_name

import pytest
import typer

from fipscm.cli.app import app
from fipscm.cli.names import GATE, MEASURED, ORDERS, SUMMARIES, TASKS

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "fipscm"
DOCUMENTS = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"))
}

LINK = re.compile(r"\]\(([^)\s]+)\)")
# Of the repository (docs/results/order.md), or of the package (order/training/run.py, without src/fipscm before it).
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.py|(?:src|tests|docs|benchmarks|checkpoints)(?:/[\w.-]+)+)")
MODULE = re.compile(r"\bfipscm(?:\.\w+)+")
COMMAND = re.compile(r"^(?:\.venv/bin/)?fipscm +([a-z].*)$", flags=re.MULTILINE)
MACHINE_PATH = re.compile(r"(?<![\w.:/-])(?:/(?:home|root|tmp|work|usr|opt|mnt|var|Users)/|[A-Z]:\\)")

COMMANDS = typer.main.get_command(app).commands
CHOICES = {"bench": (*TASKS, MEASURED, ORDERS, GATE), "bench-summary": SUMMARIES}


def exists(name):
    """Whether a dotted name is a module of the package, or something that one offers."""
    try:
        resolve_name(name)
    except (ImportError, AttributeError):
        return False
    return True


@pytest.fixture(params=DOCUMENTS)
def document(request):
    return DOCUMENTS[request.param]


def test_relative_links_lead_somewhere(document):
    links = (link.partition("#")[0] for link in LINK.findall(document.read_text()))
    lost = [link for link in links if link and "://" not in link and not (document.parent / link).exists()]
    assert not lost


def test_files_exist(document):
    places = ROOT, PACKAGE, document.parent
    named = (name.rstrip(".") for name in FILE.findall(document.read_text()))
    assert not [name for name in named if not any((place / name).exists() for place in places)]


def test_modules_exist(document):
    named = set(MODULE.findall(document.read_text()))
    assert not [name for name in named if not exists(name)]


def test_commands_and_their_options_exist(document):
    for line in COMMAND.findall(document.read_text()):
        command, *words = shlex.split(line, comments=True)
        assert command in COMMANDS, line
        if "--help" in words:
            continue
        known = {name for option in COMMANDS[command].params for name in (*option.opts, *option.secondary_opts)}
        assert {word for word in words if word.startswith("--")} <= known, line
        assert command not in CHOICES or words[0] in CHOICES[command], line


def test_no_path_of_a_machine(document):
    assert not MACHINE_PATH.findall(document.read_text())


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (LINK, "[x](docs/none.md)"),
        (FILE, "`order/none.py`"),
        (MODULE, "`fipscm.none`"),
        (COMMAND, "fipscm none"),
        (MACHINE_PATH, "in /tmp/x"),
    ],
)
def test_each_pattern_finds_what_it_looks_for(pattern, text):
    assert pattern.findall(text)


def test_an_invented_module_is_noticed():
    assert exists("fipscm.simulate.metadataset")
    assert not exists("fipscm.simulate.invented")
    assert not exists("fipscm.invented")
